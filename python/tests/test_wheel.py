"""The installed wheel: its tag, its program, and the examples of the manual."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from importlib import metadata

import gauntlet

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = shutil.which("gauntlet", path=os.path.dirname(sys.executable))
MATURIN = shutil.which("maturin", path=os.path.dirname(sys.executable))


def glibc(file):
    """Returns the versions of glibc that a file needs."""
    names = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", pathlib.Path(file).read_bytes())
    return {tuple(map(int, name)) for name in names}


@unittest.skipUnless(PROGRAM, "the wheel is not installed")
class Wheel(unittest.TestCase):
    def test_no_symbol_is_above_the_tag(self):
        tags = metadata.distribution("gauntlet-bench").read_text("WHEEL")
        found = re.search(r"^Tag: cp311-abi3-manylinux_(\d+)_(\d+)_", tags, re.MULTILINE)
        if not found:
            self.skipTest(f"no tag of a glibc: {tags}")
        tag = tuple(map(int, found.groups()))
        for file in [PROGRAM, gauntlet._gauntlet.__file__]:
            self.assertTrue(glibc(file), file)
            self.assertLessEqual(max(glibc(file)), tag, file)

    def test_program_and_module_have_one_version(self):
        told = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout
        self.assertEqual(told, f"gauntlet {gauntlet.__version__}\n")
        self.assertEqual(gauntlet.__version__, metadata.version("gauntlet-bench"))

    def test_type_checkers_read_the_package(self):
        self.assertTrue(pathlib.Path(gauntlet.__file__).with_name("py.typed").is_file())
        classifiers = metadata.metadata("gauntlet-bench").get_all("Classifier")
        self.assertIn("Typing :: Typed", classifiers)

    def test_examples_of_the_manual_run(self):
        manual = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
        blocks = [block for block in blocks if "gauntlet.evaluate(" in block]
        self.assertGreaterEqual(len(blocks), 2)
        names, out = {}, io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block in blocks:
                with contextlib.redirect_stdout(out):
                    exec(block, names)
        self.assertIn("worse: mine vs greedy", out.getvalue())


@unittest.skipUnless(MATURIN and shutil.which("cargo"), "maturin or cargo is missing")
class SourceArchive(unittest.TestCase):
    def test_it_has_what_a_build_reads(self):
        script = "import sys; sys.path.append('python'); import build_wheel; build_wheel.build_sdist(sys.argv[1])"
        with tempfile.TemporaryDirectory() as folder:
            # As a fresh clone, the copy has no compiled program.
            made = ("target", "endgames", "*.so", "gauntlet_bench.data", "__pycache__")
            checkout = pathlib.Path(folder, "checkout")
            shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", *made))
            words = [sys.executable, "-c", script, folder]
            path = f"{os.path.dirname(MATURIN)}{os.pathsep}{os.environ['PATH']}"
            environment = {**os.environ, "PATH": path}
            built = subprocess.run(words, cwd=checkout, env=environment, capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stderr)
            [archive] = pathlib.Path(folder).glob("*.tar.gz")
            with tarfile.open(archive) as file:
                file.extractall(folder, filter="data")
            source = archive.with_name(archive.name.removesuffix(".tar.gz"))
            words = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
            subprocess.run(words, cwd=source, stdout=subprocess.DEVNULL, check=True)
            missing = [
                (file.name, name)
                for file in source.glob("*/*/src/**/*.rs")
                if "tests" not in file.parts and file.name != "tests.rs"
                for name in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', file.read_text())
                if not (file.parent / name).exists() and "/tests/it/vectors/" not in name
            ]
            self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
