"""Rules, boards and directions of 2048."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypedDict

import numpy as np
import numpy.typing as npt

from . import _gauntlet
from .errors import InvalidTypeError, check_choice

Boards = npt.NDArray[np.int8]
"""Boards of shape (n, 4, 4). 0 is an empty cell, and k is a tile of 2 to the power of k."""


class IntegerArray(Protocol):
    """Array of integers, such as those of NumPy, PyTorch and JAX."""

    def __array__(self) -> npt.NDArray[np.integer[Any]]: ...


Directions = IntegerArray | Sequence[SupportsIndex]
"""A direction for each board: 0 up, 1 right, 2 down, 3 left."""


class Rules(TypedDict, total=False):
    """Rules of 2048, which are keys of an experiment."""

    win: int
    """Winning tile, by default 2048."""
    win_by: Literal["tile", "gain"]
    """Winning condition: reaching the tile, or earning that many points in one move."""
    until: int | Literal["game-over", "win"]
    """End of a game: no legal move, a win, or a tile."""
    idle_moves: Literal["illegal", "spawn"]
    """Moves that change nothing: illegal, or legal and followed by a new tile."""
    spawn: Literal["uniform", "stale"]
    """Cell of a new tile: any empty cell, or one of the first empty cells."""
    four: float | str
    """Probability that a new tile is a 4, such as 0.25 or "1/4"."""
    start: str
    """Board to which the first two tiles are added: 16 tiles, row by row."""


def rules_as_json(rules: Rules | None) -> str:
    """Writes rules as JSON, also those with numbers of NumPy."""

    def number(value: object) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        raise InvalidTypeError(f"rules: expected numbers and texts, got {value!r:.100}")

    return json.dumps(rules or {}, default=number)


def check_rules(rules: Rules | None) -> None:
    """Refuses unknown keys."""
    if rules is not None and not isinstance(rules, Mapping):
        raise InvalidTypeError(f"rules: expected a dict, got {rules!r:.100}")
    for rule in rules or ():
        check_choice("rules", rule, _gauntlet.RULES)
