"""What an editor and a type checker see of the package."""

import importlib
import os
import pathlib
import pydoc
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from unittest import mock

import gauntlet

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PYRIGHT = shutil.which("pyright", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
MISTAKES = CHECKOUT / "python/tests/mistakes.py"
RESULTS = ["quick-published", "expectimax-weights/tune", "train-quick/train"]


def expected_errors():
    """Returns the expected message of each line that is a mistake."""
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    marked = (re.search("  # error: (.*)", line) for line in lines)
    return {number: mark.group(1) for number, mark in enumerate(marked, 1) if mark}


class TypeCheckers(unittest.TestCase):
    @unittest.skipUnless(find_spec("mypy") and find_spec("gymnasium"), "mypy or gymnasium is not installed")
    def test_mypy_accepts_the_package_and_refuses_mistakes(self):
        with tempfile.TemporaryDirectory() as cache:
            words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache]
            words += ["--hide-error-codes", "python/gauntlet", str(MISTAKES.relative_to(CHECKOUT))]
            done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True)
        found = re.findall(r"^(\S+):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
        outside = [error for error in found if error[0] != "python/tests/mistakes.py"]
        self.assertEqual(outside, [], done.stderr)
        self.assert_mistakes([(int(line), message) for _, line, message in found])

    @unittest.skipUnless(PYRIGHT, "pyright is not installed")
    def test_pyright_refuses_mistakes(self):
        """Runs where pyright is installed. It is not a requirement, because it downloads Node.js."""
        words = [PYRIGHT, "--pythonpath", sys.executable, str(MISTAKES)]
        done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True)
        found = re.findall(r"mistakes\.py:(\d+):\d+ - error: ", done.stdout)
        self.assertEqual(sorted(set(map(int, found))), sorted(expected_errors()), done.stdout)

    def assert_mistakes(self, found):
        expected = expected_errors()
        self.assertGreaterEqual(len(expected), 20)
        self.assertEqual(sorted({line for line, _ in found}), sorted(expected), found)
        for line, message in found:
            self.assertIn(expected[line], message, f"line {line}")


class Names(unittest.TestCase):
    @unittest.skipUnless(find_spec("gymnasium") and find_spec("pettingzoo"), "an extra is not installed")
    def test_completion_and_help_list_all_names(self):
        names = ["Comparison", "Env", "Error", "Plot", "Report", "Result", "VectorEnv"]
        names += ["check_env", "evaluate", "gomoku", "make", "make_vec", "results", "run", "train", "tune"]
        self.assertLessEqual(set(names), set(dir(gauntlet)))
        self.assertEqual(sorted(gauntlet.__all__), sorted(dir(gauntlet)))
        text = pydoc.plain(pydoc.render_doc(gauntlet))
        for name in ["class Env(", "class Comparison(", "evaluate(policies", "make_vec(game"]:
            self.assertIn(name, text)

    def test_without_extras_other_names_are_listed(self):
        """Imports a second copy of the package, without the packages of its extras."""
        hidden = {name: None for name in ("gymnasium", "pettingzoo")}
        kept = {name: module for name, module in sys.modules.items() if name.split(".")[0] != "gauntlet"}
        with mock.patch.dict(sys.modules, {**kept, **hidden}, clear=True):
            sys.modules["gauntlet._gauntlet"] = gauntlet._gauntlet
            plain = importlib.import_module("gauntlet")
            self.assertIn("evaluate", dir(plain))
            self.assertNotIn("make", dir(plain))
            self.assertIn("check_env(", pydoc.plain(pydoc.render_doc(plain)))
            with self.assertRaisesRegex(plain.MissingPackageError, r"gauntlet-bench\[gymnasium\]"):
                plain.make
            with self.assertRaisesRegex(plain.MissingPackageError, r"gauntlet-bench\[pettingzoo\]"):
                plain.gomoku

    def test_declarations_contain_all_rules_and_tables(self):
        self.assertEqual(list(gauntlet.Rules.__annotations__), gauntlet._gauntlet.RULES)
        declared = {name.replace("_", "-") for name in gauntlet.Result.__annotations__}
        for folder in RESULTS:
            tables = gauntlet.results(CHECKOUT / "results" / folder).tables
            self.assertLessEqual(set(tables), declared, folder)
        manual = (CHECKOUT / "docs/RESULTS.md").read_text(encoding="utf-8")
        self.assertLessEqual(set(re.findall(r"^### ([a-z-]+)\.csv$", manual, re.MULTILINE)), declared)


if __name__ == "__main__":
    unittest.main()
