"""Results: tables, comparisons, plots and reports."""

from __future__ import annotations

import base64
import contextlib
import csv
import dataclasses
import difflib
import html
import io
import json
import os
import pathlib
import re
import shutil
import tempfile
import tomllib
from typing import TYPE_CHECKING, Any

from . import _gauntlet
from .errors import (
    Error,
    InvalidValueError,
    NativeErrors,
    PathExistsError,
    PathNotFoundError,
    TableNotFoundError,
    check_choice,
)
from .table import Kind, Table, html_row

_BOOLS = {"true": True, "false": False}
# Texts that may look like numbers.
_NAMES = ("player", "black", "white", "first", "second", "policy", "identity", "call")
# `int` and `float` read other texts, too: 2026_11_29, 007, nan.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+|)(e[-+]?\d+|)", re.ASCII)


def results(folder: str | os.PathLike[str]) -> Result:
    """Opens a folder of results, such as `results/quick`, `results/NAME/tune` or `…/train`."""
    opened = Result(folder)
    opened.tables  # fails without results
    return opened


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
    probability_of_improvement: tuple[float, float, float] | None
    """How often `player` scores more on a seed, ties half, with bounds; `None` without scores."""
    p: float
    verdict: str
    """`better`, `worse` or `inconclusive`."""
    answer: str
    """The comparison in one sentence."""
    row: dict[str, Any] = dataclasses.field(repr=False)
    """All columns of the table `comparison`."""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.answer}"


@dataclasses.dataclass(frozen=True)
class Plot:
    """A plot as SVG. Notebooks show it."""

    name: str
    svg: str = dataclasses.field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the SVG to a file."""
        path = pathlib.Path(path)
        path.write_text(self.svg, encoding="utf-8")
        return path

    def _repr_svg_(self) -> str:
        return self.svg


class Result:
    """Results in a folder. Each table is an attribute: `result.win_rate` is win-rate.csv."""

    # Tables of runs.
    win_rate: Table
    elo: Table
    duels: Table
    max_tile: Table
    ms_per_move: Table
    times: Table
    times_by_processor: Table
    published: Table
    claims: Table
    stop: Table
    precision: Table
    settings: Table
    games: Table
    leaderboard: Table
    groups: Table
    stages: Table
    scores: Table
    profile: Table

    # Tables of tunings.
    validation: Table
    tuned: Table
    ends: Table
    importance: Table
    trajectory: Table
    tried: Table
    best_so_far: Table
    candidates: Table

    # Table of trainings.
    curve: Table

    def __init__(self, folder: str | os.PathLike[str]):
        # The path is absolute, because the current folder may change.
        self.folder = pathlib.Path(folder).absolute()
        self._manifest: bytes | None = None
        self._results = os.path.abspath("results")
        self._is_temporary = False

    @classmethod
    def _of_call(
        cls,
        folder: str | os.PathLike[str],
        *,
        results: str,
        is_temporary: bool = False,
    ) -> Result:
        """Opens the results of a call, which a later call may overwrite."""
        result = cls(folder)
        result._manifest = result._read_manifest()
        result._results, result._is_temporary = results, is_temporary
        return result

    def save(self, name: str, results: str | os.PathLike[str] | None = None) -> pathlib.Path:
        """Copies the results to a new folder `results/NAME`, which becomes `result.folder`.

        The experiment in the folder keeps its name.
        `results` is the folder of results folders. By default, it is that of the call, or
        `results` for an opened folder.
        """
        if not name or name == ".." or pathlib.PurePath(name).name != name:
            raise InvalidValueError(f"expected the name of a folder, without a path, not {name!r}")
        parent = pathlib.Path(self._results if results is None else results).absolute()
        parent.mkdir(parents=True, exist_ok=True)
        target = parent / name
        if os.path.lexists(target):
            raise PathExistsError(f"{target} exists: choose another name")
        # A copy that is interrupted has another name.
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=parent) as partial:
            copy = shutil.copytree(self._unchanged(), pathlib.Path(partial, name))
            # Another call may have overwritten the folder meanwhile.
            self._unchanged()
            copy.rename(target)
        self.folder, self._is_temporary = target, False
        return target

    def _read_manifest(self) -> bytes | None:
        try:
            return (self.folder / "manifest.toml").read_bytes()
        except FileNotFoundError:
            return None

    def _unchanged(self) -> pathlib.Path:
        """Returns the folder, unless it is missing or a later call has overwritten it."""
        if not self.folder.is_dir():
            raise PathNotFoundError(f"no folder {str(self.folder)!r}{_similar(self.folder)}")
        if self._manifest and self._read_manifest() not in (None, self._manifest):
            raise Error(f"{self.folder} was overwritten by a later call: use another name")
        return self.folder

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        with NativeErrors():
            return _gauntlet.tables(self._unchanged())

    def table(self, name: str) -> Table:
        """Reads a table, such as `"win-rate"`."""
        folder = self._unchanged()
        try:
            with NativeErrors():
                if name == "games":
                    columns, rows = _of_csv(_gauntlet.games(folder).decode())
                else:
                    columns, rows = _gauntlet.table(folder, name)
        except Error:
            # A listed table exists, but cannot be read.
            tables = self.tables
            if name in tables:
                raise
            message = f"no table {name!r}: expected one of {', '.join(tables)}"
            raise TableNotFoundError(message) from None
        kinds: dict[str, Kind] = {}
        values = []
        for place, (column, kind) in enumerate(columns):
            own = [row[place] for row in rows]
            if kind == "any":
                kind, own = ("text", own) if column in _NAMES else _typed(own)
            kinds[column] = kind
            values.append(own)
        return Table(kinds, values)

    # Type checkers read the list above instead, so that they refuse other names.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Table:
            if name.startswith("_"):
                raise AttributeError(name)
            return self.table(name.replace("_", "-"))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(table.replace("-", "_") for table in self.tables)]

    def compare(
        self, player: str, than: str, by: str | None = None, level: float = 0.95
    ) -> Comparison:
        """Compares two players by `win`, `score` or `reach 2048`, on the same seeds.

        By default, players are compared by wins, or by scores if both have won equally often.
        """
        folder = self._unchanged()
        try:
            with NativeErrors():
                rows = json.loads(_gauntlet.compare(folder, player, than, by, level))
        except Error:
            if "settings" in self.tables:
                players = [row["player"] for row in self.table("settings")]
                check_choice("player", player, players)
                check_choice("than", than, players)
            raise
        wins_differ = rows[0]["value"] != rows[0]["than_value"]
        row = rows[0] if wins_differ or len(rows) == 1 else rows[1]
        kind = "ratio" if row.get("difference") is None else "difference"
        name = "probability_of_improvement"
        improvements = (
            (row[name], row[f"{name}_low"], row[f"{name}_high"])
            for row in rows
            if row.get(name) is not None
        )
        return Comparison(
            player=player,
            than=than,
            by=row["by"],
            difference=row.get("difference"),
            low=row[f"{kind}_low"],
            high=row[f"{kind}_high"],
            ratio=row.get("ratio"),
            probability_of_improvement=next(improvements, None),
            p=row["adjusted_p"],
            verdict=row["verdict"],
            answer=row["answer"],
            row=row,
        )

    def report(self, out: str | os.PathLike[str] | None = None) -> pathlib.Path:
        """Writes an HTML report, and returns its path; by default FOLDER.html.

        Results in a temporary folder need a path.
        """
        if out is None and self._is_temporary:
            raise InvalidValueError("out: give a path, or save(name) first")
        path = self.folder.with_name(f"{self.folder.name}.html") if out is None else out
        with NativeErrors():
            _gauntlet.report(self._unchanged(), path)
        return pathlib.Path(path)

    @property
    def plots(self) -> list[str]:
        """Names of the plots in the report."""
        return list(self._plots())

    def plot(self, name: str | None = None) -> Plot:
        """Returns a plot of the report; by default strength against time, if it has one."""
        plots = self._plots()
        if not plots:
            raise InvalidValueError("the report has no plot")
        if name is None:
            name = "strength" if "strength" in plots else next(iter(plots))
        check_choice("plot", name, plots)
        return Plot(name, plots[name])

    def _plots(self) -> dict[str, str]:
        with NativeErrors():
            return dict(_gauntlet.plots(self._unchanged()))

    def _forfeits(self) -> list[tuple[str, int, int]]:
        """Returns players that forfeited games, the number of these games, and of all games."""
        if not (self._unchanged() / "win-rate.csv").exists():
            return []
        rows = self.table("win-rate")
        return [(row["player"], row["forfeits"], row["games"]) for row in rows if row["forfeits"]]

    def _notes(self, notes: list[str]) -> list[str]:
        """Adds forfeits before the notes of a summary, which contain verdicts, and the origin."""
        forfeits = [
            f"{player} forfeited {count:,} of {games:,} games"
            for player, count, games in self._forfeits()
        ]
        return [*forfeits, *notes, *self._origin()]

    def _origin(self) -> list[str]:
        """Returns seed, games and identities, if the experiment is in the folder."""
        path = self.folder / "experiment.toml"
        if not path.exists():
            return []
        try:
            written = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            # tomllib of Python 3.11 does not read TOML 1.1, as the program does.
            return []
        seed, games = written.get("seed"), written.get("games")
        lines = [] if seed is None else [f"seed {seed}"]
        # In Gomoku, `games` is the number for each pair of players. Other sections change it.
        is_plain = written.get("game") == "2048" and not {"stop", "tune"} & written.keys()
        if lines and is_plain and games is not None:
            lines = [f"seed {seed}, {games:,} games"]
        for player in written.get("player", []):
            if player.get("algorithm") == "python" and "identity" in player:
                lines.append(f"identity of {player['name']}: {player['identity']}")
        return lines

    def __repr__(self) -> str:
        with NativeErrors():
            _, _, table, notes = _gauntlet.summary(self._unchanged())
        folder = self.folder
        with contextlib.suppress(OSError, ValueError):
            folder = folder.relative_to(pathlib.Path.cwd())
        lines = "".join(f"{note}\n" for note in self._notes(notes))
        until = " until Python ends: save(name) keeps them" if self._is_temporary else ""
        return f"{table}{lines}results in {folder}{until}"

    def _repr_html_(self) -> str:
        with NativeErrors():
            heads, rows, _, notes = _gauntlet.summary(self._unchanged())
        aligned = ["left" if is_words else "right" for _, is_words in heads]

        head = html_row("th", aligned, [text for text, _ in heads])
        body = "\n".join(html_row("td", aligned, row) for row in rows)
        text = "".join(f"<p>{html.escape(note)}</p>\n" for note in self._notes(notes))
        shown = f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n{text}"
        try:
            plot = self.plot()
        except Error:
            return shown
        # The plot is an image, because the style of an inline SVG would apply to the whole
        # notebook.
        code = base64.b64encode(plot.svg.encode()).decode()
        return f'{shown}<img alt="{html.escape(plot.name)}" src="data:image/svg+xml;base64,{code}">'


def _similar(folder: pathlib.Path) -> str:
    """Returns a hint with the folders whose names are similar."""
    if not folder.parent.is_dir():
        return ""
    names = [path.name for path in folder.parent.iterdir() if path.is_dir()]
    similar = difflib.get_close_matches(folder.name, names)
    return f"; did you mean {' or '.join(map(repr, similar))}?" if similar else ""


def _of_csv(text: str) -> tuple[list[tuple[str, Any]], list[list[str | None]]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    heads = next(reader)
    return [(head, "any") for head in heads], [[cell or None for cell in row] for row in reader]


def _typed(values: list[str | None]) -> tuple[Kind, list[Any]]:
    """Reads texts as numbers or booleans, if all of them are."""
    present = [value for value in values if value is not None]
    if present and all(value in _BOOLS for value in present):
        return "bool", [None if value is None else _BOOLS[value] for value in values]
    numbers = [match for value in present if (match := _NUMBER.fullmatch(value))]
    if not present or len(numbers) < len(present):
        return "text", values
    if any(map("".join, map(re.Match.groups, numbers))):
        return "float", [None if value is None else float(value) for value in values]
    return "int", [None if value is None else int(value) for value in values]
