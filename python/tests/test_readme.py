"""Runs the Python code of README and of the notebook, and compares their output."""

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import gauntlet

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_cell(code, names):
    """Runs a cell as a notebook does, and returns what it prints and shows."""
    parsed = ast.parse(code)
    is_shown = isinstance(parsed.body[-1], ast.Expr)
    last = parsed.body.pop() if is_shown else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(parsed, "cell", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if is_shown else None
    return printed.getvalue() + ("" if shown is None else repr(shown))


def without_notes(text):
    """Drops notes that depend on the load of the computer."""
    is_note = re.compile("warning: |Times are ").match
    return [line for line in text.splitlines() if not is_note(line)]


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_the_lines_of_readme_print_the_output_below_them(self):
        pattern = "```python\n(.*?)```\n\n```text\n(.*?)```\n"
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        [(lines, output)] = re.findall(pattern, text, re.DOTALL)
        words = [sys.executable, "-c", lines]
        # A relative PYTHONPATH is not found from another folder.
        env = {**os.environ, "PYTHONPATH": str(pathlib.Path(gauntlet.__file__).resolve().parents[1])}
        done = subprocess.run(words, cwd=self.folder, env=env, capture_output=True, text=True)
        self.assertEqual(done.stdout, output, done.stderr)

    def test_the_notebook_shows_its_output(self):
        notebook = json.loads((ROOT / "examples/evaluate.ipynb").read_text(encoding="utf-8"))
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        names, kinds = {}, set()
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            output = run_cell("".join(cell["source"]), names)
            stored = ""
            for part in cell["outputs"]:
                stored += "".join(part.get("text") or part["data"]["text/plain"])
                kinds |= part.get("data", {}).keys()
            self.assertEqual(without_notes(output), without_notes(stored))
        self.assertEqual(kinds, {"text/plain", "text/html", "image/svg+xml"})


if __name__ == "__main__":
    unittest.main()
