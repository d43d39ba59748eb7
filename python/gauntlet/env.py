"""Gymnasium environments of 2048, on the engine that plays gauntlet's experiments.

    env = gauntlet.make("2048")
    envs = gauntlet.make_vec("2048", num_envs=4096, seed=1)

Observations are ranks, `int8`: 0 for an empty cell, 1 for a 2, 11 for a 2048. Actions are 0 up,
1 right, 2 down, 3 left. The reward is the points of the move. An episode is terminated when no move
is legal. `info["action_mask"]` has a 1 for each legal action, and `info["action_bits"]` the same
as bits: up is 1, right 2, down 4, left 8.

A seed is a block seed, as in the table `games.csv`: the same moves make the same game.

`get_state` and `set_state` save and restore games. Environments can be copied and pickled.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, Self, SupportsIndex, get_args

import numpy as np
import numpy.typing as npt

from .errors import (
    InvalidValueError,
    MissingPackageError,
    NativeErrors,
    check_choice,
    check_integer,
    from_native,
)
from .games import Arrays, Core, Encoding, Illegal, State, block_seed
from .rendering import Picture, Window
from .rules import Boards, Directions, Rules

try:
    import gymnasium
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.vector import AutoresetMode
except ImportError as error:  # pragma: no cover
    raise MissingPackageError(
        "environments need Gymnasium: pip install 'gauntlet-bench[gymnasium]'"
    ) from error

from ._gauntlet import Games

__all__ = ["Env", "VectorEnv", "make", "make_vec"]

Game = Literal["2048", "2048-v0", "gauntlet/2048-v0"]
Mode = Literal["NextStep", "SameStep", "Disabled"]
Frame = Literal["ansi", "rgb_array"]

_MODES = {
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.DISABLED: "disabled",
}
_ID = "gauntlet/2048-v0"
_MAX_ENVS = 2**24


def make(
    game: Game = "2048",
    *,
    rules: Rules | None = None,
    illegal: Illegal = "ignore",
    seed: int | None = None,
    render_mode: Frame | Literal["human"] | None = None,
) -> Env:
    """Returns one environment: `gauntlet.make("2048")`. The options are those of `Env`."""
    _check_game(game)
    env = Env(rules, illegal, seed, render_mode)
    options = {"rules": rules, "illegal": illegal, "seed": seed, "render_mode": render_mode}
    env.spec = _specification(options)
    return env


def make_vec(
    game: Game = "2048",
    num_envs: int = 1,
    *,
    rules: Rules | None = None,
    illegal: Illegal = "ignore",
    seed: int | None = None,
    autoreset_mode: AutoresetMode | Mode = AutoresetMode.NEXT_STEP,
    render_mode: Frame | None = None,
) -> VectorEnv:
    """Returns many environments that step together: `gauntlet.make_vec("2048", num_envs=4096)`.

    The options are those of `VectorEnv`.
    """
    _check_game(game)
    envs = VectorEnv(num_envs, rules, illegal, seed, autoreset_mode, render_mode)
    options = {"rules": rules, "illegal": illegal, "seed": seed, "render_mode": render_mode}
    options |= {"autoreset_mode": envs.metadata["autoreset_mode"].value, "num_envs": num_envs}
    envs.spec = _specification({**options, "vectorization_mode": "vector_entry_point"})
    return envs


def _specification(options: dict[str, Any]) -> EnvSpec:
    """Returns a specification from which Gymnasium makes the same environment."""
    specification = copy.deepcopy(gymnasium.spec(_ID))
    specification.kwargs = copy.deepcopy(options)
    return specification


def _check_game(game: str) -> None:
    if game not in get_args(Game):
        raise InvalidValueError(
            f"game: expected '2048', got {game!r}; for Gomoku, use gauntlet.gomoku.env()"
        )


class Copyable:
    """Part of an environment that copies its games."""

    _core: Core

    def __copy__(self) -> Self:
        """Returns a copy with its own games, which shares the spaces."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in {"_core", "_window"} & self.__dict__.keys():
            setattr(twin, name, copy.copy(getattr(self, name)))
        return twin


class Env(Copyable, gymnasium.Env[Boards, SupportsIndex]):
    """One game of 2048.

    `rules` has the keys of `[rules]` in an experiment. `illegal` is the effect of an illegal
    action: "ignore" (nothing changes, reward 0), "error", or "end" (the episode is terminated).
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 10}

    def __init__(
        self,
        rules: Rules | None = None,
        illegal: Illegal = "ignore",
        seed: int | None = None,
        render_mode: Frame | Literal["human"] | None = None,
    ):
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self._core = Core(1, rules, illegal, "disabled", seed)
        self._window = Window("2048", self.metadata["render_fps"])
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, Games.MAX_RANK, (4, 4), np.int8)
        self.action_space = gymnasium.spaces.Discrete(4)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Boards, dict[str, Any]]:
        """Begins an episode; `seed` is a block seed."""
        seeds = None if seed is None else [block_seed(seed)]
        super().reset(seed=seed)
        self._core.reset([0], seeds)
        return self._observe()

    def step(self, action: SupportsIndex) -> tuple[Boards, float, bool, bool, dict[str, Any]]:
        """Plays an action."""
        # Creating and filling all arrays of a vector step takes longer than the step.
        try:
            board, reward, terminated, mask, bits, score, seed = self._core.games.step_one(action)
        except (TypeError, ValueError, OverflowError) as error:
            raise from_native(error) from None
        if self.render_mode == "human":
            self.render()
        info = _info(mask, bits, score, seed)
        return np.ndarray((4, 4), np.int8, board), reward, terminated, False, info

    def _observe(self) -> tuple[Boards, dict[str, Any]]:
        board, _, _, mask, bits, score, seed = self._core.games.observe_one()
        if self.render_mode == "human":
            self.render()
        return np.ndarray((4, 4), np.int8, board), _info(mask, bits, score, seed)

    def get_state(self) -> State:
        """Returns the complete state of the game, for `set_state`."""
        return self._core.states().reshape(-1)

    def set_state(self, state: State, *, seed: int | None = None) -> tuple[Boards, dict[str, Any]]:
        """Restores a state of an environment with the same rules.

        Without `seed`, the next tiles are those that followed the state, so a search would see
        the future. With `seed`, they are drawn from a random stream of that seed.
        """
        self._core.set_states(np.asarray(state)[None], None if seed is None else [block_seed(seed)])
        return self._observe()

    def set_board(
        self, board: npt.ArrayLike, *, cells: Encoding = "ranks"
    ) -> tuple[Boards, dict[str, Any]]:
        """Sets the board; the score continues from 0.

        `cells` is the meaning of the numbers: "ranks" as in observations, or "values" (2, 4, …).
        """
        self._core.set_boards(np.asarray(board)[None], cells)
        return self._observe()

    def legal_actions(self) -> list[int]:
        """Returns the legal actions; none if the game is over."""
        bits = self._core.games.action_bits()[0]
        return [action for action in range(4) if bits >> action & 1]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns whether each action is legal, as `MaskablePPO` of sb3-contrib asks for it."""
        return self._core.masks().reshape(-1)

    @property
    def np_random_seed(self) -> int:
        """Seed of the last `reset` that had one, otherwise that of the environment.

        `reset` repeats an episode by it, unless it was given to `make`.
        """
        return self._core.games.origins()[0]

    def render(self) -> Picture | str | None:
        """Returns the board as text or as a picture, or shows it in a window."""
        if self.render_mode is None:
            return None
        frame: Picture | str = self._core.frames(self.render_mode)[0]
        if self.render_mode != "human":
            return frame
        self._window.show(frame)
        return None

    def close(self) -> None:
        """Closes the window."""
        self._window.close()


def _info(mask: bytearray, bits: int, score: int, seed: int) -> dict[str, Any]:
    return {
        "action_mask": np.ndarray(4, np.int8, mask),
        "action_bits": bits,
        "score": score,
        "seed": seed,
    }


class VectorEnv(Copyable, gymnasium.vector.VectorEnv[Boards, Directions, npt.NDArray[Any]]):
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
        render_mode: Frame | None = None,
    ):
        check_choice("render_mode", render_mode, (None, *get_args(Frame)))
        num_envs = check_integer("num_envs", num_envs, 1, _MAX_ENVS)
        text = getattr(autoreset_mode, "value", autoreset_mode)
        check_choice("autoreset_mode", text, [mode.value for mode in AutoresetMode])
        mode = AutoresetMode(text)
        self._core = Core(num_envs, rules, illegal, _MODES[mode], seed)
        self._mode = mode
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": list(get_args(Frame))}
        self.render_mode = render_mode
        self.single_observation_space = gymnasium.spaces.Box(0, Games.MAX_RANK, (4, 4), np.int8)
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
        for key in options or ():
            check_choice("options", key, ["reset_mask"])
        chosen = np.arange(self.num_envs)
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                raise InvalidValueError(
                    f"reset_mask: expected {self.num_envs} booleans, one of them true"
                )
            chosen = np.flatnonzero(mask)
        self._core.reset(chosen.tolist(), self._seeds(seed))
        return self._observe()

    def _observe(self) -> tuple[Boards, dict[str, Any]]:
        arrays = self._core.arrays()
        self._core.games.observe(arrays)
        return arrays[0], {"action_mask": arrays[3], "action_bits": arrays[4]}

    def _seeds(self, seed: Any) -> list[int | None] | None:
        if seed is None:
            return None
        if np.ndim(seed) == 0:
            first = block_seed(seed)
            return [block_seed(first + i) for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidValueError(f"expected {self.num_envs} seeds, got {len(seed)}")
        return [None if own is None else block_seed(own) for own in seed]

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

    def get_state(self) -> State:
        """Returns the complete state of each game, one row per environment."""
        return self._core.states()

    def set_state(
        self, state: State, *, seed: int | Sequence[int | None] | None = None
    ) -> tuple[Boards, dict[str, Any]]:
        """Restores one state per environment; rows may come from other environments.

        `seed` is as in `reset`, and has the meaning of `Env.set_state`.
        """
        self._core.set_states(np.asarray(state), self._seeds(seed))
        return self._observe()

    def set_board(
        self, board: npt.ArrayLike, *, cells: Encoding = "ranks"
    ) -> tuple[Boards, dict[str, Any]]:
        """Sets the board of each environment; see `Env.set_board`."""
        self._core.set_boards(board, cells)
        return self._observe()

    def legal_actions(self) -> list[list[int]]:
        """Returns the legal actions of each environment."""
        return [np.flatnonzero(mask).tolist() for mask in self._core.masks()]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns whether each action of each environment is legal."""
        return self._core.masks()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as SyncVectorEnv
        """Seed of each environment: see `Env.np_random_seed`."""
        return tuple(self._core.games.origins())

    def render(self) -> tuple[Any, ...] | None:
        """Returns each board as text or as a picture."""
        return None if self.render_mode is None else tuple(self._core.frames(self.render_mode))

    def seeds(self) -> npt.NDArray[np.int64]:
        """Returns the block seed of each current episode."""
        return np.array(self._core.games.seeds(), np.int64)

    def scores(self) -> npt.NDArray[np.int64]:
        """Returns the score of each current episode."""
        return np.array(self._core.games.scores(), np.int64)


gymnasium.register(
    id=_ID,
    entry_point="gauntlet.env:Env",
    vector_entry_point="gauntlet.env:VectorEnv",
)
