"""The native half of the module."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

__version__: str

def evaluate(
    text: str,
    base: str | os.PathLike[str],
    results: str | os.PathLike[str],
    names: list[str],
    ask: Callable[[int, bytearray, bytearray], np.ndarray],
    tell: Callable[[str], Any] | None,
    threads: int | None,
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

class Games:
    """Games of 2048 that step together, for `gauntlet.env`."""

    def __init__(self, count: int, **options: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class GomokuGame:
    """A game of Gomoku, for `gauntlet.gomoku`."""

    def __init__(self, rules: str, seed: int, block: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
