"""gymnasium-2048: merging two tiles 32768 raises an error."""

import numpy as np
from gymnasium_2048.envs import TwentyFortyEightEnv

env = TwentyFortyEightEnv()
env.reset(seed=1)
env.board = np.zeros((4, 4), np.uint8)
env.board[0, :2] = 15
try:
    env.step(3)
except IndexError as error:
    print(f"IndexError: {error}")
