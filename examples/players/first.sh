# Plays 2048: makes the first legal move of down, left, right and up.
# The protocol is docs/PROTOCOL.md of gauntlet.

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

while read -r word game a b c d e f g h i j k l m n o p rest; do
  case $word in
    gauntlet) echo "ready first-sh 1" ;;
    move)
      if moves $a $e $i $m $b $f $j $n $c $g $k $o $d $h $l $p; then echo "$game down"
      elif moves $d $c $b $a $h $g $f $e $l $k $j $i $p $o $n $m; then echo "$game left"
      elif moves $a $b $c $d $e $f $g $h $i $j $k $l $m $n $o $p; then echo "$game right"
      else echo "$game up"; fi ;;
  esac
done
