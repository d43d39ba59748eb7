#!/bin/sh
# Stands in for sbatch: runs all tasks of a job one after the other, then prints a number.
for word; do
    case $word in --chdir=*) cd "${word#*=}" || exit 1 ;; esac
done
script=$word
option() { sed -n "s/^#SBATCH --$1=//p" "$script"; }
tasks=$(option array)
log=$(option output)
# Slurm interprets `%` and `\` in the path of the whole folder.
case $log in
/*) ;;
*) case $PWD in *[%\\]*) echo "there is no folder $PWD" >&2 && exit 1 ;; esac ;;
esac
for task in $(seq "${tasks%-*}" "${tasks#*-}" 2> /dev/null) ${tasks:-end}; do
    case $task in *-*) continue ;; esac
    SLURM_ARRAY_TASK_ID=$task bash "$script" > "$(printf '%s' "$log" | sed "s/%a/$task/")" 2>&1
done
echo 7
