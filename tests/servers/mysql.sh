#!/bin/bash
# mysql.sh start DIR [server options...] | again DIR | stop DIR
# A private MySQL or MariaDB server in DIR, on a free port of 127.0.0.1 and a
# unix socket, with random passwords: caching_sha2_password and TLS on offer in
# MySQL, MariaDB's own default. Durability is the server's default (MySQL with
# its binary log); memory and log sizes are for two cores.
#
# DIR/env holds, with N from NAME (default MYSQL or MARIADB, by the program):
#   TIERMARK_TEST_N        user bench with the grants on database bench that
#                          loading and running a workload needs, and no more
#   TIERMARK_TEST_N_ADMIN  user admin with every privilege
#   TIERMARK_TEST_N_CERT   user bench_cert, who must show a client certificate
#   TIERMARK_TEST_N_PID, _SOCKET (file), _DATA, _BIN
# BIN: folder with mysqld or mariadbd (default: the MariaDB that is installed).
# CERTS: folder made by certs.sh, for TLS; without it TLS is there only where
# the server makes certificates itself, and nobody has one of bench_cert's.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
command=${1:-} dir=${2:-}
[ -n "$dir" ] || { echo "usage: $0 start DIR [server options...] | again DIR | stop DIR" >&2; exit 2; }
shift 2
# shellcheck source=tests/servers/common.sh
. "$here/common.sh"

# the first PROGRAM of those named that is in the folder of the server, or,
# for a server of the system, on the search path
program() {
    local name
    for name in "$@"; do
        if [ -x "$bin/$name" ]; then printf '%s\n' "$bin/$name"; return; fi
    done
    if [ "$bin" = /usr/sbin ]; then PATH=/usr/bin:$PATH command -v "$1" && return; fi
    die "no $1 in $bin"
}

# MariaDB's program for this fails now and then on a machine that is busy.
make_data() {
    find "$dir/data" -mindepth 1 -delete
    "${as_server[@]}" "${init[@]}" --datadir="$dir/data" >"$dir/log" 2>&1 || { cat "$dir/log" >&2; return 1; }
}

ready() { "$client" --defaults-file="$dir/admin.cnf" -S "$dir/sock/s" -e 'select 1'; }

start() {
    local name admin_password bench_password cert_password server
    local options=(--innodb-buffer-pool-size=256M --max-connections=400 --skip-name-resolve)
    bin=${BIN:-/usr/sbin}
    server=$(program mysqld mariadbd)
    if [[ $("$server" --version) == *MariaDB* ]]; then
        name=${NAME:-MARIADB}
        client=$(program mariadb mysql)
        init=("$(program mariadb-install-db)" --no-defaults --auth-root-authentication-method=normal --skip-test-db)
    else
        name=${NAME:-MYSQL}
        client=$(program mysql)
        options+=(--mysqlx=OFF --performance-schema=OFF --innodb-redo-log-capacity=128M)
        init=("$server" --no-defaults --initialize-insecure --innodb-redo-log-capacity=32M)
    fi
    prepare_folder
    admin_password=$(new_password)
    bench_password=$(new_password)
    cert_password=$(new_password)
    make_data || { say "once more"; make_data; } || die "the data directory could not be made"
    if [ -n "${CERTS:-}" ]; then
        # not in the data directory, where each folder is a database
        copy_certs "$dir/sock"
        options+=(--ssl-ca="$dir/sock/ca.pem" --ssl-cert="$dir/sock/server.pem" --ssl-key="$dir/sock/server.key")
    fi

    # The server runs this file before it listens: it never answers a root
    # without a password. One statement a line.
    keep "$dir/init.sql" <<SQL
create database bench;
create user 'bench'@'%' identified by '$bench_password';
grant select, insert, update, delete, create, drop, alter, index, references on bench.* to 'bench'@'%';
create user 'admin'@'%' identified by '$admin_password';
grant all privileges on *.* to 'admin'@'%' with grant option;
create user 'bench_cert'@'%' identified by '$cert_password' require x509;
grant select on bench.* to 'bench_cert'@'%';
drop user if exists 'root'@'localhost', 'root'@'127.0.0.1', 'root'@'::1', 'root'@'$(uname -n)';
SQL
    printf '[client]\nuser=admin\npassword=%s\n' "$admin_password" >"$dir/admin.cnf"
    trap 'stop_server TERM; rm -f "$dir/init.sql" "$dir/admin.cnf"' EXIT
    start_server ready "$server" --no-defaults --datadir="$dir/data" --socket="$dir/sock/s" --pid-file="$dir/sock/pid" \
        --bind-address=127.0.0.1 --port=@PORT@ --init-file="$dir/init.sql" "${options[@]}" "$@"

    cat >"$dir/env" <<ENV
TIERMARK_TEST_$name=mysql://bench:$bench_password@127.0.0.1:$port/bench
TIERMARK_TEST_${name}_ADMIN=mysql://admin:$admin_password@127.0.0.1:$port/bench
TIERMARK_TEST_${name}_PID=$(cat "$dir/pid")
TIERMARK_TEST_${name}_SOCKET=$dir/sock/s
TIERMARK_TEST_${name}_DATA=$dir/data
TIERMARK_TEST_${name}_BIN=${server%/*}
ENV
    if [ -n "${CERTS:-}" ]; then
        cat >>"$dir/env" <<ENV
TIERMARK_TEST_${name}_CERT=mysql://bench_cert:$cert_password@127.0.0.1:$port/bench
TIERMARK_TEST_CERTS=$(realpath "$CERTS")
ENV
    fi
    rm "$dir/init.sql" "$dir/admin.cnf"
    trap - EXIT
    echo "$name $("$server" --version | sed 's/.*Ver \([^ ]*\).*/\1/') on 127.0.0.1:$port; addresses in $dir/env"
}

case $command in
start) start "$@" ;;
again) start_again ;;
stop) stop_server TERM ;;
*) die "unknown command $command" ;;
esac
