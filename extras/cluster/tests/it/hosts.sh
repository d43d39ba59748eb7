#!/bin/sh
# Starts and stops hosts on loopback for tests, each with its own sshd: `hosts.sh start FOLDER` and
# `hosts.sh stop FOLDER`. The file `config` in FOLDER is a configuration for ssh with the hosts
# `one`, `two` and `gone`. Nothing listens at `gone`.
#
# `hosts.sh plays FOLDER HOST` succeeds while gauntlet runs on a host. `hosts.sh dies FOLDER HOST`
# kills all processes of a host, as if the machine had failed.
set -e
folder=$2

# Prints the processes of a host.
all() {
    next=$(cat "$folder/$1.pid")
    while [ -n "$next" ]; do
        echo "$next"
        next=$(for parent in $next; do pgrep -P "$parent" || true; done)
    done
}

case $1 in
start)
    mkdir -p "$folder" /run/sshd
    cd "$folder"
    chmod 700 .
    for key in host user; do ssh-keygen -q -t ed25519 -N '' -f $key; done
    cp user.pub authorized
    : > config
    for host in one:22801 two:22802 gone:22803; do
        cat >> config << CONF
Host ${host%:*}
    HostName 127.0.0.1
    Port ${host#*:}
    IdentityFile $folder/user
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
CONF
        [ "${host%:*}" = gone ] && continue
        /usr/sbin/sshd -f /dev/null -o ListenAddress=127.0.0.1 -o Port="${host#*:}" -o HostKey="$folder/host" \
            -o AuthorizedKeysFile="$folder/authorized" -o StrictModes=no -o PidFile="$folder/${host%:*}.pid" \
            -o PasswordAuthentication=no -o Subsystem='sftp internal-sftp'
    done
    sleep 0.5
    ;;
plays)
    for process in $(all "$3"); do
        [ "$(cat "/proc/$process/comm" 2> /dev/null)" = gauntlet ] && exit 0
    done
    exit 1
    ;;
dies)
    # Processes that have ended meanwhile are ignored.
    for process in $(all "$3"); do
        kill -9 "$process" 2> /dev/null || true
    done
    ;;
stop)
    for host in one two; do
        [ -s "$folder/$host.pid" ] && kill "$(cat "$folder/$host.pid")" 2> /dev/null || true
    done
    ;;
esac
