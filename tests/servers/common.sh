# shellcheck shell=bash
# common.sh - what postgres.sh and mysql.sh share: a private server in a folder
# of its own, started as an unprivileged user and stopped by its process id.
# Sourced with $dir set to the server's folder:
#
#   DIR/data   the data directory          DIR/sock   the unix socket
#   DIR/pid    the process id              DIR/log    what the server says
#   DIR/env    addresses with passwords, for the tests (mode 0600)
#   DIR/command  what started it, for start_again
#
# Folder and files belong to the caller; the server user owns data and sock.

umask 077
dir=$(realpath -m -- "$dir")
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# Database servers refuse to run as root; SERVER_USER names who runs them then.
as_server=(env)
server_user=$(id -un)
if [ "$(id -u)" = 0 ]; then
    server_user=${SERVER_USER:-nobody}
    as_server=(setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --clear-groups env "HOME=$dir")
fi

# 24 letters and digits: no character that a URL or an SQL text would change
new_password() {
    local text
    text=$(head -c 300 /dev/urandom | base64 -w 0 | tr -d '+/=')
    printf '%s' "${text:0:24}"
}

# keep FILE: what is typed at stdin, readable by the server only. Passwords
# reach a server in such files, because anyone may read an argument list.
keep() { cat >"$1"; give "$1"; }
give() { if [ "$(id -u)" = 0 ]; then chown "$server_user:" "$@"; fi; }

# copy_certs FOLDER: what a server needs of the folder $CERTS (certs.sh)
copy_certs() {
    cp "$CERTS"/{ca.pem,server.pem,server.key} "$1/"
    give "$1"/{ca.pem,server.pem,server.key}
}

# prepare_folder: an empty data and socket folder below $dir
prepare_folder() {
    mkdir -p "$dir"
    # a unix socket's name has at most 107 bytes
    [ ${#dir} -le 80 ] || die "the path is too long for a unix socket: $dir"
    ! running || die "already running in $dir"
    rm -rf "${dir:?}"/{data,sock,pid,log,env,command}
    mkdir "$dir/data" "$dir/sock"
    give "$dir/data" "$dir/sock"
    chmod 711 "$dir"
    chmod 755 "$dir/sock"
    "${as_server[@]}" test -w "$dir/data" || die "user $server_user cannot reach $dir"
    # some programs refuse to start in a folder that their user cannot read
    cd "$dir" || die "cannot enter $dir"
}

# running: is the process in DIR/pid alive and still the server of this folder?
# (A process id may have been given to another program; a zombie has no text.)
running() {
    local pid
    [ -s "$dir/pid" ] && pid=$(cat "$dir/pid") || return 1
    tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$dir/data"
}

# stop_server SIGNAL
stop_server() {
    local pid n
    running || return 0
    pid=$(cat "$dir/pid")
    kill -s "$1" "$pid" 2>/dev/null || true
    for ((n = 0; n < 1200; n++)); do
        running || return 0
        sleep 0.05
    done
    say "process $pid did not stop within a minute and is killed"
    kill -s KILL "$pid" 2>/dev/null || true
    return 1
}

# launch PROGRAM ARGUMENT...
launch() {
    printf '%s\0' "$@" >"$dir/command"
    # A session of its own: Ctrl-C in a terminal is for the tests, which then
    # stop the server themselves. A background job would ignore INT.
    (
        echo "$BASHPID" >"$dir/pid"
        exec setsid "${as_server[@]}" env --default-signal=INT,QUIT "$@"
    ) </dev/null >>"$dir/log" 2>&1 &
}

# start_again: the server of this folder once more, with its data and its port,
# after it was stopped or killed. Does not wait until it answers.
start_again() {
    local parts=() argument n
    ! running || die "still running in $dir"
    while IFS= read -r -d '' argument; do
        # its statements are done, and the file is gone
        [[ $argument == --init-file=* ]] || parts+=("$argument")
    done <"$dir/command"
    cd "$dir" || die "cannot enter $dir"
    # children of a killed server may hold its memory for a moment
    for ((n = 0; n < 50; n++)); do
        launch "${parts[@]}"
        sleep 0.2
        if [ -d "/proc/$!" ]; then return 0; fi
    done
    tail -n 20 "$dir/log" >&2
    die "the server did not start again in $dir"
}

# start_server READY PROGRAM ARGUMENT... : starts the program with a free port
# in $port until the command READY succeeds. The text @PORT@ in an argument
# stands for the port. A port that another program takes in between costs
# another attempt.
start_server() {
    local ready=$1 try n
    shift
    for ((try = 0; try < 5; try++)); do
        # below the range that the kernel gives to outgoing connections
        port=$((20000 + RANDOM % 12000))
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue; fi
        launch "${@//@PORT@/$port}"
        for ((n = 0; n < 3000; n++)); do
            if "$ready" >/dev/null 2>&1; then return 0; fi
            [ -d "/proc/$!" ] || break
            sleep 0.02
        done
        ! grep -qi 'address already in use' "$dir/log" || continue
        break
    done
    tail -n 20 "$dir/log" >&2
    die "the server did not start in $dir"
}
