"""The family of errors: every mistake raises a `gauntlet.Error` that names the right values."""

import pathlib
import pickle
import sys
import tempfile
import unittest
from importlib.util import find_spec
from unittest import mock

import gauntlet

QUICK = pathlib.Path(__file__).resolve().parents[2] / "results/quick-published"


def first_legal(boards, legal):
    return legal.argmax(axis=1)


class Errors(unittest.TestCase):
    def test_errors_are_pickled(self):
        for kind in (gauntlet.Error, gauntlet.ColumnNotFoundError, gauntlet.PathNotFoundError):
            self.assertEqual(str(pickle.loads(pickle.dumps(kind("text")))), "text")
        error = pickle.loads(pickle.dumps(gauntlet.ProgramError("text", 2)))
        self.assertEqual((str(error), error.status), ("text", 2))

    def test_a_missing_package_is_named(self):
        result = gauntlet.results(QUICK)
        with mock.patch("gauntlet.table.find_spec", return_value=None):
            mistake = lambda: result.win_rate.to_polars()
            self.assert_raises(mistake, [ImportError], "polars is not installed: pip install")

    def test_a_gomoku_result_shows_its_seed_alone(self):
        self.assertIn("\nseed 20261122\n", repr(gauntlet.results(QUICK.with_name("gomoku"))))

    def assert_raises(self, mistake, kinds, message):
        """Expects an error of the family that is also one of these built-in exceptions."""
        with self.subTest(message), self.assertRaisesRegex(gauntlet.Error, message) as raised:
            mistake()
        for kind in kinds:
            self.assertIsInstance(raised.exception, kind)

    def test_results(self):
        result = gauntlet.results(QUICK)
        names = "'n-tuple', 'expectimax nodes=30', 'expectimax nodes=100', 'greedy', 'random'"
        table = "no table 'winrate': expected one of win-rate, max-tile, .*, games, leaderboard, stages, scores, profile"
        mistakes = [
            (lambda: result.table("winrate"), [LookupError], table),
            (lambda: result.winrate, [AttributeError], table),
            (lambda: result.compare("n-tupel", "greedy"), [ValueError], f"player: .* {names}, got 'n-tupel'"),
            (lambda: result.compare("n-tuple", "gredy"), [ValueError], f"than: .* {names}, got 'gredy'"),
            (lambda: result.compare("n-tuple", "greedy", level=95), [ValueError], "level must be from 0.51"),
            (lambda: result.compare("n-tuple", "greedy", level="high"), [TypeError], "must be real number"),
            (
                lambda: result.compare("n-tuple", "greedy", by="wins"),
                [ValueError],
                'by: expected "win", .*"score".*, got "wins"',
            ),
            (lambda: result.plot("other"), [ValueError], "plot: expected one of 'win-rate', "),
            (lambda: gauntlet.results(QUICK / "no"), [FileNotFoundError], "no folder '.*no'$"),
            (
                lambda: gauntlet.results(QUICK.with_name("quik-published")),
                [FileNotFoundError],
                r"no folder '.*quik-published'; did you mean 'quick-published'\?",
            ),
        ]
        for mistake in mistakes:
            self.assert_raises(*mistake)

    def test_experiments_and_policies(self):
        def evaluate(**options):
            with tempfile.TemporaryDirectory() as folder:
                gauntlet.evaluate(first_legal, results=folder, progress=False, **options)

        mistakes = [
            (lambda: gauntlet.run({"name": "a"}, threads="2"), [TypeError], "threads: expected an integer"),
            (lambda: gauntlet.run("no.toml"), [FileNotFoundError], "no file 'no.toml'"),
            (lambda: evaluate(against="no.toml"), [FileNotFoundError], "no file 'no.toml'"),
            (lambda: evaluate(against=first_legal), [TypeError], "put functions into the first argument"),
            (lambda: evaluate(against={"a": first_legal}), [TypeError], "put functions into the first"),
            (lambda: evaluate(against="gredy"), [ValueError], 'did you mean "greedy"'),
            (lambda: evaluate(game="chess"), [ValueError], "game: expected one of '2048', got 'chess'"),
            (lambda: evaluate(games=0), [ValueError], "games: expected a number from 1"),
            (lambda: evaluate(games="10"), [TypeError], "games: expected an integer, got '10'"),
            (lambda: evaluate(seed=1.5), [TypeError], "seed: expected an integer, got 1.5"),
            (lambda: evaluate(batch=None), [TypeError], "batch: expected an integer, got None"),
            (lambda: evaluate(against={"name": 7, "algorithm": "greedy"}), [TypeError], "a text as name .* got 7"),
            (lambda: gauntlet.evaluate({1: first_legal}), [TypeError], "a text as name of a player, got 1"),
            (
                lambda: evaluate(identity={"his": "1"}),
                [ValueError],
                "identity: expected one of 'first_legal', got 'his'",
            ),
            (lambda: gauntlet.check_env(3), [TypeError], "a function that returns an environment"),
            (lambda: gauntlet.check_env(int, games=0), [ValueError], "games: expected at least 1"),
        ]
        for mistake in mistakes:
            self.assert_raises(*mistake)

    def test_exceptions_of_a_policy_pass_unchanged(self):
        own = ValueError("of the policy")

        def policy(boards, legal):
            raise own from KeyError("cause")

        with tempfile.TemporaryDirectory() as folder, self.assertRaises(ValueError) as raised:
            gauntlet.evaluate(policy, games=2, results=folder, progress=False)
        self.assertIs(raised.exception, own)
        self.assertIsInstance(own.__cause__, KeyError)

    @unittest.skipUnless(find_spec("gymnasium"), "gymnasium is not installed")
    def test_environments(self):
        env = gauntlet.make("2048")
        env.reset(seed=1)
        modes = "autoreset_mode: expected one of 'NextStep', 'SameStep', 'Disabled', got 'next'"
        mistakes = [
            (lambda: gauntlet.make("chess"), [ValueError], "game: expected '2048', got 'chess'"),
            (lambda: gauntlet.make(illegal="no"), [ValueError], 'expected "ignore", "error" or "end"'),
            (lambda: gauntlet.make(rules={"wim": 8}), [ValueError], "rules: .* 'win', .* got 'wim'"),
            (lambda: gauntlet.make(rules={"win": {8}}), [TypeError], r"rules: .* texts, got \{8\}"),
            (lambda: gauntlet.make_vec(num_envs=2**60), [ValueError], "num_envs: .* from 1 to 16777216"),
            (lambda: gauntlet.make(rules=3), [TypeError], "rules: expected a dict, got 3"),
            (lambda: gauntlet.make_vec(num_envs="a"), [TypeError], "num_envs: expected an integer, got 'a'"),
            (lambda: gauntlet.make_vec(num_envs=0), [ValueError], "num_envs: expected a number from 1"),
            (lambda: gauntlet.make(render_mode="no"), [ValueError], "render_mode: .* 'human', got 'no'"),
            (lambda: gauntlet.make_vec(autoreset_mode="next"), [ValueError], modes),
            (lambda: gauntlet.make_vec(num_envs="4"), [TypeError], "num_envs: expected an integer, got '4'"),
            (lambda: env.reset(seed="one"), [TypeError], "seed: expected an integer, got 'one'"),
            (lambda: env.step("up"), [TypeError], "'str' object cannot be interpreted as an integer"),
            (lambda: env.step(4), [ValueError], r"not 0 \(up\), 1 \(right\), 2 \(down\) or 3 \(left\)"),
        ]
        for mistake in mistakes:
            self.assert_raises(*mistake)

    @unittest.skipUnless(find_spec("pettingzoo"), "pettingzoo is not installed")
    def test_gomoku(self):
        env = gauntlet.gomoku.env
        self.assert_raises(lambda: env(rule="no"), [ValueError], "expected `free` or `standard`")
        for seed, kind in [(-1, ValueError), ("a", TypeError)]:
            self.assert_raises(lambda seed=seed: env().reset(seed=seed), [kind], "seed: expected a")
        self.assert_raises(lambda: env(size="9"), [TypeError], "size: expected an integer, got '9'")
        self.assert_raises(lambda: env(size=4), [ValueError], "`size`: must be from 5 to ")
        raw = gauntlet.gomoku.raw_env()
        raw.reset()
        for action in (3.7, "5", None):
            message = f"action: expected an integer, got {action!r}"
            self.assert_raises(lambda action=action: raw.step(action), [TypeError], message)
        self.assert_raises(lambda: env(render_mode="no"), [ValueError], "render_mode: .* 'human', got 'no'")

    def test_missing_packages(self):
        hidden = {"gymnasium": None, "gauntlet.env": None, "gauntlet.gomoku": None}
        names = {"env": "gymnasium", "gomoku": "pettingzoo"}
        for module, extra in names.items():
            kept = {name: value for name, value in hidden.items() if name != f"gauntlet.{module}"}
            with mock.patch.dict(sys.modules, kept):
                sys.modules.pop(f"gauntlet.{module}", None)
                self.assert_raises(
                    lambda module=module: __import__(f"gauntlet.{module}"),
                    [ImportError],
                    rf"pip install 'gauntlet-bench\[{extra}\]'",
                )


if __name__ == "__main__":
    unittest.main()
