"""The native half of the module."""

import os
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np

from .checking import Adapter

__version__: str
RULES: list[str]
"""Keys of the rules of 2048."""

def evaluate(
    text: str,
    base: str | os.PathLike[str],
    results: str | os.PathLike[str],
    names: list[str],
    ask: Callable[[int, bytearray, bytearray], np.ndarray],
    tell: Callable[[str], Any] | None,
    threads: int | None,
    program: str | None,
) -> str: ...
def compare(
    folder: str | os.PathLike[str], player: str, than: str, by: str | None, level: float
) -> str: ...
def summary(
    folder: str | os.PathLike[str],
) -> tuple[list[tuple[str, bool]], list[list[str]], str, list[str]]: ...
def tables(folder: str | os.PathLike[str]) -> list[str]: ...
def table(
    folder: str | os.PathLike[str], name: str
) -> tuple[list[tuple[str, Any]], list[list[Any]]]: ...
def games(folder: str | os.PathLike[str]) -> bytes: ...
def report(folder: str | os.PathLike[str], out: str | os.PathLike[str]) -> None: ...
def plots(folder: str | os.PathLike[str]) -> list[tuple[str, str]]: ...
def check_env(
    adapter: Adapter,
    *,
    games: int | None,
    seed: int,
    actions: list[str] | None,
    cells: str | None,
    reward: bool,
) -> tuple[str, str]: ...

class Games:
    """Games of 2048 that step together, for `gauntlet.env`.

    `arrays` are boards, rewards, whether episodes are terminated, action masks and action bits.
    """

    def __new__(
        cls,
        count: int,
        *,
        rules: str,
        illegal: str,
        autoreset: str,
        experiment: int,
    ) -> Games: ...
    def reset(self, games: list[int]) -> None: ...
    def reset_to(self, seeds: list[tuple[int, int]]) -> None: ...
    def observe(self, arrays: tuple[np.ndarray, ...]) -> None: ...
    def step(
        self, actions: np.ndarray, arrays: tuple[np.ndarray, ...]
    ) -> list[tuple[int, bytes, int, int]]: ...
    def step_one(
        self, action: SupportsIndex
    ) -> tuple[bytearray, float, bool, bytearray, int, int, int]: ...
    def seeds(self) -> list[int]: ...
    def scores(self) -> list[int]: ...
    def set_board(self, game: int, values: str) -> None: ...
    def text(self, game: int) -> str: ...

class GomokuGame:
    """A game of Gomoku, for `gauntlet.gomoku`."""

    def __new__(cls, rules: str, seed: int, block: int) -> GomokuGame: ...
    @property
    def size(self) -> int: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def winner(self) -> int | None: ...
    def cells(self) -> bytes: ...
    def play(self, index: int) -> None: ...
    def text(self) -> str: ...
