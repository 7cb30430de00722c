#!/bin/bash
# get-mariadb.sh DIR [SUITE] - put MariaDB of a Debian release (default
# trixie, MariaDB 11.8) into DIR.
#
# Prints the folder with the launchers (mariadbd, mariadb, and a stand-in for
# mariadb-install-db). Run again it does nothing and prints the same path;
# FRESH=1 fetches anew.
# Needs: apt, dpkg, tar, debian-archive-keyring; no root; nothing is installed.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
# shellcheck source=tests/servers/debtree.sh
. "$here/debtree.sh"

case $# in 1|2) ;; *) debtree_die "usage: $0 DIR [SUITE]" ;; esac
mkdir -p "$1"; dest=$(cd "$1" && pwd); suite=${2:-trixie}
exec 9>"$dest/.lock"; flock 9
if [ -z "${FRESH:-}" ] && [ -e "$dest/.done" ] && "$dest/bin/mariadbd" --version >/dev/null 2>&1; then
    printf '%s\n' "$dest/bin"; exit 0
fi
rm -rf "$dest/.done" "$dest/.work" "${dest:?}/tree" "${dest:?}/bin"
work=$dest/.work
DEBTREE_STUBS='perl perl-base debconf adduser mariadb-common mysql-common init-system-helpers passwd'
debtree_apt_setup "$work" "$suite"
debtree_update "$work"
debtree_fetch "$work" mariadb-server-core mariadb-client-core ||
    debtree_die "could not download MariaDB from $suite"
debtree_say "downloaded $(du -shc "$work"/cache/archives/*.deb | tail -n 1 | cut -f 1) of packages"
debtree_unpack "$work" "$dest/tree"

# the text of the launchers, which expand it when they run
# shellcheck disable=SC2016
server='case "${1:-}" in
--no-defaults|--defaults-file=*|--defaults-extra-file=*|--print-defaults) first=$1; shift ;;
*) first=--no-defaults ;;
esac
share=$root/tree/usr/share/mysql; [ -d "$root/tree/usr/share/mariadb" ] && share=$root/tree/usr/share/mariadb
plugins=$root/tree/usr/lib/mysql/plugin; [ -d "$root/tree/usr/lib/mariadb/plugin" ] && plugins=$root/tree/usr/lib/mariadb/plugin
set -- "$first" "--basedir=$root/tree/usr" "--lc-messages-dir=$share" \
    "--character-sets-dir=$share/charsets" "--plugin-dir=$plugins" "$@"'
# shellcheck disable=SC2016
client='case "${1:-}" in
--no-defaults|--defaults-file=*|--defaults-extra-file=*|--print-defaults) ;;
*) set -- --no-defaults "$@" ;;
esac'
debtree_check "$dest" tree/usr/sbin/mariadbd
debtree_check "$dest" tree/usr/bin/mariadb
debtree_launcher "$dest" tree/usr/sbin/mariadbd bin/mariadbd "$server"
debtree_launcher "$dest" tree/usr/bin/mariadb bin/mariadb "$client"
# Stand-in for mariadb-install-db: the same SQL files, fed to mariadbd --bootstrap.
cat >"$dest/bin/mariadb-install-db" <<'INSTALL'
#!/bin/sh
# mariadb-install-db --datadir=DIR: new data directory, root without password,
# no test database. Options of the real one are taken and not looked at.
set -eu
self=$(readlink -f "$0"); here=${self%/*}; tree=${here%/*}/tree
share=$tree/usr/share/mysql; [ -d "$tree/usr/share/mariadb" ] && share=$tree/usr/share/mariadb
data=; for opt; do case "$opt" in --datadir=*) data=${opt#*=} ;; esac; done
[ -n "$data" ] || { echo "usage: $0 --datadir=DIR" >&2; exit 2; }
mkdir -p "$data/mysql"
pre=$share/mariadb_; [ -e "${pre}system_tables.sql" ] || pre=$share/mysql_
{
    # bootstrap mode reads one statement a line
    printf '%s;\n' 'create database if not exists mysql' 'use mysql' 'set @auth_root_socket = NULL'
    cat "${pre}system_tables.sql" "${pre}performance_tables.sql" "${pre}system_tables_data.sql"
    if [ -e "${pre}sys_schema.sql" ]; then cat "${pre}sys_schema.sql"; fi
} | "$here/mariadbd" --no-defaults --datadir="$data" --bootstrap --log-warnings=0 --enforce-storage-engine= \
    --max-allowed-packet=8M --net-buffer-length=16K
INSTALL
chmod 755 "$dest/bin/mariadb-install-db"
"$dest/bin/mariadbd" --version >&2
debtree_versions "$work" >"$dest/.versions"
rm -rf "$work"
mv "$dest/.versions" "$dest/.done"
printf '%s\n' "$dest/bin"
