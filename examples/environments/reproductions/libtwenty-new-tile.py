"""libtwenty: one new tile in three is a 4."""

import numpy as np
from libtwenty import spawn_tile

tiles = [spawn_tile(np.zeros((4, 4), int)).max() for _ in range(10_000)]
print(f"{tiles.count(4):,} of {len(tiles):,} new tiles are 4s")
