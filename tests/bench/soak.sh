#!/bin/bash
# soak.sh [SECONDS] - tiermark left alone with servers that misbehave: one run
# of SECONDS (600; at least 30) on a private PostgreSQL and then one on a
# private MariaDB, while sessions are killed, the server stands still for one to
# three seconds, and it is stopped or killed and started again, all at random.
#
# Prints for each server, and fails where it is not so:
#   that the run ended on time, beside the bound;
#   conservation: rows in the table are those reported done, and at most those
#   in doubt or unfinished beside them;
#   the most memory that tiermark took until a quarter of the run and until its
#   end: flat.
#
# TIERMARK: the program (default: built for release).
# SEED: of the disturbances (default: random, and printed).
# TIERMARK_TEST_POSTGRES_BIN, TIERMARK_TEST_MARIADB_BIN: folders with the
# servers' programs (default: what is installed).
# shellcheck disable=SC2317 # functions are called by name
set -euo pipefail
seconds=${1:-600}
[[ $seconds =~ ^[0-9]+$ && $seconds -ge 30 ]] || { echo "usage: $0 [SECONDS], at least 30" >&2; exit 2; }
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
here=$root/tests/servers
clients=8
# seconds without disturbances at the end: all clients are back by then
quiet=15
RANDOM=${SEED:=$RANDOM}

if [ -z "${TIERMARK:-}" ]; then
    cargo build --locked --release --manifest-path "$root/Cargo.toml"
    TIERMARK=${CARGO_TARGET_DIR:-$root/target}/release/tiermark
fi
TIERMARK=$(realpath "$TIERMARK")
tmp=$(mktemp -d /tmp/tiermark.XXXXXX)
chmod 711 "$tmp"
frozen=() run=

thaw() {
    [ ${#frozen[@]} -eq 0 ] || kill -s CONT "${frozen[@]}" 2>/dev/null || true
    frozen=()
}

cleanup() {
    trap '' INT TERM HUP
    thaw
    [ -z "$run" ] || kill -s KILL "$run" 2>/dev/null || true
    "$here/postgres.sh" stop "$tmp/POSTGRES" || true
    "$here/mysql.sh" stop "$tmp/MARIADB" || true
    rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A workload that only adds rows, half of them in transactions.
cat >"$tmp/soak.toml" <<'TOML'
about = "adds to a journal"
sql = "soak"
[draw]
amount = { kind = "uniform", min = 1, max = 1000000 }
[[table]]
name = "journal"
create = "create_journal"
rows = 1
columns = { amount = "seq" }
[[transaction]]
name = "entry"
atomic = true
steps = [{ run = ["add"] }]
[[transaction]]
name = "note"
steps = [{ run = ["add"] }]
TOML
cat >"$tmp/soak.sql" <<'SQL'
-- name: create_journal
CREATE TABLE journal (amount INTEGER NOT NULL)
-- name: add
INSERT INTO journal (amount) VALUES (:amount)
SQL

# sql TEXT : as the administrator of the server at hand; prints bare values
sql() {
    local rest=${admin#*://} user password address
    user=${rest%%:*} rest=${rest#*:}
    password=${rest%%@*} address=${rest#*@}
    if [ "$name" = POSTGRES ]; then
        PGPASSWORD=$password PGCONNECT_TIMEOUT=5 timeout 20 \
            "$bin/psql" -XAtq "postgres://$user@$address" -c "$1"
    else
        MYSQL_PWD=$password timeout 20 "$client" --no-defaults --connect-timeout=5 -N -B \
            -h 127.0.0.1 -P "$(cut -d: -f2 <<<"${address%%/*}")" -u "$user" "${address#*/}" -e "$1"
    fi
}

kill_sessions() {
    local many=$((1 + RANDOM % clients)) id
    echo "  $(clock) s: killing $many sessions"
    if [ "$name" = POSTGRES ]; then
        sql "select pg_terminate_backend(pid) from (select pid from pg_stat_activity
            where usename = 'bench' order by random() limit $many) as chosen" >/dev/null || true
        return
    fi
    for id in $(sql "select id from information_schema.processlist where user = 'bench'
        order by rand() limit $many"); do
        sql "kill $id" 2>/dev/null || true
    done
}

freeze() {
    local pid
    local for=$((1 + RANDOM % 3))
    echo "  $(clock) s: frozen for $for s"
    pid=$(cat "$tmp/$name/pid")
    frozen=("$pid")
    kill -s STOP "$pid"
    # PostgreSQL's other processes
    mapfile -t -O 1 frozen < <(ps -o pid= --ppid "$pid" | tr -d ' ')
    kill -s STOP "${frozen[@]}" 2>/dev/null || true
    sleep "$for"
    thaw
}

restart() {
    local away=$((1 + RANDOM % 2))
    if [ $((RANDOM % 2)) = 0 ]; then
        echo "  $(clock) s: stopped for $away s"
        "$here/$script" stop "$tmp/$name"
    else
        echo "  $(clock) s: killed for $away s"
        kill -s KILL "$(cat "$tmp/$name/pid")"
    fi
    sleep "$away"
    "$here/$script" again "$tmp/$name"
}

clock() { echo $((SECONDS - began)); }
# the most memory that the run has taken, in kB
memory() { awk '/^VmHWM:/ { print $2 }' "/proc/$run/status" 2>/dev/null || true; }
# column NAME : of the row for all transactions
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["transaction"] == "all" && NR > 1 { print $at[name] }' "$tmp/$name/results"/*/summary.csv
}
failures=0
# verdict GOOD TEXT
verdict() {
    if [ "$1" = 1 ]; then echo "  ok: $2"; else echo "  FAILED: $2"; failures=$((failures + 1)); fi
}

soak() {
    local url status=0 quarter='' end='' now took bound rows low high unfinished disturbances=0
    name=$1 script=$2 bin=$3
    NAME=$name BIN=$bin "$here/$script" start "$tmp/$name"
    # shellcheck source=/dev/null
    . "$tmp/$name/env"
    url=TIERMARK_TEST_$name admin=TIERMARK_TEST_${name}_ADMIN
    admin=${!admin}
    export TIERMARK_URL=${!url}
    "$TIERMARK" prepare -q "$tmp/soak.toml"

    echo "$name: $seconds s, seed $SEED"
    "$TIERMARK" run -q "$tmp/soak.toml" --clients "$clients" --warmup 0s --time "${seconds}s" \
        --out "$tmp/$name/results" >"$tmp/$name/out" 2>&1 &
    run=$! began=$SECONDS
    while [ "$(clock)" -lt $((seconds - quiet)) ]; do
        sleep $((2 + RANDOM % 4))
        if [ -z "$quarter" ] && [ "$(clock)" -ge $((seconds / 4)) ]; then quarter=$(memory); fi
        [ "$(clock)" -lt $((seconds - quiet)) ] || break
        case $((RANDOM % 3)) in
        0) kill_sessions ;;
        1) freeze ;;
        2) restart ;;
        esac
        disturbances=$((disturbances + 1))
    done
    bound=$((seconds + 10))
    while [ -d "/proc/$run" ] && [ "$(clock)" -le $((bound + 60)) ]; do
        now=$(memory)
        end=${now:-$end}
        sleep 0.1
    done
    took=$(clock)
    kill -s KILL "$run" 2>/dev/null || true
    wait "$run" || status=$?
    run=
    # 1: more than the limit of transactions may have failed
    verdict $((status <= 1)) "status $status after $disturbances disturbances"
    if [ "$status" -gt 1 ]; then tail -n 20 "$tmp/$name/out"; fi
    verdict $((took <= bound)) "ended after $took s, bound $bound s"
    verdict $(($(column measured_s) == seconds)) "measured $(column measured_s) s of $seconds s"

    rows=$(($(sql 'select count(*) from journal') - 1))
    low=$(($(column "done") + $(column drained)))
    unfinished=$(column unfinished)
    high=$((low + $(column in_doubt) + unfinished))
    verdict $((low <= rows && rows <= high)) \
        "$rows rows, $low done, $(column in_doubt) in doubt, $unfinished unfinished"
    echo "  $(column disconnects) disconnects, $(column outage_s) s of outage"
    # what an allocator keeps for itself is a few MB
    verdict $((${end:-0} > 0 && end <= quarter * 5 / 4 + 4096)) \
        "at most $quarter kB until a quarter, $end kB until the end"
    "$here/$script" stop "$tmp/$name"
}

postgres=${TIERMARK_TEST_POSTGRES_BIN:-$(find /usr/lib/postgresql -path '*/bin/initdb' -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)}
mariadb=${TIERMARK_TEST_MARIADB_BIN:-/usr/sbin}
client=$mariadb/mariadb
[ -x "$client" ] || client=$(command -v mariadb || command -v mysql)
soak POSTGRES postgres.sh "$postgres"
soak MARIADB mysql.sh "$mariadb"
if [ "$failures" -gt 0 ]; then
    echo "$failures failures"
    exit 1
fi
echo "all as it must be"
