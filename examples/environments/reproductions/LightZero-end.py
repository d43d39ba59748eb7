"""LightZero: with the default settings, a game goes on after the last legal move."""

import numpy as np
from zoo.game_2048.envs.game_2048_env import Game2048Env

env = Game2048Env(Game2048Env.default_config())
board = np.array([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [8, 16, 32, 64]])
env.reset(init_board=board)
print(f"no move is legal; is_done: {env.is_done()}, legal_actions: {env.legal_actions}")
