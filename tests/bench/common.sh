# shellcheck shell=bash disable=SC2034 # names for those that source it
# common.sh - what the scripts of this folder share that put tiermark beside
# sysbench, pgbench and its budgets. Sourced; it knows no workload. Gives:
#
#   $TIERMARK  the program (default: built for release)
#   $tmp       a folder that goes when the script ends
#   $runs      pairs of runs (RUNS, default 5)
#   $seconds   length of a run (SECONDS_EACH, default 10)
#
# A server is private, on 127.0.0.1, and stopped by its process id at the end.
# No side uses TLS.
# TIERMARK_TEST_POSTGRES_BIN, _MARIADB_BIN, _MYSQL_BIN: folders with the servers'
# programs, which SERVER_USER can reach (default: what is installed; MySQL: what
# tests/run.sh has fetched).
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
runs=${RUNS:-5} seconds=${SECONDS_EACH:-10}
die() { echo "${0##*/}: $*" >&2; exit 2; }
[[ $runs =~ ^[1-9][0-9]*$ && $seconds =~ ^[1-9][0-9]*$ ]] || die "RUNS and SECONDS_EACH are whole numbers from 1"

# need PROGRAM PACKAGE
need() { command -v "$1" >/dev/null || die "there is no $1; on Debian: apt-get install $2"; }

if [ -z "${TIERMARK:-}" ]; then
    cargo build --quiet --locked --release --manifest-path "$root/Cargo.toml"
    TIERMARK=${CARGO_TARGET_DIR:-$root/target}/release/tiermark
fi
TIERMARK=$(realpath "$TIERMARK")
tmp=$(mktemp -d /tmp/tiermark.XXXXXX)
chmod 711 "$tmp"
script=
stop() {
    [ -z "$script" ] || "$root/tests/servers/$script" stop "$tmp/server" || true
    script=
}
trap 'stop; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# those to be had
engines=(postgres mariadb)
mysql=${TIERMARK_TEST_MYSQL_BIN:-${TIERMARK_SERVERS:-$root/target/servers}/mysql/bin}
if [ -x "$mysql/mysqld" ]; then engines+=(mysql); fi

# server postgres|mariadb|mysql [OPTION...] : starts one, in the place of the
# last; gives its address to tiermark and libpq by the environment, to sysbench
# by $tmp/sysbench, because anyone may read an argument list.
server() {
    local bin=TIERMARK_TEST_${1^^}_BIN url rest user password port driver=mysql off=ssl-mode=DISABLED
    stop
    bin=${!bin:-}
    case $1 in
    postgres) script=postgres.sh driver=pgsql off=sslmode=disable ;;
    mariadb) script=mysql.sh ;;
    mysql) script=mysql.sh bin=$mysql ;;
    *) die "there is no server $1; use postgres, mariadb or mysql" ;;
    esac
    NAME=${1^^} BIN=$bin "$root/tests/servers/$script" start "$tmp/server" "${@:2}" >"$tmp/started" ||
        die "$1 did not start"
    url=$(sed -n "s/^TIERMARK_TEST_${1^^}=//p" "$tmp/server/env")
    rest=${url#*://}
    user=${rest%%:*} rest=${rest#*:}
    password=${rest%%@*} port=${rest##*:} port=${port%%/*}
    printf "$driver-%s\n" host=127.0.0.1 "port=$port" "user=$user" "password=$password" db=bench >"$tmp/sysbench"
    export TIERMARK_URL="$url?$off" PGSSLMODE=disable
    export PGHOST=127.0.0.1 PGPORT=$port PGUSER=$user PGPASSWORD=$password PGDATABASE=bench
    # as sysbench, which takes this from its command line only
    db_driver=$driver
    echo "$(sed 's/ on 127.*//' "$tmp/started"), $(date -u +%F), $(nproc) cores, load average $(cut -d' ' -f1 /proc/loadavg), TLS off"
}

sysbench() { command sysbench --config-file="$tmp/sysbench" --db-driver="$db_driver" --rand-type=uniform "$@"; }

# measured COMMAND... : its output goes to $tmp/out; sets $wall_s and $cpu_s
# (user and system time of the process as the kernel counts them). tiermark's
# status 1 is a run with a warning.
measured() {
    local TIMEFORMAT='%R %U %S' status=0 user system
    { time "$@" >"$tmp/out" 2>"$tmp/err"; } 2>"$tmp/time" || status=$?
    [ "$status" -eq 0 ] || [[ $status = 1 && $1 = "$TIERMARK" ]] || { cat "$tmp/out" "$tmp/err" >&2; die "$1 failed"; }
    read -r wall_s user system <"$tmp/time"
    cpu_s=$(calc "$user + $system")
}

# peak COMMAND... : runs it like `measured`; sets $wall_s and $megabytes, the most
# memory that it has taken (VmHWM)
peak() {
    local run kb='' now began=$EPOCHREALTIME status=0
    "$@" >"$tmp/out" 2>"$tmp/err" &
    run=$!
    while now=$(awk '/^VmHWM:/ { print $2 }' "/proc/$run/status" 2>/dev/null) && [ -n "$now" ]; do
        kb=$now
        sleep 0.1
    done
    wait "$run" || status=$?
    [ "$status" -le 1 ] || { cat "$tmp/out" "$tmp/err" >&2; die "$1 failed"; }
    wall_s=$(calc "$EPOCHREALTIME - $began") megabytes=$(calc "$kb * 1024 / 1e6")
}

calc() { awk "BEGIN { printf \"%.9g\", ($1) }"; }

# column NAME : of the row for all transactions of the run in $tmp/out
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["transaction"] == "all" { print $at[name] }' "$(tail -n 1 "$tmp/out")/summary.csv"
}

# verdict WHAT BUDGET NUMBER... : the median with its spread beside the budget,
# such as "<= 1.10"; "-" is none.
missed=0
verdict() {
    local what=$1 budget=$2 low high median word
    read -r median low high < <(printf '%s\n' "${@:3}" | sort -g |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }')
    word=
    if [ "$budget" != - ]; then
        word=within
        [ "$(calc "$median $budget")" = 1 ] || word=MISSED missed=1
    fi
    printf '%-58s %-8s %8.2f [%.2f .. %.2f] %s\n' "$what" "$budget" "$median" "$low" "$high" "$word"
}
