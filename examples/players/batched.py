# Plays 2048 in 4,096 games at the same time, with numpy: makes the first legal move of down, left,
# right and up in each game. `choose` can be replaced by a network.
# The protocol is docs/PROTOCOL.md of gauntlet.
import sys
import numpy

WAYS = numpy.array(["down", "left", "right", "up"])

def choose(boards):
    """The moves for boards of the shape (games, 4, 4)."""
    def moves(boards):  # towards the end of some row
        one, next = boards[:, :, :-1], boards[:, :, 1:]
        return ((one != 0) & ((next == 0) | (one == next))).any(axis=(1, 2))
    turned = boards.transpose(0, 2, 1)
    legal = numpy.stack([moves(turned), moves(boards[:, :, ::-1]), moves(boards), moves(turned[:, :, ::-1])])
    return WAYS[legal.argmax(axis=0)]

games, boards = [], []
for line in sys.stdin:
    if line.startswith("move "):
        words = line.split()
        games.append(words[1])
        boards.append(words[2:18])
    elif line == "go\n":
        moves = choose(numpy.array(boards, dtype=numpy.int64).reshape(-1, 4, 4))
        sys.stdout.write("".join(f"{game} {move}\n" for game, move in zip(games, moves)) + "done\n")
        sys.stdout.flush()
        games, boards = [], []
    elif line.startswith("gauntlet "):
        print("ready batched.py 1 batch=4096", flush=True)
