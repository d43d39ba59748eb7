"""Tests of `gauntlet.results`, `run`, `train` and `tune`."""

import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
import unittest
from importlib.util import find_spec
from unittest import mock

import gauntlet
import numpy as np
from gauntlet import program

# A shell starts background jobs with SIGINT ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
QUICK = CHECKOUT / "results/quick-published"
TUNING = CHECKOUT / "results/expectimax-weights/tune"
TRAINING = CHECKOUT / "results/train-quick/train"
HAS_PROGRAM = shutil.which("gauntlet") or shutil.which("gauntlet", path=sysconfig.get_path("scripts"))

EXPERIMENT = {
    "name": "small",
    "game": "2048",
    "seed": 1,
    "games": 30,
    "player": [
        {"name": "a", "algorithm": "greedy"},
        {"name": 'é b', "algorithm": "expectimax", "nodes": 30},
    ],
    "claim": [{"better": 'é b', "than": "a", "by": "score"}],
}


def file_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Tables(unittest.TestCase):
    def test_rows_are_typed(self):
        result = gauntlet.results(QUICK)
        self.assertEqual(
            result.tables,
            ["win-rate", "max-tile", "ms-per-move", "claims", "settings", "times"]
            + ["games", "leaderboard", "stages", "scores", "profile"],
        )
        first = result.win_rate[0]
        self.assertEqual((first["player"], first["wins"], first["win_rate"]), ("n-tuple", 423, 0.846))
        self.assertEqual(first["win_rate_low"], 0.811735)
        self.assertEqual([type(first[key]) for key in ("wins", "win_rate")], [int, float])
        claim = result.table("claims")[0]
        self.assertIsNone(claim["ratio"])
        self.assertEqual(claim["verdict"], "confirmed")
        nodes = [row["nodes"] for row in result.settings if row["algorithm"] == "expectimax"]
        self.assertEqual(nodes, [30, 100])
        self.assertIs(result.settings[0]["star1"], None)
        self.assertIs(result.games[0]["won"], True)
        self.assertEqual(result.games[0]["seed"], 8389844650515312178)

    def test_columns_are_those_of_the_files(self):
        result = gauntlet.results(QUICK)
        for name in set(result.tables) - {"leaderboard", "stages", "scores", "profile"}:
            rows = file_of(QUICK / f"{name}.csv")
            self.assertEqual(len(result.table(name)), len(rows), name)
            for own, row in zip(result.table(name), rows):
                for key, value in own.items():
                    if value is None:
                        self.assertEqual(row.get(key, ""), "")
                    elif isinstance(value, str):
                        self.assertEqual(value, row[key])
                    elif isinstance(value, (int, float)) and not isinstance(value, bool):
                        self.assertAlmostEqual(value, float(row[key]))

    def test_statistics_of_scores(self):
        result = gauntlet.results(QUICK)
        scores = sorted(row["score"] for row in result.games if row["player"] == "n-tuple")
        middle = scores[125:375]
        self.assertAlmostEqual(result.scores[0]["interquartile_mean"], sum(middle) / 250, 2)
        points = [row for row in result.profile if row["player"] == "n-tuple"]
        for point in points:
            reached = sum(score >= point["score"] for score in scores)
            self.assertAlmostEqual(point["reached_rate"], reached / 500, 6)
        self.assertEqual([points[0]["reached_rate"], points[-1]["reached_rate"]], [1, 0])

    def test_other_names_are_no_attributes(self):
        result = gauntlet.results(QUICK)
        self.assertFalse(hasattr(result, "published"))
        self.assertIn("win_rate", dir(result))
        with self.assertRaises(FileNotFoundError):
            gauntlet.results(QUICK / "nothing")
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(RuntimeError, "no results"):
            gauntlet.results(folder)

    def test_a_missing_folder_and_a_damaged_table_are_no_missing_attribute(self):
        with tempfile.TemporaryDirectory() as folder:
            own = shutil.copytree(QUICK, pathlib.Path(folder, "quick"))
            result = gauntlet.results(own)
            (own / "win-rate.csv").write_text("damaged")
            with self.assertRaises(RuntimeError):
                result.win_rate
            shutil.rmtree(own)
            uses = [repr, dir, lambda it: it.win_rate, lambda it: it.tables, lambda it: it.plots]
            for use in [*uses, lambda it: it.compare("n-tuple", "greedy"), lambda it: it.report()]:
                with self.assertRaisesRegex(FileNotFoundError, "no folder"):
                    use(result)

    def test_a_table_has_columns_and_rows(self):
        rates = gauntlet.results(QUICK).win_rate
        self.assertIs(type(rates), gauntlet.Table)
        self.assertEqual((len(rates), len(list(rates))), (5, 5))
        self.assertEqual(rates["wins"], [row["wins"] for row in rates])
        few = rates[["wins", "player"]][1:3]
        self.assertEqual((few.columns, few["wins"]), (["wins", "player"], rates["wins"][1:3]))
        self.assertEqual(few[np.int64(0)], few[0])
        self.assertEqual(few[-1], {"wins": rates["wins"][2], "player": rates["player"][2]})
        self.assertEqual(few, rates[["wins", "player"]][1:3])
        self.assertNotEqual(few, rates[["player", "wins"]][1:3])
        few["wins"][0] = None  # A column belongs to the caller.
        self.assertEqual(few["wins"], rates["wins"][1:3])
        for wrong, error in (("wnis", ValueError), (["player", "wnis"], ValueError), (1.5, TypeError)):
            with self.assertRaisesRegex(error, "expected") as caught:
                rates[wrong]
            self.assertIsInstance(caught.exception, gauntlet.Error)
        self.assertEqual(("wins" in few, "score" in few, few[0] in few), (True, False, False))
        for wrong, error, message in (
            ("wnis", KeyError, "^column: expected one of 'player', "),
            (["wins", "wins"], ValueError, "different columns"),
            (5, IndexError, "row 5 of 5"),
            (-6, IndexError, "row -6 of 5"),
        ):
            with self.assertRaisesRegex(gauntlet.Error, message) as caught:
                rates[wrong]
            self.assertIsInstance(caught.exception, error)

    def test_only_numbers_as_they_are_written_are_numbers(self):
        for texts, kind, values in (
            (["12", None, "-3"], "int", [12, None, -3]),
            (["12", "0.5", "1e-3"], "float", [12.0, 0.5, 0.001]),
            (["true", None], "bool", [True, None]),
            (["2026_11_29"], "text", ["2026_11_29"]),
            (["1", "007"], "text", ["1", "007"]),
            (["0.5", "nan"], "text", ["0.5", "nan"]),
            ([None, None], "text", [None, None]),
        ):
            self.assertEqual(gauntlet.tables._typed(texts), (kind, values))

    def test_a_table_is_shown(self):
        result = gauntlet.results(QUICK)
        shown = repr(result.win_rate[["player", "wins", "win_rate"]][:2])
        self.assertEqual(
            shown,
            "player               wins  win_rate\nn-tuple               423     0.846\n"
            "expectimax nodes=30   263     0.526",
        )
        lines = repr(result.win_rate).splitlines()
        self.assertLessEqual(max(map(len, lines[:-1])), 100)
        self.assertRegex(lines[-1], "^more columns: .*max_score")
        games = repr(result.games).splitlines()
        self.assertEqual((len(games), games[-1], games[11][0]), (23, "2,500 rows", "…"))
        page = gauntlet.Table({"a<b": "text", "n": "int"}, [["x&y", None], [1, 2]])._repr_html_()
        for part in ("left\">a&lt;b</th>", "left\">x&amp;y</td>", "right\">2</td>", "left\"></td>"):
            self.assertIn(part, page)

    @unittest.skipUnless(find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        result = gauntlet.results(QUICK)
        kinds = {key: str(kind) for key, kind in result.win_rate.to_pandas().dtypes.items()}
        self.assertEqual([kinds[key] for key in ("wins", "win_rate")], ["int64", "float64"])
        self.assertEqual(str(result.games.to_pandas().dtypes["won"]), "bool")
        settings = result.settings.to_pandas()
        self.assertEqual(str(settings.dtypes["nodes"]), "Int64")
        self.assertEqual(str(settings.dtypes["star1"]), "boolean")
        self.assertTrue(result.claims.to_pandas()["ratio"].isna()[0])
        self.assertEqual(result.win_rate.to_pandas().set_index("player")["wins"]["n-tuple"], 423)

    @unittest.skipUnless(find_spec("polars"), "polars is not installed")
    def test_polars(self):
        import polars

        result = gauntlet.results(QUICK)
        kinds = result.settings.to_polars().schema
        self.assertEqual((kinds["nodes"], kinds["star1"]), (polars.Int64, polars.Boolean))
        self.assertEqual(result.win_rate.to_polars().schema["win_rate"], polars.Float64)
        self.assertEqual(result.claims.to_polars()["ratio"].null_count(), 1)
        self.assertEqual(result.games.to_polars().rows(named=True), list(result.games))

    @unittest.skipUnless(find_spec("pyarrow"), "pyarrow is not installed")
    def test_arrow(self):
        result = gauntlet.results(QUICK)
        kinds = {field.name: str(field.type) for field in result.settings.to_arrow().schema}
        self.assertEqual([kinds[key] for key in ("nodes", "star1")], ["int64", "bool"])
        for name in result.tables:
            self.assertEqual(result.table(name).to_arrow().to_pylist(), list(result.table(name)))

    def test_tunings_and_trainings(self):
        tuning = gauntlet.results(TUNING)
        self.assertEqual(tuning.validation[0]["verdict"], "better")
        self.assertEqual(len(tuning.trajectory), len(file_of(TUNING / "trajectory.csv")))
        self.assertIn("better: tuned", repr(tuning))
        self.assertEqual(tuning.plot().name, "gain")
        training = gauntlet.results(TRAINING)
        self.assertEqual([row["games"] for row in training.curve], [1000, 3000, 10000, 30000])
        self.assertIn("30000", repr(training))
        self.assertIn("<td", training._repr_html_())
        self.assertEqual(training.plots, ["learning"])
        self.assertIn("mean score", training.plot().svg)
        with self.assertRaisesRegex(RuntimeError, "a training has no report"):
            training.report(os.devnull)


class Pages(unittest.TestCase):
    def test_a_report_replaces_only_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            own = shutil.copytree(QUICK, pathlib.Path(folder, "quick"))
            path = gauntlet.results(own).report()
            self.assertEqual(path, pathlib.Path(folder, "quick.html"))
            page = path.read_text()
            self.assertIn("<svg", page)
            gauntlet.results(own).report(path)
            path.write_text("mine")
            with self.assertRaisesRegex(RuntimeError, "is not a report"):
                gauntlet.results(own).report(path)
            self.assertEqual(path.read_text(), "mine")

    def test_plots(self):
        result = gauntlet.results(QUICK)
        plot = result.plot()
        self.assertEqual(plot.name, "strength")
        self.assertIn("<svg", plot.svg)
        self.assertEqual(plot._repr_svg_(), plot.svg)
        with tempfile.TemporaryDirectory() as folder:
            path = plot.save(pathlib.Path(folder, "plot.svg"))
            self.assertEqual(path.read_text(), plot.svg)
        self.assertNotEqual(result.plot("scores").svg, plot.svg)
        with self.assertRaisesRegex(ValueError, "plot: expected one of 'win-rate', "):
            result.plot("other")

    def test_html_of_a_notebook_is_escaped(self):
        with tempfile.TemporaryDirectory() as folder:
            result = gauntlet.evaluate(
                {"a & b": lambda boards, legal: legal.argmax(axis=1)},
                games=20,
                progress=False,
                results=folder,
            )
            shown = result._repr_html_()
        self.assertIn("a &amp; b</td>", shown)
        self.assertIn('src="data:image/svg+xml;base64,', shown)
        self.assertIn("mean score [95 %]", shown)


@unittest.skipUnless(HAS_PROGRAM, "the program is not installed")
class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_dict_and_a_file_make_the_same_games(self):
        result = gauntlet.run(EXPERIMENT, results=self.folder / "one", quiet=True)
        self.assertEqual(result.folder, self.folder / "one/small")
        self.assertEqual([row["player"] for row in result.win_rate], ["a", 'é b'])
        self.assertEqual(result.claims[0]["verdict"], "confirmed")
        path = result.folder / "experiment.toml"
        again = gauntlet.run(path, results=self.folder / "two", threads=1, quiet=True)
        self.assertEqual(
            (again.folder / "games.csv").read_bytes(), (result.folder / "games.csv").read_bytes()
        )

    def test_games_played_again_are_in_their_own_folder(self):
        def run():
            result = gauntlet.run(EXPERIMENT, results=self.folder, quiet=True)
            return result.folder.relative_to(self.folder / "small")

        self.assertEqual(run(), pathlib.Path())
        (self.folder / "small/journal.jsonl").unlink()
        self.assertEqual(run(), pathlib.Path("replayed"))
        self.assertEqual(run(), pathlib.Path("replayed"))

    def test_failures_have_the_message_of_the_program(self):
        wrong = {**EXPERIMENT, "player": [{"name": "a", "algorithm": "gredy"}]}
        with self.assertRaisesRegex(gauntlet.Error, 'did you mean "greedy"') as raised:
            gauntlet.run(wrong, results=self.folder, quiet=True)
        self.assertEqual(raised.exception.status, 2)
        outside = {"name": "b", "algorithm": "external", "command": ["no-such-program"]}
        own = {key: value for key, value in EXPERIMENT.items() if key != "claim"}
        own["player"] = [outside]
        with self.assertRaisesRegex(gauntlet.Error, "allow-command"):
            gauntlet.run(own, results=self.folder, quiet=True)
        with self.assertRaises(FileNotFoundError):
            gauntlet.run(self.folder / "nothing.toml")
        with self.assertRaisesRegex(TypeError, "TOML has no NoneType"):
            gauntlet.run({**EXPERIMENT, "seed": None})
        with (
            mock.patch.dict(os.environ, PATH=""),
            mock.patch.object(program.sysconfig, "get_path", return_value=os.fspath(self.folder)),
            self.assertRaisesRegex(gauntlet.Error, "neither next to Python nor on PATH"),
        ):
            gauntlet.run(EXPERIMENT)

    def test_tune_and_train(self):
        player = {"name": "one", "algorithm": "ovolve", "depth": 0, "win_tile": "none"}
        weights = {"smoothness": 0.01, "monotonicity": 1.0, "empty": 0.5, "largest": 1.0}
        tune = {
            "player": "one",
            "budget": 500,
            "validate": {"games": 40},
            "params": {"weights.empty": {"min": 0.1, "max": 30, "scale": "log"}},
        }
        experiment = {**EXPERIMENT, "player": [{**player, "weights": weights}], "tune": tune}
        del experiment["claim"]
        tune["params"] = {"weights": {"empty": {"min": 0.1, "max": 30, "scale": "log"}}}
        result = gauntlet.tune(experiment, results=self.folder, quiet=True)
        self.assertEqual(result.folder, self.folder / "small/tune")
        self.assertEqual(result.tuned[0]["setting"], "weights.empty")
        train = {"patterns": "0123 4567", "method": "td", "games": 60, "test_at": [30], "test_games": 10}
        train = {**EXPERIMENT, "name": "learned", "train": {**train, "rate": 0.1, "seed": 1}}
        result = gauntlet.train(train, results=self.folder, quiet=True)
        self.assertEqual([row["games"] for row in result.curve], [30, 60])
        self.assertTrue((result.folder / "network").exists())
        self.assertEqual(list(pathlib.Path().glob("tmp*.toml")), [])

    def test_an_interrupted_run_is_resumed(self):
        experiment = {**EXPERIMENT, "games": 2000}
        experiment["player"] = [{"name": "slow", "algorithm": "expectimax", "nodes": 1000}]
        del experiment["claim"]
        script = textwrap.dedent("""
            import sys, gauntlet
            try:
                gauntlet.run(eval(sys.argv[1]), results=sys.argv[2])
            except KeyboardInterrupt:
                print("interrupted")
        """)
        words = [sys.executable, "-c", script, repr(experiment), str(self.folder)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if " left" in line:
                    process.send_signal(signal.SIGINT)
                    break
            out, told = process.communicate()
        self.assertEqual((out, process.returncode), ("interrupted\n", 0), told)
        self.assertIn("saved in the journal", told)
        partial = gauntlet.results(self.folder / "small")
        self.assertGreater(partial.win_rate[0]["games"], 0)
        self.assertLess(partial.win_rate[0]["games"], 2000)

    def test_a_run_ends_with_python(self):
        experiment = {**EXPERIMENT, "games": 1_000_000}
        experiment["player"] = [{"name": "slow", "algorithm": "expectimax", "nodes": 1000}]
        del experiment["claim"]
        script = "import sys, gauntlet; gauntlet.run(eval(sys.argv[1]), results=sys.argv[2])"
        words = [sys.executable, "-c", script, repr(experiment), str(self.folder)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if " left" in line:
                    process.kill()
                    break
            process.communicate()
        # The folder is free when the program has ended.
        deadline = time.monotonic() + 60
        while True:
            try:
                gauntlet.run({**experiment, "games": 1}, results=self.folder, quiet=True)
                break
            except gauntlet.ProgramError as error:
                self.assertIn("another gauntlet process", str(error))
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def test_a_file_may_have_the_newest_form_of_toml(self):
        # It begins with a byte order mark, and an inline table has several lines.
        text = '''\ufeffname = "small"\ngame = "2048"\nseed = 1\ngames = 3\nplayer = [{
            name = "a",
            algorithm = "greedy",
        }]\n'''
        path = self.folder / "new.toml"
        path.write_text(text, encoding="utf-8")
        result = gauntlet.run(path, results=self.folder, quiet=True)
        self.assertEqual(result.folder.name, "small")

    def test_results_without_games_are_shown(self):
        text = repr(gauntlet.results(CHECKOUT / "results/c11-usual-spawn"))
        self.assertIn("n-tuple", text)


if __name__ == "__main__":
    unittest.main()
