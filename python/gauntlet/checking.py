"""Checks whether an environment plays 2048 by the rules."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import _gauntlet
from .errors import InvalidTypeError, InvalidValueError, NativeErrors

Direction = Literal["up", "right", "down", "left"]
Cells = Literal["values", "ranks", "planes"]

_MASKS = ("action_mask", "legal_action_mask")


@dataclasses.dataclass(frozen=True)
class Example:
    """The first violation of a rule. A board is 16 values, row by row."""

    before: list[int] | None
    action: int | None
    direction: Direction | None
    """Direction of the action; `None` if unknown."""
    expected: list[int] | None
    """The board after the slide, before the new tile."""
    seen: list[int] | None
    wrong: str
    """What is wrong, in words."""


@dataclasses.dataclass(frozen=True)
class RuleReport:
    """Verdict on one rule with its evidence."""

    rule: str
    verdict: Literal["passed", "failed", "cannot tell", "not tested"]
    checked: int
    """Number of checks."""
    wrong: int
    """Number of violations."""
    p: float | None
    """Smallest p of the rule's tests, corrected for all tests of the check."""
    reason: str | None
    """Diagnosis of a failed rule, or why there is no verdict.

    `None` if cells or actions are unknown: the report says why.
    """
    example: Example | None


@dataclasses.dataclass(frozen=True, repr=False)
class Report:
    """Verdicts on the rules of 2048. `print(report)` shows the table."""

    passed: bool
    """True if the result is `passed`."""
    result: Literal["passed", "failed", "undecided"]
    reason: str | None
    """Why the check is undecided."""
    rules: list[RuleReport]
    notes: list[str]
    """Facts that no rule forbids."""
    actions: list[Direction | None] | None
    """Direction of each action; `None` if unknown."""
    cells: Cells | None
    """Encoding of boards; `None` if unknown."""
    games: int
    moves: int
    text: str = dataclasses.field(compare=False)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Sequence[Any]) -> str:
            inside = (f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells)
            return f"<tr>{''.join(inside)}</tr>"

        rows = [line("th", ["rule", "verdict", "checked", "wrong", "reason"])]
        for rule in self.rules:
            cells = [rule.rule, rule.verdict, rule.checked, rule.wrong, rule.reason or ""]
            rows.append(line("td", cells))
        notes = (f"<p>note: {html.escape(note)}</p>" for note in self.notes)
        result = self.result if self.reason is None else f"{self.result}: {self.reason}"
        return f"<table>{''.join(rows)}</table>{''.join(notes)}<p>{html.escape(result)}</p>"


def check_env(
    factory: Callable[[], Any],
    *,
    games: int | None = None,
    seed: int = 1,
    actions: str | Sequence[Direction] | None = None,
    cells: Cells | None = None,
    mask: str | Callable[[Any], Any] | None = None,
    set_board: Callable[[Any, np.ndarray], Any] | None = None,
    reward: bool = True,
) -> Report:
    """Plays an environment of 2048, and compares each step with the rules.

    Args:
        factory: a function that returns a Gymnasium environment, or any object with `reset` and
            `step`. Observations are arrays, nested lists, or dicts that contain one board.
        games: number of games, by default 100.
        seed: seed of the check.
        actions: directions of the actions in order, such as `"up,down,left,right"`. By default
            they are found by play.
        cells: meaning of the numbers: `"values"`, `"ranks"` or `"planes"`. By default it is found
            by play.
        mask: legality of each action: a key of `info`, an attribute or method of the environment,
            or a function of the environment. By default `action_mask` or `legal_action_mask`, if
            one exists.
        set_board: a function of the environment and a board, which replaces the current board, also
            of a finished game. The board is an array in the encoding of the observations. The
            function may return the new observation, alone or with `info`.
        reward: false if rewards are not tested, because the environment has none, or others on
            purpose. Without rewards, `step` may also return `None` as reward.

    The report passes if start, slides, rewards, new tiles and the end of the game were tested
    without a violation. Without a violation, it is undecided if one of them could not be tested.

    An exception of the environment is evidence against it. Ctrl-C ends the check.
    """
    if not callable(factory):
        raise InvalidTypeError(
            "check_env expects a function that returns an environment, such as `lambda: env`"
        )
    if games is not None and games < 1:
        raise InvalidValueError("games: expected at least 1")
    words = actions.split(",") if isinstance(actions, str) else actions
    names = None if words is None else [word.strip() for word in words]
    environment = factory()
    try:
        adapter = Adapter(environment, names, mask, set_board)
        with NativeErrors():
            report, text = _gauntlet.check_env(
                adapter, games=games, seed=seed, actions=names, cells=cells, reward=reward
            )
    finally:
        with contextlib.suppress(Exception):
            environment.close()
    values = json.loads(report)
    for rule in values["rules"]:
        rule["example"] = rule["example"] and Example(**rule["example"])
    values["rules"] = [RuleReport(**rule) for rule in values["rules"]]
    fields = {field.name for field in dataclasses.fields(Report)} - {"text"}
    return Report(text=text, **{name: values[name] for name in fields})


class Adapter:
    """Environment as the native half calls it. A text as answer is an error of the environment."""

    def __init__(
        self,
        environment: Any,
        directions: Sequence[str] | None,
        mask: str | Callable[[Any], Any] | None,
        set_board: Callable[[Any, np.ndarray], Any] | None,
    ):
        if not (hasattr(environment, "reset") and hasattr(environment, "step")):
            kind = type(environment).__name__
            raise InvalidTypeError(f"an environment needs `reset` and `step`, which {kind!r} lacks")
        if hasattr(environment, "num_envs"):
            raise InvalidTypeError(
                "check_env expects one environment, not a vector of environments"
            )
        self.environment = environment
        self.plain = getattr(environment, "unwrapped", environment)
        space = getattr(environment, "action_space", None)
        usual = 4 if directions is None else len(directions)
        self.actions = int(getattr(space, "n", usual))
        self.first_action = int(getattr(space, "start", 0))
        self.seeds_by_reset = _accepts_seed(self.plain.reset)
        self.takes_seeds = self.seeds_by_reset or callable(getattr(self.plain, "seed", None))
        self.mask, self.set = mask, set_board
        # The last two boards, as the environment returned them.
        self.boards: list[Any] = [None, None]

    def reset(self, seed: int | None) -> Any:
        """Starts an episode."""
        try:
            if seed is None:
                answer = self.environment.reset()
            elif self.seeds_by_reset:
                answer = self.environment.reset(seed=seed)
            else:
                self.environment.seed(seed)
                answer = self.environment.reset()
        except Exception as error:
            return _text(error)
        return self._seen(*_with_info(answer))

    def step(self, action: int) -> Any:
        """Plays an action."""
        try:
            answer = self.environment.step(action + self.first_action)
        except Exception as error:
            return _text(error)
        if not isinstance(answer, (tuple, list)) or len(answer) not in (4, 5):
            raise InvalidTypeError(
                "step must return (observation, reward, terminated, truncated, info) or "
                f"(observation, reward, done, info), not {answer!r:.100}"
            )
        observation, reward, terminated, *truncated, info = answer
        is_cut = bool(truncated[0] if truncated else info.get("TimeLimit.truncated", False))
        is_over = bool(terminated) and (bool(truncated) or not is_cut)
        number = None if reward is None else float(np.asarray(reward, np.float64).item())
        seen = self._seen(observation, info)
        if self.mask is not None and seen[1] is None:
            raise InvalidTypeError(f"mask: neither `info` nor the environment has {self.mask!r}")
        return seen, number, is_over, is_cut

    def set_board(self, numbers: list[float], shape: list[int]) -> Any:
        """Replaces the board, if the environment's board can be set."""
        if self.set is None:
            return None
        board = np.array(numbers).reshape(shape).astype(np.int64)
        try:
            answer = self.set(self.environment, board)
        except Exception as error:
            return _text(error)
        return self._seen(*_with_info(board if answer is None else answer))

    def earlier_observation(self) -> np.ndarray:
        """Returns what the observation before the latest one contains now."""
        return _numbers(self.boards[0])

    def _seen(self, observation: Any, info: Any) -> tuple[np.ndarray, list[bool] | None]:
        known = info if isinstance(info, Mapping) else {}
        if hasattr(observation, "_asdict"):
            observation = observation._asdict()
        if isinstance(observation, Mapping):
            known = {**observation, **known}
            observation = self._only_board(observation)
        self.boards = [self.boards[1], observation]
        return _numbers(observation), self._mask(known)

    def _only_board(self, observation: Mapping[str, Any]) -> Any:
        boards = {}
        for key, value in observation.items():
            with contextlib.suppress(TypeError):
                size = _numbers(value).size
                if size and size % 16 == 0 and key not in (*_MASKS, self.mask):
                    boards[key] = value
        if len(boards) != 1:
            found = ", ".join(map(repr, boards)) or "none"
            raise InvalidTypeError(f"an observation needs one board of 16 cells; found: {found}")
        return next(iter(boards.values()))

    def _mask(self, known: Mapping[str, Any]) -> list[bool] | None:
        if callable(self.mask):
            mask = self.mask(self.environment)
        else:
            names = _MASKS if self.mask is None else (self.mask,)
            places = (self._named(name, known) for name in names)
            mask = next((found for found in places if found is not None), None)
        return None if mask is None else np.asarray(mask).astype(bool).ravel().tolist()

    def _named(self, name: str, known: Mapping[str, Any]) -> Any:
        if name in known:
            return known[name]
        found = getattr(self.plain, name, None)
        return found() if callable(found) else found


def _accepts_seed(reset: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(reset).parameters
    except (TypeError, ValueError):
        return False
    kinds = [parameter.kind for parameter in parameters.values()]
    return "seed" in parameters or inspect.Parameter.VAR_KEYWORD in kinds


def _numbers(board: Any) -> np.ndarray:
    try:
        return np.ascontiguousarray(board, np.float64)
    except (TypeError, ValueError) as error:
        message = f"an observation is not an array of numbers: {board!r:.100}"
        raise InvalidTypeError(message) from error


def _with_info(answer: Any) -> tuple[Any, Any]:
    """Returns an observation with its `info`, which older environments do not return."""
    has_info = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict)
    return answer if has_info else (answer, {})


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
