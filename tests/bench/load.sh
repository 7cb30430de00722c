#!/bin/bash
# load.sh [postgres|mariadb|mysql]... - `tiermark prepare` beside `sysbench
# prepare` on a private server each (default: all that are to be had): one
# table of ROWS rows, and four tables of a quarter each. Both load the rows,
# then make the index on k; tiermark also gathers statistics. Exit status 1
# where the budget is missed.
#
# sysbench loads a table by one thread, tiermark by as many as it is given: here
# both get THREADS, of which sysbench uses one and four.
# Printed are the median of the pairs' ratios, time of sysbench / time of
# tiermark, and its spread; each pair's seconds go to stderr. The side that
# begins changes from pair to pair.
#
# RUNS: pairs (5). ROWS: in all (1000000). THREADS: 4.
# TIERMARK, TIERMARK_TEST_*_BIN: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
need sysbench sysbench
rows=${ROWS:-1000000} threads=${THREADS:-4}

# once TOOL TABLES : one load, of which $wall_s is the time; then the tables go
once() {
    local took each=$((rows / $2))
    if [ "$1" = tiermark ]; then
        measured "$TIERMARK" -q prepare oltp_read_write --threads "$threads" \
            --set tables="$2" --set rows="$each" --set k_distribution=uniform
        took=$wall_s
        measured "$TIERMARK" -q cleanup oltp_read_write
    else
        measured sysbench oltp_read_write --tables="$2" --table-size="$each" --threads="$threads" prepare
        took=$wall_s
        measured sysbench oltp_read_write --tables="$2" cleanup
    fi
    wall_s=$took
}

# compare TABLES BUDGET
compare() {
    local n tool ratios=()
    local -A seconds_of
    for ((n = 1; n <= runs; n++)); do
        local order=(tiermark sysbench)
        ((n % 2)) || order=(sysbench tiermark)
        for tool in "${order[@]}"; do
            once "$tool" "$1"
            seconds_of[$tool]=$wall_s
            printf '  %d x %d rows, %s: %.1f s\n' "$1" $((rows / $1)) "$tool" "$wall_s" >&2
        done
        ratios+=("$(calc "${seconds_of[sysbench]} / ${seconds_of[tiermark]}")")
    done
    verdict "load of $1 x $((rows / $1)) rows, times as fast as sysbench" "$2" "${ratios[@]}"
}

"$TIERMARK" --version
command sysbench --version
[ $# -gt 0 ] || set -- "${engines[@]}"
for engine in "$@"; do
    server "$engine"
    budget='>= 1.50'
    [ "$engine" != postgres ] || budget='>= 2.00'
    compare 1 "$budget"
    compare 4 "$budget"
done
exit "$missed"
