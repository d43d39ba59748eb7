"""Errors of this package. Each one is a `gauntlet.Error` and a built-in exception, if one fits."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from types import TracebackType
from typing import Any


class Error(RuntimeError):
    """Base class of the errors of this package."""


class InvalidValueError(Error, ValueError):
    """A value is not permitted. The message names the permitted values."""


class InvalidTypeError(Error, TypeError):
    """A value has the wrong type."""


class PathNotFoundError(Error, FileNotFoundError):
    """A file or a folder does not exist."""


class PathExistsError(Error, FileExistsError):
    """A folder exists already."""


class TableNotFoundError(Error, AttributeError, LookupError):
    """Results have no such table. The message names their tables."""


class ColumnNotFoundError(InvalidValueError, KeyError):
    """A table has no such column. The message names its columns."""

    # `KeyError` would show the message in quotation marks.
    __str__ = Exception.__str__


class RowNotFoundError(Error, IndexError):
    """A table has no row with this number."""


class InUseError(Error, BlockingIOError):
    """Another evaluation or program uses a folder of results."""


class ProgramError(Error):
    """The program `gauntlet` failed. The text is its message; `status` is its exit status."""

    def __init__(self, message: str, status: int | None = None):
        super().__init__(message)
        self.status = status


class MissingPackageError(Error, ImportError):
    """An optional dependency is not installed."""


def check_choice(
    key: str,
    value: object,
    choices: Iterable[object],
    error: type[Error] = InvalidValueError,
) -> None:
    """Refuses a value that is none of the choices."""
    choices = list(choices)
    if value not in choices:
        expected = ", ".join(map(repr, choices))
        raise error(f"{key}: expected one of {expected}, got {value!r}")


def check_integer(key: str, value: Any, least: int, most: int) -> int:
    """Returns a value as an integer, and refuses other types and values out of range."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidTypeError(f"{key}: expected an integer, got {value!r:.100}") from None
    if not least <= number <= most:
        raise InvalidValueError(f"{key}: expected a number from {least} to {most}, got {number}")
    return number


def from_native(error: Exception) -> Exception:
    """Returns an exception of the native half as an error of this package."""
    if isinstance(error, Error):
        return error
    if isinstance(error, (ValueError, OverflowError)):
        return InvalidValueError(str(error))
    if isinstance(error, TypeError):
        return InvalidTypeError(str(error))
    if isinstance(error, BlockingIOError):
        return InUseError(str(error))
    return Error(str(error)) if isinstance(error, RuntimeError) else error


class NativeErrors:
    """Context that converts errors of the native half.

    Exceptions of Python code that the native half has called pass unchanged.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Python code that the native half has called adds frames to the traceback.
        is_native = traceback is not None and traceback.tb_next is None
        if is_native and isinstance(error, Exception):
            converted = from_native(error)
            if converted is not error:
                raise converted from None
