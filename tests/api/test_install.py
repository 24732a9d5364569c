"""An installed tree: `test_install.py BUILD_FOLDER CC`. A C program finds the library through pkg-config and through CMake; nothing
but matcha_* is exported; the program, its pages, Python and the documents are there, each in its component. No program or library of
the build or of the tree looks for others in the current folder, and all bind functions at the start, read-only."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GRAPH = str(ROOT / "examples/graphs/wiki-vote.txt.gz")
TRIANGLES = "608389\n"


def run(command, **more):
    done = subprocess.run(command, check=False, text=True, capture_output=True, **more)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def built_files(build):
    """The programs and shared libraries that the build links; tests compile others there."""
    rules = pathlib.Path(build, "build.ninja").read_text(encoding="utf-8")
    for name in re.findall(r"^build ([^ :|]+)[^:]*: \w+_(?:EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)_LINKER", rules, re.M):
        if pathlib.Path(build, name).is_file():
            yield pathlib.Path(build, name)


def linked_files(tree):
    """The programs and shared libraries below a folder."""
    for folder, _, names in os.walk(tree):
        for file in (pathlib.Path(folder, name) for name in names):
            if not file.is_file() or file.is_symlink():
                continue
            with open(file, "rb") as opened:
                head = opened.read(18)
            # Executables and shared objects; 1 would be an object file.
            if head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], sys.byteorder) in (2, 3):
                yield file


def check_linking(files):
    """Checks the entries for the loader in each of our programs and libraries. Libraries of others, which a package
    has in a folder `matcha`, may bind lazily."""
    found = 0
    for file in files:
        facts = run(["readelf", "-dlW", str(file)])
        for path in re.findall(r"\(R(?:UN)?PATH\)\s.*\[(.*)\]", facts):
            assert all(part.startswith(("/", "$ORIGIN")) for part in path.split(":")), f"{file} looks for libraries in `{path}`"
        if "(NEEDED)" in facts and file.parent.name != "matcha":
            assert "GNU_RELRO" in facts and re.search(r"\(FLAGS\)\s.*BIND_NOW|\(FLAGS_1\)\s.*NOW", facts), f"{file} binds lazily"
        found += 1
    assert found >= 2


def check_consumers(prefix, compiler, folder, path):
    """Programs in C that are built against the tree at `prefix`. `path`: where else the loader looks."""
    found = list(prefix.rglob("matcha.pc"))
    assert len(found) == 1, found
    environment = dict(os.environ, PKG_CONFIG_PATH=str(found[0].parent))
    flags = run(["pkg-config", "--cflags", "--libs", "matcha"], env=environment).split()
    library = found[0].parent.parent
    environment["LD_LIBRARY_PATH"] = ":".join([str(library), *path])
    program = os.path.join(folder, "count")
    run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", str(HERE / "count.c"), "-o", program] + flags)
    answer = run([program, GRAPH, "triangle"], env=environment)
    assert answer == TRIANGLES, answer
    wrong = subprocess.run([program, GRAPH, "0-1,1-"], env=environment, text=True, capture_output=True, check=False)
    assert wrong.returncode == 1 and "<pattern>:1:" in wrong.stderr, wrong
    lines = run(["nm", "-D", "--defined-only", str(library / "libmatcha.so")]).splitlines()
    assert len(lines) > 40 and all(" matcha_" in line for line in lines), lines
    run(["cmake", "-S", str(HERE / "consumer"), "-B", folder + "/consumer", "-DCMAKE_C_COMPILER=" + compiler,
         "-DCMAKE_PREFIX_PATH=" + str(prefix)])
    run(["cmake", "--build", folder + "/consumer"])
    assert run([folder + "/consumer/count", GRAPH, "triangle"], env=environment) == TRIANGLES
    return environment


def check_python(packages, environment):
    """Counts; and an error of a program comes through the library, which is an exception of ANTLR's inside."""
    code = f"""
import matcha as mt, pathlib, tempfile
graph = mt.read({GRAPH!r})
print(mt.count(graph, 'triangle'))
with tempfile.TemporaryDirectory() as folder:
    wrong = pathlib.Path(folder, "wrong.mt")
    wrong.write_text("x = = 3")
    try:
        mt.program(str(wrong))(graph)
    except mt.ProgramError as error:
        assert "expected `def`" in str(error), error
    else:
        raise AssertionError("no error")
from importlib import metadata
assert {{one.group for one in metadata.distribution("matcha-graph").entry_points}} == {{"networkx.backends", "networkx.backend_info"}}
"""
    environment = dict(environment, PYTHONPATH=str(packages), PYTHONDONTWRITEBYTECODE="1")
    environment.pop("MATCHA_LIBRARY", None)
    assert run([sys.executable, "-c", code], env=environment) == TRIANGLES


def check_program(prefix, environment):
    program = str(prefix / "bin/matcha")
    assert run([program, "--version"], env=environment).startswith("matcha ")
    assert run([program, "run", "--pattern", "triangle", GRAPH, "--no-cache", "-q"], env=environment) == TRIANGLES
    # It starts where there is no GPU, driver or NVRTC.
    loaded = run(["ldd", program], env=environment)
    assert "libcuda" not in loaded and "nvrtc" not in loaded, loaded
    for file in ("bash-completion/completions/matcha", "fish/vendor_completions.d/matcha.fish", "man/man1/matcha.1.gz",
                 "man/man1/matcha-graph-convert.1.gz"):
        assert (prefix / "share" / file).stat().st_size > 500, file
    assert len(list((prefix / "share/zsh").rglob("_matcha"))) == 1
    if shutil.which("man"):
        pages = run(["man", "-M", str(prefix / "share/man"), "-w", "matcha", "matcha-run"], env=environment)
        assert len(pages.splitlines()) == 2, pages


def main():
    build, compiler = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder, "installed")
        holds = {"lib": "libmatcha.so.0", "dev": "MatchaConfig.cmake", "python": "nx.py", "doc": "versions.md",
                 "runtime": "matcha.1.gz"}
        for component, file in holds.items():
            assert not list(prefix.rglob(file)), file
            run(["cmake", "--install", build, "--prefix", str(prefix), "--component", component])
            assert len(list(prefix.rglob(file))) == 1, file
        moved = prefix.with_name("moved")
        prefix.rename(moved)
        check_linking(built_files(build))
        check_linking(linked_files(moved))
        environment = check_consumers(moved, compiler, folder, [])
        check_program(moved, environment)
        check_python(next(moved.rglob("matcha/nx.py")).parent.parent, environment)
        assert not list(moved.rglob("__pycache__"))
    print("ok")


if __name__ == "__main__":
    main()
