"""`bench/geneva`: the graphs and queries that systems without labels of edges get have as many matches."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

MATCHA = os.path.abspath(os.environ["MATCHA"])
# It counts with Matcha, and says so as EGSM and gMatch do.
PEER = f"""#!{sys.executable}
import subprocess, sys
data, query = sys.argv[sys.argv.index("-d") + 1], sys.argv[sys.argv.index("-q") + 1]
count = int(subprocess.run(["{MATCHA}", "run", "--pattern", query, data, "--embeddings", "-q"], check=True, capture_output=True, text=True).stdout)
print("Build Cuckoo Tries, time (ms): 1.5(host), 2(kernel)\\nFiltering, time (ms): 2e-1(host), 1(kernel)\\nTotal join time (ms): 3(host) 3(kernel)")
print("# Preparation, time (ms): 1(host), 1(kernel)\\n# Subgraph Matching Finished, time (ms): 4.5(host), 1(kernel)")
print(f"# Matches: {{count}}\\nResult: {{count}}")
"""


class Geneva(unittest.TestCase):
    def test_edges_as_vertices_have_the_same_matches(self):
        with tempfile.TemporaryDirectory() as folder:
            peer, page = pathlib.Path(folder) / "peer.py", pathlib.Path(folder) / "page.md"
            peer.write_text(PEER, encoding="utf-8")
            peer.chmod(peer.stat().st_mode | stat.S_IXUSR)
            subprocess.run(["bench/geneva", page, "--graph", "small:3:erdos-renyi:200:500", "--egsm", peer, "--gmatch", peer, "--times", "1",
                            "--matcha", MATCHA], check=True, capture_output=True)
            graph = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))[0]
            compared = 0
            for row in graph["answers"]:
                for name, ms, search in (("EGSM", 4.7, 3.0), ("gMatch", 4.5, 3.5)):
                    if "failed" in row[name]:
                        self.assertEqual(row[name]["failed"], "too large for it")
                        continue
                    self.assertEqual(row[name]["count"], row["cpu"]["count"])
                    self.assertAlmostEqual(row[name]["ms"], ms)
                    self.assertAlmostEqual(row[name]["search_ms"], search)
                    compared += 1
            self.assertGreater(compared, 5)


if __name__ == "__main__":
    unittest.main()
