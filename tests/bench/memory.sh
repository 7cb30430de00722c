#!/bin/bash
# memory.sh - the most memory that tiermark takes (VmHWM) with 2,000 clients on
# a private PostgreSQL, each with oltp_read_write's statements of one table
# prepared: idle (one transaction a second by all together), and at work. The
# server takes some 5 GB meanwhile. Exit status 1 where the budget is missed,
# which is that through sqlx.
#
# RUNS: 5. SECONDS_EACH: of a run (10). CLIENTS: 2000.
# TIERMARK, TIERMARK_TEST_POSTGRES_BIN: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
clients=${CLIENTS:-2000}

# measure WHAT [OPTION...]
measure() {
    local n figures=()
    for ((n = 1; n <= runs; n++)); do
        peak "$TIERMARK" -q run oltp_read_write "${@:2}" -c "$clients" --warmup 0s -T "$seconds" --grace 10s --out "$tmp/results"
        figures+=("$megabytes")
    done
    verdict "$clients clients, $1, MB" '<= 150' "${figures[@]}"
}

"$TIERMARK" --version
server postgres -c max_connections=$((clients + 20))
measured "$TIERMARK" -q prepare oltp_read_write --set tables=1 --set rows=10k
measure idle --rate 1 --arrivals constant
measure 'at work'
exit "$missed"
