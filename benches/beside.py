#!/usr/bin/env python3
"""CPU times of gauntlet next to those of an older build and of other programs, as one table.

    REFERENCE=old/gauntlet TDL2048=TDL2048/2048 taskset -c 0 python3 benches/beside.py

These variables name programs. What is missing is skipped, and a line says so:

    GAUNTLET    this build; default: target/release/gauntlet
    REFERENCE   another build of gauntlet
    TDL2048     the program of moporgic/TDL2048
    NNEONNEO    a player of docs/PROTOCOL.md that calls nneonneo's search; argument: depth limit
    MACROXUE    a player of docs/PROTOCOL.md that calls macroxue's search; argument: depth

The programs alternate. A ratio of 2 means that gauntlet takes half of the CPU time of the other
program, or half of its wall time if gauntlet plays with an external program. Ratios are medians of
the rounds, with the smallest and the largest. `--list` prints the names of all workloads.
"""

import argparse
import hashlib
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = {"TDL2048": "TDL2048+", "NNEONNEO": "nneonneo", "MACROXUE": "macroxue"}


class CommandFailed(Exception):
    """A command that cannot be started or ends with an error."""


@dataclass
class Command:
    """A command line, and the function that reads its answer after it has ended."""

    words: list
    input: pathlib.Path = pathlib.Path(os.devnull)
    read_answer: Callable[[], object] = lambda: None

    def run(self):
        """Runs the command, and returns its wall time and the CPU time of it and its descendants."""
        words = [str(word) for word in self.words]
        with tempfile.TemporaryFile() as output, open(self.input, "rb") as stdin:
            start = time.monotonic()
            try:
                process = subprocess.Popen(words, stdin=stdin, stdout=output, stderr=subprocess.STDOUT)
            except OSError as error:
                raise CommandFailed(f"{words[0]}: {error}") from error
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            self.output = output.read().decode(errors="replace")
        if process.returncode != 0:
            raise CommandFailed(f"{' '.join(words)}\n{self.output}exit status {process.returncode}")
        return {"wall": seconds, "cpu": usage.ru_utime + usage.ru_stime}


@dataclass
class Workload:
    """What is timed. The time of a `start` is subtracted from the time of its command."""

    name: str
    command: Callable[[pathlib.Path], Command]
    start: Callable[[pathlib.Path], Command] | None = None
    peer: str | None = None
    peer_words: list = field(default_factory=list)
    peer_start: list | None = None
    input: pathlib.Path = pathlib.Path(os.devnull)
    start_input: pathlib.Path = pathlib.Path(os.devnull)
    # The output of each program has one answer per line, which is compared.
    has_answers: bool = False
    # What is compared: "cpu" or "wall".
    clock: str = "cpu"


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Bench:
    """The workloads, with their files in a temporary folder."""

    def __init__(self, folder, gauntlet):
        self.folder = folder
        self.gauntlet = gauntlet

    def write_experiment(self, name, games, player, rest=""):
        """Writes an experiment with one 2048 player."""
        path = self.folder / f"{name}.toml"
        lines = [f'name = "{name}"', 'game = "2048"', "seed = 1", f"games = {games}", "[[player]]", 'name = "it"']
        path.write_text("\n".join([*lines, player, rest]))
        return path

    def run(self, name, games, player):
        """Plays all games of an experiment."""
        experiment = self.write_experiment(f"{name}-{games}", games, player)
        results = self.folder / "results"

        def command(program):
            shutil.rmtree(results, ignore_errors=True)
            words = [program, "run", experiment, "--quiet", "--threads", 1, "--allow-commands", "--results", results]
            return Command(words, read_answer=lambda: digest(results / experiment.stem / "games.csv"))

        return command

    def train(self, patterns, games):
        rest = f'[train]\npatterns = "{patterns}"\nmethod = "tc"\nrate = 1.0\ngames = {games}\nseed = 1\ntest_games = 2\n'
        network = self.folder / "none.network"
        player = f'algorithm = "n-tuple"\nnetwork = "{network}"'
        experiment = self.write_experiment(f"train-{patterns}", 2, player, rest)
        results = self.folder / "trained"

        def command(program):
            shutil.rmtree(results, ignore_errors=True)
            words = [program, "train", experiment, "--quiet", "--every", "1h", "--threads", 1, "--results", results]
            return Command(words, read_answer=lambda: digest(results / experiment.stem / "train" / "network"))

        return command

    def network(self, patterns):
        """Trains a network for the workloads that play with it, and exports it for TDL2048+."""
        network = self.folder / f"{patterns}.network"
        if not network.exists():
            command = self.train(patterns, 5_000)(self.gauntlet)
            command.run()
            shutil.move(self.folder / "trained" / f"train-{patterns}" / "train" / "network", network)
            shutil.rmtree(self.folder / "trained")
            words = [self.gauntlet, "network", "export", network, "--out", network.with_suffix(".w")]
            Command(words).run()
        return network

    def play_network(self, patterns, depth, games):
        network = self.network(patterns)
        player = f'algorithm = "n-tuple"\nnetwork = "{network}"\ndepth = {depth}'
        name = f"{patterns}-{depth}"
        peer = ["-n", f"{patterns}patt", "-i", network.with_suffix(".w"), "-t", 0]
        if depth > 1:
            peer += ["-d", f"{depth}p"]
        return Workload(
            name=f"play {games:,} games, {patterns}, depth {depth}",
            command=self.run(name, games, player),
            start=self.run(name, 1, player),
            peer="TDL2048",
            peer_words=[*peer, "-e", f"1x{games}"],
            peer_start=[*peer, "-e", "1x1"],
        )

    def positions(self):
        """Records what a player is asked in one game, in the words of the protocol."""
        record = self.folder / "positions.txt"
        if not record.exists():
            served = self.write_experiment("recorded", 1, 'algorithm = "expectimax"\ndepth = 3')
            script = f"tee '{record}' | '{self.gauntlet}' serve '{served}'"
            player = f'algorithm = "external"\ncommand = ["sh", "-c", """{script}"""]'
            self.run("record", 1, player)(self.gauntlet).run()
        return record

    def answer_positions(self, name, player, peer, depth):
        positions = self.positions()
        greeting = self.folder / "greeting.txt"
        greeting.write_text(positions.read_text().splitlines()[0] + "\nquit\n")
        served = self.write_experiment(name, 1, player)
        moves = sum(line.startswith("move ") for line in positions.read_text().splitlines())

        def serve(questions):
            return lambda program: Command([program, "serve", served], input=questions)

        return Workload(
            name=f"{moves:,} moves, {name}",
            command=serve(positions),
            start=serve(greeting),
            peer=peer,
            peer_words=[depth],
            peer_start=[depth],
            input=positions,
            start_input=greeting,
            has_answers=True,
        )

    def finished(self, words):
        """Runs a command on a folder in which this program has played all games."""
        experiment = self.write_experiment("finished", 5_000_000, 'algorithm = "random"')

        def command(program):
            results = self.folder / f"finished-{hashlib.sha256(str(program).encode()).hexdigest()[:8]}"
            if not results.exists():
                words_of_run = [program, "run", experiment, "--quiet", "--threads", 1, "--results", results]
                Command(words_of_run).run()
            named = {"EXPERIMENT": experiment, "PARENT": results, "FOLDER": results / "finished"}
            return Command([program, *(named.get(word, word) for word in words)])

        return command

    def external(self, games, arguments):
        program = self.folder / "batched"
        if not program.exists():
            source = ROOT / "examples/players/batched.c"
            Command(["cc", "-O2", "-o", program, source]).run()
        words = ", ".join(f'"{word}"' for word in [program, *arguments])
        name = "-".join(["external", *map(str, arguments)])
        player = f'algorithm = "external"\ncommand = [{words}]'
        return {"command": self.run(name, games, player), "start": self.run(name, 1, player), "clock": "wall"}

    def workloads(self):
        """Returns the name of each workload, and the function that prepares it."""
        expectimax = 'algorithm = "expectimax"\ndepth = '
        n_tuple = f'algorithm = "n-tuple"\nnetwork = "{ROOT / "configs/train/quick.network"}"'
        workloads = {
            "random": lambda: Workload(
                "5,000,000 games of `random`",
                self.run("random", 5_000_000, 'algorithm = "random"'),
                peer="TDL2048",
                peer_words=["-n", "none", "-e", 5_000, "mode=random"],
            ),
            "greedy": lambda: Workload(
                "1,000,000 games of `greedy`",
                self.run("greedy", 1_000_000, 'algorithm = "greedy"'),
                peer="TDL2048",
                peer_words=["-n", "none", "-e", 1_000, "mode=reward"],
            ),
        }
        for patterns, games in [("4x6", 10_000), ("8x6", 5_000)]:
            workloads[f"train-{patterns}"] = lambda patterns=patterns, games=games: Workload(
                f"train {games:,} games, {patterns}, TC",
                self.train(patterns, games),
                peer="TDL2048",
                peer_words=["-n", f"{patterns}patt", "-t", f"1x{games}", "-a", "1.0", "coherence", "-e", 0],
            )
        for patterns in ["4x6", "8x6"]:
            for depth, games in [(1, 3_000), (2, 100)]:
                workloads[f"play-{patterns}-{depth}"] = lambda patterns=patterns, depth=depth, games=games: (
                    self.play_network(patterns, depth, games)
                )
        searches = [
            ("expectimax depth=4", expectimax + "4", "NNEONNEO", 3),
            ("nneonneo depth=3", 'algorithm = "nneonneo"\ndepth = 3', "NNEONNEO", 3),
            ("macroxue depth=3", 'algorithm = "macroxue"\ndepth = 3', "MACROXUE", 3),
            ("macroxue depth=4", 'algorithm = "macroxue"\ndepth = 4', "MACROXUE", 4),
        ]
        for name, player, peer, depth in searches:
            workloads[name.replace(" depth=", "-")] = lambda name=name, player=player, peer=peer, depth=depth: (
                self.answer_positions(name, player, peer, depth)
            )
        workloads["external"] = lambda: Workload("200 games of a C program, one move at a time", **self.external(200, []))
        workloads["external-batch"] = lambda: Workload(
            "16,384 games of a C program, 4,096 at once", **self.external(16_384, [4096])
        )
        again = ["run", "EXPERIMENT", "--quiet", "--threads", 1, "--results", "PARENT"]
        workloads["again"] = lambda: Workload("`run` of 5,000,000 finished games", self.finished(again))
        workloads["judge"] = lambda: Workload("`judge` of 5,000,000 games", self.finished(["judge", "FOLDER"]))
        workloads["start-random"] = lambda: Workload("one game of `random`", self.run("start", 1, 'algorithm = "random"'))
        workloads["start-n-tuple"] = lambda: Workload("one game of a small network", self.run("start", 1, n_tuple))
        workloads["start-expectimax"] = lambda: Workload(
            "one game of `expectimax depth=1`", self.run("start", 1, expectimax + "1")
        )
        return workloads


def count_equal(ours, theirs):
    """Compares the moves in two outputs of the protocol."""
    answers = [
        [line.split()[:2] for line in output.splitlines() if line[:1].isdigit()] for output in (ours, theirs)
    ]
    if len(answers[0]) != len(answers[1]):
        return f"{len(answers[1]):,} instead of {len(answers[0]):,} answers"
    equal = sum(one == other for one, other in zip(*answers))
    return f"{equal:,} of {len(answers[0]):,} moves"


def describe(values, digits=2):
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def prepare(workload, side, program):
    """Returns the commands of one round: what is timed, and the start that is subtracted."""
    if side != "peer":
        return workload.command(program), workload.start and workload.start(program)
    start = workload.peer_start and Command([program, *workload.peer_start], input=workload.start_input)
    return Command([program, *workload.peer_words], input=workload.input), start


def time_workload(workload, programs, rounds):
    """Times a workload in each program, alternately, and returns the cells of its row."""
    seconds = {side: [] for side in programs}
    answers = {}
    for _ in range(rounds):
        for side, program in list(programs.items()):
            command, start = prepare(workload, side, program)
            try:
                start_seconds = start.run()[workload.clock] if start else 0.0
                seconds[side].append(command.run()[workload.clock] - start_seconds)
            except CommandFailed as failure:
                if side == "gauntlet":
                    sys.exit(str(failure))
                print(f"skipped: {workload.name}: {failure}", file=sys.stderr)
                del programs[side], seconds[side]
                continue
            answers[side] = command.output if workload.has_answers else command.read_answer()
    ratios = []
    for side in ["peer", "reference"]:
        pairs = zip(seconds.get(side, []), seconds["gauntlet"])
        values = [other / own for other, own in pairs]
        ratios.append(describe(values) if values else "")
    notes = []
    if "peer" in programs and workload.has_answers:
        notes.append(f"{PEERS[workload.peer]}: {count_equal(answers['gauntlet'], answers['peer'])}")
    if "reference" in programs and answers["gauntlet"] is not None:
        is_equal = answers["gauntlet"] == answers["reference"]
        notes.append(f"reference: {'same' if is_equal else 'different'}")
    peer = PEERS[workload.peer] if "peer" in programs else ""
    unit = "" if workload.clock == "cpu" else " wall"
    return [workload.name, describe(seconds["gauntlet"]) + unit, peer, *ratios, "; ".join(notes)]


def machine():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    load = os.getloadavg()[0]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores, load {load:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="workloads whose names contain one of these words; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--list", action="store_true", help="print the names of the workloads")
    options = parser.parse_args()
    gauntlet = pathlib.Path(os.environ.get("GAUNTLET", ROOT / "target/release/gauntlet")).resolve()
    with tempfile.TemporaryDirectory() as folder:
        workloads = Bench(pathlib.Path(folder), gauntlet).workloads()
        chosen = [name for name in workloads if not options.words or any(word in name for word in options.words)]
        if options.list or not chosen:
            print("\n".join(workloads))
            return
        given = {variable: os.environ.get(variable) for variable in ["REFERENCE", *PEERS]}
        for variable, program in given.items():
            if not program:
                print(f"skipped: {PEERS.get(variable, 'another build')}: {variable} is not set", file=sys.stderr)
        print(f"{machine()}; {options.rounds} rounds\n")
        print("| workload | gauntlet, CPU s | peer | peer / gauntlet | reference / gauntlet | answers |")
        print("| --- | ---: | --- | ---: | ---: | --- |")
        for name in chosen:
            if name.startswith("external") and not shutil.which("cc"):
                print(f"skipped: {name}: there is no C compiler `cc`", file=sys.stderr)
                continue
            workload = workloads[name]()
            programs = {"gauntlet": gauntlet, "reference": given["REFERENCE"], "peer": given.get(workload.peer)}
            programs = {side: program for side, program in programs.items() if program}
            cells = time_workload(workload, programs, options.rounds)
            print("| " + " | ".join(cells) + " |", flush=True)


main()
