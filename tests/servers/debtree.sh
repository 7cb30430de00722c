# shellcheck shell=bash
# debtree.sh - put Debian packages of another release into a folder and run
# their programs from there, beside the system's own packages.
# Sourced by get-mysql.sh, get-postgres.sh and get-mariadb.sh.
#
#   TREE/tree    the unpacked packages (file-system root of the folder)
#   TREE/bin     launchers: small scripts that start a program with the
#                folder's own dynamic loader and libraries
#   TREE/.done   written last; holds the package versions
#
# Signatures (InRelease) and hashes (Packages, .deb) are checked by apt itself.
# Nothing on the system is installed or changed: apt gets a private
# configuration whose state, cache and package database are in the folder.
#
# Single quotes below hold text for apt, dpkg and the launchers, not for us.
# shellcheck disable=SC2016

debtree_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
debtree_die() { debtree_say "$*"; exit 1; }

# The archive address the machine already uses for the release it runs
# (environment DEBTREE_MIRROR overrides it). Where apt has fetched its indexes
# they tell the origin; on a new machine without indexes the addresses of the
# sources are read, and the one that serves both CODENAME and CODENAME-updates
# is taken. A wrong guess cannot do harm: only Debian's own key is accepted.
debtree_mirror() {
    local code uri
    if [ -n "${DEBTREE_MIRROR:-}" ]; then printf '%s\n' "$DEBTREE_MIRROR"; return; fi
    # shellcheck source=/dev/null
    code=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    uri=$(apt-get indextargets --format '$(CREATED_BY)|$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' |
        awk -F'|' -v code="$code" '$1 == "Packages" && $2 == "Debian" && $3 == "main" && $4 == code && !n++ { print $5 }')
    [ -n "$uri" ] || uri=$(apt-get update --print-uris 2>/dev/null | tr -d "'" |
        awk -v code="$code" '{ n = index($1, "/dists/"); if (!n) next
            base = substr($1, 1, n); suite = substr($1, n + 7); sub("/.*", "", suite); seen[base, suite] = 1; bases[base] = 1
            if (suite == code && first == "") first = base }
            END { for (b in bases) if ((b, code) in seen && (b, code "-updates") in seen) { print b; exit } print first }')
    printf '%s\n' "$uri"
}

# debtree_apt_setup WORK SUITE... : private apt configuration in WORK
# (releases from Debian 12 on; the launchers need glibc 2.33 or newer)
debtree_apt_setup() {
    local work=$1 mirror suite key target; shift
    mirror=$(debtree_mirror)
    [ -n "$mirror" ] || debtree_die "no Debian archive found in apt's sources"
    key=${DEBTREE_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
    [ -r "$key" ] || debtree_die "missing $key (package debian-archive-keyring)"
    mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial
    : >"$work/sources.list"
    for suite in "$@"; do
        printf 'deb [signed-by=%s] %s %s main\n' "$key" "$mirror" "$suite" >>"$work/sources.list"
    done
    # Packages the programs can do without, or which the host has anyway, are
    # declared as installed, so that apt does not fetch them.
    : >"$work/status"
    for suite in ${DEBTREE_STUBS:-}; do
        printf 'Package: %s\nStatus: install ok installed\nPriority: optional\nSection: misc\nMaintainer: none <none@localhost>\nArchitecture: %s\nMulti-Arch: allowed\nVersion: 9999:1\nDescription: stub\n\n' \
            "$suite" "$(dpkg --print-architecture)" >>"$work/status"
    done
    {
        printf 'Dir::State "%s/state";\nDir::State::status "%s/status";\n' "$work" "$work"
        printf 'Dir::Cache "%s/cache";\n' "$work"
        printf 'Dir::Etc::sourcelist "%s/sources.list";\n' "$work"
        printf 'Dir::Etc::sourceparts "/dev/null";\nDir::Etc::preferences "/dev/null";\nDir::Etc::preferencesparts "/dev/null";\n'
        printf '#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n'
        printf '#clear DPkg::Post-Invoke;\n#clear DPkg::Pre-Install-Pkgs;\n'
        # several releases: the last named one is preferred
        if [ $# -gt 1 ]; then printf 'APT::Default-Release "%s";\n' "${*: -1}"; fi
        printf 'APT::Install-Recommends "false";\nAcquire::Languages "none";\nAcquire::Retries "3";\n'
        printf 'Acquire::AllowInsecureRepositories "false";\nAcquire::AllowWeakRepositories "false";\n'
        printf 'APT::Get::AllowUnauthenticated "false";\n'
        # only the package index, no AppStream data or icons
        apt-config dump | sed -n 's/^Acquire::IndexTargets::deb::\([^: ]*\) .*/\1/p' | sort -u |
            while read -r target; do
                [ "$target" = Packages ] ||
                    printf 'Acquire::IndexTargets::deb::%s::DefaultEnabled "false";\n' "$target"
            done
    } >"$work/apt.conf"
}

debtree_apt() { local work=$1; shift; APT_CONFIG=$work/apt.conf "$@"; }

# debtree_update WORK : fetch the package indexes and verify their signatures
debtree_update() {
    local try
    for try in 1 2 3; do
        debtree_apt "$1" apt-get -qq --error-on=any update >&2 && return 0
        sleep "$try"
    done
    debtree_say "the package index could not be fetched, or its signature is not valid"
    return 1
}

# debtree_fetch WORK PACKAGE... : download the packages with what they depend on
debtree_fetch() {
    local work=$1 try; shift
    for try in 1 2 3; do
        if debtree_apt "$work" apt-get -qq -y -o Dpkg::Use-Pty=0 --download-only --no-install-recommends install "$@" >&2
        then return 0; fi
        debtree_say "download attempt $try failed; refreshing the index"
        sleep $((try * 3))
        debtree_update "$work" || true
    done
    return 1
}

# debtree_unpack WORK TREE : unpack all downloaded packages below TREE
debtree_unpack() {
    local work=$1 tree=$2 deb d
    mkdir -p "$tree/usr"
    for d in bin sbin lib lib64; do
        mkdir -p "$tree/usr/$d"
        [ -e "$tree/$d" ] || ln -s "usr/$d" "$tree/$d"
    done
    for deb in "$work"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" |
            tar -x --keep-directory-symlink --no-same-owner -C "$tree" \
                --exclude='./usr/share/doc' --exclude='./usr/share/man' \
                --exclude='./usr/share/locale' --exclude='./usr/share/lintian' \
                --exclude='./usr/share/bug' --exclude='./usr/lib/debug' \
                --exclude='./usr/lib/systemd' --exclude='./lib/systemd'
    done
    chmod -R a+rX "$tree"
}

debtree_loader() { find "$1/usr" -type f -name 'ld-linux*.so.[0-9]*' | head -n 1; }

# debtree_launcher ROOT PROGRAM LAUNCHER [shell text run before the start]
# PROGRAM and LAUNCHER are relative to ROOT. The launcher finds ROOT from its
# own place, so the folder can be moved.
debtree_launcher() {
    local root=$1 prog=$2 out=$3 extra=${4:-} loader libdir up
    loader=$(debtree_loader "$root/tree")
    [ -n "$loader" ] || debtree_die "no dynamic loader in the folder"
    loader=${loader#"$root"/}; libdir=${loader%/*}
    up=$(printf '%s' "${out%/*}" | sed 's#[^/][^/]*#..#g')
    mkdir -p "$root/${out%/*}"
    cat >"$root/$out.new" <<LAUNCH
#!/bin/sh
self=\$(readlink -f "\$0") && root=\$(cd "\${self%/*}/$up" && pwd) || exit 1
$extra
exec "\$root/$loader" --inhibit-cache --argv0 "\$self" \\
    --library-path "\$root/$libdir" "\$root/$prog" "\$@"
LAUNCH
    chmod 755 "$root/$out.new"
    mv -f "$root/$out.new" "$root/$out"
}

# debtree_check ROOT PROGRAM : every shared library must come from the folder
debtree_check() {
    local root=$1 prog=$2 loader out
    loader=$(debtree_loader "$root/tree")
    out=$("$loader" --inhibit-cache --library-path "${loader%/*}" --list "$root/$prog") ||
        debtree_die "$prog does not load: $out"
    if printf '%s\n' "$out" | grep 'not found' >&2; then debtree_die "$prog lacks a library"; fi
    out=$(printf '%s\n' "$out" | awk -v r="$root/" '/=> \// && index($3, r) != 1 { print $1 }')
    [ -z "$out" ] || debtree_die "$prog takes libraries from the host: $out"
}

# debtree_versions WORK : name and version of each downloaded package
debtree_versions() {
    local deb
    for deb in "$1"/cache/archives/*.deb; do
        dpkg-deb -W --showformat='${Package} ${Version}\n' "$deb"
    done
}
