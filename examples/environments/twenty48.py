"""An environment of 2048 for `gauntlet check-env`: it answers lines, as in docs/PROTOCOL.md.

    gauntlet check-env -- python3 twenty48.py

The words after the file name switch on faults, to see how they are reported:

    gauntlet check-env -- python3 twenty48.py never-four
"""

import random
import sys

FAULTS = set(sys.argv[1:])
DIRECTIONS = ["left", "up", "right", "down"]  # actions 0 to 3


def lines(direction):
    """The cells of each line, from the wall that tiles slide to."""
    rows = [[4 * row + column for column in range(4)] for row in range(4)]
    if direction in ("up", "down"):
        rows = [list(column) for column in zip(*rows)]
    if direction in ("right", "down"):
        rows = [row[::-1] for row in rows]
    return rows


LINES = {direction: lines(direction) for direction in DIRECTIONS}


def merged(tiles):
    """The tiles of a line after the slide, and their points."""
    if "wrong-end" in FAULTS:
        tiles = tiles[::-1]
    out, points, place = [], 0, 0
    while place < len(tiles):
        tile = tiles[place]
        may_merge = "one-merge" not in FAULTS or not points
        if place + 1 < len(tiles) and tiles[place + 1] == tile and may_merge:
            tile *= 1 if "cap" in FAULTS and tile == 32768 else 2
            points += tile
            place += 1
            if "merged-twice" in FAULTS and out and out[-1] == tile:
                out.pop()
                tile *= 2
                points += tile
        out.append(tile)
        place += 1
    return (out[::-1] if "wrong-end" in FAULTS else out), points


def slide(board, direction):
    """The board after the slide, and the points."""
    out, points = [0] * 16, 0
    for cells in LINES[direction]:
        tiles, gained = merged([board[cell] for cell in cells if board[cell]])
        points += gained
        for cell, tile in zip(cells, tiles):
            out[cell] = tile
    return out, points


class Environment:
    def __init__(self):
        self.chance = random.Random()

    def reset(self, seed=None):
        if seed is not None and "seed-ignored" not in FAULTS:
            self.chance.seed(seed)
        self.board = [0] * 16
        self.add_tile(16)
        if "one-tile" not in FAULTS:
            self.add_tile(15)

    def add_tile(self, empty_before):
        empty = [cell for cell in range(16) if not self.board[cell]]
        if "stale-count" in FAULTS:
            empty = empty[:empty_before]
        if "last-cell" in FAULTS:
            empty = empty[:-1] or empty
        if empty:
            four = "never-four" not in FAULTS and self.chance.random() < 0.1
            self.board[self.chance.choice(empty)] = 4 if four else 2

    def legal(self):
        if "mask" in FAULTS:
            return [True] * 4
        return [slide(self.board, direction)[0] != self.board for direction in DIRECTIONS]

    def step(self, action):
        """The reward, and whether the game is over."""
        after, points = slide(self.board, DIRECTIONS[action])
        if after != self.board:
            empty_before = self.board.count(0)
            self.board = after
            self.add_tile(empty_before)
        elif "idle-tile" in FAULTS:
            self.add_tile(self.board.count(0))
        done = not any(slide(self.board, direction)[0] != self.board for direction in DIRECTIONS)
        if "ends-at-2048" in FAULTS and max(self.board) >= 2048:
            done = True
        if "too-late" in FAULTS:
            done = False
        if "raises" in FAULTS and max(self.board) >= 256:
            raise IndexError("no tile above 128")
        if "reset-inside" in FAULTS and done:
            self.reset()
        if "tile-sum" in FAULTS:
            points = sum(self.board)
        return points // 2 if "halved" in FAULTS else points, done


def main():
    environment = Environment()
    for line in sys.stdin:
        word, *words = line.split()
        answer = ""
        try:
            if word == "gauntlet":
                print("ready twenty48.py actions=4 set=1", flush=True)
                continue
            if word == "quit":
                return
            if word == "reset":
                environment.reset(int(words[0]) if words else None)
            elif word == "set":
                environment.board = [int(number) for number in words]
            elif word == "step":
                reward, done = environment.step(int(words[0]))
                answer = f" reward={reward} done={int(done)}"
        except IndexError as error:
            print(f"error IndexError: {error}", flush=True)
            continue
        legal = "".join(str(int(legal)) for legal in environment.legal())
        print("board", *environment.board, answer.strip(), f"legal={legal}", flush=True)


if __name__ == "__main__":
    main()
