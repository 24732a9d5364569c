"""The openCypher TCK, `clauses/match` and `clauses/match-where`, where its data is: `../shared/data/tck` and the judge `../shared/check/tck.py`.

By hand: `python3 tests/cli/test_tck.py -v FILE.tsv` writes a line for each scenario."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

from cli import MATCHA, ROOT, CliTest, main

SHARED = ROOT.parent / "shared"
JUDGE, DATA = SHARED / "check/tck.py", SHARED / "data/tck/openCypher"
RIGHT = 194  # Of 195: one has MERGE.


class Shown(str):
    """A cell in the form in which the judge compares."""


def shown(tck, graph, cell):
    """Ids begin with `@`, so that text may look like them without it."""
    if "@" in cell:
        return Shown(tck.decode(graph, cell.replace("@", "")))
    return Shown("null" if cell == "" else cell if re.fullmatch(r"-?\d+(\.\d+)?|true|false", cell) else tck.show(str(cell)))


def judge(matcha=MATCHA):
    """The judge, which gets the ids of relationships, reads cells of each kind, and keeps columns called `id` and `type`."""
    text = JUDGE.read_text(encoding="utf-8").replace(" - {'id', 'label', 'source', 'target', 'type'}", " - {'source', 'target'}")
    for letter, names in (("n", "sdi"), ("e", "i")):
        for name in names:
            text = text.replace(f"f'{letter}{{{name}}}'", f"f'@{letter}{{{name}}}'")
    tck = types.ModuleType("tck")
    exec(compile(text, str(JUDGE), "exec"), tck.__dict__)  # The judge is a file of the project.

    def run(command, **options):
        env = {**os.environ, "MATCHA_NUM_THREADS": "1"}
        return subprocess.run([*command, "--edge-id", "edge"], env=env, check=False, **options)

    show = tck.show
    tck.subprocess = types.SimpleNamespace(run=run)
    tck.show = lambda value: str(value) if isinstance(value, Shown) else show(value)

    class Tool(tck.Tool):
        def ask(self, graph, query, parameters):
            rows, columns, said = super().ask(graph, query, parameters)
            if rows is not None:
                rows = [[shown(tck, graph, cell) for cell in row] for row in rows]
            return rows, columns, said

    def scenarios():
        with tempfile.TemporaryDirectory() as folder:
            for feature, lines in tck.features(str(DATA)):
                for name, body, examples in tck.scenarios(lines):
                    yield feature, name, [tck.outcome(Tool(matcha, folder), body, example) for example in examples]

    return scenarios


class Tck(CliTest):
    def test_all(self):
        if not JUDGE.exists() or not DATA.exists():
            self.skipTest("the TCK is not there")
        rank = ["right", "right*", "refused", "wrong"]
        counts = dict.fromkeys(rank, 0)
        for feature, name, results in judge()():
            kind, why = max(results, key=lambda result: rank.index(result[0]))
            self.assertNotEqual(kind, "wrong", (feature, name, why))
            counts[kind] += 1
        self.assertEqual((counts["right"], counts["right*"]), (RIGHT, 0), counts)


def table(path):
    """Writes what became of each scenario."""
    rank = ["right", "right*", "refused", "wrong"]
    totals = {}
    with open(path, "w", encoding="utf-8") as file:
        for feature, name, results in judge()():
            kind, why = max(results, key=lambda result: rank.index(result[0]))
            where = totals.setdefault(re.match(r"[A-Za-z]+", feature)[0], {})
            where[kind] = where.get(kind, 0) + 1
            print(feature, name, kind, why.replace("\n", " "), sep="\t", file=file)
    print(totals)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        table(sys.argv[2])
    else:
        main()
