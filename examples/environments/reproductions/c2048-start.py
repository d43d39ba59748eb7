"""c2048: a game never starts with a 4."""

from c2048 import C2048

starts = [tile.exp for _ in range(1000) for tile in C2048().grid if tile.exp]
print(f"{len(starts):,} tiles of starts, {starts.count(2)} of them 4s")
