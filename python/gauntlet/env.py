"""Gymnasium environments of 2048, on the engine that plays gauntlet's experiments.

    env = gauntlet.make("2048")
    envs = gauntlet.make_vec("2048", num_envs=4096, seed=1)

Observations are ranks, `int8`: 0 for an empty cell, 1 for a 2, 11 for a 2048. Actions are 0 up,
1 right, 2 down, 3 left. The reward is the points of the move. An episode is terminated when no move
is legal. `info["action_mask"]` has a 1 for each legal action, and `info["action_bits"]` the same
as bits: up is 1, right 2, down 4, left 8.

A seed is a block seed, as in the table `games.csv`: the same moves make the same game.
"""

from __future__ import annotations

import json
import operator
import secrets
from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, get_args

import numpy as np
import numpy.typing as npt

from .errors import (
    InvalidTypeError,
    InvalidValueError,
    MissingPackageError,
    NativeErrors,
    check_choice,
    check_integer,
    from_native,
)
from .rules import Boards, Directions, Rules, check_rules

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
except ImportError as error:  # pragma: no cover
    raise MissingPackageError(
        "environments need Gymnasium: pip install 'gauntlet-bench[gymnasium]'"
    ) from error

from ._gauntlet import Games

__all__ = ["Env", "VectorEnv", "make", "make_vec"]

Game = Literal["2048", "2048-v0", "gauntlet/2048-v0"]
Mode = Literal["NextStep", "SameStep", "Disabled"]
Illegal = Literal["ignore", "error", "end"]
"""Effect of an illegal action: nothing changes, an exception, or the end of the episode."""

_MODES = {
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.DISABLED: "disabled",
}
_LARGEST_RANK = 17


def make(
    game: Game = "2048",
    *,
    rules: Rules | None = None,
    illegal: Illegal = "ignore",
    seed: int | None = None,
    render_mode: Literal["ansi"] | None = None,
) -> Env:
    """Returns one environment: `gauntlet.make("2048")`. The options are those of `Env`."""
    _check_game(game)
    return Env(rules, illegal, seed, render_mode)


def make_vec(
    game: Game = "2048",
    num_envs: int = 1,
    *,
    rules: Rules | None = None,
    illegal: Illegal = "ignore",
    seed: int | None = None,
    autoreset_mode: AutoresetMode | Mode = AutoresetMode.NEXT_STEP,
) -> VectorEnv:
    """Returns many environments that step together: `gauntlet.make_vec("2048", num_envs=4096)`.

    The options are those of `VectorEnv`.
    """
    _check_game(game)
    return VectorEnv(num_envs, rules, illegal, seed, autoreset_mode)


def _check_game(game: str) -> None:
    if game not in get_args(Game):
        raise InvalidValueError(
            f"game: expected '2048', got {game!r}; for Gomoku, use gauntlet.gomoku.env()"
        )


def _integer(key: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidTypeError(f"{key}: expected an integer, got {value!r:.100}") from None


def _seed(seed: Any) -> int:
    """Returns a block seed or the seed of an experiment as a number."""
    number = _integer("seed", seed)
    if not 0 <= number < 2**63:
        raise InvalidValueError(f"a seed is a number from 0 to 2**63 - 1, not {number}")
    return number


_Arrays = tuple[
    Boards,
    npt.NDArray[np.float64],
    npt.NDArray[np.uint8],
    npt.NDArray[np.int8],
    npt.NDArray[np.uint8],
]


class _Core:
    """Games and the arrays that a step fills."""

    def __init__(
        self, count: int, rules: Rules | None, illegal: Illegal, mode: str, seed: int | None
    ):
        self.count = count
        check_rules(rules)
        experiment = secrets.randbits(63) if seed is None else _seed(seed)
        text = json.dumps(rules or {})
        with NativeErrors():
            self.games = Games(
                count, rules=text, illegal=illegal, autoreset=mode, experiment=experiment
            )
        # The first reset shows the episodes that have just begun.
        self.is_new = True

    def reset(self, chosen: Sequence[int], seeds: Sequence[int | None] | None) -> None:
        """Begins an episode in the chosen games; `seeds` has one for each of all games."""
        if seeds is not None:
            given = ((game, seeds[game]) for game in chosen)
            drawn = ((game, secrets.randbits(63) if own is None else own) for game, own in given)
            self.games.reset_to(list(drawn))
        elif not self.is_new or len(chosen) < self.count:
            self.games.reset(list(chosen))
        self.is_new = False

    def arrays(self) -> _Arrays:
        """Returns new arrays, so that no step changes what an earlier one returned."""
        n = self.count
        return (
            np.empty((n, 4, 4), np.int8),
            np.empty(n, np.float64),
            np.empty(n, np.uint8),
            np.empty((n, 4), np.int8),
            np.empty(n, np.uint8),
        )


class Env(gymnasium.Env[Boards, SupportsIndex]):
    """One game of 2048.

    `rules` has the keys of `[rules]` in an experiment. `illegal` is the effect of an illegal
    action: "ignore" (nothing changes, reward 0), "error", or "end" (the episode is terminated).
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        rules: Rules | None = None,
        illegal: Illegal = "ignore",
        seed: int | None = None,
        render_mode: Literal["ansi"] | None = None,
    ):
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self._core = _Core(1, rules, illegal, "disabled", seed)
        self._step_one = self._core.games.step_one
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, _LARGEST_RANK, (4, 4), np.int8)
        self.action_space = gymnasium.spaces.Discrete(4)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Boards, dict[str, Any]]:
        """Begins an episode; `seed` is a block seed."""
        seeds = None if seed is None else [_seed(seed)]
        super().reset(seed=seed)
        self._core.reset([0], seeds)
        arrays = self._core.arrays()
        self._core.games.observe(arrays)
        return arrays[0][0], self._info(arrays)

    def step(self, action: SupportsIndex) -> tuple[Boards, float, bool, bool, dict[str, Any]]:
        """Plays an action."""
        # Creating and filling all arrays of a vector step takes longer than the step.
        try:
            board, reward, terminated, mask, bits, score, seed = self._step_one(action)
        except (TypeError, ValueError, OverflowError) as error:
            raise from_native(error) from None
        info = {
            "action_mask": np.ndarray(4, np.int8, mask),
            "action_bits": bits,
            "score": score,
            "seed": seed,
        }
        return np.ndarray((4, 4), np.int8, board), reward, terminated, False, info

    def _info(self, arrays: _Arrays) -> dict[str, Any]:
        games = self._core.games
        return {
            "action_mask": arrays[3][0],
            "action_bits": int(arrays[4][0]),
            "score": games.scores()[0],
            "seed": games.seeds()[0],
        }

    def set_board(self, values: npt.ArrayLike) -> None:
        """Sets the board to sixteen values such as 0, 2, 4; the score continues from 0."""
        cells = np.ravel(values)
        for value in cells:
            if not float(value).is_integer():
                raise InvalidValueError(f"set_board: expected whole numbers such as 0, 2 and 4, not {value}")
        with NativeErrors():
            self._core.games.set_board(0, " ".join(str(int(value)) for value in cells))

    def render(self) -> str | None:
        """Returns the board as text, in render mode "ansi"."""
        return self._core.games.text(0) if self.render_mode == "ansi" else None


class VectorEnv(gymnasium.vector.VectorEnv[Boards, Directions, npt.NDArray[Any]]):
    """Many games of 2048 that step together.

    With `seed`, environment i begins with block i of the experiment with that seed; its k-th next
    episode is block i + k * num_envs. `reset(seed=[...])` takes block seeds, and `reset(seed=s)`
    the seeds s, s + 1, ...; later episodes of a seed are the blocks 1, 2, ... of the experiment
    with that seed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | None = None,
        illegal: Illegal = "ignore",
        seed: int | None = None,
        autoreset_mode: AutoresetMode | Mode = AutoresetMode.NEXT_STEP,
    ):
        num_envs = check_integer("num_envs", num_envs, 1, 2**63 - 1)
        text = getattr(autoreset_mode, "value", autoreset_mode)
        check_choice("autoreset_mode", text, [mode.value for mode in AutoresetMode])
        mode = AutoresetMode(text)
        self._core = _Core(num_envs, rules, illegal, _MODES[mode], seed)
        self._mode = mode
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode}
        self.render_mode = None
        self.single_observation_space = gymnasium.spaces.Box(0, _LARGEST_RANK, (4, 4), np.int8)
        self.single_action_space = gymnasium.spaces.Discrete(4)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Boards, dict[str, Any]]:
        """Begins an episode in each environment, or in those of `options["reset_mask"]`."""
        chosen = np.arange(self.num_envs)
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                raise InvalidValueError(f"reset_mask: expected {self.num_envs} booleans, one of them true")
            chosen = np.flatnonzero(mask)
        self._core.reset(chosen.tolist(), self._seeds(seed))
        arrays = self._core.arrays()
        self._core.games.observe(arrays)
        return arrays[0], {"action_mask": arrays[3], "action_bits": arrays[4]}

    def _seeds(self, seed: Any) -> list[int | None] | None:
        if seed is None:
            return None
        if np.ndim(seed) == 0:
            return [_seed(_integer("seed", seed) + i) for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidValueError(f"expected {self.num_envs} seeds, got {len(seed)}")
        return [None if own is None else _seed(own) for own in seed]

    def step(
        self, actions: Directions
    ) -> tuple[
        Boards,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays one action in each environment."""
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu" or actions.shape != (self.num_envs,):
            raise InvalidValueError(
                f"expected {self.num_envs} integers as actions, "
                f"not {actions.dtype} of shape {actions.shape}"
            )
        actions = np.ascontiguousarray(actions, np.int64)
        arrays = self._core.arrays()
        with NativeErrors():
            ended = self._core.games.step(actions, arrays)
        boards, rewards, terminated, masks, bits = arrays
        infos: dict[str, Any] = {"action_mask": masks, "action_bits": bits}
        if ended:
            self._add_final(infos, ended)
        truncated = np.zeros(self.num_envs, np.bool_)
        return boards, rewards, terminated.view(np.bool_), truncated, infos

    def _add_final(
        self, infos: dict[str, Any], ended: list[tuple[int, bytes, int, int]]
    ) -> None:
        """Adds the last observations, as Gymnasium's own vector environments do."""
        n = self.num_envs
        has_ended = np.zeros(n, np.bool_)
        boards = np.full(n, None, object)
        final: dict[str, npt.NDArray[Any]] = {
            "action_mask": np.zeros((n, 4), np.int8),
            "action_bits": np.zeros(n, np.uint8),
            "score": np.zeros(n, np.int64),
            "seed": np.zeros(n, np.int64),
        }
        for game, board, score, seed in ended:
            has_ended[game] = True
            boards[game] = np.frombuffer(board, np.int8).reshape(4, 4)
            final["score"][game], final["seed"][game] = score, seed
        infos["final_obs"], infos["_final_obs"] = boards, has_ended
        infos["final_info"], infos["_final_info"] = final, has_ended.copy()

    def seeds(self) -> npt.NDArray[np.int64]:
        """Returns the block seed of each current episode."""
        return np.array(self._core.games.seeds(), np.int64)

    def scores(self) -> npt.NDArray[np.int64]:
        """Returns the score of each current episode."""
        return np.array(self._core.games.scores(), np.int64)


gymnasium.register(
    id="gauntlet/2048-v0",
    entry_point="gauntlet.env:Env",
    vector_entry_point="gauntlet.env:VectorEnv",
)
