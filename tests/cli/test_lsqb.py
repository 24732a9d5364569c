"""The nine queries of LSQB (github.com/ldbc/lsqb) in Cypher, where its repository is: MATCHA_LSQB, or ../shared/data/lsqb."""

import csv
import json
import os
import pathlib
import re
import sys
import unittest

from cli import ROOT, CliTest

FOLDER = pathlib.Path(os.environ.get("MATCHA_LSQB") or ROOT.parent / "shared/data/lsqb")
# Posts and comments are messages.
LABELS = {"Comment": "Comment;Message", "Post": "Post;Message"}
# By factor: of the toy graph as the benchmark says, of the other one by a plain solver.
WANTED = {"example": {1: 8, 2: 3, 3: 6, 4: 8, 5: 3, 6: 8, 7: 11, 8: 2, 9: 4},
          "0.003": {1: 20608, 2: 281, 3: 0, 4: 3047, 5: 4973, 6: 33201, 7: 7188, 8: 2436, 9: 23669}}


def type_of(name):
    return re.sub("([A-Z])", r"_\1", name).upper()


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="|"))[1:]


@unittest.skipUnless((FOLDER / "cypher").is_dir(), "the repository of LSQB is not there")
class Lsqb(CliTest):
    def tables(self, folder):
        """All nodes in a table, and all relationships."""
        nodes, edges = ["id,label"], ["source,target,type"]
        for path in sorted(folder.glob("*.csv")):
            parts = path.stem.split("_")
            if len(parts) == 1:
                nodes += [f"{parts[0]}:{row[0]},{LABELS.get(parts[0], parts[0])}" for row in rows_of(path)]
            else:
                edges += [f"{parts[0]}:{row[0]},{parts[2]}:{row[1]},{type_of(parts[1])}" for row in rows_of(path)]
        return [self.write("edges.csv", "\n".join(edges) + "\n"), "--edge-label", "type", "--vertices", self.write("nodes.csv", "\n".join(nodes) + "\n"),
                "--id", "id", "--label", "label"]

    def test_all(self):
        found = 0
        for folder in sorted(FOLDER.glob("data/social-network-sf*-projected-fk")):
            factor = folder.name.removeprefix("social-network-sf").removesuffix("-projected-fk")
            wanted = WANTED.get(factor, {})
            tables = self.tables(folder)
            for number, count in sorted(wanted.items()):
                text = (FOLDER / f"cypher/q{number}.cypher").read_text(encoding="utf-8")
                answer = json.loads(self.ok("query", "--json", "--quiet", "--device", "cpu", text, *tables))
                self.assertEqual(answer["result"], count, (factor, number))
                found += 1
                if os.environ.get("MATCHA_LSQB_TIMES"):
                    print(factor, number, count, answer["stats"]["engine"], answer["ms"], file=sys.stderr)
        self.assertGreater(found, 0)


if __name__ == "__main__":
    unittest.main()
