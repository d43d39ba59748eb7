"""twenty48: no game starts with a tile in the last cell."""

from twenty48.Board import Board

tiles = [0] * 16
for _ in range(10_000):
    for cell, tile in enumerate(Board().get_tiles()):
        tiles[cell] += int(tile > 0)
print("starts with a tile, by cell:", tiles)
