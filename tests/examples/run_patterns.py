#!/usr/bin/env python3
"""Patterns by `matcha run --pattern` on real graphs against ../shared/ground_truth.csv.

usage: run_patterns.py MATCHA

All patterns on ca-grqc, those of up to 4 vertices on the others; MATCHA_FULL=1 takes every cell and all algorithms.
Exit 77 if ../shared is not there.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys

SHARED = pathlib.Path("../shared")
SMALL_GRAPH = "ca-grqc"


def main():
    matcha = sys.argv[1]
    if not (SHARED / "ground_truth.csv").exists():
        print("[SKIP] ../shared/ground_truth.csv is not there")
        return 77
    full = bool(os.environ.get("MATCHA_FULL"))
    algorithms = ["auto", "extend", "join", "decompose"] if full else ["auto"]
    checked = failures = 0
    with open(SHARED / "ground_truth.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        edges = row["edges"].replace(";", ",")
        vertices = len(set(edges.replace("-", ",").split(",")))
        if not full and (vertices > 7 or (row["graph"] != SMALL_GRAPH and vertices > 4)):
            continue
        for algorithm in algorithms:
            done = subprocess.run([matcha, "run", "--pattern", edges, "--induced", row["induced"], "--algorithm", algorithm,
                                   str(SHARED / "data" / f"{row['graph']}.txt.gz"), "--json", "--timeout", "600"],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode == 1 and algorithm == "decompose" and "does not fit" in done.stderr:
                continue
            answer = json.loads(done.stdout)["result"] if done.returncode == 0 else done.stderr
            checked += 1
            if answer != int(row["count"]):
                failures += 1
                print(f"FAILED: {row['pattern']} {row['induced']} on {row['graph']} by {algorithm}: {answer}, expected "
                      f"{row['count']} (exit {done.returncode})")
    print(f"{checked} counts, {failures} wrong")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
