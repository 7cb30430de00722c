#!/bin/bash
# postgres.sh start DIR [server options...] | again DIR | stop DIR
# A private PostgreSQL server in DIR, on a free port of 127.0.0.1 and a unix
# socket, with random passwords and SCRAM-SHA-256 on every connection.
#
# DIR/env holds, with N from NAME (default POSTGRES):
#   TIERMARK_TEST_N        user bench, no superuser, owner of database bench
#   TIERMARK_TEST_N_ADMIN  the superuser, in the same database
#   TIERMARK_TEST_N_CERT   user bench_cert, who must show a client certificate
#   TIERMARK_TEST_N_PID, _SOCKET (folder), _DATA, _BIN
# BIN: folder with the programs (default: the newest that is installed).
# CERTS: folder made by certs.sh; without it no TLS, and no user bench_cert.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
command=${1:-} dir=${2:-}
[ -n "$dir" ] || { echo "usage: $0 start DIR [server options...] | again DIR | stop DIR" >&2; exit 2; }
shift 2
# shellcheck source=tests/servers/common.sh
. "$here/common.sh"

ready() { "$bin/pg_isready" -q -h "$dir/sock" -p "$port" -d postgres -U postgres; }

start() {
    local name=${NAME:-POSTGRES} admin_password bench_password cert_password
    local tls=()
    bin=${BIN:-$(find /usr/lib/postgresql -path '*/bin/initdb' -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)}
    [ -x "$bin/initdb" ] || die "no PostgreSQL programs in '$bin'"
    prepare_folder
    admin_password=$(new_password)
    bench_password=$(new_password)
    cert_password=$(new_password)

    keep "$dir/pwfile" <<<"$admin_password"
    "${as_server[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A scram-sha-256 --pwfile="$dir/pwfile" \
        -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >"$dir/log" 2>&1 ||
        { tail -n 20 "$dir/log" >&2; die "initdb failed"; }
    rm "$dir/pwfile"
    if [ -n "${CERTS:-}" ]; then
        copy_certs "$dir/data"
        tls=(-c ssl=on -c ssl_ca_file=ca.pem -c ssl_cert_file=server.pem -c ssl_key_file=server.key)
        # the first line that fits decides
        printf '%s\n' 'hostssl all bench_cert all scram-sha-256 clientcert=verify-ca' \
            'hostnossl all bench_cert all reject' "$(cat "$dir/data/pg_hba.conf")" >"$dir/hba"
        keep "$dir/data/pg_hba.conf" <"$dir/hba"
        rm "$dir/hba"
    fi

    trap 'stop_server INT' EXIT
    start_server ready "$bin/postgres" -D "$dir/data" -k "$dir/sock" -p @PORT@ \
        -c listen_addresses=127.0.0.1 -c max_connections=400 -c password_encryption=scram-sha-256 "${tls[@]}" "$@"

    # a statement that fails would be logged with the password in it
    PGPASSWORD=$admin_password "$bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$dir/sock" -p "$port" -U postgres -d postgres <<SQL
set log_min_error_statement = panic;
create role bench login password '$bench_password';
create database bench owner bench;
create role bench_cert login password '$cert_password';
SQL
    cat >"$dir/env" <<ENV
TIERMARK_TEST_$name=postgres://bench:$bench_password@127.0.0.1:$port/bench
TIERMARK_TEST_${name}_ADMIN=postgres://postgres:$admin_password@127.0.0.1:$port/bench
TIERMARK_TEST_${name}_PID=$(cat "$dir/pid")
TIERMARK_TEST_${name}_SOCKET=$dir/sock
TIERMARK_TEST_${name}_DATA=$dir/data
TIERMARK_TEST_${name}_BIN=$bin
ENV
    if [ -n "${CERTS:-}" ]; then
        cat >>"$dir/env" <<ENV
TIERMARK_TEST_${name}_CERT=postgres://bench_cert:$cert_password@127.0.0.1:$port/bench
TIERMARK_TEST_CERTS=$(realpath "$CERTS")
ENV
    fi
    trap - EXIT
    echo "$("$bin/postgres" --version) on 127.0.0.1:$port; addresses in $dir/env"
}

case $command in
start) start "$@" ;;
again) start_again ;;
stop) stop_server INT ;; # INT is the fast shutdown, TERM waits for the clients
*) die "unknown command $command" ;;
esac
