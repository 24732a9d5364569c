"""Files that are compiled for some processors alone share no template with other files: a linker takes any file's copy for all of them.

    test_tiers.py BUILD NM
"""

import pathlib
import re
import subprocess
import sys
import unittest

BUILD, NM = pathlib.Path(sys.argv[1]), sys.argv[2]


def tiers():
    """The objects whose command has an option for an instruction set."""
    found, target = [], None
    for line in (BUILD / "build.ninja").read_text().splitlines():
        if line.startswith("build "):
            target = re.match(r"build (\S+?):? ", line).group(1)
        elif line.startswith("  FLAGS = ") and re.search(r" -m(avx|bmi|popcnt|sse4)", line) and target.endswith(".o"):
            found.append(BUILD / target)
    return found


class Tiers(unittest.TestCase):
    def test_symbols(self):
        objects = tiers()
        self.assertGreaterEqual(len(objects), 5, objects)
        for path in objects:
            own = "." + path.name.split(".")[0]
            symbols = subprocess.run([NM, "--defined-only", path], check=True, capture_output=True, text=True).stdout.splitlines()
            self.assertTrue(symbols, path)
            weak = [line.split()[-1] for line in symbols if line.split()[-2] == "W"]
            self.assertEqual([name for name in weak if not name.endswith(own)], [], f"{path}: use matcha_tiers")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
