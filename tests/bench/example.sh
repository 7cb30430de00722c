#!/bin/bash
# example.sh - makes results/example anew, which results/README.md explains: the
# folder of a run of oltp_read_write --preset small on a private PostgreSQL. To
# be run when columns have been added. In the place of this host's name and of
# the server's folder stand others.
#
# TIERMARK, TIERMARK_TEST_POSTGRES_BIN: see common.sh.
# shellcheck source=tests/bench/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
server postgres
measured "$TIERMARK" -q prepare oltp_read_write --preset small
measured "$TIERMARK" run oltp_read_write --preset small --set distribution=uniform --out "$tmp/results"
made=$(tail -n 1 "$tmp/out")
sed -i "s|$tmp/server|/srv/postgres|g; s|$(uname -n)|example|g" "$made"/{manifest.toml,environment.json}
rm -rf "$root/results/example"
cp -r --no-preserve=mode "$made" "$root/results/example"
cat "$tmp/out"
