"""Makes a wheel for every Python of this system: plain Python, libmatcha of a build tree, and the libraries that it needs.

MATCHA_BUILD names the build tree; else it is `build` at the top of the checkout. Nothing is compiled or downloaded:

    python3 -m pip wheel --no-build-isolation --no-deps bindings/python
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
# Of every Linux (PEP 600), besides the C library itself.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z))[.-]")


def version():
    """That of the project."""
    text = (TOP / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(matcha VERSION ([0-9.]+)", text, re.M).group(1)


def build_tree():
    """The folder, in which libmatcha must be."""
    tree = pathlib.Path(os.environ.get("MATCHA_BUILD", TOP / "build")).resolve()
    if not (tree / "api/libmatcha.so.0").exists():
        sys.exit(f"{tree} has no libmatcha: cmake --build {tree} --target matcha_api, or set MATCHA_BUILD")
    return tree


def needed(library):
    """The libraries beside those of every system, as {name: file}."""
    found = {}
    for line in subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout.splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if arrow and not SYSTEM.match(name):
            if rest == "not found":
                sys.exit(f"{library} needs {name}, which is not found")
            found[name] = rest.split(" (")[0]
    return found


def newest_libc(files):
    """The newest version of glibc of which a file takes a symbol, as (2, 31)."""
    shown = subprocess.run(["readelf", "-V", "-W", *files], check=True, capture_output=True, text=True).stdout
    return max((int(major), int(minor)) for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", shown))


class BuildWithLibrary(build_py):
    """Puts the libraries beside the modules."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        folder = pathlib.Path(self.build_lib, "matcha")
        # An installed library looks for others beside itself.
        with tempfile.TemporaryDirectory() as stage:
            subprocess.run(["cmake", "--install", build_tree(), "--prefix", stage, "--component", "lib", "--strip"],
                           check=True, stdout=subprocess.DEVNULL)
            [library] = [one for one in pathlib.Path(stage).rglob("libmatcha.so.*") if not one.is_symlink()]
            shutil.copy(library, folder / "libmatcha.so.0")
        for name, file in needed(folder / "libmatcha.so.0").items():
            shutil.copy(file, folder / name)


class TaggedWheel(bdist_wheel):
    """For every Python 3, and the C library that the libraries need or a later one."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        library = str(build_tree() / "api/libmatcha.so.0")
        libc = newest_libc([library, *needed(library).values()])
        return "py3", "none", machine.replace("linux", "manylinux_" + "_".join(map(str, libc)), 1)


SCRATCH = tempfile.mkdtemp(prefix="matcha-wheel-")  # Not into the checkout.
try:
    setup(
        version=version(),
        entry_points=(HERE / "entry_points.txt").read_text(encoding="utf-8"),
        cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": TaggedWheel},
        options={"build": {"build_base": SCRATCH}, "egg_info": {"egg_base": SCRATCH}},
    )
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
