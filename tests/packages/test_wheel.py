"""The wheel works in an environment of its own, with any library path: `test_wheel.py BUILD_FOLDER`. Without pip or wheel for the
system's Python it skips (77)."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"
ASKED = """import matcha as mt
from importlib import metadata
assert mt.count(mt.Graph([0, 1, 2], [1, 2, 0]), "triangle") == 1
assert "matcha" in [one.name for one in metadata.entry_points(group="networkx.backends")]
print(mt.version(), pathlib.Path(mt.__file__).parent.joinpath("libmatcha.so.0").exists())"""
MOST_MB = 25


def main():
    if subprocess.run([PYTHON, "-c", "import setuptools, wheel, pip"], capture_output=True, check=False).returncode != 0:
        print("no pip, setuptools or wheel")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        made = ["-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
        environment = {**os.environ, "MATCHA_BUILD": sys.argv[1]}
        subprocess.run([PYTHON, *made, str(ROOT / "bindings/python")], check=True, env=environment)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        assert wheel.stat().st_size < MOST_MB * 1e6
        target = pathlib.Path(folder, "site")
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(target), str(wheel)], check=True)
        bare = {"PATH": os.environ["PATH"], "HOME": folder, "PYTHONPATH": str(target), "MATCHA_CACHE_DIR": folder + "/cache"}
        done = subprocess.run([PYTHON, "-c", "import pathlib\n" + ASKED], env=bare, check=True, text=True, capture_output=True)
        assert done.stdout.endswith(" True\n"), done.stdout
    return 0


sys.exit(main())
