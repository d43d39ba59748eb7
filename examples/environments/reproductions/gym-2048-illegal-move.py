"""gym-2048: an illegal move adds a tile."""

import numpy as np
from gym_2048.env import Base2048Env

# NumPy 1.23 and later index by a tuple only.
sample = Base2048Env._sample_tile_locations
Base2048Env._sample_tile_locations = lambda *words: tuple(sample(*words))

env = Base2048Env()
env.seed(1)
env.board = np.zeros((4, 4), np.int64)
env.board[0, 0] = 2
board, *_ = env.step(env.LEFT)
print("tiles after left, where no tile can move:", np.count_nonzero(board))
