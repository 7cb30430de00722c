#!/bin/bash
# on-time.sh - whether a run of 6 seconds ends after 6 +- 0.5 seconds when half
# its sessions are killed in the second one: on a private PostgreSQL and a
# private MariaDB. Prints the time of the whole program beside the bound, how
# many clients were connected at least and at the end, and what errors.csv says.
#
# TIERMARK: the program (default: built for release).
# TIERMARK_TEST_POSTGRES_BIN, TIERMARK_TEST_MARIADB_BIN: folders with the
# servers' programs (default: what is installed).
# shellcheck disable=SC2317 # cleanup is called by its trap
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
here=$root/tests/servers
if [ -z "${TIERMARK:-}" ]; then
    cargo build --locked --release --manifest-path "$root/Cargo.toml"
    TIERMARK=${CARGO_TARGET_DIR:-$root/target}/release/tiermark
fi
TIERMARK=$(realpath "$TIERMARK")
tmp=$(mktemp -d /tmp/tiermark.XXXXXX)
chmod 711 "$tmp"
cleanup() {
    "$here/postgres.sh" stop "$tmp/POSTGRES" || true
    "$here/mysql.sh" stop "$tmp/MARIADB" || true
    rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# kill_half : four of the eight sessions that run transactions
kill_half() {
    local rest=${admin#*://} user password address id
    user=${rest%%:*} rest=${rest#*:}
    password=${rest%%@*} address=${rest#*@}
    if [ "$name" = POSTGRES ]; then
        PGPASSWORD=$password "${bin:-/usr/bin}/psql" -XAtq "postgres://$user@$address" -c \
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'bench' order by pid desc limit 4" >/dev/null
        return
    fi
    my() { MYSQL_PWD=$password mariadb --no-defaults -N -B -h 127.0.0.1 -P "$(cut -d: -f2 <<<"${address%%/*}")" -u "$user" -e "$1"; }
    for id in $(my "select id from information_schema.processlist where user = 'bench' order by id desc limit 4"); do my "kill $id"; done
}

status=0
one() { # NAME SCRIPT PROGRAMS
    local run began ended wall folder url admin name=$1 bin=$3
    NAME=$name BIN=$bin "$here/$2" start "$tmp/$name" >/dev/null
    url=$(sed -n "s/^TIERMARK_TEST_$name=//p" "$tmp/$name/env")
    admin=$(sed -n "s/^TIERMARK_TEST_${name}_ADMIN=//p" "$tmp/$name/env")
    export TIERMARK_URL=$url
    "$TIERMARK" -q prepare oltp_read_write --set tables=2 --set rows=50k
    began=$(date +%s%N)
    "$TIERMARK" -q run oltp_read_write -c 8 --warmup 0s -T 6s --set distribution=uniform --out "$tmp/results" >"$tmp/out" &
    run=$!
    sleep 2
    kill_half
    wait "$run" || true
    ended=$(date +%s%N)
    wall=$(((ended - began) / 1000000))
    folder=$(tail -n 1 "$tmp/out")
    printf '%s: ended after %d.%03d s (bound: 5.5 to 6.5)\n' "$name" $((wall / 1000)) $((wall % 1000))
    awk -F, '$4 == "measure" && $8 == "all" { if (least == "" || $9 < least) least = $9; last = $9 } END { print "  clients: at least " least ", at the end " last }' "$folder/intervals.csv"
    awk -F, 'NR > 1 { count[$6] += $7 } END { for (class in count) print "  " class ": " count[class] }' "$folder/errors.csv"
    if [ "$wall" -lt 5500 ] || [ "$wall" -gt 6500 ]; then status=1; fi
}
one POSTGRES postgres.sh "${TIERMARK_TEST_POSTGRES_BIN:-$(find /usr/lib/postgresql/*/bin -maxdepth 0 | sort -V | tail -n 1)}"
one MARIADB mysql.sh "${TIERMARK_TEST_MARIADB_BIN:-/usr/sbin}"
exit "$status"
