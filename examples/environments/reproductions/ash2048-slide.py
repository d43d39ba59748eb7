"""ash2048: equal tiles with two empty cells between them do not merge."""

import importlib.util
import sys
import types

import numpy as np

# `ash2048/__init__.py` imports `gym2048`, which no file of the wheel provides.
module = types.ModuleType("gym2048")
module.__path__ = importlib.util.find_spec("ash2048").submodule_search_locations
sys.modules["gym2048"] = module

import gym2048.environment as game  # noqa: E402

board = np.zeros((4, 4))
board[0, 0] = board[0, 3] = 2
after, _ = game.left(board, np.random.default_rng(1))
print(board[0], "moves left to", after[0])
