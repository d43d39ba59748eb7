"""Plays Python policies against the players of gauntlet."""

from __future__ import annotations

import contextlib
import datetime
import multiprocessing.util
import os
import pathlib
import shutil
import sys
import tempfile
import tomllib
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from . import _gauntlet
from .errors import (
    Error,
    InvalidTypeError,
    InvalidValueError,
    NativeErrors,
    check_choice,
    check_integer,
)
from .games import block_seed
from .legality import MoveChecker
from .program import program
from .rules import Boards, Directions, Rules, check_rules
from .tables import Result
from .toml import read_file, to_toml

Policy = Callable[[Boards, npt.NDArray[np.bool_]], Directions]
"""Chooses moves: boards (n, 4, 4) and legal directions (n, 4) in, n directions out."""

Player = str | os.PathLike[str] | Mapping[str, Any]
"""A player of gauntlet: its algorithm with settings, a TOML snippet, a dict, or a file."""


def evaluate(
    policies: Policy | Mapping[str, Policy],
    against: Player | Sequence[Player] = (),
    games: int = 1000,
    seed: int = 1,
    *,
    game: Literal["2048"] = "2048",
    rules: Rules | None = None,
    batch: int = 1024,
    identity: str | Mapping[str, str] | None = None,
    name: str | None = None,
    results: str | os.PathLike[str] = "results",
    threads: int | None = None,
    allow_commands: bool = False,
    on_forfeit: Literal["warn", "raise"] = "warn",
    progress: bool | None = None,
) -> Result:
    """Plays games of Python policies and other players on the same seeds, and compares them.

    A policy is called with the boards of up to `batch` games and the legal directions:

    - boards: int8, shape (n, 4, 4); 0 is an empty cell, and k is a tile of 2 to the power of k
    - legal: bool, shape (n, 4), in the order up, right, down, left

    It returns n integers: 0 up, 1 right, 2 down, 3 left. An illegal move forfeits its game. Moves
    must not depend on which games are asked about together.

    Args:
        policies: a function, or a dict of names and functions.
        against: other players: an algorithm with settings (`"expectimax nodes=1000"`), a TOML
            snippet, a dict, or a TOML file with `[[player]]` tables.
        games: number of games of each player.
        seed: seed of the experiment. Equal seeds give equal games, as in `gauntlet run`.
        rules: rules of the game, such as `{"win": 1024}`.
        batch: largest number of games that a policy is called with.
        identity: a text that identifies a policy and its data, or a dict of names and texts. An
            interrupted evaluation with the same name and text is resumed. Without a text, games of
            the policy are played again.
        name: name of the results folder. Another evaluation with the same name overwrites the
            tables, and an earlier `Result` can no longer be used. Without a name, the results have
            a temporary folder of their own until the interpreter ends: `Result.save` keeps them.
        results: folder of results folders.
        threads: number of threads of the engine; by default one for each core.
        allow_commands: whether players may start their external programs.
        on_forfeit: `"warn"` reports illegal moves by a `RuntimeWarning` after the games. `"raise"`
            raises `gauntlet.Error` at the first illegal move, or after the games if all forfeits
            are from an earlier call. The message contains the first board, and another order of
            directions if the moves fit it.
        progress: whether progress is shown; by default in a terminal or a notebook.

    An exception in a policy ends the evaluation, and so does Ctrl-C. With a name, finished games
    are kept. A player whose external program fails in ten games in a row is skipped, with a
    `RuntimeWarning`.
    """
    check_choice("game", game, ["2048"])
    games = check_integer("games", games, 1, 2**63 - 1)
    seed = block_seed(seed)
    batch = check_integer("batch", batch, 1, 2**63 - 1)
    if threads is not None:
        threads = check_integer("threads", threads, 1, 1024)
    check_choice("on_forfeit", on_forfeit, ["warn", "raise"])
    check_rules(rules)
    named = dict(policies) if isinstance(policies, Mapping) else {_name_of(policies): policies}
    if not named:
        raise InvalidValueError("expected at least one policy")
    for policy in named.values():
        _name_of(policy)
    players, base = _players(against)
    for player_name in [*named, *(player["name"] for player in players)]:
        if not isinstance(player_name, str):
            raise InvalidTypeError(f"expected a text as name of a player, got {player_name!r:.100}")
    identities = identity if isinstance(identity, Mapping) else dict.fromkeys(named, identity)
    for identified in identities:
        check_choice("identity", identified, named)
    call = f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} {uuid.uuid4().hex[:8]}"
    for place, policy_name in enumerate(named):
        identity_text = identities.get(policy_name)
        origin = {"call": call} if identity_text is None else {"identity": str(identity_text)}
        player: dict[str, Any] = {
            "name": policy_name,
            "algorithm": "python",
            "policy": policy_name,
            **origin,
            "batch": batch,
        }
        players.insert(place, player)
    title = "evaluation" if name is None else name
    head = {"name": title, "game": game, "seed": seed, "games": games, **(rules or {})}
    text = to_toml({**head, "player": players})
    checkers = [MoveChecker(policy) for policy in named]
    supervisor = program() if allow_commands else None
    ask = _asker(list(named.values()), checkers, raises=on_forfeit == "raise")
    # The paths are absolute, because a policy may change the current folder.
    base, results = os.path.abspath(base), os.path.abspath(results)
    kept = contextlib.nullcontext(results) if name is not None else _temporary_folder()
    with kept as parent, _progress(progress) as tell:
        with NativeErrors():
            folder = _gauntlet.evaluate(
                text, base, parent, list(named), ask, tell, threads, supervisor
            )
        result = Result._of_call(folder, results=results, is_temporary=name is None)
        for message in _forfeit_messages(result, checkers):
            if on_forfeit == "raise":
                raise Error(message)
            warnings.warn(message, RuntimeWarning, stacklevel=2)
    return result


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    """Makes a folder that is removed after an error, or else when the interpreter ends."""
    folder, process = tempfile.mkdtemp(prefix="gauntlet-"), os.getpid()
    # Unlike atexit, this also runs in workers of multiprocessing, and not in forked processes.
    # After a second interrupt the engine may still write, so it also runs after an error.
    multiprocessing.util.Finalize(
        None, shutil.rmtree, args=(folder,), kwargs={"ignore_errors": True}, exitpriority=0
    )
    try:
        yield folder
    except BaseException:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _forfeit_messages(result: Result, checkers: list[MoveChecker]) -> Iterator[str]:
    """Describes the forfeits of each policy, also those of resumed games."""
    forfeits = {player: (count, games) for player, count, games in result._forfeits()}
    for checker in checkers:
        if checker.name in forfeits:
            count, games = forfeits[checker.name]
            message = f"{checker.name} forfeited {count:,} of {games:,} games by illegal moves"
            if not checker.first_illegal:
                yield f"{message}, in an earlier call"
            else:
                order = checker.describe_order()
                yield f"{message}. The first was {checker.first_illegal}" + (order and f"\n{order}")


def _asker(
    functions: list[Policy], checkers: list[MoveChecker], raises: bool
) -> Callable[[int, bytearray, bytearray], np.ndarray]:
    def ask(policy: int, boards: bytearray, legal: bytearray) -> np.ndarray:
        function, checker = functions[policy], checkers[policy]
        count = len(legal) // 4
        # A policy may change its arrays.
        boards_before, legal_before = bytes(boards), bytes(legal)
        moves = np.asarray(
            function(
                np.frombuffer(boards, np.int8).reshape(count, 4, 4),
                np.frombuffer(legal, np.bool_).reshape(count, 4),
            )
        )
        kind = moves.dtype.kind
        if kind == "b":
            raise InvalidTypeError(
                "a policy returns integers from 0 to 3, not bool: mask.argmax(axis=1) is the first "
                "direction of each mask"
            )
        if moves.shape != (count,):
            raise InvalidValueError(
                f"a policy returns one direction for each board: expected the shape ({count},), "
                f"got {moves.shape}"
            )
        if kind not in "iu":
            raise InvalidTypeError(f"a policy returns integers from 0 to 3, not {moves.dtype}")
        moves = np.ascontiguousarray(moves, np.int64)
        if not checker.check(boards_before, legal_before, moves) and raises:
            order = checker.describe_order()
            message = f"{checker.name} made an illegal move: {checker.first_illegal}"
            raise Error(message + (order and f"\n{order}"))
        return moves

    return ask


def _name_of(policy: Policy) -> str:
    if not callable(policy):
        raise InvalidTypeError(f"a policy is a function, not {type(policy).__name__}")
    name = getattr(policy, "__name__", type(policy).__name__)
    return "policy" if name == "<lambda>" else name


def _players(against: Player | Sequence[Player]) -> tuple[list[dict[str, Any]], str]:
    """Returns the players, and the folder of their files."""
    single = callable(against) or isinstance(against, (str, os.PathLike, Mapping))
    players: list[dict[str, Any]] = []
    folders = set()
    for one in cast("Sequence[Player]", [against] if single else against):
        if callable(one) or (isinstance(one, Mapping) and any(map(callable, one.values()))):
            raise InvalidTypeError("`against` has a function: put functions into the first argument")
        if isinstance(one, Mapping):
            players.append(_named(dict(one)))
        elif not isinstance(one, (str, os.PathLike)):
            kind = type(one).__name__
            raise InvalidTypeError(f"a player of `against` is a text, a dict or a file, not {kind}")
        elif isinstance(one, os.PathLike) or one.endswith(".toml"):
            path = pathlib.Path(one)
            folders.add(path.parent)
            players += _of_toml(read_file(path), str(path))
        elif "\n" in one or one.lstrip().startswith(("algorithm", "[[player]]")):
            players += _of_toml(one, "a snippet")
        else:
            players.append(_of_words(one))
    if len(folders) > 1:
        raise InvalidValueError("the files of players must be in one folder")
    return players, os.fspath(folders.pop()) if folders else ""


def _of_toml(text: str, source: str) -> list[dict[str, Any]]:
    try:
        written = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidValueError(f"{source}: {error}") from None
    if "player" in written:
        return [_named(player) for player in written["player"]]
    if "algorithm" not in written:
        raise InvalidValueError(f"{source} has neither `algorithm` nor `[[player]]`")
    return [_named(written)]


def _of_words(text: str) -> dict[str, Any]:
    """Reads an algorithm with settings, such as `expectimax nodes=1000`."""
    algorithm, *words = text.split() or [""]
    if not algorithm:
        raise InvalidValueError("a player of `against` is empty: expected an algorithm")
    player: dict[str, Any] = {"name": text, "algorithm": algorithm}
    for word in words:
        key, is_setting, value = word.partition("=")
        if not is_setting:
            raise InvalidValueError(f"{word!r} in {text!r} is no setting, such as nodes=1000")
        try:
            player[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            player[key] = value
    return player


def _named(player: dict[str, Any]) -> dict[str, Any]:
    """Gives a player without a name its algorithm and settings as name."""
    if "name" in player:
        return player
    settings = (f"{key}={value}" for key, value in player.items() if key != "algorithm")
    return {"name": " ".join([str(player.get("algorithm", "player")), *settings]), **player}


@contextlib.contextmanager
def _progress(wanted: bool | None) -> Iterator[Callable[[str], None] | None]:
    """Provides a function that shows a line of progress in place of the last one."""
    handle = _notebook_display() if wanted is not False else None
    if handle is not None:
        try:
            yield lambda line: handle.update({"text/plain": line}, raw=True)
        finally:
            with contextlib.suppress(Exception):
                handle.update({"text/plain": ""}, raw=True)
    elif wanted or (wanted is None and sys.stderr is not None and sys.stderr.isatty()):
        width = os.get_terminal_size(2).columns if os.isatty(2) else 80

        def tell(line: str) -> None:
            sys.stderr.write("\r\x1b[K" + line[: width - 1])
            sys.stderr.flush()

        try:
            yield tell
        finally:
            with contextlib.suppress(Exception):
                tell("")
    else:
        yield None


def _notebook_display() -> Any:
    """Returns a place for text in the output of a notebook's cell, if there is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if ipython is None or shell is None or not hasattr(shell, "kernel"):
        return None
    return ipython.display.display({"text/plain": ""}, raw=True, display_id=True)
