"""Reads files of TOML, and writes experiments as TOML."""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InvalidTypeError, PathNotFoundError


def read_file(path: str | os.PathLike[str]) -> str:
    """Returns the text of a file."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise PathNotFoundError(f"no file {os.fspath(path)!r}") from None


def to_toml(experiment: Mapping[str, Any]) -> str:
    """Writes an experiment as TOML, with a section for each dict and for each list of dicts."""
    lines, sections = [], []
    for key, value in experiment.items():
        if isinstance(value, Mapping):
            sections.append((f"[{_key(key)}]", value))
        elif _is_sections(value):
            sections += [(f"[[{_key(key)}]]", one) for one in value]
        else:
            lines.append(f"{_key(key)} = {_toml(value)}\n")
    for head, section in sections:
        lines.append(f"\n{head}\n")
        lines += [f"{_key(key)} = {_toml(value)}\n" for key, value in section.items()]
    return "".join(lines)


def _key(key: Any) -> str:
    return str(key) if re.fullmatch("[A-Za-z0-9_-]+", str(key)) else _toml(str(key))


def _is_sections(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    return is_list and all(isinstance(one, Mapping) for one in value)


def _toml(value: Any) -> str:
    """Writes a value as TOML."""
    if isinstance(value, Mapping):
        entries = (f"{_key(key)} = {_toml(own)}" for key, own in value.items())
        return "{ " + ", ".join(entries) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if not isinstance(value, (str, os.PathLike)):
        raise InvalidTypeError(f"TOML has no {type(value).__name__}: {value!r}")
    # A JSON string is also a TOML string, except for one control character.
    text = os.fspath(value)
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
