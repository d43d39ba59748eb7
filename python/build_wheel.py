"""Build backend: compiles the command line into the wheel's `scripts`, then calls maturin.

maturin packages one crate. The program is a second one, because a console script inside the
interpreter would make Python the parent of external players, and answer Ctrl-C.
"""

import os
import pathlib
import shutil
import subprocess

import maturin
from maturin import build_sdist, get_requires_for_build_editable, get_requires_for_build_sdist
from maturin import get_requires_for_build_wheel, prepare_metadata_for_build_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "python" / "gauntlet_bench.data" / "scripts"


def _add_program():
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "--bin", "gauntlet"], cwd=ROOT, check=True
    )
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    program = SCRIPTS / "gauntlet"
    shutil.copy(target / "release" / "gauntlet", program)
    subprocess.run(["strip", program], check=True)


def build_wheel(*args, **kwargs):
    _add_program()
    return maturin.build_wheel(*args, **kwargs)


def build_editable(*args, **kwargs):
    _add_program()
    return maturin.build_editable(*args, **kwargs)
