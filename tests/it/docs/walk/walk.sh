# From a blank file to a verdict on four players, on a terminal of 80 columns and 24 rows. The user
# knows no document except the help. Everything in a line was printed by a command above it.
# `tests/it/docs/walk.rs` runs the commands and stores the screens.
gauntlet -h
: > four.toml
gauntlet check four.toml
gauntlet players
gauntlet players fixed-order
gauntlet players expectimax
gauntlet format claims
cat > four.toml <<'END'
name = "four"
game = "2048"
seed = 1
games = 200

[[player]]
name = "chance"
algorithm = "random"

[[player]]
name = "order"
algorithm = "fixed-order"
order = ["down", "left", "right", "up"]

[[player]]
name = "gain"
algorithm = "greedy"

[[player]]
name = "search"
algorithm = "expectimax"
depth = 1

[[claim]]
better = "search"
than = "gain"
by = "score"
END
gauntlet check four.toml
gauntlet run four.toml
gauntlet report -h
gauntlet report results/four --table win-rate
gauntlet rank -h
gauntlet rank results/four --by score
gauntlet compare results/four --by score
gauntlet show -h
gauntlet show results/four --player search --best --last
gauntlet report results/four --out four.html
