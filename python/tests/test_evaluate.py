"""Tests of `gauntlet.evaluate`: python -m unittest discover python/tests."""

import contextlib
import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import traceback
import types
import unittest
from importlib.util import find_spec
from unittest import mock

import numpy as np

import gauntlet
from gauntlet import evaluation, program

# A shell starts background jobs with SIGINT ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The program of the wheel is next to the interpreter.
PROGRAM = os.environ.get("GAUNTLET_PROGRAM") or shutil.which(
    "gauntlet", path=os.path.dirname(sys.executable)
)
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/players"
ORDER = [2, 3, 1, 0]  # down, left, right, up: the example of `fixed-order`
FIXED_ORDER = {"algorithm": "fixed-order", "order": ["down", "left", "right", "up"], "name": "built-in"}


def fixed_order(boards, legal):
    return np.array(ORDER)[legal[:, ORDER].argmax(axis=1)]


class Evaluate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name)

    def evaluate(self, policies, **options):
        options = {"games": 100, "progress": False, "results": self.results, **options}
        return gauntlet.evaluate(policies, **options)

    def command(self, *words, status=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_policy_plays_the_games_of_the_built_in_player(self):
        result = self.evaluate({"mine": fixed_order}, against=FIXED_ORDER, games=2000)
        rows = {"mine": [], "built-in": []}
        with (result.folder / "games.csv").open(newline="") as file:
            for player, *game in csv.reader(file):
                if player in rows:
                    rows[player].append(game)
        self.assertEqual(len(rows["mine"]), 2000)
        self.assertEqual(rows["mine"], rows["built-in"])

    def test_arrays_and_fullness_of_batches(self):
        counts = []

        def policy(boards, legal):
            self.assertEqual((boards.dtype, legal.dtype), (np.int8, np.bool_))
            self.assertEqual(boards.shape, (len(legal), 4, 4))
            self.assertTrue(legal.any(axis=1).all())
            up_is_legal = (boards[:, 0] == 0) & (boards[:, 1:] > 0).any(axis=1)
            up_is_legal |= ((boards[:, 1:] == boards[:, :-1]) & (boards[:, 1:] > 0)).any(axis=1)
            self.assertTrue(legal[up_is_legal.any(axis=1), 0].all())
            counts.append(len(boards))
            self.assertIs(threading.current_thread(), threading.main_thread())
            return fixed_order(boards, legal)

        self.evaluate(policy, games=500, batch=64)
        full = counts.index(next(count for count in counts if count < 64))
        # After the first call with fewer games, no game is left to begin.
        self.assertGreater(full, 500 / 64 * 50)
        self.assertEqual(counts[full:], sorted(counts[full:], reverse=True))

    def test_an_exception_has_its_traceback_and_games_are_resumed(self):
        calls, boards_seen = [0], [0]

        def policy(boards, legal):
            calls[0] += 1
            boards_seen[0] += len(boards)
            if calls[0] == 300:
                raise ZeroDivisionError("of the policy")
            return fixed_order(boards, legal)

        try:
            self.evaluate({"mine": policy}, games=200, batch=50, identity="one")
            self.fail("no exception")
        except ZeroDivisionError as error:
            frames = traceback.extract_tb(error.__traceback__)
        self.assertEqual(frames[-1].name, "policy")
        before, boards_seen[0] = boards_seen[0], 0
        result = self.evaluate({"mine": policy}, games=200, batch=50, identity="one")
        resumed, boards_seen[0] = boards_seen[0], 0
        rates = result.table("win-rate", frame="rows")
        whole = self.evaluate({"mine": policy}, games=200, batch=50, identity="two")
        self.assertLess(resumed, 0.9 * boards_seen[0])
        self.assertGreater(resumed + before, boards_seen[0])
        self.assertEqual(rates[0]["games"], 200)
        self.assertEqual(whole.table("win-rate", frame="rows"), rates)

    def test_without_identity_nothing_is_resumed(self):
        counts = []

        def policy(boards, legal):
            counts.append(len(boards))
            return fixed_order(boards, legal)

        first = self.evaluate({"mine": policy}, games=20)
        once, counts[:] = sum(counts), []
        self.assertIn("identity", repr(first))
        self.evaluate({"mine": policy}, games=20)
        self.assertEqual(sum(counts), once)
        counts.clear()
        for _ in range(2):
            named = self.evaluate({"mine": policy}, games=20, identity={"mine": "v1"})
        self.assertEqual(sum(counts), once)
        self.assertNotIn("identity", repr(named))

    def test_illegal_moves_forfeit_and_other_answers_raise(self):
        result = self.evaluate({"up": lambda boards, legal: np.zeros(len(boards), int)}, games=30)
        self.assertEqual(result.table("win-rate", frame="rows")[0]["forfeits"], 30)
        result = self.evaluate({"far": lambda boards, legal: np.full(len(boards), -7)}, games=30)
        self.assertEqual(result.table("win-rate", frame="rows")[0]["forfeits"], 30)
        for answer, error in [
            (lambda n: np.zeros((n, 4), int), ValueError),
            (lambda n: 3, ValueError),
            (lambda n: np.full(n, np.nan), TypeError),
            (lambda n: np.ones((n, 4), bool), TypeError),
            (lambda n: None, (TypeError, ValueError)),
        ]:
            with self.assertRaises(error):
                self.evaluate({"mine": lambda boards, legal: answer(len(boards))}, games=10)

    def test_mistaken_arguments(self):
        for mistaken, error, message in [
            ({"policies": {}}, ValueError, "at least one policy"),
            ({"policies": {"mine": 3}}, TypeError, "a policy is a function, not int"),
            ({"against": fixed_order}, TypeError, "a text, a dict or a file, not function"),
            ({"against": [3]}, TypeError, "a text, a dict or a file, not int"),
            ({"against": " "}, ValueError, "is empty"),
            ({"threads": 0}, ValueError, "from 1 to 1024, got 0"),
            ({"rules": {"games": 3}}, ValueError, "rules: expected one of 'win', .*, got 'games'"),
        ]:
            with self.subTest(mistaken), self.assertRaisesRegex(error, message):
                self.evaluate(**{"policies": fixed_order, **mistaken})

    def test_an_overwritten_result_raises(self):
        first = self.evaluate({"mine": fixed_order}, games=10)
        named = self.evaluate({"mine": fixed_order}, games=10, name="named")
        second = self.evaluate({"mine": fixed_order}, games=20)
        for use in (repr, lambda result: result.win_rate, lambda result: result.plots):
            with self.assertRaisesRegex(gauntlet.Error, "overwritten by a later call"):
                use(first)
        for result, games in [(named, 10), (second, 20)]:
            self.assertEqual(result.table("win-rate", frame="rows")[0]["games"], games)

    def test_the_current_folder_may_change(self):
        with tempfile.TemporaryDirectory() as other, contextlib.chdir(self.results):
            relative = {"results": "own", "games": 10}
            after = self.evaluate({"mine": fixed_order}, name="after", **relative)
            self.assertTrue(repr(after).endswith(f"results in {os.path.join('own', 'after')}"))

            def policy(boards, legal):
                os.chdir(other)
                return fixed_order(boards, legal)

            during = self.evaluate({"mine": policy}, name="during", **relative)
            self.assertEqual(os.listdir(other), [])
            for result in (after, during):
                self.assertEqual(result.table("win-rate", frame="rows")[0]["games"], 10)
                self.assertTrue(repr(result).endswith(f"results in {result.folder}"))

    def test_an_error_of_progress_does_not_end_the_evaluation(self):
        def tell(line):
            told.append(line)
            raise error

        def slow(boards, legal):
            time.sleep(0.01)
            return fixed_order(boards, legal)

        with mock.patch.object(evaluation, "_progress", lambda wanted: contextlib.nullcontext(tell)):
            told, error = [], BrokenPipeError()
            self.evaluate({"mine": slow}, games=10)
            self.assertEqual(len(told), 1)
            told, error = [], SystemExit(3)
            with self.assertRaises(SystemExit):
                self.evaluate({"mine": slow}, games=10)

    def test_the_line_of_a_notebook_is_cleared_after_an_exception(self):
        shown = []
        handle = types.SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))
        with (
            mock.patch.object(evaluation, "_notebook_display", lambda: handle),
            self.assertRaises(ZeroDivisionError),
            evaluation._progress(None) as tell,
        ):
            tell("10 games")
            raise ZeroDivisionError
        self.assertEqual(shown, ["10 games", ""])

    def test_external_players_need_permission(self):
        player = {"name": "outside", "algorithm": "external", "command": ["sh", "player.sh"]}
        message = "external programs:\n  outside: sh player.sh\nto allow them: allow_commands=True"
        with self.assertRaisesRegex(ValueError, message):
            self.evaluate(fixed_order, against=player, games=2)
        self.assertEqual(list(self.results.iterdir()), [])

    @unittest.skipUnless(PROGRAM, "the program is not installed")
    def test_an_external_player_plays_the_games_of_the_policy(self):
        command = [sys.executable, str(EXAMPLES / "first.py")]
        player = {"name": "outside", "algorithm": "external", "command": command}
        with mock.patch.object(evaluation, "program", lambda: PROGRAM):
            result = self.evaluate({"mine": fixed_order}, against=player, games=20, allow_commands=True)
        games = result.table("games", frame="rows")
        scores = {name: [row["score"] for row in games if row["player"] == name] for name in ("mine", "outside")}
        self.assertEqual(len(scores["mine"]), 20)
        self.assertEqual(scores["mine"], scores["outside"])
        self.assertTrue(any((result.folder / "stderr").iterdir()))

    @unittest.skipUnless(PROGRAM, "the program is not installed")
    def test_a_broken_external_player_is_skipped(self):
        player = {"name": "outside", "algorithm": "external", "command": ["sh", "-c", "exit 3"]}
        message = "skipped outside, which failed in 10 games in a row: the program exited with status 3"
        with (
            mock.patch.object(evaluation, "program", lambda: PROGRAM),
            self.assertWarnsRegex(RuntimeWarning, message),
        ):
            result = self.evaluate({"mine": fixed_order}, against=player, games=50, allow_commands=True)
        rows = {row["player"]: row for row in result.table("win-rate", frame="rows")}
        self.assertEqual([rows[name]["games"] for name in ("mine", "outside")], [50, 0])
        self.assertEqual(rows["outside"]["skipped"], "the program exited with status 3")
        self.assertEqual({row["player"] for row in result.table("games", frame="rows")}, {"mine"})

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_forked_child_does_not_wait_for_the_engine(self):
        script = textwrap.dedent("""
            import os, sys, gauntlet
            children = []
            def policy(boards, legal):
                if len(children) < 2:
                    children.append(os.fork())
                    if children == [0]:
                        sys.exit(7)
                return legal.argmax(axis=1)
            try:
                gauntlet.evaluate(policy, games=10, progress=False, results=sys.argv[1])
            except RuntimeError as error:
                os._exit(8 if "a policy forked" in str(error) else 9)
            ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
            print(ends)
        """)
        words = [sys.executable, "-c", script, str(self.results)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "[7, 8]\n", done.stderr)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_child_of_a_policy_does_not_hold_the_journal(self):
        children = []
        reader, writer = os.pipe()

        def policy(boards, legal):
            if not children:
                children.append(os.fork())
                if children == [0]:
                    os.close(writer)
                    os.read(reader, 1)  # until the parent closes its end
                    os._exit(0)
            return fixed_order(boards, legal)

        try:
            for _ in range(2):
                self.evaluate({"mine": policy}, games=10)
        finally:
            os.close(writer)
            os.close(reader)
            os.waitpid(children[0], 0)

    def test_an_interrupted_program_may_not_have_read_its_input(self):
        path = self.results / "pid"
        script = textwrap.dedent("""
            import os, pathlib, signal, sys
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            part = pathlib.Path(sys.argv[1] + ".part")
            part.write_text(str(os.getpid()))
            part.rename(sys.argv[1])
            signal.pause()
        """)

        def interrupt():
            while not path.exists():
                time.sleep(0.01)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            program._call([sys.executable, "-c", script, str(path)], "x" * 1_000_000, True)
        thread.join()
        with self.assertRaises(ProcessLookupError):
            os.kill(int(path.read_text()), 0)

    def test_players_are_given_in_four_ways(self):
        file = self.results / "players.toml"
        file.write_text('[[player]]\nname = "from a file"\nalgorithm = "greedy"\n')
        result = self.evaluate(
            fixed_order,
            against=[
                "expectimax nodes=30",
                'algorithm = "greedy"\nname = "snippet"',
                FIXED_ORDER,
                file,
            ],
            games=10,
            rules={"win": 512},
        )
        names = [row["player"] for row in result.table("win-rate", frame="rows")]
        self.assertEqual(
            sorted(names),
            ["built-in", "expectimax nodes=30", "fixed_order", "from a file", "snippet"],
        )
        with self.assertRaisesRegex(ValueError, 'did you mean "greedy"'):
            self.evaluate(fixed_order, against="gredy")

    def test_comparisons(self):
        result = self.evaluate({"mine": fixed_order}, against=["greedy"], rules={"win": 512}, games=300)
        by_wins = result.compare("greedy", "mine")
        self.assertEqual((by_wins.verdict, by_wins.by), ("better", "win"))
        self.assertLess(by_wins.low, by_wins.difference)
        self.assertLess(by_wins.difference, by_wins.high)
        by_score = result.compare("mine", "greedy", by="score")
        self.assertEqual(by_score.verdict, "worse")
        self.assertLess(by_score.ratio, 1)
        self.assertIn("greedy", repr(result))
        with self.assertRaises(ValueError):
            result.compare("mine", "nobody")

    @unittest.skipUnless(PROGRAM, "the program is not installed")
    def test_the_program_reads_the_folder(self):
        folder = self.evaluate({"mine": fixed_order}, against=["greedy"], games=50).folder
        self.assertIn("mine", self.command("compare", folder, "--by", "score"))
        self.assertIn("mine", self.command("report", folder))
        self.assertIn("mine", self.command("check", folder))
        self.command("judge", folder)
        with (folder / "games.csv").open(newline="") as file:
            game = next(row for row in csv.DictReader(file) if row["player"] == "mine")
        shown = self.command("show", folder, "--player", "mine", "--block", game["block"], "--last")
        self.assertIn(f"after {game['moves']} moves", shown)
        experiment = folder / "experiment.toml"
        told = self.command("run", experiment, "--quiet", "--results", self.results / "x", status=1)
        self.assertIn("plays only in Python: gauntlet.evaluate", told)

    def interrupt(self, policy, **options):
        """Interrupts an evaluation after its first call of the policy."""
        begun = threading.Event()

        def watched(boards, legal):
            begun.set()
            return policy(boards, legal)

        def interrupt():
            begun.wait()
            signal.raise_signal(signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            self.evaluate({"mine": watched}, **options)
        thread.join()

    def test_evaluations_in_turn_are_interrupted(self):
        def slow(boards, legal):
            time.sleep(0.05)
            return fixed_order(boards, legal)

        handler = signal.getsignal(signal.SIGINT)
        for _ in range(2):
            self.interrupt(slow, games=3000)
        # The engine alone plays: the policy ends after a few moves.
        for _ in range(2):
            self.interrupt(
                lambda boards, legal: np.full(len(boards), 9),
                against=["expectimax nodes=100000"],
                games=100,
                threads=1,
            )
        self.assertIs(signal.getsignal(signal.SIGINT), handler)
        self.assertEqual(self.evaluate({"mine": fixed_order}, games=10).table("win-rate", frame="rows")[0]["games"], 10)

    def test_the_second_interrupt_does_not_wait_for_the_engine(self):
        import fcntl

        def is_locked(path):
            with path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    return True
            return False

        def wait_until(is_so):
            while not is_so():
                time.sleep(0.01)

        folder = self.evaluate({"mine": fixed_order}, games=10, identity="one").folder
        journal, handled = folder / "journal.jsonl", threading.Semaphore(0)

        def handler(number, frame):
            handled.release()
            raise KeyboardInterrupt

        def interrupt():
            wait_until(lambda: is_locked(journal))
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                handled.acquire()

        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, handler))
        thread = threading.Thread(target=interrupt)
        with (folder / ".lock").open() as lock:
            # The engine waits for this lock before it writes the tables.
            fcntl.flock(lock, fcntl.LOCK_EX)
            thread.start()
            with self.assertRaises(KeyboardInterrupt):
                self.evaluate({"mine": fixed_order}, games=10, identity="one")
            self.assertTrue(is_locked(journal))
        thread.join()
        wait_until(lambda: not is_locked(journal))

    def test_a_script_is_interrupted_twice(self):
        script = textwrap.dedent("""
            import sys, time, gauntlet
            def policy(boards, legal):
                print("playing", flush=True)
                time.sleep(0.05)
                return legal.argmax(axis=1)
            for turn in range(2):
                try:
                    gauntlet.evaluate({"mine": policy}, games=3000, results=sys.argv[1])
                    print("not interrupted", flush=True)
                except KeyboardInterrupt:
                    print("interrupted", flush=True)
        """)
        words = [sys.executable, "-c", script, str(self.results)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            for _ in range(2):
                self.assertEqual(process.stdout.readline(), "playing\n")
                process.send_signal(signal.SIGINT)
                line = process.stdout.readline()
                while line == "playing\n":
                    line = process.stdout.readline()
                self.assertEqual(line, "interrupted\n")
            self.assertEqual(process.wait(), 0)

    @unittest.skipUnless(find_spec("ipykernel"), "ipykernel is not installed")
    def test_a_notebook_is_interrupted_twice(self):
        from jupyter_client import KernelManager

        manager = KernelManager()
        manager.start_kernel()
        self.addCleanup(manager.shutdown_kernel, now=True)
        client = manager.client()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=60)
        setting = textwrap.dedent(f"""
            import time, gauntlet
            def policy(boards, legal):
                print("playing", flush=True)
                time.sleep(0.05)
                return legal.argmax(axis=1)
            def play(games):
                result = gauntlet.evaluate({{"mine": policy}}, games=games, results={str(self.results)!r})
                print(result.table("win-rate", frame="rows")[0]["games"], "games")
        """)
        client.execute_interactive(setting, timeout=60, output_hook=lambda message: None)
        for _ in range(2):
            shown = []

            def hook(message):
                shown.append(message["msg_type"])
                if "playing" in message["content"].get("text", "") and shown.count("stream") == 1:
                    manager.interrupt_kernel()

            reply = client.execute_interactive("play(3000)", timeout=60, output_hook=hook)
            self.assertEqual(reply["content"].get("ename"), "KeyboardInterrupt")
            self.assertIn("display_data", shown)
        texts = []
        client.execute_interactive(
            "play(3)", timeout=60, output_hook=lambda message: texts.append(str(message["content"]))
        )
        self.assertIn("3 games", "".join(texts))


if __name__ == "__main__":
    unittest.main()
