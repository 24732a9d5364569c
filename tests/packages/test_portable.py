"""The wheel and the tree that need glibc 2.31 and nothing else: `test_portable.py`. scripts/wheel --portable makes them in build-portable;
then each of Debian 11, 12 and 13, of its own in a folder, installs the wheel with pip, counts triangles and runs the program.

Where no Debian can be put into a folder (no root, no debootstrap, no mirror) it says why and skips (77)."""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from test_newcomer import GRAPH, ROOT, TRIANGLES, Skip, bare_debian, inside, step

MOST_MB = 25
LIBC = (2, 31)
# Those of glibc, and its loader.
SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread)\.so\.\d|ld-linux-x86-64\.so\.2)$")
WALKS = "1401891526581510566"
ASKED = "import matcha as mt; print(mt.version(), mt.count(mt.read('wiki-vote.txt.gz'), 'triangle'), mt.count(mt.Graph([0], [1]), 'a-b'))"
UNREACHED = ("debootstrap made no Debian", "apt-get update failed", "apt-get could not", "apt-get gave no", "needs root")


def made(folder):
    """The wheel and the archive of the tree."""
    done = subprocess.run([ROOT / "scripts/wheel", "--portable", folder], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        for line in done.stderr.splitlines():
            if line.startswith("error: ") and any(one in line for one in UNREACHED):
                raise Skip(line)
    assert done.returncode == 0, done.stderr[-3000:]
    [wheel] = pathlib.Path(folder).glob("*.whl")
    [archive] = pathlib.Path(folder).glob("*.tar.gz")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB\n{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
    assert wheel.stat().st_size < MOST_MB * 1e6
    major, minor = re.search(r"manylinux_(\d+)_(\d+)_x86_64", wheel.name).groups()
    assert (int(major), int(minor)) <= LIBC, wheel.name
    return wheel, archive


def check_needs(file):
    """The libraries, and the newest version of a symbol of the C library."""
    shown = subprocess.run(["readelf", "-dVW", file], text=True, capture_output=True, check=True).stdout
    for name in re.findall(r"\(NEEDED\)\s.*\[(.*)\]", shown):
        assert SYSTEM.match(name), f"{file} needs {name}"
    newest = max((int(major), int(minor)) for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", shown))
    assert newest <= LIBC, (file, newest)


def main():
    if shutil.which("debootstrap") is None and shutil.which("apt-get") is None:
        raise Skip("there is no debootstrap")
    with tempfile.TemporaryDirectory(prefix="matcha-portable-") as folder:
        wheel, archive = made(folder)
        with tarfile.open(archive) as opened:
            opened.extractall(folder)
        tree = pathlib.Path(folder, archive.name.removesuffix(".tar.gz"))
        check_needs(tree / "bin/matcha")
        check_needs(next(tree.rglob("libmatcha.so.0")))
        assert not (tree / "lib/matcha").exists(), "no library lies beside them"
        for suite in ("bullseye", "bookworm", "trixie"):
            root = f"{folder}/{suite}"
            bare_debian(root, suite, "python3,python3-pip")
            shutil.copytree(tree, root + "/opt/matcha", symlinks=True)
            for file in (wheel, ROOT / "examples/graphs" / GRAPH):
                shutil.copy(file, root + "/root")
            step(root, f"{suite}, install", f"python3 -m pip install --no-index --target /site ./{wheel.name}", "Successfully installed")
            step(root, f"{suite}, import", f'PYTHONPATH=/site python3 -c "{ASKED}"', f"{TRIANGLES} 1")
            step(root, f"{suite}, first count", f"/opt/matcha/bin/matcha run --pattern triangle {GRAPH}", TRIANGLES)
            step(root, f"{suite}, compiled", f"/opt/matcha/bin/matcha run --engine program --match homo --pattern path:8 {GRAPH}", WALKS)
            done, _ = inside(root, f"/opt/matcha/bin/matcha run --pattern hause {GRAPH}")
            assert done.returncode == 1 and "did you mean" in done.stderr, done.stderr
            step(root, f"{suite}, Python of the tree",
                 f'PYTHONPATH=/opt/matcha/lib/python3/dist-packages python3 -c "{ASKED}"', f"{TRIANGLES} 1")
            shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as why:
        print(why)
        sys.exit(77)
