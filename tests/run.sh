#!/bin/bash
# tests/run.sh [--quick] - all checks and tests on a Debian 12 machine with
# cargo: format, lints, documentation, scripts, and the tests against real
# database servers, which it fetches, starts, and stops again. The summary of
# the test runner is the last thing it prints; its status is that of the first
# step that failed.
#
# --quick is for the inner loop: PostgreSQL 15, MariaDB 10.11 and, if it has
# been fetched before, MySQL; no documentation.
#
# What a test finds in its environment:
#   TIERMARK_TEST_<SERVER>, _ADMIN, _PID, _SOCKET, _DATA, _BIN
#       for POSTGRES, POSTGRES_NEW, MARIADB, MARIADB_NEW and MYSQL, as
#       tests/servers/postgres.sh and mysql.sh describe them; not set: that
#       server is not to be had
#   TIERMARK_TEST_PGBOUNCER, _PID
#       the database of POSTGRES through a pooler, as pgbouncer.sh describes it
#   TIERMARK_TEST_CERTS
#       the folder of certificates that certs.sh makes; all servers have theirs
#       from it
#   TIERMARK_SKIPS
#       a file; a test that cannot run appends one line "what: why" to it
#
# TIERMARK_SERVERS: folder for unpacked servers (default: target/servers).
# SERVER_USER: who runs the servers when root calls (default: nobody).
# shellcheck disable=SC2317 # most functions are called by `step` and `run`
set -euo pipefail

quick=
case "${1:-}" in
'') ;;
--quick) quick=1 ;;
*) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
cd "$root"
here=$root/tests/servers
cache=$(realpath -m -- "${TIERMARK_SERVERS:-$root/target/servers}")
export SERVER_USER=${SERVER_USER:-nobody}
# addresses left in the caller's environment are of other servers
for name in "${!TIERMARK_TEST_@}"; do unset "$name"; done

# A short path: the name of a unix socket has at most 107 bytes.
tmp=$(mktemp -d /tmp/tiermark.XXXXXX)
chmod 711 "$tmp"
export TIERMARK_SKIPS=$tmp/skips
export CERTS=$tmp/certs
: >"$TIERMARK_SKIPS"
names=() scripts=() bins=() # of the servers
failed=() status=0          # of the steps
child=                      # the running step, a process group of its own

cleanup() {
    trap '' INT TERM HUP
    set +e
    local n
    if [ -n "$child" ]; then
        kill -s TERM -- "-$child"
        # half a minute for the whole group: a test, or a server being made
        for ((n = 0; n < 300; n++)); do
            kill -s 0 -- "-$child" || break
            sleep 0.1
        done
        kill -s KILL -- "-$child"
    fi
    for n in "${!names[@]}"; do "$here/${scripts[n]}" stop "$tmp/${names[n]}" & done
    wait
    rm -rf "$tmp"
} >/dev/null 2>&1
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# run COMMAND... : in the background, because bash runs a trap only when the
# command in the foreground has ended; in a process group, to end all of it.
run() {
    local rc=0
    set -m
    "$@" </dev/null &
    child=$!
    set +m
    wait "$child" || rc=$?
    child=
    return "$rc"
}

# step HEADLINE COMMAND... : a failure does not keep the next steps from running
step() {
    local headline=$1 rc=0
    shift
    echo "==> $headline"
    run "$@" || rc=$?
    if [ "$rc" -ne 0 ]; then
        echo "FAILED: $headline" >&2
        failed+=("$headline")
        [ "$status" -ne 0 ] || status=$rc
    fi
}

die() { echo "$0: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $*"; echo "$*" >>"$TIERMARK_SKIPS"; }

install_missing() {
    local packages=()
    # ring and SQLite are built with a C compiler
    command -v cc >/dev/null || packages+=(gcc libc6-dev)
    # the -core packages hold the programs only: no service is started
    [ -x /usr/sbin/mariadbd ] || packages+=(mariadb-server-core mariadb-client-core)
    [ -x /usr/sbin/pgbouncer ] || packages+=(pgbouncer)
    command -v openssl >/dev/null || packages+=(openssl)
    command -v sysbench >/dev/null || packages+=(sysbench)
    if [ ${#packages[@]} -gt 0 ] && [ "$(id -u)" = 0 ]; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update && apt-get -qq -y install --no-install-recommends "${packages[@]}" || return
    fi
    # a minimal toolchain comes without them
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt || return
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
}

# server NAME SCRIPT BIN : to be started by start_servers
server() {
    local bin=$3
    # the server's user may be kept out of this checkout, below /root say
    if [ "$(id -u)" = 0 ] && ! setpriv --reuid="$SERVER_USER" --clear-groups test -x "$bin"; then
        cp -a "${bin%/bin}" "$tmp/$1.programs"
        chmod 755 "$tmp/$1.programs"
        bin=$tmp/$1.programs/bin
    fi
    names+=("$1") scripts+=("$2") bins+=("$bin")
}

# fetch FOLDER COMMAND... : unpacks a server below $cache; sets $why if it cannot
fetch() {
    local folder=$1
    shift
    echo "fetching $folder"
    run timeout 900 "$@" >"$tmp/fetch.log" 2>&1 && return
    cat "$tmp/fetch.log" >&2
    why="cannot be fetched: $(tail -n 1 "$tmp/fetch.log")"
    return 1
}

# newer NAME SCRIPT LABEL FOLDER COMMAND... : a server that may be missing
newer() {
    local name=$1 script=$2 label=$3 folder=$cache/$4 why='not fetched yet (--quick fetches nothing)'
    shift 3
    if [ -e "$folder/.done" ] || { [ -z "$quick" ] && fetch "$@"; }; then
        server "$name" "$script" "$folder/bin"
    else
        skip "$label: $why"
    fi
}

find_servers() {
    local bin why
    bin=$(find /usr/lib/postgresql -path '*/bin/initdb' -printf '%h\n' 2>/dev/null | sort -V | tail -n 1) || true
    if [ -z "$bin" ]; then
        # not by apt: Debian's package makes a cluster and starts a service
        SUITES=bookworm fetch postgresql-15 "$here/get-postgres.sh" 15 "$cache/postgresql-15" || die "PostgreSQL $why"
        bin=$cache/postgresql-15/bin
    fi
    server POSTGRES postgres.sh "$bin"
    bin=/usr/sbin
    if [ ! -x /usr/sbin/mariadbd ]; then
        fetch mariadb-10.11 "$here/get-mariadb.sh" "$cache/mariadb-10.11" bookworm || die "MariaDB $why"
        bin=$cache/mariadb-10.11/bin
    fi
    server MARIADB mysql.sh "$bin"
    newer MYSQL mysql.sh MySQL mysql "$here/get-mysql.sh" "$cache/mysql"
    [ -z "$quick" ] || return 0
    newer POSTGRES_NEW postgres.sh 'PostgreSQL 18' postgresql-18 "$here/get-postgres.sh" 18 "$cache/postgresql-18"
    newer MARIADB_NEW mysql.sh 'MariaDB 11.8' mariadb-11.8 "$here/get-mariadb.sh" "$cache/mariadb-11.8"
}

start_servers() {
    local n jobs=() rc=0
    for n in "${!names[@]}"; do
        NAME=${names[n]} BIN=${bins[n]} "$here/${scripts[n]}" start "$tmp/${names[n]}" &
        jobs+=($!)
    done
    for n in "${jobs[@]}"; do wait "$n" || rc=$?; done
    return "$rc"
}

# read_env NAME... : the addresses of servers, for the tests
read_env() {
    local name
    for name in "$@"; do
        set -a
        # shellcheck source=/dev/null
        . "$tmp/$name/env"
        set +a
    done
}

# not among the servers above: it needs the address of one of them
start_pgbouncer() {
    if [ ! -x /usr/sbin/pgbouncer ]; then
        skip "PgBouncer: not installed, and only root can install it"
        return
    fi
    names+=(PGBOUNCER) scripts+=(pgbouncer.sh) bins+=("")
    run "$here/pgbouncer.sh" start "$tmp/PGBOUNCER" || die "PgBouncer did not start"
    read_env PGBOUNCER
}

# The summary is held back: the list of what was skipped comes before it.
run_tests() {
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --locked --no-fail-fast --color never 2>&1 |
            tee "$tmp/tests.log" | sed -u "\\|$summary|,\$d"
    else
        cargo test --locked --no-fail-fast --color never 2>&1 | tee "$tmp/tests.log"
    fi
}
summary='^ *Summary \[ *[0-9.]*s\] [0-9/]* tests\{0,1\} run:'

print_summary() {
    if grep -q "$summary" "$tmp/tests.log"; then
        sed -n "\\|$summary|,\$p" "$tmp/tests.log"
    else
        # cargo test has one line a test program: add them up
        awk '/^test result: / { p += $4; f += $6; i += $8; n++ }
            END { if (n) printf "test result: %s. %d passed; %d failed; %d ignored\n", f ? "FAILED" : "ok", p, f, i }' "$tmp/tests.log"
    fi
}

echo "==> what the tests need"
run install_missing || die "cannot install what is missing"
step "cargo fmt" cargo fmt --check
step "cargo clippy" cargo clippy --locked --all-targets -- -D warnings
if command -v shellcheck >/dev/null; then
    step "shellcheck" shellcheck -x .ci/run tests/run.sh tests/servers/*.sh tests/bench/*.sh
fi
if [ -n "$quick" ]; then
    echo "==> left out by --quick: documentation, its examples, PostgreSQL 18, MariaDB 11.8"
else
    step "cargo doc" env RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
    step "examples in the documentation" cargo test --locked --quiet --doc
fi
echo "==> database servers"
find_servers
run "$here/certs.sh" "$CERTS" || die "the certificates could not be made"
run start_servers || die "a database server did not start"
read_env "${names[@]}"
start_pgbouncer
step "tests" run_tests

if [ -s "$TIERMARK_SKIPS" ]; then
    echo "==> skipped"
    sort -u "$TIERMARK_SKIPS" | sed 's/^\(SKIPPED: *\)\?/SKIPPED: /'
fi
if [ ${#failed[@]} -gt 0 ]; then
    echo "==> failed steps"
    printf '%s\n' "${failed[@]}"
fi
echo "==> summary"
print_summary
exit "$status"
