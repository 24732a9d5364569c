"""The archive of a release has the generated parser, and is configured without antlr4: `test_release.py NINJA`. Without git or
antlr4 it skips (77)."""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*words, cwd=ROOT):
    done = subprocess.run([str(word) for word in words], cwd=cwd, text=True, capture_output=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def main():
    if not (ROOT / ".git").exists() or not all(map(shutil.which, ("git", "antlr4"))):
        print("no git or antlr4")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(run(ROOT / "scripts/release", folder).split()[-1])
        first = archive.read_bytes()
        run("sha256sum", "--check", archive.name + ".sha256", cwd=folder)
        run(ROOT / "scripts/release", folder)
        assert archive.read_bytes() == first, "the same commit gives the same archive"
        with tarfile.open(archive) as opened:
            opened.extractall(folder)
        tree = pathlib.Path(folder, archive.name.removesuffix(".tar.gz"))
        assert sorted(file.name for file in (tree / "grammar/generated").iterdir()) == [
            "MatchaLexer.cpp", "MatchaLexer.h", "MatchaParser.cpp", "MatchaParser.h"]
        run("cmake", "--preset", "release", "-DMATCHA_TESTS=OFF", "-DMATCHA_BENCH=OFF", cwd=tree)
        assert "MATCHA_ANTLR_TOOL" not in (tree / "build/CMakeCache.txt").read_text(encoding="utf-8")
        commands = run(sys.argv[1], "-C", "build", "-t", "commands", "matcha", cwd=tree)
        assert "matcha_grammar" in commands and "antlr4 -Dlanguage" not in commands
    return 0


sys.exit(main())
