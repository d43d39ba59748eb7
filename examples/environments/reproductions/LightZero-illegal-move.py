"""LightZero: an illegal move adds a tile, or is replaced by a random legal one."""

import numpy as np
from zoo.game_2048.envs.game_2048_env import Game2048Env

board = np.zeros((4, 4), int)
board[0, 0] = 2
for ignored in (True, False):
    configuration = Game2048Env.default_config()
    configuration.ignore_legal_actions = ignored
    env = Game2048Env(configuration)
    env.seed(1)
    env.reset(init_board=board)
    env.step(3)
    print(f"left, where no tile can move; ignore_legal_actions={ignored}:")
    print(env.board)
