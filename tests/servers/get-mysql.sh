#!/bin/bash
# get-mysql.sh DIR - put Oracle's MySQL server from Debian unstable into DIR.
#
# Prints the folder with the launchers (mysqld, mysql). Run again it does
# nothing and prints the same path; FRESH=1 fetches anew. SUITES names the
# releases to look in together (default: sid, the only one that has it).
# Needs: apt, dpkg, tar, debian-archive-keyring; no root; nothing is installed.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
# shellcheck source=tests/servers/debtree.sh
. "$here/debtree.sh"

[ $# -eq 1 ] || debtree_die "usage: $0 DIR"
mkdir -p "$1"; dest=$(cd "$1" && pwd)
exec 9>"$dest/.lock"; flock 9
if [ -z "${FRESH:-}" ] && [ -e "$dest/.done" ] && "$dest/bin/mysqld" --version >/dev/null 2>&1; then
    printf '%s\n' "$dest/bin"; exit 0
fi
rm -rf "$dest/.done" "$dest/.work" "${dest:?}/tree" "${dest:?}/bin"

# Perl is only for helper scripts; mysql-common holds the system's my.cnf.
DEBTREE_STUBS='perl perl-base debconf adduser mysql-common init-system-helpers'
work=$dest/.work
read -r -a suites <<<"${SUITES:-sid}"
debtree_apt_setup "$work" "${suites[@]}"
debtree_update "$work"
debtree_fetch "$work" mysql-server-core mysql-client-core ||
    debtree_die "no usable MySQL packages in: ${suites[*]}"
debtree_say "downloaded $(du -shc "$work"/cache/archives/*.deb | tail -n 1 | cut -f 1) of packages"
debtree_unpack "$work" "$dest/tree"
# the other programs are as large as the server
find "$dest/tree/usr/bin" -type f ! -name mysql -delete

# the text of the launchers, which expand it when they run
# shellcheck disable=SC2016
defaults='# options about option files must stay first
case "${1:-}" in
--no-defaults|--defaults-file=*|--defaults-extra-file=*|--print-defaults) first=$1; shift ;;
*) first=--no-defaults ;;
esac
share=$root/tree/usr/share/mysql
set -- "$first" "--basedir=$root/tree/usr" "--lc-messages-dir=$share" \
    "--character-sets-dir=$share/charsets" \
    "--plugin-dir=$root/tree/usr/lib/mysql/plugin" \
    --secure-file-priv=NULL "$@"'
# shellcheck disable=SC2016
client='case "${1:-}" in
--no-defaults|--defaults-file=*|--defaults-extra-file=*|--print-defaults) ;;
*) set -- --no-defaults "$@" ;;
esac'
for path in tree/usr/sbin/mysqld tree/usr/bin/mysql; do
    name=${path##*/}
    debtree_check "$dest" "$path"
    if [ "$name" = mysqld ]; then extra=$defaults; else extra=$client; fi
    debtree_launcher "$dest" "$path" "bin/$name" "$extra"
done
"$dest/bin/mysqld" --version >&2
debtree_versions "$work" >"$dest/.versions"
rm -rf "$work"
mv "$dest/.versions" "$dest/.done"
printf '%s\n' "$dest/bin"
