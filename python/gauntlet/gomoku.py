"""A PettingZoo environment of Gomoku, on the engine that plays gauntlet's experiments.

    env = gauntlet.gomoku.env(size=15)

`env` has the wrappers of PettingZoo; `raw_env` has none. The agents are `black_0` and `white_1`.
Observations have two planes of `int8`: the stones of the player who is asked, and those of the
opponent. Actions are cells, numbered row by row. The winner gets 1, the loser -1.
"""

from __future__ import annotations

import copy
import json
import secrets
from typing import Any, Literal, Self, cast

import numpy as np
import numpy.typing as npt

from .errors import MissingPackageError, NativeErrors, check_choice, check_integer
from .games import block_seed

try:
    import gymnasium
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:  # pragma: no cover
    raise MissingPackageError(
        "the Gomoku environment needs PettingZoo: pip install 'gauntlet-bench[pettingzoo]'"
    ) from error

from ._gauntlet import GomokuGame
from .rendering import Picture, Window, stones

__all__ = ["GomokuEnv", "env", "raw_env"]

Rule = Literal["free", "standard"]
Openings = Literal["empty", "generated"]
Mode = Literal["ansi", "rgb_array", "human"]


def env(
    size: int = 15,
    rule: Rule = "free",
    openings: Openings = "empty",
    render_mode: Mode | None = None,
) -> Any:
    """Returns a `GomokuEnv` with PettingZoo's checks of actions and of the order of calls.

    A number that is not a cell and a call in the wrong order are errors. An illegal cell loses.
    """
    checked = wrappers.AssertOutOfBoundsWrapper(raw_env(size, rule, openings, render_mode))
    return wrappers.OrderEnforcingWrapper(checked)


def raw_env(
    size: int = 15,
    rule: Rule = "free",
    openings: Openings = "empty",
    render_mode: Mode | None = None,
) -> GomokuEnv:
    """Returns an environment without wrappers. The options are those of `GomokuEnv`."""
    return GomokuEnv(size, rule, openings, render_mode)


class GomokuEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types.
    """A game of Gomoku between `black_0` and `white_1`.

    `size` is the number of rows, `rule` "free" (five stones or more) or "standard" (exactly five).
    Games begin on an empty board; with `openings="generated"`, with a balanced opening. With a
    seed, the k-th game has the opening of block k of the experiment with that seed.
    """

    metadata: dict[str, Any] = {
        "name": "gomoku_v0",
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        size: int = 15,
        rule: Rule = "free",
        openings: Openings = "empty",
        render_mode: Mode | None = None,
    ):
        super().__init__()
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        # The engine refuses sizes that it cannot play.
        size = check_integer("size", size, -(2**63), 2**63 - 1)
        self._rules = json.dumps({"size": size, "rule": rule, "openings": openings})
        self._seed, self._block = secrets.randbits(63), 0
        self._moves: list[int] = []
        self.render_mode = render_mode
        self._window = Window("Gomoku", self.metadata["render_fps"])
        self.possible_agents = ["black_0", "white_1"]
        board = gymnasium.spaces.Box(0, 1, (size, size, 2), np.int8)
        mask = gymnasium.spaces.Box(0, 1, (size * size,), np.int8)
        space = gymnasium.spaces.Dict({"observation": board, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        actions = gymnasium.spaces.Discrete(size * size)
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)
        # Rules that contradict each other are an error here, not at the first reset.
        with NativeErrors():
            GomokuGame(self._rules, 0, 0)

    def __copy__(self) -> Self:
        # The base class changes lists and dicts in place.
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: own for name, own in self.__dict__.items() if name != "_game"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._block > 0:
            self._game = GomokuGame(self._rules, self._seed, self._block - 1)
            for cell in self._moves:
                self._game.play(cell)

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Returns the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Returns the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game."""
        if seed is not None:
            self._seed, self._block = block_seed(seed), 0
        self._game, self._moves = GomokuGame(self._rules, self._seed, self._block), []
        self._block += 1
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[cast("int", self._game.turn)]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns the board as the agent sees it, and its legal actions."""
        cells = self._cells()
        own = 1 + self.possible_agents.index(agent)
        planes = np.stack([cells == own, cells == 3 - own], axis=-1).astype(np.int8)
        is_to_move = self._game.turn is not None and agent == self.agent_selection
        mask = (cells.ravel() == 0).astype(np.int8) if is_to_move else np.zeros(cells.size, np.int8)
        return {"observation": planes, "action_mask": mask}

    def _cells(self) -> npt.NDArray[np.uint8]:
        cells = np.frombuffer(self._game.cells(), np.uint8)
        return cells.reshape(self._game.size, self._game.size)

    def step(self, action: int | None) -> None:
        """Plays on a cell. An illegal action loses the game."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        other = self.possible_agents[1 - self.possible_agents.index(agent)]
        try:
            cell = check_integer("action", action, 0, self._game.size**2 - 1)
            self._game.play(cell)
        except ValueError:
            self._end(winner=other)
            self.infos[agent]["illegal"] = True
        else:
            self._moves.append(cell)
            if self._game.turn is None:
                winner = self._game.winner
                self._end(None if winner is None else self.possible_agents[winner])
        self.agent_selection = other
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _end(self, winner: str | None) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        if winner is not None:
            self.rewards = {agent: 1.0 if agent == winner else -1.0 for agent in self.agents}

    def render(self) -> Picture | str | None:
        """Returns the board as text or as a picture, or shows it in a window."""
        if self.render_mode is None:
            return None
        if self.render_mode == "ansi":
            return self._game.text()
        picture = stones(self._cells())
        if self.render_mode == "rgb_array":
            return picture
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Closes the window."""
        self._window.close()
