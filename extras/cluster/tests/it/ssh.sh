#!/bin/sh
# Stands in for ssh. Each host is a folder in $HOSTS, which is its home folder. Before the first
# task begins, the script $MEANWHILE runs. If $HOLD is set, the second task never ends.
while [ "${1#-}" != "$1" ]; do shift; done
home=$HOSTS/$1
shift
[ "$1" != -- ] || shift
mkdir -p "$home" && cd "$home" || exit 1
case $* in
*GNU_Parallel_worker*)
    if [ -n "$MEANWHILE" ] && mkdir "$HOSTS/called" 2> /dev/null; then
        unset PARALLEL_SSH
        sh "$MEANWHILE" > "$HOSTS/meanwhile.log" 2>&1 || exit
    fi
    if [ -n "$HOLD" ] && ! mkdir "$HOSTS/one" 2> /dev/null; then
        exec sleep 3600
    fi
    ;;
esac
# A host may have no SHELL, as under systemd.
unset SHELL
HOME=$home exec sh -c "$*"

