#!/bin/sh
# Starts and stops a Slurm with one machine on loopback, for tests: `slurm.sh start FOLDER` and
# `slurm.sh stop FOLDER`. It needs root for munged. It has more cores than the machine, because its
# tasks mostly wait for each other. Jobs in the partition `urgent` preempt other jobs.
set -e
folder=$2
export SLURM_CONF="$folder/slurm.conf"
case $1 in
start)
    mkdir -p "$folder/state" "$folder/spool"
    host=$(hostname -s)
    grep -q "[[:space:]]$host\([[:space:]]\|\$\)" /etc/hosts || echo "127.0.0.1 $host" >> /etc/hosts
    if ! pgrep -x munged > /dev/null; then
        install -d -o munge -g munge -m 755 /run/munge
        su -s /bin/sh munge -c /usr/sbin/munged
    fi
    cat > "$SLURM_CONF" << CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=60
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=40 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=2
CONF
    slurmctld -f "$SLURM_CONF" -c
    slurmd -f "$SLURM_CONF" -N "$host"
    for attempt in $(seq 60); do
        sinfo -h -o %T 2> /dev/null | grep -q idle && exit 0
        sleep 0.5
    done
    cat "$folder"/slurm*.log >&2
    exit 1
    ;;
stop)
    scancel --user=root 2> /dev/null || true
    for attempt in $(seq 40); do
        squeue -h 2> /dev/null | grep -q . || break
        sleep 0.5
    done
    for daemon in slurmd slurmctld; do
        [ -s "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" || true
    done
    ;;
esac
