"""A bench for game-playing AIs: play, compare and check 2048 players from Python."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._gauntlet import __version__

__all__ = [
    "Error",
    "InvalidTypeError",
    "InvalidValueError",
    "MissingPackageError",
    "PathNotFoundError",
    "ProgramError",
    "Result",
    "TableNotFoundError",
    "__version__",
    "check_env",
    "evaluate",
    "gomoku",
    "make",
    "make_vec",
    "results",
    "run",
    "train",
    "tune",
]

if _TYPE_CHECKING:
    from . import gomoku
    from .checking import check_env
    from .env import make, make_vec
    from .evaluation import evaluate
    from .program import run, train, tune
    from .errors import (
        Error,
        InvalidTypeError,
        InvalidValueError,
        MissingPackageError,
        PathNotFoundError,
        ProgramError,
        TableNotFoundError,
    )
    from .tables import Result, results

# Loaded when they are first used, because some need extras.
_MODULES = {
    "checking": ["check_env"],
    "env": ["make", "make_vec"],
    "evaluation": ["evaluate"],
    "program": ["run", "train", "tune"],
    "errors": [
        "Error",
        "InvalidTypeError",
        "InvalidValueError",
        "MissingPackageError",
        "PathNotFoundError",
        "ProgramError",
        "TableNotFoundError",
    ],
    "tables": ["Result", "results"],
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return getattr(_import_module(f".{_LAZY[name]}", __name__), name)
    if name in ("env", "gomoku"):
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


try:
    import gymnasium as _gymnasium
except ImportError:
    pass
else:
    _gymnasium.register(
        id="gauntlet/2048-v0",
        entry_point="gauntlet.env:Env",
        vector_entry_point="gauntlet.env:VectorEnv",
    )
