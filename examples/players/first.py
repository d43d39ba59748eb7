# Plays 2048: the first of down, left, right and up that moves a tile. For gauntlet: docs/PROTOCOL.md.
import sys

def moves(lines):  # towards the end of some line
    return any(a and b in (0, a) for line in lines for a, b in zip(line, line[1:]))

for words in map(str.split, sys.stdin):
    if words[0] == "gauntlet":
        print("ready first.py 1", flush=True)
    elif words[0] == "move":
        rows = [[int(cell) for cell in words[at:at + 4]] for at in (2, 6, 10, 14)]
        columns = list(zip(*rows))
        ways = {"down": columns, "left": [row[::-1] for row in rows], "right": rows}
        print(words[1], next((way for way in ways if moves(ways[way])), "up"), flush=True)
