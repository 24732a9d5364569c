"""A newcomer's way on a bare Debian 12, timed: `test_newcomer.py BUILD_FOLDER`. Each step is one command: the packages are installed
with apt, triangles are counted, rows come into pandas, a program of one's own runs.

It makes a Debian in a folder with mmdebstrap or debootstrap and enters it with chroot; the packages come from the mirror that
MATCHA_DEBIAN_MIRROR names, or from Debian's. Where that cannot be done it says why and skips (77)."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIRROR = os.environ.get("MATCHA_DEBIAN_MIRROR", "http://deb.debian.org/debian")
GRAPH = "wiki-vote.txt.gz"
TRIANGLES = "608389"
PANDAS = "import matcha as mt; f = mt.match(mt.read('wiki-vote.txt.gz'), 'a-b-c-a', limit=10).to_pandas(); print(f.shape, *f.columns)"
PROGRAM = """def triangles(G: Graph) -> int:
    def from_u(u):
        def from_v(v):
            return size(apply(lambda w: w, cond=lambda w: w < v, intersect(neighbor(G, u), neighbor(G, v))))
        return sum(apply(from_v, cond=lambda v: v < u, neighbor(G, u)))
    return sum(apply(from_u, vertices(G)))
"""


class Skip(Exception):
    pass


def bare_debian(folder, suite="bookworm", more=""):
    """A Debian of the essential packages, apt and more, with commas between."""
    if os.geteuid() != 0:
        raise Skip("a chroot needs root")
    if shutil.which("mmdebstrap"):
        command = ["mmdebstrap", "--variant=apt", *(["--include=" + more] if more else []), suite, folder, MIRROR]
    elif shutil.which("debootstrap"):
        command = ["debootstrap", "--variant=minbase", *(["--include=" + more] if more else []), suite, folder, MIRROR]
    else:
        raise Skip("there is neither mmdebstrap nor debootstrap")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skip("no Debian could be made: " + (done.stderr or done.stdout).strip()[-300:])
    # Names are looked up as here.
    shutil.copy("/etc/resolv.conf", pathlib.Path(folder, "etc/resolv.conf"))


def inside(folder, command):
    """Runs a command of a shell there; its output, and the seconds it took."""
    start = time.monotonic()
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    environment.update({name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")})
    done = subprocess.run(["chroot", folder, "sh", "-c", "cd /root && " + command], env=environment, capture_output=True, text=True,
                          check=False)
    return done, time.monotonic() - start


def step(folder, name, command, expected):
    done, seconds = inside(folder, command)
    assert done.returncode == 0, f"{name}: {command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert expected in done.stdout, f"{name}: {command}\n{done.stdout[-2000:]}"
    print(f"{name}: {seconds:.1f} s")


def main():
    build = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="matcha-debian-") as folder:
        root = folder + "/debian"
        packages = folder + "/packages"
        bare_debian(root)
        subprocess.run(["cpack", "-G", "DEB", "--config", build + "/CPackConfig.cmake", "-B", packages,
                        "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"], check=True, capture_output=True, cwd=folder)
        home = pathlib.Path(root, "root")
        for file in [*pathlib.Path(packages).glob("*.deb"), ROOT / "examples/graphs" / GRAPH, ROOT / "tests/api/count.c"]:
            shutil.copy(file, home)
        (home / "my.mt").write_text(PROGRAM, encoding="utf-8")
        index, _ = inside(root, "apt-get update")
        if index.returncode != 0:
            raise Skip("apt has no mirror: " + index.stderr.strip()[-300:])
        step(root, "install", "apt-get install -y --no-install-recommends ./matcha_*.deb && matcha --version", "0.")
        step(root, "first count", f"matcha run --pattern triangle {GRAPH}", TRIANGLES)
        step(root, "first program", f"matcha run my.mt {GRAPH}", TRIANGLES)
        step(root, "install for Python",
             "apt-get install -y --no-install-recommends ./libmatcha0_*.deb ./python3-matcha_*.deb python3-pandas", "python3-matcha")
        step(root, "first rows in pandas", f'python3 -c "{PANDAS}"', "(10, 3) a b c")
        step(root, "first program in C",
             "apt-get install -y --no-install-recommends ./libmatcha0_*.deb ./libmatcha-dev_*.deb gcc libc6-dev pkg-config && "
             f"cc count.c $(pkg-config --cflags --libs matcha) -o count && ./count {GRAPH} triangle", TRIANGLES)
        # The manual pages and the completions are where Debian has them.
        files = "man1/matcha.1 bash-completion/completions/matcha zsh/vendor-completions/_matcha fish/vendor_completions.d/matcha.fish"
        step(root, "files", f"for file in {files}; do dpkg -L matcha | grep -F /$file || exit 1; done", "vendor-completions")
        done, _ = inside(root, "matcha run --pattern hause wiki-vote.txt.gz")
        assert done.returncode == 1 and "did you mean" in done.stderr, done.stderr
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as why:
        print(why)
        sys.exit(77)
