"""Tables in plain Python, which other libraries can read."""

from __future__ import annotations

import html
import operator
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, SupportsIndex, overload

from .errors import (
    ColumnNotFoundError,
    InvalidTypeError,
    InvalidValueError,
    MissingPackageError,
    RowNotFoundError,
    check_choice,
)

Kind = Literal["text", "bool", "int", "float"]

# A longer table is cut in the middle, a wider one at the right.
_SHOWN_ROWS, _SHOWN_WIDTH = 20, 100


class Table:
    """A table of results.

    `table["score"]` is the list of a column, `table[["player", "score"]]` a table of these columns,
    `table[0]` a row as a dict, and `table[:5]` a table of five rows. A loop yields rows, and `in`
    asks for a column. Values are integers, floats, booleans or text; a missing value is `None`.
    """

    def __init__(self, kinds: Mapping[str, Kind], values: Sequence[list[Any]]):
        self._kinds = dict(kinds)
        self._values = dict(zip(self._kinds, values, strict=True))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._kinds)

    def __len__(self) -> int:
        return len(next(iter(self._values.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in zip(*self._values.values(), strict=True):
            yield dict(zip(self._kinds, row, strict=True))

    def __contains__(self, column: object) -> bool:
        return isinstance(column, str) and column in self._kinds

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice | list[str]) -> Table: ...
    def __getitem__(
        self, key: str | SupportsIndex | slice | list[str]
    ) -> list[Any] | dict[str, Any] | Table:
        if isinstance(key, SupportsIndex):
            if not -len(self) <= operator.index(key) < len(self):
                raise RowNotFoundError(f"row {operator.index(key)} of {len(self)}")
            return {column: values[key] for column, values in self._values.items()}
        if isinstance(key, slice):
            return Table(self._kinds, [values[key] for values in self._values.values()])
        if not isinstance(key, (str, list)):
            raise InvalidTypeError(
                f"expected a column, a list of columns, a row number or a slice, got {key!r:.100}"
            )
        for column in [key] if isinstance(key, str) else key:
            check_choice("column", column, self._kinds, ColumnNotFoundError)
        if isinstance(key, str):
            return list(self._values[key])
        kinds = {column: self._kinds[column] for column in key}
        if len(kinds) < len(key):
            raise InvalidValueError(f"expected different columns, got {key!r:.100}")
        return Table(kinds, [self._values[column] for column in kinds])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        # Equal dicts may have another order.
        return list(self._values.items()) == list(other._values.items())

    __hash__ = None  # type: ignore[assignment]

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame`. A column of integers with missing values is `Int64`."""
        pandas = _library("pandas")

        def series(kind: Kind, own: list[Any]) -> Any:
            whole = None not in own
            kinds = {
                "bool": "bool" if whole else "boolean",
                "int": "int64" if whole else "Int64",
                "float": "float64",
                "text": None if any(value is not None for value in own) else "object",
            }
            return pandas.Series(own, dtype=kinds[kind])

        columns = {name: series(self._kinds[name], own) for name, own in self._values.items()}
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """Returns a `polars.DataFrame`."""
        polars = _library("polars")
        kinds = {
            "bool": polars.Boolean,
            "int": polars.Int64,
            "float": polars.Float64,
            "text": polars.String,
        }
        schema = {name: kinds[kind] for name, kind in self._kinds.items()}
        return polars.DataFrame(self._values, schema=schema)

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table`."""
        pyarrow = _library("pyarrow")
        kinds = {
            "bool": pyarrow.bool_(),
            "int": pyarrow.int64(),
            "float": pyarrow.float64(),
            "text": pyarrow.string(),
        }
        schema = pyarrow.schema([(name, kinds[kind]) for name, kind in self._kinds.items()])
        return pyarrow.table(self._values, schema=schema)

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def _texts(self) -> dict[str, list[str]]:
        """Returns the shown part of each column as text."""
        half = _SHOWN_ROWS // 2
        texts = {}
        for column, values in self._values.items():
            is_long = len(values) > _SHOWN_ROWS
            shown = [*values[:half], *values[-half:]] if is_long else values
            texts[column] = ["" if value is None else str(value) for value in shown]
            if is_long:
                texts[column].insert(half, "…")
        return texts

    def __repr__(self) -> str:
        lines = [""] * (1 + len(next(iter(self._texts().values()), [])))
        shown = 0
        for column, texts in self._texts().items():
            cells = [column, *texts]
            width = max(map(len, cells))
            if shown and len(lines[0]) + 2 + width > _SHOWN_WIDTH:
                break
            is_text = self._kinds[column] == "text"
            aligned = (cell.ljust(width) if is_text else cell.rjust(width) for cell in cells)
            joint = "  " if shown else ""
            lines = [line + joint + cell for line, cell in zip(lines, aligned, strict=True)]
            shown += 1
        lines = [line.rstrip() for line in lines]
        if shown < len(self._kinds):
            lines.append(f"more columns: {', '.join(self.columns[shown:])}")
        if len(self) > _SHOWN_ROWS:
            lines.append(f"{len(self):,} rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sides = {name: "left" if kind == "text" else "right" for name, kind in self._kinds.items()}
        texts = self._texts()
        head = html_row("th", sides.values(), texts)
        body = "\n".join(
            html_row("td", sides.values(), row) for row in zip(*texts.values(), strict=True)
        )
        more = f"<p>{len(self):,} rows</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n{more}"


def html_row(tag: str, sides: Any, cells: Any) -> str:
    """Returns a row of an HTML table whose cells are aligned to these sides."""
    style = "white-space: nowrap; text-align:"
    pairs = zip(sides, cells, strict=True)
    row = (f'<{tag} style="{style} {side}">{html.escape(cell)}</{tag}>' for side, cell in pairs)
    return f"<tr>{''.join(row)}</tr>"


def _library(name: str) -> Any:
    if not find_spec(name):
        raise MissingPackageError(f"{name} is not installed: pip install 'gauntlet-bench[{name}]'")
    return import_module(name)
