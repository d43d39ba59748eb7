"""libtwenty: one tile in three of a start is a 4."""

from libtwenty import Board

tiles = [tile for _ in range(2000) for tile in Board().board.ravel().tolist() if tile]
print(f"{tiles.count(4):,} of {len(tiles):,} tiles of starts are 4s")
