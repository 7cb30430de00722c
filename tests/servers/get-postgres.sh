#!/bin/bash
# get-postgres.sh VERSION DIR - put PostgreSQL VERSION (15, 17, 18, ...) from
# whichever Debian release has it into DIR.
#
# Prints the folder with the launchers (postgres, initdb, pg_ctl, psql,
# pgbench, pg_basebackup, ...). Run again it does nothing and prints the same
# path; FRESH=1 fetches anew. SUITES names the releases to look in, in order
# (a comma joins releases that are used together).
# Just-in-time compilation (LLVM, 35 MB) is left out.
# Needs: apt, dpkg, tar, debian-archive-keyring; no root; nothing is installed.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
# shellcheck source=tests/servers/debtree.sh
. "$here/debtree.sh"

[ $# -eq 2 ] || debtree_die "usage: $0 VERSION DIR"
ver=$1
case "$ver" in *[!0-9]*|'') debtree_die "VERSION must be a number such as 17" ;; esac
mkdir -p "$2"; dest=$(cd "$2" && pwd)
bindir=tree/usr/lib/postgresql/$ver/bin
exec 9>"$dest/.lock"; flock 9
if [ -z "${FRESH:-}" ] && [ -e "$dest/.done" ] && "$dest/bin/postgres" --version 2>/dev/null | grep -q " ${ver}[^0-9]"; then
    printf '%s\n' "$dest/bin"; exit 0
fi
rm -rf "$dest/.done" "$dest/.work" "${dest:?}/tree" "${dest:?}/bin"

work=$dest/.work
# Helper scripts, set-up programs and data that the host has, or that a
# private server does not need.
stubs='perl perl-base debconf adduser tzdata locales ucf ssl-cert netbase procps
    postgresql-common postgresql-client-common init-system-helpers passwd sensible-utils'
found=
for try in ${SUITES:-trixie forky sid bookworm sid,experimental}; do
    read -r -a suites <<<"${try//,/ }"
    DEBTREE_STUBS=$stubs debtree_apt_setup "$work" "${suites[@]}"
    debtree_update "$work" || { debtree_say "no index for $try"; continue; }
    depends=$(debtree_apt "$work" apt-cache show --no-all-versions "postgresql-$ver" 2>/dev/null |
        sed -n 's/^Depends: //p' | head -n 1) || true
    [ -n "$depends" ] || continue
    debtree_say "postgresql-$ver is in $try"
    # LLVM's package name changes with its version; take it from the index
    llvm=$(printf '%s\n' "$depends" | grep -o 'libllvm[0-9]*' | sort -u | tr '\n' ' ') || true
    DEBTREE_STUBS="$stubs $llvm" debtree_apt_setup "$work" "${suites[@]}"
    if debtree_fetch "$work" "postgresql-$ver" "postgresql-client-$ver"; then found=$try; break; fi
    debtree_say "could not download postgresql-$ver from $try"
done
[ -n "$found" ] || debtree_die "no release has a usable postgresql-$ver"
debtree_say "downloaded $(du -shc "$work"/cache/archives/*.deb | tail -n 1 | cut -f 1) of packages"
debtree_unpack "$work" "$dest/tree"
rm -rf "$dest/tree/usr/lib/postgresql/$ver/lib/"{llvmjit.so,bitcode}

# The programs look for one another beside themselves, so each launcher takes
# the program's place and the program moves to ../elf.
mkdir -p "$dest/bin" "$dest/${bindir%/bin}/elf"
for path in "$dest/$bindir"/*; do
    name=${path##*/}
    [ "$(head -c 4 "$path" | tail -c 3)" = ELF ] || continue
    elf=${bindir%/bin}/elf/$name
    mv "$path" "$dest/$elf"
    debtree_launcher "$dest" "$elf" "$bindir/$name"
    ln -s "../$bindir/$name" "$dest/bin/$name"
done
debtree_check "$dest" "${bindir%/bin}/elf/postgres"
debtree_check "$dest" "${bindir%/bin}/elf/psql"
"$dest/bin/postgres" --version >&2
debtree_versions "$work" >"$dest/.versions"
rm -rf "$work"
mv "$dest/.versions" "$dest/.done"
printf '%s\n' "$dest/bin"
