"""gym-2048: a game can start with one tile."""

import numpy as np
from gym_2048.env import Base2048Env

# NumPy 1.23 and later index by a tuple only.
sample = Base2048Env._sample_tile_locations
Base2048Env._sample_tile_locations = lambda *words: tuple(sample(*words))

env = Base2048Env()
env.seed(1)
starts = [np.count_nonzero(env.reset()) for _ in range(1600)]
print(f"{starts.count(1)} of {len(starts):,} games start with one tile")
