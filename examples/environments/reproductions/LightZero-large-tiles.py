"""LightZero: a move that gains more than 65,536 points raises an error."""

import numpy as np
from zoo.game_2048.envs.game_2048_env import Game2048Env

env = Game2048Env(Game2048Env.default_config())
board = np.zeros((4, 4), int)
board[0] = 32768, 32768, 2, 2
env.reset(init_board=board)
try:
    env.step(3)
except AssertionError:
    print("AssertionError for", board[0])
