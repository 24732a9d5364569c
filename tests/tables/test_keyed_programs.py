#!/usr/bin/env python3
"""Compares motifs that are counted by tables with the engines' counts: test_keyed_programs.py MATCHA."""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(__file__).parent / "keyed_programs.mt")
GRQC = "examples/graphs/ca-grqc.txt.gz"
BACKENDS = (["--backend", "interp"], ["--tier", "interp"], ["--tier", "native", "--threads", "2"])
MOTIFS = ("path:4", "star:4", "square", "tailed-triangle", "diamond", "clique:4")


def run(matcha, graph, *words):
    command = [matcha, "run", graph, "--json", "--no-progress", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return json.loads(done.stdout)["result"]


def compare(matcha, graph, backends):
    pattern = lambda *words: run(matcha, graph, "--induced", "edge", "--pattern", *words)
    wanted = {"four_motifs": [pattern(name) for name in MOTIFS], "houses": pattern("house"), "five_cycles": pattern("cycle:5"),
              "orbits": pattern("motif:4", "--per", "vertex")}
    for entry, options in itertools.product(wanted, backends):
        command = [matcha, "run", PROGRAM, graph, "--entry", entry, "--json", "--no-progress", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, (command, done.stderr)
        got = json.loads(done.stdout)["result"]
        assert got == wanted[entry], (entry, options, got, wanted[entry])


def main():
    with tempfile.TemporaryDirectory() as folder:
        for seed, (vertices, chance) in enumerate([(4, 1), (8, .5), (14, .5), (20, .3)]):
            rng, path = random.Random(seed), pathlib.Path(folder, "g.txt")
            pairs = (pair for pair in itertools.combinations(range(3, 3 + 2 * vertices, 2), 2) if rng.random() < chance)
            path.write_text("".join(f"{u} {v}\n" for u, v in pairs), encoding="utf-8")
            compare(sys.argv[1], str(path), BACKENDS)
    compare(sys.argv[1], GRQC, BACKENDS[1:])
    print("motifs by tables are those of the engines")


if __name__ == "__main__":
    main()
