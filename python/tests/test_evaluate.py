"""Tests of `gauntlet.evaluate`: python -m unittest discover python/tests."""

import contextlib
import csv
import itertools
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
import warnings
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


def first_legal(boards, legal):
    return legal.argmax(axis=1)


def always(number):
    return lambda boards, legal: np.full(len(boards), number)


def any_legal(order):
    """Makes a policy of random legal moves, whose number k means the direction `order[k]`."""
    random = np.random.default_rng(1)

    def policy(boards, legal):
        legal = legal[:, list(order)]
        return np.where(legal, random.random(legal.shape), -1).argmax(axis=1)

    return policy


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
            self.evaluate({"mine": policy}, games=200, batch=50, name="own", identity="one")
            self.fail("no exception")
        except ZeroDivisionError as error:
            frames = traceback.extract_tb(error.__traceback__)
        self.assertEqual(frames[-1].name, "policy")
        before, boards_seen[0] = boards_seen[0], 0
        result = self.evaluate({"mine": policy}, games=200, batch=50, name="own", identity="one")
        resumed, boards_seen[0] = boards_seen[0], 0
        rates = result.table("win-rate")
        whole = self.evaluate({"mine": policy}, games=200, batch=50, name="own", identity="two")
        self.assertLess(resumed, 0.9 * boards_seen[0])
        self.assertGreater(resumed + before, boards_seen[0])
        self.assertEqual(rates[0]["games"], 200)
        self.assertEqual(whole.table("win-rate"), rates)

    def test_without_identity_nothing_is_resumed(self):
        counts = []

        def policy(boards, legal):
            counts.append(len(boards))
            return fixed_order(boards, legal)

        first = self.evaluate({"mine": policy}, games=20)
        once, counts[:] = sum(counts), []
        self.assertIn("identity", repr(first))
        for _ in range(2):
            self.evaluate({"mine": policy}, games=20, name="own")
        self.assertEqual(sum(counts), 2 * once)
        counts.clear()
        for _ in range(2):
            named = self.evaluate({"mine": policy}, games=20, name="own", identity={"mine": "v1"})
        self.assertEqual(sum(counts), once)
        self.assertIn("seed 1, 20 games\nidentity of mine: v1\n", repr(named))

    def test_a_journal_does_not_grow_with_games_that_are_never_resumed(self):
        def play(**options):
            policies = {"mine": fixed_order, "other": first_legal}
            folder = self.evaluate(policies, against="greedy", games=20, name="own", **options).folder
            lines = (folder / "journal.jsonl").read_text().splitlines()
            return [line for line in lines if line.split(maxsplit=1)[1].startswith('{"games":')]

        kept = {"identity": {"other": "one"}}
        first, second = set(play(**kept)), set(play(**kept))
        self.assertEqual(len(second), len(first))
        # The games of `other` and of `greedy` are resumed, and those of `mine` are new.
        is_unusable = lambda line: '-once"' in line
        for lines in (first, second):
            self.assertTrue(any(map(is_unusable, lines)))
        self.assertEqual({line for line in first if not is_unusable(line)}, first & second)
        third = set(play(identity={"mine": "one", "other": "one"}))
        self.assertFalse(any(map(is_unusable, third)))
        self.assertLessEqual(first & second, third)

    def test_a_failed_call_without_a_name_leaves_no_folder(self):
        def fails(boards, legal):
            raise ZeroDivisionError

        with tempfile.TemporaryDirectory() as folder, mock.patch("tempfile.tempdir", folder):
            with self.assertRaises(ZeroDivisionError):
                self.evaluate(fails)
            with self.assertRaisesRegex(ValueError, 'did you mean "greedy"'):
                self.evaluate(fixed_order, against="gredy")
            with warnings.catch_warnings(), self.assertRaisesRegex(RuntimeWarning, "forfeited"):
                warnings.simplefilter("error")
                self.evaluate(always(0))
            self.assertEqual(os.listdir(folder), [])
            self.evaluate(fixed_order, games=10)
            self.assertEqual(len(os.listdir(folder)), 1)

    def test_illegal_moves_forfeit_and_other_answers_raise(self):
        for number, first in [
            (0, r"0 \(up\), on the board\n(  [.24]( [.24]){3}\n){4}Legal: "),
            (-7, r"-7 \(no direction\), on the board\n"),
            (4, r"4 \(no direction\), on the board\n"),
            (1 << 62, r"4611686018427387904 \(no direction\), on the board\n"),
        ]:
            message = f"mine forfeited 30 of 30 games by illegal moves. The first was {first}"
            with self.assertWarnsRegex(RuntimeWarning, message) as warned:
                result = self.evaluate({"mine": always(number)}, against="random", games=30)
            self.assertEqual(result.table("win-rate")[0]["forfeits"], 30)
            self.assertEqual(warned.filename, __file__)
            shown = repr(result)
            forfeits = shown.index("mine forfeited 30 of 30 games")
            self.assertLess(forfeits, shown.index("has the highest mean score"))
            self.assertIn("<p>mine forfeited 30 of 30 games</p>", result._repr_html_())
        for answer, error in [
            (lambda n: np.zeros((n, 4), int), ValueError),
            (lambda n: 3, ValueError),
            (lambda n: np.full(n, np.nan), TypeError),
            (lambda n: np.ones((n, 4), bool), TypeError),
            (lambda n: None, (TypeError, ValueError)),
        ]:
            with self.assertRaises(error):
                self.evaluate({"mine": lambda boards, legal: answer(len(boards))}, games=10)

    def test_legal_moves_warn_of_nothing(self):
        def overwrites_its_arrays(boards, legal):
            moves = fixed_order(boards, legal)
            boards[:], legal[:] = 0, False
            return moves

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for batch in (1, 64):
                policies = {"mine": overwrites_its_arrays}
                result = self.evaluate(policies, games=100, batch=batch, on_forfeit="raise")
        self.assertNotIn("forfeited", repr(result))

    def test_the_first_illegal_move_ends_the_call(self):
        boards_seen = []

        def policy(boards, legal):
            boards_seen.append(len(boards))
            moves = fixed_order(boards, legal)
            if len(boards_seen) == 50:
                [(board, direction), *_] = np.argwhere(~legal)
                moves[board] = direction
            return moves

        message = r"mine made an illegal move: \d \((up|right|down|left)\), on the board\n"
        with self.assertRaisesRegex(gauntlet.Error, message):
            self.evaluate({"mine": policy}, games=100, batch=50, on_forfeit="raise")
        self.assertEqual(len(boards_seen), 50)

    def test_forfeits_of_resumed_games_are_reported(self):
        def again(**options):
            return self.evaluate({"mine": always(0)}, games=30, name="a", identity="b", **options)

        with self.assertWarnsRegex(RuntimeWarning, "The first was 0"):
            again()
        message = "mine forfeited 30 of 30 games by illegal moves, in an earlier call"
        with self.assertWarnsRegex(RuntimeWarning, message):
            again()
        with self.assertRaisesRegex(gauntlet.Error, message):
            again(on_forfeit="raise")

    def test_another_order_of_directions_is_recognized(self):
        for order in itertools.permutations(range(4)):
            message = self.forfeits(any_legal(order))
            if order == (0, 1, 2, 3):
                self.assertEqual(message, "")
            else:
                names = ", ".join(["up", "right", "down", "left"][direction] for direction in order)
                self.assertIn(f"This looks like the order {names}", message)
        self.assertIn("left, up, right, down of pgx", self.forfeits(any_legal((3, 0, 1, 2))))

    def test_few_moves_do_not_tell_the_order(self):
        message = self.forfeits(any_legal((3, 0, 1, 2)), games=1, batch=1)
        self.assertRegex(message, r"another order of directions, but \d+ moves are too few")

    def test_other_mistakes_look_like_no_order(self):
        random = np.random.default_rng(1)

        def mostly_up(boards, legal):
            return np.where(random.random(len(legal)) < 0.8, 0, random.integers(4, size=len(legal)))

        def up_or_left(boards, legal):
            return np.where(legal[:, 0], 0, 3)

        def up_right_or_left(boards, legal):
            return np.where(legal[:, 0], 0, np.where(legal[:, 1], 1, 3))

        def any_number(boards, legal):
            return random.integers(4, size=len(legal))

        for policy in (mostly_up, any_number, always(0), always(1), up_or_left, up_right_or_left):
            message = self.forfeits(policy)
            self.assertIn("forfeited", message)
            self.assertNotIn("order", message)

    def forfeits(self, policy, **options):
        """Returns the warning about the forfeits of a policy, or nothing."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.evaluate({"mine": policy}, **{"games": 300, **options})
        return "".join(str(warning.message) for warning in caught)

    def test_mistaken_arguments(self):
        for mistaken, error, message in [
            ({"policies": {}}, ValueError, "at least one policy"),
            ({"policies": {"mine": 3}}, TypeError, "a policy is a function, not int"),
            ({"against": fixed_order}, TypeError, "put functions into the first argument"),
            ({"against": [3]}, TypeError, "a text, a dict or a file, not int"),
            ({"against": " "}, ValueError, "is empty"),
            ({"on_forfeit": "stop"}, ValueError, "on_forfeit: expected one of 'warn', 'raise', got 'stop'"),
            ({"threads": 0}, ValueError, "threads: expected a number from 1 to 1024, got 0"),
            ({"threads": "2"}, TypeError, "threads: expected an integer, got '2'"),
            ({"rules": 3}, TypeError, "rules: expected a dict, got 3"),
            ({"rules": {"games": 3}}, ValueError, "rules: expected one of 'win', .*, got 'games'"),
        ]:
            with self.subTest(mistaken), self.assertRaisesRegex(error, message):
                self.evaluate(**{"policies": fixed_order, **mistaken})

    def test_an_overwritten_result_raises(self):
        first = self.evaluate({"mine": fixed_order}, games=10, name="one")
        named = self.evaluate({"mine": fixed_order}, games=10, name="named")
        second = self.evaluate({"mine": fixed_order}, games=20, name="one")
        uses = [repr, lambda result: result.win_rate, lambda result: result.plots]
        for use in [*uses, lambda result: result.save("saved")]:
            with self.assertRaisesRegex(gauntlet.Error, "overwritten by a later call"):
                use(first)
        for result, games in [(named, 10), (second, 20)]:
            self.assertEqual(result.table("win-rate")[0]["games"], games)

    def test_results_without_a_name_are_kept(self):
        # Equal seeds of the same policy: only the number of games differs.
        results = [self.evaluate({"mine": fixed_order}, games=games) for games in (10, 20, 10)]
        self.assertEqual(len({result.folder for result in results}), 3)
        for result, games in zip(results, (10, 20, 10)):
            self.assertIn(f"seed 1, {games} games\n", repr(result))
            self.assertTrue(repr(result).endswith("until Python ends: save(name) keeps them"))
            self.assertEqual(result.table("win-rate")[0]["games"], games)
            self.assertEqual(result.plot("scores").name, "scores")
        self.assertEqual(list(self.results.iterdir()), [])

    def test_results_are_saved(self):
        result = self.evaluate({"mine": fixed_order}, games=10, identity="one")
        temporary, shown = result.folder, repr(result)
        with self.assertRaisesRegex(ValueError, r"out: give a path, or save\(name\) first"):
            result.report()
        self.assertEqual(result.report(self.results / "own.html"), self.results / "own.html")
        (self.results / "own.html").unlink()
        self.assertEqual(result.save("kept"), self.results / "kept")
        self.assertEqual(result.folder, self.results / "kept")
        self.assertEqual(os.listdir(self.results), ["kept"])
        ending = f"{temporary} until Python ends: save(name) keeps them"
        self.assertEqual(repr(result), shown.replace(ending, str(result.folder)))
        opened = gauntlet.results(self.results / "kept")
        self.assertEqual(opened.win_rate, result.table("win-rate"))
        self.assertEqual(result.save("again", self.results / "other"), self.results / "other/again")
        for name, error, message in [
            ("kept", FileExistsError, "kept exists: choose another name"),
            ("a/b", ValueError, "without a path, not 'a/b'"),
            ("..", ValueError, "without a path, not '..'"),
        ]:
            with self.assertRaisesRegex(error, message):
                result.save(name)

        def unused(boards, legal):
            raise AssertionError("all games are in the journal")

        resumed = self.evaluate({"mine": unused}, games=10, identity="one", name="kept")
        self.assertEqual(resumed.table("win-rate"), opened.win_rate)

    def test_temporary_results_end_with_the_interpreter(self):
        script = textwrap.dedent("""
            import multiprocessing, os, sys, gauntlet
            policy = lambda boards, legal: legal.argmax(axis=1)
            def evaluate():
                return gauntlet.evaluate(policy, games=10, progress=False).folder
            pool = multiprocessing.get_context("fork").Pool(1)
            of_worker = pool.apply(evaluate)
            pool.close()
            pool.join()
            if of_worker.exists():
                sys.exit("a worker has left its folder")
            first = gauntlet.evaluate(policy, games=10, progress=False)
            if child := os.fork():
                os.waitpid(child, 0)
            else:
                sys.exit()
            second = gauntlet.evaluate(policy, games=10, progress=False)
            print(first.folder, first.tables == second.tables, first.folder.parent.parent)
        """)
        words, environment = [sys.executable, "-c", script], {**os.environ, "TMPDIR": str(self.results)}
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.results, env=environment)
        self.assertEqual(done.stdout.split()[1:], ["True", str(self.results)], done.stderr)
        self.assertEqual(list(self.results.iterdir()), [])

    def test_a_name_in_use_is_refused(self):
        errors = []

        def policy(boards, legal):
            if not errors:
                for call in (here, elsewhere):
                    errors.append(call())
            return fixed_order(boards, legal)

        def here():
            try:
                self.evaluate({"mine": fixed_order}, games=10, name="one", identity="two")
            except gauntlet.InUseError as error:
                return str(error)

        def elsewhere():
            script = textwrap.dedent("""
                import sys, gauntlet
                policy = lambda boards, legal: legal.argmax(axis=1)
                try:
                    gauntlet.evaluate(policy, games=10, name="one", results=sys.argv[1])
                except BlockingIOError as error:
                    print(error, end="")
            """)
            words = [sys.executable, "-c", script, str(self.results)]
            return subprocess.run(words, capture_output=True, text=True).stdout

        self.evaluate({"mine": policy}, games=10, name="one")
        self.assertEqual(len(errors), 2)
        for message in errors:
            self.assertRegex(message, "one is in use by another evaluation or program: wait, or choose")
            self.assertNotIn("--", message)

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
                self.assertEqual(result.table("win-rate")[0]["games"], 10)
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
            self.evaluate(fixed_order, against=player, games=2, name="own")
        self.assertEqual(list(self.results.iterdir()), [])

    @unittest.skipUnless(PROGRAM, "the program is not installed")
    def test_an_external_player_plays_the_games_of_the_policy(self):
        command = [sys.executable, str(EXAMPLES / "first.py")]
        player = {"name": "outside", "algorithm": "external", "command": command}
        with mock.patch.object(evaluation, "program", lambda: PROGRAM):
            result = self.evaluate({"mine": fixed_order}, against=player, games=20, allow_commands=True)
        games = result.table("games")
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
        rows = {row["player"]: row for row in result.table("win-rate")}
        self.assertEqual([rows[name]["games"] for name in ("mine", "outside")], [50, 0])
        self.assertEqual(rows["outside"]["skipped"], "the program exited with status 3")
        self.assertEqual({row["player"] for row in result.table("games")}, {"mine"})

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
                self.evaluate({"mine": policy}, games=10, name="own")
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
        names = [row["player"] for row in result.table("win-rate")]
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
        value, low, high = by_score.probability_of_improvement
        self.assertTrue(0 <= low < value < high < 0.5)
        self.assertAlmostEqual(by_wins.probability_of_improvement[0], 1 - value, 5)
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
            self.interrupt(slow, games=3000, name="own")
        # The engine alone plays: the policy ends after a few moves.
        for _ in range(2):
            self.interrupt(
                lambda boards, legal: np.full(len(boards), 9),
                against=["expectimax nodes=100000"],
                games=100,
                threads=1,
            )
        self.assertIs(signal.getsignal(signal.SIGINT), handler)
        self.assertEqual(self.evaluate({"mine": fixed_order}, games=10).table("win-rate")[0]["games"], 10)

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

        folder = self.evaluate({"mine": fixed_order}, games=10, name="own", identity="one").folder
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
                self.evaluate({"mine": fixed_order}, games=10, name="own", identity="one")
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
                    gauntlet.evaluate({"mine": policy}, games=3000, name="own", results=sys.argv[1])
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
                result = gauntlet.evaluate({{"mine": policy}}, games=games, name="own", results={str(self.results)!r})
                print(result.table("win-rate")[0]["games"], "games")
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
