"""Edges by time on a GPU and in a C++ file, against brute force."""

import pathlib
import shutil
import subprocess
import unittest

from cli import MATCHA, main
from test_times import BUILT, CASES, FIRST, LOADED, TimesTest, conditions, conditions_program, words

EMULATED = pathlib.Path(MATCHA).resolve().parents[1] / "tests/emulation/libemulated_cuda.so"


class Compiled(TimesTest):
    @unittest.skipUnless(EMULATED.exists(), "no emulated GPU was built")
    def test_on_a_gpu(self):
        environment = self.environment(MATCHA_LIBCUDA=str(EMULATED), MATCHA_NVRTC=str(EMULATED))
        built, program = self.write("built.mt", BUILT), self.write("conditions.mt", conditions_program())
        for seed in range(FIRST + 4000, FIRST + 4000 + max(CASES // 4, 2)):
            _, rows, inputs, _ = self.rows(seed)
            for group in (1, 8):
                options = ["--device", "cuda", "--group", group]
                found = self.ok("run", "-q", program, *inputs, "--param", "w=3", *options, env=environment)
                self.assertEqual(found, self.reported(conditions(rows, 3)), seed)
                found = self.ok("run", "-q", built, *inputs, "--param", "a=-3", "--param", "b=4", *options, env=environment)
                self.assertEqual(found, self.reported(words(rows, -3, 4)), seed)

    @unittest.skipUnless(shutil.which("g++"), "no compiler")
    def test_ahead_of_time(self):
        """One C++ file of a program, with each of its graphs."""
        loaded, text, run = self.write("loaded.mt", LOADED), self.path("q.cpp"), self.path("q")
        self.ok("build", loaded, "--emit=cpp", "-o", text)
        subprocess.run(["g++", "-O1", "-std=c++20", "-pthread", text, "-o", run], check=True)
        for seed in range(FIRST + 5000, FIRST + 5000 + CASES):
            source, rows, _, file = self.rows(seed)
            kept = sorted(row for row in rows if row[0] != row[1])
            if not kept:
                continue
            self.ok("graph", "convert", file, self.path("t.mtg"), "--temporal", "-q")
            a, b = source.randint(-8, 8), source.randint(-8, 8)
            done = subprocess.run([run, self.path("t.mtg"), "--param", f"a={a}", "--param", f"b={b}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout, self.reported(words(kept, a, b)), (seed, done.stderr))


if __name__ == "__main__":
    main()
