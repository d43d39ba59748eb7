"""Runs the program of the wheel: `run`, `train` and `tune`."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

from . import _gauntlet
from .errors import Error, ProgramError, check_integer
from .tables import Result
from .toml import read_file, to_toml

Experiment = str | os.PathLike[str] | Mapping[str, Any]
"""An experiment: its file, or a dict with the content of such a file."""

_PROGRESS = re.compile(r"^[\d,.]+ .*\bleft$")
_TUNE_VERDICTS = (6, 7)


def run(
    experiment: Experiment,
    *,
    results: str | os.PathLike[str] = "results",
    threads: int | None = None,
    allow_commands: bool = False,
    quiet: bool = False,
) -> Result:
    """Plays the games of an experiment, like `gauntlet run`.

    Args:
        experiment: file, or a dict with its content. Paths in a dict are relative to the current
            folder.
        results: folder of results folders.
        threads: number of threads; by default one for each core.
        allow_commands: whether players may start their external programs.
        quiet: whether progress and warnings are hidden.

    Ctrl-C stops the run. The same call resumes it.
    """
    options = ["--allow-commands"] if allow_commands else []
    return _played("run", "", experiment, results, threads, options, quiet)


def train(
    experiment: Experiment,
    *,
    results: str | os.PathLike[str] = "results",
    threads: int | None = None,
    quiet: bool = False,
) -> Result:
    """Trains the network of an experiment, like `gauntlet train`.

    Its folder contains the file `network` and the table `curve`. The options are those of `run`.
    """
    return _played("train", "train", experiment, results, threads, [], quiet)


def tune(
    experiment: Experiment,
    *,
    results: str | os.PathLike[str] = "results",
    threads: int | None = None,
    allow_commands: bool = False,
    quiet: bool = False,
) -> Result:
    """Optimizes the settings of a player, like `gauntlet tune`. The options are those of `run`."""
    options = ["--allow-commands"] if allow_commands else []
    return _played("tune", "tune", experiment, results, threads, options, quiet)


def program() -> str:
    """Returns the path of the program: next to the interpreter, or on PATH."""
    found = shutil.which("gauntlet", path=sysconfig.get_path("scripts")) or shutil.which("gauntlet")
    if found is None:
        raise Error("the program gauntlet is neither next to Python nor on PATH")
    return found


def _played(
    command: str,
    subfolder: str,
    experiment: Experiment,
    results: str | os.PathLike[str],
    threads: int | None,
    options: list[str],
    quiet: bool,
) -> Result:
    words = [program(), command, "--results", os.fspath(results), *options]
    if threads is not None:
        words += ["--threads", str(check_integer("threads", threads, 1, 1024))]
    if quiet:
        words.append("--quiet")
    if not isinstance(experiment, Mapping):
        text = read_file(experiment)
        _call([*words, "--", os.fspath(experiment)], None, quiet)
    elif command == "run":
        text = to_toml(experiment)
        _call([*words, "-"], text, quiet)
    else:
        text = to_toml(experiment)
        # The file is in the current folder, because paths in a file are relative to the folder of
        # the file.
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".toml", dir=".") as file:
            file.write(text)
            file.flush()
            _call([*words, "--", file.name], None, quiet)
    name = _gauntlet.experiment_name(text)
    if name is None:
        raise Error("the experiment was changed while it was played, and has no name")
    folder = pathlib.Path(results, name, subfolder)
    # Tables without their journal are kept. The tables of this call are then in a subfolder.
    newest = max(folder, folder / "replayed", key=_written)
    return Result._of_call(newest, results=os.path.abspath(results))


def _written(folder: pathlib.Path) -> int:
    """Returns when the manifest in a folder was written; 0 if there is none."""
    try:
        return (folder / "manifest.toml").stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _call(words: list[str], text: str | None, quiet: bool) -> None:
    """Runs the program. Ctrl-C is forwarded, and raised again after the program has stopped."""
    messages: list[str] = []

    def forward(lines: Any) -> None:
        for line in lines:
            messages.append(line)
            if not quiet and sys.stderr is not None:
                sys.stderr.write(line)
                sys.stderr.flush()

    def write(stdin: Any) -> None:
        if stdin is not None:
            with contextlib.suppress(BrokenPipeError), stdin:
                stdin.write(text)

    interrupted = False
    # The program stops when this pipe ends: if Python is killed, for example.
    caller, own_end = os.pipe()
    # The program has its own process group. Otherwise Ctrl-C in a terminal would signal it twice.
    with os.fdopen(own_end, "wb"), os.fdopen(caller, "rb") as caller_file, subprocess.Popen(
        words,
        stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        process_group=0,
        pass_fds=[caller],
        env={**os.environ, "GAUNTLET_CALLER": f"/dev/fd/{caller}"},
    ) as process:
        caller_file.close()
        # A thread writes the input, because the program may read nothing until it is interrupted.
        threads = [
            threading.Thread(target=forward, args=(process.stderr,), daemon=True),
            threading.Thread(target=write, args=(process.stdin,), daemon=True),
        ]
        try:
            for thread in threads:
                thread.start()
            while process.poll() is None:
                try:
                    process.wait()
                except KeyboardInterrupt:
                    interrupted = True
                    process.send_signal(signal.SIGINT)
        except BaseException:
            process.terminate()
            raise
        for thread in threads:
            thread.join()
    if interrupted:
        raise KeyboardInterrupt
    is_verdict = words[1] == "tune" and process.returncode in _TUNE_VERDICTS
    if process.returncode != 0 and not is_verdict:
        lines = [line for line in messages if not _PROGRESS.match(line.rstrip())]
        message = "".join(lines).strip() or f"gauntlet ended with status {process.returncode}"
        raise ProgramError(message, process.returncode)
