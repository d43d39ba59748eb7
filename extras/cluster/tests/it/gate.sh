# A player of 2048 and Gomoku that waits for a gate: `sh gate.sh NAME FREE`.
#
# The gate is the pipe NAME.gate. It is open while another process has it open for writing. Each
# task of Slurm begins FREE games without waiting. Before each further game, it waits until the gate
# is open. If there is no pipe, it never waits.
#
# In Gomoku, the player takes the first free cell. In 2048, it prefers the moves down and left. In
# ten moves, it tries left first as often as its option `left` says.

# True if a tile can move from one cell to the next, in one of four lines of four cells.
moves() {
    while [ $# -gt 0 ]; do
        for pair in "$1 $2" "$2 $3" "$3 $4"; do
            from=${pair% *} to=${pair#* }
            [ "$from" != 0 ] && { [ "$to" = 0 ] || [ "$from" = "$to" ]; } && return 0
        done
        shift 4
    done
    return 1
}

down() { moves "$a" "$e" "$i" "$m" "$b" "$f" "$j" "$n" "$c" "$g" "$k" "$o" "$d" "$h" "$l" "$p"; }
left() { moves "$d" "$c" "$b" "$a" "$h" "$g" "$f" "$e" "$l" "$k" "$j" "$i" "$p" "$o" "$n" "$m"; }
right() { moves "$a" "$b" "$c" "$d" "$e" "$f" "$g" "$h" "$i" "$j" "$k" "$l" "$m" "$n" "$o" "$p"; }

name=$1 free=$2
while read -r word game a b c d e f g h i j k l m n o p rest; do
    case $word in
    gauntlet)
        kind=$a lefts=0
        for option in $a $b $c $d $e $f $g $h $i $j $k $l $m $n $o $p $rest; do
            case $option in option.left=*) lefts=${option#*=} ;; esac
        done
        echo "ready gate 1"
        ;;
    new)
        if [ -p "$name.gate" ]; then
            echo >> "$name.$SLURM_JOB_ID.games"
            [ "$(wc -l < "$name.$SLURM_JOB_ID.games")" -le "$free" ] || true < "$name.gate"
        fi
        ;;
    move)
        if [ "$kind" = gomoku ]; then
            before=${a%%.*}
            set -- a b c d e f g h i j k l m n o
            shift $((${#before} % 15))
            echo "$game $1$((${#before} / 15 + 1))"
            continue
        fi
        made=${rest##*moves=} order='down left'
        made=${made%% *}
        [ $((made % 10)) -lt "${lefts%.*}" ] && order='left down'
        for move in $order right up; do
            if [ $move = up ] || $move; then
                echo "$game $move"
                break
            fi
        done
        ;;
    esac
done
