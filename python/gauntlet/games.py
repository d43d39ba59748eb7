"""Games of 2048 that step together, without Gymnasium."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ._gauntlet import Games
from .errors import InvalidValueError, NativeErrors, check_choice, check_integer
from .rendering import tiles
from .rules import Boards, Rules, check_rules, rules_as_json

Illegal = Literal["ignore", "error", "end"]
"""Effect of an illegal action: nothing changes, an exception, or the end of the episode."""
Encoding = Literal["ranks", "values"]
"""Meaning of the numbers of a board: 0, 1, 2, … as in observations, or 0, 2, 4, …"""
State = npt.NDArray[np.uint8]
"""Complete state of a game, 72 bytes; of n games, (n, 72)."""

# Legal actions by their bits.
_MASKS = np.array([[bits >> action & 1 for action in range(4)] for bits in range(16)], np.bool_)


def block_seed(seed: Any) -> int:
    """Returns a block seed or the seed of an experiment as a number."""
    return check_integer("seed", seed, 0, 2**63 - 1)


# Boards, rewards, ends, action masks and action bits.
Arrays = tuple[
    Boards,
    npt.NDArray[np.float64],
    npt.NDArray[np.uint8],
    npt.NDArray[np.int8],
    npt.NDArray[np.uint8],
]


class Core:
    """Games and the arrays that a step fills."""

    def __init__(
        self, count: int, rules: Rules | None, illegal: Illegal, mode: str, seed: int | None
    ):
        self.count = count
        check_rules(rules)
        self.options: dict[str, Any] = {
            "rules": rules_as_json(rules),
            "illegal": illegal,
            "autoreset": mode,
            "experiment": 0 if seed is None else block_seed(seed),
        }
        with NativeErrors():
            self.games = Games(count, **self.options)
        if seed is None:
            # Each game has its own seed, so that `reset` can repeat it.
            self.games.reset_to([(game, secrets.randbits(63)) for game in range(count)])
        # The first reset shows the episodes that have just begun.
        self.is_new = True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "games": bytes(self.games.states())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.games = Games(self.count, **self.options)
        self.games.set_states(state["games"])

    def reset(self, chosen: Sequence[int], seeds: Sequence[int | None] | None) -> None:
        """Begins an episode in the chosen games; `seeds` has one for each of all games."""
        if seeds is not None:
            given = ((game, seeds[game]) for game in chosen)
            drawn = ((game, secrets.randbits(63) if own is None else own) for game, own in given)
            self.games.reset_to(list(drawn))
        elif not self.is_new or len(chosen) < self.count:
            self.games.reset(list(chosen))
        self.is_new = False

    def states(self) -> State:
        """Returns the state of each game."""
        return np.frombuffer(self.games.states(), np.uint8).reshape(self.count, Games.STATE_SIZE)

    def set_states(self, states: State, seeds: Sequence[int | None] | None) -> None:
        """Restores the state of each game, with another random stream if seeds are given."""
        shape = (self.count, Games.STATE_SIZE)
        if states.dtype != np.uint8 or states.shape != shape:
            raise InvalidValueError(
                f"state: expected what get_state returned for {self.count} games, "
                f"not {states.dtype} of shape {states.shape}"
            )
        with NativeErrors():
            self.games.set_states(np.ascontiguousarray(states))
        if seeds is not None:
            given = enumerate(seeds)
            self.games.set_chance([(game, seed) for game, seed in given if seed is not None])
        self.is_new = False

    def set_boards(self, boards: npt.ArrayLike, cells: Encoding) -> None:
        """Sets the board of each game."""
        with NativeErrors():
            self.games.set_boards(_ranks(np.asarray(boards), self.count, cells))
        self.is_new = False

    def masks(self) -> npt.NDArray[np.bool_]:
        """Returns whether each action is legal."""
        return _MASKS[np.frombuffer(self.games.action_bits(), np.uint8)]

    def frames(self, mode: str | None) -> list[Any]:
        """Returns each board as text or as a picture."""
        if mode == "ansi":
            return [self.games.text(game) for game in range(self.count)]
        arrays = self.arrays()
        self.games.observe(arrays)
        return [tiles(board) for board in arrays[0]]

    def arrays(self) -> Arrays:
        """Returns new arrays, so that no step changes what an earlier one returned."""
        n = self.count
        return (
            np.empty((n, 4, 4), np.int8),
            np.empty(n, np.float64),
            np.empty(n, np.uint8),
            np.empty((n, 4), np.int8),
            np.empty(n, np.uint8),
        )


def _ranks(boards: npt.NDArray[Any], count: int, cells: Encoding) -> npt.NDArray[np.uint8]:
    """Returns boards of this encoding as ranks."""
    check_choice("cells", cells, get_args(Encoding))
    if boards.dtype.kind not in "iuf" or boards.shape not in ((count, 4, 4), (count, 16)):
        raise InvalidValueError(
            f"board: expected numbers of shape {(count, 4, 4)}, "
            f"not {boards.dtype} of shape {boards.shape}"
        )
    codes = np.arange(Games.MAX_RANK + 1)
    if cells == "values":
        codes = np.where(codes > 0, 2**codes, 0)
    ranks = np.searchsorted(codes, boards).clip(max=Games.MAX_RANK)
    wrong = boards[codes[ranks] != boards]
    if wrong.size:
        expected = f"{', '.join(map(str, codes[:3]))}, …, {codes[-1]}"
        raise InvalidValueError(f"board: cells={cells!r} are {expected}, not {wrong[0]}")
    return ranks.astype(np.uint8)
