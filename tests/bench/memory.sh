#!/bin/bash
# memory.sh - the most memory that tiermark takes (VmHWM) with 2,000 clients on
# a private PostgreSQL, each with the statements of one table prepared; idle,
# and at work on oltp_read_write. The server takes some 8 GB meanwhile. Exit
# status 1 where the budget is missed, which is that through sqlx.
#
# RUNS: 5. SECONDS_EACH: of a run (10). CLIENTS: 2000.
# TIERMARK, TIERMARK_TEST_POSTGRES_BIN: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
clients=${CLIENTS:-2000}

# once WORKLOAD : a run; sets $megabytes
once() {
    local run kb='' now
    "$TIERMARK" -q run "$@" -c "$clients" --warmup 0s -T "$seconds" --grace 10s --out "$tmp/results" >"$tmp/out" 2>&1 &
    run=$!
    while now=$(awk '/^VmHWM:/ { print $2 }' "/proc/$run/status" 2>/dev/null) && [ -n "$now" ]; do
        kb=$now
        sleep 0.1
    done
    wait "$run" || [ $? -eq 1 ] || { cat "$tmp/out" >&2; die "tiermark failed"; }
    megabytes=$(calc "$kb * 1024 / 1e6")
}

"$TIERMARK" --version
server postgres -c max_connections=$((clients + 20))
measured "$TIERMARK" -q prepare oltp_read_write --set tables=1 --set rows=10k
for work in "$root/tests/bench/workloads/idle.toml" oltp_read_write; do
    figures=()
    for ((n = 1; n <= runs; n++)); do
        once "$work"
        figures+=("$megabytes")
    done
    verdict "$clients clients, $(basename "$work" .toml), MB" '<= 150' "${figures[@]}"
done
exit "$missed"
