import sys  # plays 2048: makes the first legal move of down, left, right and up

def slides(row):  # can a tile move towards the end of the row?
    return any(a and b in (0, a) for a, b in zip(row, row[1:]))

for words in map(str.split, sys.stdin):
    if words[0] == "gauntlet":
        print("ready first.py 1", flush=True)
    elif words[0] == "move":
        rows = [[int(cell) for cell in words[at:at + 4]] for at in (2, 6, 10, 14)]
        ways = {"down": list(zip(*rows)), "left": [row[::-1] for row in rows], "right": rows}
        print(words[1], next((w for w in ways if any(map(slides, ways[w]))), "up"), flush=True)
