#!/bin/bash
# client-cpu.sh [postgres|mariadb|mysql]... - client CPU and throughput of
# tiermark beside sysbench and pgbench, on a private server each (default: all
# that are to be had). Exit status 1 where a budget is missed.
#
# A pair is a run of each side in turn, the first changing from pair to pair:
# the same tables (of 100,000 rows, sysbench's made by tiermark, pgbench's by
# pgbench), uniform keys, prepared statements, as many clients, no warm-up.
#   client CPU  user and system time of the whole client process, from outside,
#               over the statements that it sent, BEGIN and COMMIT included
#   TPS         as each reports it
# Printed are the median of the pairs' ratios, tiermark / the other, and its
# spread; each pair's figures go to stderr. The budgets are those through sqlx.
#
# RUNS: pairs (5). SECONDS_EACH: of a run (10). CLIENTS: 8.
# TIERMARK, TIERMARK_TEST_*_BIN: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
need sysbench sysbench
need pgbench postgresql-client
bench=$root/tests/bench
clients=${CLIENTS:-8} rows=100000

# The following set $statements, in all, and $tps.
tiermark() {
    measured "$TIERMARK" -q run "$@" -c "$clients" --warmup 0s -T "$seconds" --out "$tmp/results"
    [ "$(column tls)" = no ] || die "tiermark used TLS"
    statements=$(awk -F, 'NR > 1 { sum += $6 } END { print sum }' "$(tail -n 1 "$tmp/out")/statements.csv")
    tps=$(column tps)
    own=$(printf ' (%.2f by its own figure)' "$(calc "$(column client_cpu_s) * 1e6 / $statements")")
}
of_sysbench() {
    measured sysbench "$@" --tables=1 --table-size=$rows --threads="$clients" --time="$seconds" run
    statements=$(awk '$1 == "queries:" { print $2 }' "$tmp/out")
    tps=$(awk '$1 == "transactions:" { print substr($3, 2) }' "$tmp/out")
}
of_pgbench() {
    measured pgbench -n -M prepared -c "$clients" -j "$(nproc)" -T "$seconds" -f "$1" -D rows=$rows -D scale=1
    statements=$(awk -v each="$(grep -c ';$' "$1")" '/actually processed:/ { print $NF * each }' "$tmp/out")
    tps=$(awk '$1 == "tps" { print $3 }' "$tmp/out")
}

# once TOOL WORK : one run; sets $us, the CPU per statement, and $tps
once() {
    local own=
    case $1-$2 in
    tiermark-point_select) tiermark oltp_point_select --set distribution=uniform ;;
    tiermark-oltp_read_write) tiermark oltp_read_write --set distribution=uniform ;;
    tiermark-simple_update) tiermark "$bench/workloads/$2.toml" --foreign-data ;;
    tiermark-*) tiermark "$bench/workloads/$2.toml" ;;
    sysbench-point_select) of_sysbench oltp_point_select ;;
    sysbench-oltp_read_write) of_sysbench oltp_read_write ;;
    sysbench-simple_range) of_sysbench oltp_read_only --skip-trx=on \
        --point-selects=0 --sum-ranges=0 --order-ranges=0 --distinct-ranges=0 ;;
    pgbench-*) of_pgbench "$bench/pgbench/$2.sql" ;;
    esac
    us=$(calc "$cpu_s * 1e6 / $statements")
    printf '  %s, %s: %.2f us%s, %.0f TPS\n' "$2" "$1" "$us" "$own" "$tps" >&2
}

# compare WORK TOOL CPU-BUDGET TPS-BUDGET
compare() {
    local n tool cpu=() rate=()
    local -A us_of tps_of
    for ((n = 1; n <= runs; n++)); do
        local order=(tiermark "$2")
        ((n % 2)) || order=("$2" tiermark)
        for tool in "${order[@]}"; do
            once "$tool" "$1"
            us_of[$tool]=$us tps_of[$tool]=$tps
        done
        cpu+=("$(calc "${us_of[tiermark]} / ${us_of[$2]}")")
        rate+=("$(calc "${tps_of[tiermark]} / ${tps_of[$2]}")")
    done
    verdict "$1, client CPU per statement, of $2's" "$3" "${cpu[@]}"
    verdict "$1, TPS, of $2's" "$4" "${rate[@]}"
}

"$TIERMARK" --version
command sysbench --version
pgbench --version
[ $# -gt 0 ] || set -- "${engines[@]}"
for engine in "$@"; do
    server "$engine"
    measured "$TIERMARK" -q prepare oltp_read_write --set tables=1 --set rows=$rows --set k_distribution=uniform
    compare point_select sysbench '<= 1.00' '>= 1.00'
    compare simple_range sysbench '<= 2.00' -
    compare oltp_read_write sysbench '<= 1.10' '>= 1.00'
    [ "$engine" = postgres ] || continue
    measured pgbench -i -q
    compare point_select pgbench '<= 1.25' '>= 1.00'
    compare simple_range pgbench '<= 2.00' -
    compare simple_update pgbench - '>= 1.00'
done
exit "$missed"
