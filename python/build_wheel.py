"""Build backend: compiles the command line into the wheel's `scripts`, then calls maturin.

maturin packages one crate. The program is a second one, because a console script inside the
interpreter would make Python the parent of external players, and answer Ctrl-C.

On Linux with glibc, ziglang is a requirement: module and program are linked for glibc 2.17. If it
is missing (`--no-build-isolation`), the wheel's tag names the glibc version that the program needs.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import maturin
from maturin import get_requires_for_build_editable, get_requires_for_build_sdist

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "python" / "gauntlet_bench.data" / "scripts"
OLDEST = 17  # manylinux_2_17 is the oldest glibc that Rust supports
ZIGLANG = "ziglang==0.17.1"  # also in .ci/release


def glibc_minor(file):
    """Returns N if a program or a library needs glibc 2.N."""
    versions = re.findall(rb"\0GLIBC_2\.(\d+)", file.read_bytes())
    return max(map(int, versions), default=OLDEST)


def _with_zig(triple, folder):
    """Returns the environment in which cargo links by zig for the oldest glibc.

    The linker is a script in `folder`.
    """
    linker = pathlib.Path(folder) / "linker"
    architecture = triple.split("-")[0]
    linker.write_text(
        "#!/bin/sh\n"
        f'exec maturin zig cc -- -target {architecture}-linux-gnu.2.{OLDEST} "$@"\n'
    )
    linker.chmod(0o755)
    return {f"CARGO_TARGET_{triple.upper().replace('-', '_')}_LINKER": str(linker)}


def _host():
    """Returns the target of rustc for this machine."""
    about = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return re.search("host: (.*)", about)[1]


def _add_program(config_settings):
    """Compiles the program, and returns maturin's settings with the tag of the wheel."""
    settings = dict(config_settings or {})
    triple = _host()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    words, environment = ["--locked"], {}
    profile = settings.pop("profile", None)
    has_zig = profile != "release" and _is_linked_by_zig(triple)
    # Wheels for other machines are optimised throughout.
    profile = profile or ("dist" if has_zig else "release")
    if has_zig:
        words += ["--target", triple]
        target /= triple
    with tempfile.TemporaryDirectory() as folder:
        if has_zig:
            environment = _with_zig(triple, folder)
        subprocess.run(
            ["cargo", "build", "--profile", profile, *words, "--bin", "gauntlet"],
            cwd=ROOT,
            check=True,
            env={**os.environ, **environment},
        )
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    program = SCRIPTS / "gauntlet"
    shutil.copy(target / profile / "gauntlet", program)
    subprocess.run(["strip", program], check=True)
    arguments = ["--locked", "--profile", profile]
    if has_zig:
        arguments += ["--zig", "--target", triple, "--compatibility", f"manylinux_2_{OLDEST}"]
    elif triple.endswith("linux-gnu"):
        minor = max(OLDEST, glibc_minor(program))
        arguments += ["--compatibility", f"manylinux_2_{minor}"]
    return {"build-args": " ".join(arguments), **settings}


def _is_linked_by_zig(triple):
    return triple.endswith("linux-gnu") and importlib.util.find_spec("ziglang") is not None


def get_requires_for_build_wheel(config_settings=None):
    needed = list(maturin.get_requires_for_build_wheel(config_settings))
    is_portable = (config_settings or {}).get("profile") != "release"
    return needed + ([ZIGLANG] if is_portable and _host().endswith("linux-gnu") else [])


def build_sdist(sdist_directory, config_settings=None):
    SCRIPTS.mkdir(parents=True, exist_ok=True)  # maturin requires the folder
    return maturin.build_sdist(sdist_directory, config_settings)


def prepare_metadata_for_build_wheel(*args, **kwargs):
    SCRIPTS.mkdir(parents=True, exist_ok=True)  # maturin requires the folder
    return maturin.prepare_metadata_for_build_wheel(*args, **kwargs)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = _add_program(config_settings)
    return maturin.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    settings = _add_program(config_settings)
    return maturin.build_editable(wheel_directory, settings, metadata_directory)
