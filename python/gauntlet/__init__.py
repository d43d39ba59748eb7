"""A bench for game-playing AIs: play, compare and check 2048 players from Python."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from ._gauntlet import __version__
from .checking import Example, Report, RuleReport, check_env
from .errors import (
    ColumnNotFoundError,
    Error,
    InUseError,
    InvalidTypeError,
    InvalidValueError,
    MissingPackageError,
    PathExistsError,
    PathNotFoundError,
    ProgramError,
    RowNotFoundError,
    TableNotFoundError,
)
from .evaluation import Player, Policy, evaluate
from .program import Experiment, run, train, tune
from .rules import Rules
from .table import Table
from .tables import Comparison, Plot, Result, results

__all__ = [
    "ColumnNotFoundError",
    "Comparison",
    "Error",
    "Example",
    "Experiment",
    "InUseError",
    "InvalidTypeError",
    "InvalidValueError",
    "MissingPackageError",
    "PathExistsError",
    "PathNotFoundError",
    "Player",
    "Plot",
    "Policy",
    "ProgramError",
    "Report",
    "Result",
    "RowNotFoundError",
    "RuleReport",
    "Rules",
    "Table",
    "TableNotFoundError",
    "__version__",
    "check_env",
    "evaluate",
    "results",
    "run",
    "train",
    "tune",
]

try:
    from .env import Env, VectorEnv, make, make_vec
except MissingPackageError:
    pass
else:
    __all__ += ["Env", "VectorEnv", "make", "make_vec"]

try:
    from . import gomoku
except MissingPackageError:
    pass
else:
    __all__ += ["gomoku"]


def __dir__() -> list[str]:
    return __all__


# Type checkers do not see this function, so that they refuse unknown names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Raises an error that says which package a name needs."""
        modules = dict.fromkeys(("Env", "VectorEnv", "env", "make", "make_vec"), "env")
        module = (modules | {"gomoku": "gomoku"}).get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        loaded = _import_module(f".{module}", __name__)
        return loaded if name == module else getattr(loaded, name)
