"""An installed libmatcha: `test_install.py BUILD_FOLDER CC`. A C program finds it through pkg-config; nothing but matcha_* is exported."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more).stdout


def main():
    build, compiler = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        for component in ("lib", "dev"):
            run(["cmake", "--install", build, "--prefix", folder, "--component", component])
        found = [path for path in pathlib.Path(folder).rglob("matcha.pc")]
        assert len(found) == 1, found
        environment = dict(os.environ, PKG_CONFIG_PATH=str(found[0].parent))
        flags = run(["pkg-config", "--cflags", "--libs", "matcha"], env=environment).split()
        library = found[0].parent.parent
        environment["LD_LIBRARY_PATH"] = str(library)
        program = os.path.join(folder, "count")
        run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", str(HERE / "count.c"), "-o", program] + flags)
        graph = str(ROOT / "examples/graphs/wiki-vote.txt.gz")
        answer = run([program, graph, "triangle"], env=environment)
        assert answer == "608389\n", answer
        wrong = subprocess.run([program, graph, "0-1,1-"], env=environment, text=True, capture_output=True)
        assert wrong.returncode == 1 and "<pattern>:1:" in wrong.stderr, wrong
        names = [line.split()[-1].split("@")[0] for line in
                 run(["nm", "-D", "--defined-only", str(library / "libmatcha.so")]).splitlines()]
        other = [name for name in names if not name.startswith("matcha_") and name != "MATCHA_0"]
        assert "matcha_run_now" in names and not other, other
        run(["cmake", "-S", str(HERE / "consumer"), "-B", folder + "/consumer", "-DCMAKE_C_COMPILER=" + compiler,
             "-DCMAKE_PREFIX_PATH=" + folder])
        run(["cmake", "--build", folder + "/consumer"])
        assert run([folder + "/consumer/count", graph, "triangle"], env=environment) == "608389\n"
    print("ok")


main()
