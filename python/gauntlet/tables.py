"""Tables of results."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import pathlib
from typing import Any

from . import _gauntlet


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How much better a player is than another one, and how certain that is."""

    player: str
    than: str
    by: str
    """What is compared: `win` or `score`."""
    difference: float | None
    """Difference of rates; `None` for scores."""
    low: float | None
    high: float | None
    ratio: float | None
    """Ratio of scores; `None` for rates."""
    p: float
    verdict: str
    """`better`, `worse` or `inconclusive`."""
    answer: str
    """The comparison in one sentence."""
    row: dict[str, Any] = dataclasses.field(repr=False)
    """All columns of the table `comparison`."""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.answer}"


class Result:
    """Results in a folder. Each table is an attribute: `result.win_rate` is win-rate.csv."""

    def __init__(self, folder: str | os.PathLike):
        self.folder = pathlib.Path(folder)

    def table(self, name: str) -> list[dict[str, Any]]:
        """Reads a table, such as `"win-rate"`, as a list of rows."""
        path = self.folder / f"{name}.csv"
        with path.open(newline="", encoding="utf-8") as file:
            return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)]

    def __getattr__(self, name: str) -> list[dict[str, Any]]:
        table = name.replace("_", "-")
        if name.startswith("_") or not (self.folder / f"{table}.csv").exists():
            raise AttributeError(f"{str(self.folder)!r} has no table {table!r}")
        return self.table(table)

    def compare(
        self, player: str, than: str, by: str | None = None, level: float = 0.95
    ) -> Comparison:
        """Compares two players by `win`, `score` or `reach 2048`, on the same seeds.

        By default, players are compared by wins, or by scores if both have won equally often.
        """
        rows = json.loads(_gauntlet.compare(os.fspath(self.folder), player, than, by, level))
        wins_differ = rows[0]["value"] != rows[0]["than_value"]
        row = rows[0] if wins_differ or len(rows) == 1 else rows[1]
        kind = "ratio" if row.get("difference") is None else "difference"
        return Comparison(
            player=player,
            than=than,
            by=row["by"],
            difference=row.get("difference"),
            low=row[f"{kind}_low"],
            high=row[f"{kind}_high"],
            ratio=row.get("ratio"),
            p=row["adjusted_p"],
            verdict=row["verdict"],
            answer=row["answer"],
            row=row,
        )

    def __repr__(self) -> str:
        return _gauntlet.summary(os.fspath(self.folder)) + f"results in {self.folder}"


def _value(text: str) -> Any:
    """Reads a cell of a table."""
    if text in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
