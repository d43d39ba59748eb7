"""The survey of public environments: its page, its adapters and its reproductions."""

import ast
import pathlib
import re
import unittest

from gauntlet import legality

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/environments"
REPRODUCTIONS = sorted((FOLDER / "reproductions").glob("*.py"))


def adapters():
    """Returns the keys of `PACKAGES`. The module is not imported, so no package is needed."""
    tree = ast.parse((FOLDER / "packages.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "PACKAGES":
            return [ast.literal_eval(key) for key in node.value.keys]
    raise AssertionError("packages.py has no PACKAGES")


class Survey(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "docs/ENVIRONMENTS.md").read_text(encoding="utf-8")

    def test_the_page_has_a_row_for_each_adapter(self):
        names = adapters()
        self.assertGreaterEqual(len({name.split("/")[0] for name in names}), 12)
        for name in names:
            self.assertIn(f"\n| {name} ", self.page)

    def test_other_orders_of_directions_have_their_packages(self):
        rows = re.findall(r"^\| ([\w-]+)(?:/\w+)? [\d.]+ \| (\w+, \w+, \w+, \w+) \|", self.page, re.MULTILINE)
        self.assertGreaterEqual(len(rows), 14)
        surveyed, known = {}, {}
        for package, order in rows:
            surveyed.setdefault(tuple(order.split(", ")), set()).add(package)
        for order, packages in legality.PACKAGES.items():
            known[order] = set(re.split(", | and ", packages))
        self.assertIn("jumanji", surveyed.pop(legality.DIRECTIONS))
        self.assertEqual(surveyed, known)

    def test_the_page_links_each_reproduction(self):
        for path in REPRODUCTIONS:
            self.assertIn(f"(../{path.relative_to(ROOT).as_posix()})", self.page)

    def test_reproductions_are_short_and_need_no_gauntlet(self):
        self.assertGreaterEqual(len(REPRODUCTIONS), 10)
        for path in REPRODUCTIONS:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text, path.name)
            self.assertLessEqual(len(text.splitlines()), 30, path.name)
            self.assertTrue(ast.get_docstring(tree), path.name)
            modules = set()
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    modules.update(name.name for name in node.names)
                elif isinstance(node, ast.ImportFrom):
                    modules.add(node.module)
            self.assertNotIn("gauntlet", modules, path.name)

    def test_the_page_is_short(self):
        words = [line for line in self.page.splitlines() if not line.startswith("|")]
        self.assertLessEqual(len(" ".join(words).split()), 1500)


if __name__ == "__main__":
    unittest.main()
