#!/bin/bash
# pgbouncer.sh start DIR | stop DIR
# A private PgBouncer in DIR, in transaction mode, on a free port of 127.0.0.1,
# before all databases of the server whose address is in TIERMARK_TEST_POSTGRES,
# for the user of that address.
# Prepared statements are lost between its transactions; nothing that a client
# sends at its start is ignored.
#
# DIR/env holds:
#   TIERMARK_TEST_PGBOUNCER      user and database of the server's address
#   TIERMARK_TEST_PGBOUNCER_PID
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
command=${1:-} dir=${2:-}
[ -n "$dir" ] || { echo "usage: $0 start DIR | stop DIR" >&2; exit 2; }
shift 2
# shellcheck source=tests/servers/common.sh
. "$here/common.sh"

# that the port answers is enough: the first session finds the rest
ready() { (exec 3<>"/dev/tcp/127.0.0.1/$port"); }

start() {
    local url=${TIERMARK_TEST_POSTGRES:?names the server} program rest user password host database
    program=$(PATH=$PATH:/usr/sbin command -v pgbouncer) || die "there is no pgbouncer"
    # postgres://user:password@host:port/database, of our own making
    rest=${url#*://}
    user=${rest%%:*} rest=${rest#*:}
    password=${rest%%@*} rest=${rest#*@}
    host=${rest%%:*} rest=${rest#*:}
    database=${rest#*/}
    prepare_folder
    keep "$dir/data/users" <<<"\"$user\" \"$password\""
    keep "$dir/data/pgbouncer.ini" <<INI
[databases]
* = host=$host port=${rest%%/*}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 0
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $dir/data/users
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
INI
    trap 'stop_server TERM' EXIT
    # its port stands in its file
    start_server ready bash -c "sed -i 's/^listen_port.*/listen_port = @PORT@/' '$dir/data/pgbouncer.ini' &&
        exec '$program' -q '$dir/data/pgbouncer.ini'"
    cat >"$dir/env" <<ENV
TIERMARK_TEST_PGBOUNCER=postgres://$user:$password@127.0.0.1:$port/$database
TIERMARK_TEST_PGBOUNCER_PID=$(cat "$dir/pid")
ENV
    trap - EXIT
    echo "$("$program" --version | head -n 1) on 127.0.0.1:$port; address in $dir/env"
}

case $command in
start) start "$@" ;;
stop) stop_server TERM ;;
*) die "unknown command $command" ;;
esac
