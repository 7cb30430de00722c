#!/bin/bash
# tpcc-load.sh [postgres|mariadb]... - `tiermark prepare tpcc` on a private
# server each, beside the plain way to load: one connection a warehouse that
# sends INSERTs of 500 rows each as text, in one transaction. That text is made
# beforehand from what tiermark loaded and not timed, so the plain way has no
# work but to send it; its tables have their keys and indexes from the start.
# Prints rows per second, their ratio, and the loader's peak memory (VmHWM).
# Exit status 1 where a budget is missed.
#
# RUNS: pairs (5). WAREHOUSES: 10. THREADS: of tiermark (4).
# TIERMARK, TIERMARK_TEST_*_BIN: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
warehouses=${WAREHOUSES:-10} threads=${THREADS:-4}
# a table's column with the number of its warehouse
declare -A warehouse_of=([warehouse]=w_id [district]=d_w_id [customer]=c_w_id [history]=h_w_id
    [stock]=s_w_id [orders]=o_w_id [new_order]=no_w_id [order_line]=ol_w_id)

# ask : sends what stands on its input; the answer is rows and nothing else
ask() {
    if [ "$db_driver" = pgsql ]; then
        psql -XAtq -v ON_ERROR_STOP=1
    else
        MYSQL_PWD=$PGPASSWORD mariadb --no-defaults --batch --skip-column-names --raw --quick \
            -h "$PGHOST" -P "$PGPORT" -u "$PGUSER" "$PGDATABASE"
    fi
}

# inserts TABLE [WAREHOUSE] : its rows, or those of the warehouse, as INSERTs
inserts() {
    local columns quote=QUOTE schema='DATABASE()' where=''
    if [ "$db_driver" = pgsql ]; then quote=quote_nullable schema='current_schema()'; fi
    [ -z "${2:-}" ] || where="WHERE ${warehouse_of[$1]} = $2"
    columns=$(ask <<<"SELECT column_name FROM information_schema.columns
        WHERE table_name = '$1' AND table_schema = $schema ORDER BY ordinal_position" |
        sed "s/.*/$quote(&)/" | paste -sd,)
    ask <<<"SELECT CONCAT('(', CONCAT_WS(',', $columns), ')') FROM $1 $where" |
        awk -v head="INSERT INTO $1 VALUES" '
            NR % 500 == 1 { if (NR > 1) print ";"; print head; first = 1 }
            { print (first ? "" : ",") $0; first = 0 }
            END { if (NR) print ";" }'
}

# The text of each warehouse, the items with the first.
write_texts() {
    local w table
    for ((w = 1; w <= warehouses; w++)); do
        {
            echo 'BEGIN;'
            [ "$w" -ne 1 ] || inserts item
            for table in "${!warehouse_of[@]}"; do inserts "$table" "$w"; done
            echo 'COMMIT;'
        } >"$tmp/$w.sql"
    done
}

count_rows() {
    local table query=''
    for table in item "${!warehouse_of[@]}"; do query+=" + (SELECT COUNT(*) FROM $table)"; done
    ask <<<"SELECT 0 $query"
}

# Sets $rate: rows per second.
plainly() {
    local w began loads=()
    for w in item "${!warehouse_of[@]}"; do echo "TRUNCATE TABLE $w;"; done | ask
    began=$EPOCHREALTIME
    for ((w = 1; w <= warehouses; w++)); do
        ask <"$tmp/$w.sql" &
        loads+=($!)
    done
    for w in "${loads[@]}"; do wait "$w" || die "a plain load failed"; done
    rate=$(calc "$rows / ($EPOCHREALTIME - $began)")
    [ "$(count_rows)" = "$rows" ] || die "the plain load lost rows"
}

"$TIERMARK" --version
[ $# -gt 0 ] || set -- postgres mariadb
for engine in "$@"; do
    server "$engine"
    ratios=() memory=()
    for ((n = 1; n <= runs; n++)); do
        peak "$TIERMARK" -q prepare tpcc --threads "$threads" --set warehouses="$warehouses" --recreate
        rows=$(count_rows)
        ours=$(calc "$rows / $wall_s")
        memory+=("$megabytes")
        [ "$n" -ne 1 ] || write_texts
        plainly
        printf '  %d warehouses, %d rows: %.0f a second, plainly %.0f\n' "$warehouses" "$rows" "$ours" "$rate" >&2
        ratios+=("$(calc "$ours / $rate")")
    done
    verdict "load of $warehouses warehouses, times as fast as plain INSERTs" - "${ratios[@]}"
    verdict "memory of the loader, MB" '<= 200' "${memory[@]}"
done
exit "$missed"
