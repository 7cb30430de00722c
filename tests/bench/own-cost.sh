#!/bin/bash
# own-cost.sh - what tiermark itself costs: CPU of an oltp_read_write
# transaction of 20 statements on the null engine, which answers at once. One
# client; client_cpu_s / done, of the measured window. Exit status 1 where the
# budget is missed.
#
# RUNS: 5. SECONDS_EACH: of a run (10). TIERMARK: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
export TIERMARK_URL=null:

"$TIERMARK" --version
echo "$(date -u +%F), load average $(cut -d' ' -f1 /proc/loadavg)"
figures=()
for ((n = 1; n <= runs; n++)); do
    measured "$TIERMARK" -q run oltp_read_write -c 1 --warmup 1s -T "$seconds" --out "$tmp/results"
    figures+=("$(calc "$(column client_cpu_s) * 1e6 / $(column "done")")")
done
verdict "own cost of a transaction of 20 statements, us" '<= 2.00' "${figures[@]}"
exit "$missed"
