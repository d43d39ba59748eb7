"""Build backend: compiles the command line into the wheel's `scripts`, then calls maturin.

maturin packages one crate. The program is a second one, because a console script inside the
interpreter would make Python the parent of external players, and answer Ctrl-C.

With ziglang installed, module and program are linked for glibc 2.17. Otherwise the wheel's tag
names the glibc version that the program needs.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess

import maturin
from maturin import build_sdist, get_requires_for_build_editable, get_requires_for_build_sdist
from maturin import get_requires_for_build_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "python" / "gauntlet_bench.data" / "scripts"
OLDEST = 17  # manylinux_2_17 is the oldest glibc that Rust supports


def glibc_minor(program):
    """Returns N if a file needs glibc 2.N."""
    versions = re.findall(rb"\0GLIBC_2\.(\d+)", program.read_bytes())
    return max(map(int, versions), default=OLDEST)


def _add_program(config_settings):
    """Compiles the program, and returns maturin's settings with the tag of the wheel."""
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "--bin", "gauntlet"], cwd=ROOT, check=True
    )
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    program = SCRIPTS / "gauntlet"
    shutil.copy(target / "release" / "gauntlet", program)
    subprocess.run(["strip", program], check=True)
    tag = f"manylinux_2_{max(OLDEST, glibc_minor(program))}"
    return {"build-args": f"--locked --compatibility {tag}", **(config_settings or {})}


def prepare_metadata_for_build_wheel(*args, **kwargs):
    SCRIPTS.mkdir(parents=True, exist_ok=True)  # maturin requires the folder
    return maturin.prepare_metadata_for_build_wheel(*args, **kwargs)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = _add_program(config_settings)
    return maturin.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    settings = _add_program(config_settings)
    return maturin.build_editable(wheel_directory, settings, metadata_directory)
