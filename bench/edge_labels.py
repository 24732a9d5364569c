#!/usr/bin/env python3
"""Times patterns with labels of edges on `.mtg` graphs and checks their counts.

usage: bench/edge_labels.py MATCHA TRUTH.csv FOLDER [--tier TIER | --backend interp | --ahead] [--algorithm A] [--times N] [--only NAME]...

TRUTH.csv has lines `graph,name,query,semantics,count,…`, of which those of isomorphism are taken that a pattern can say; FOLDER has a
GRAPH.mtg for each. Prints a row a query: count, milliseconds of loading, compiling and running, each the least of N runs in processes of
their own. `--ahead`: of the program that `--emit=cpp` gives.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def ahead_of_time(matcha, query, graph, folder):
    """The command that runs the query's program."""
    program, source, binary = (pathlib.Path(folder) / name for name in ("p.mt", "p.cpp", "p"))
    program.write_text(call([matcha, "pattern", query, graph, "--embeddings"]), encoding="utf-8")
    call([matcha, "build", program, "--emit=cpp", "-o", source])
    call(["g++", "-O2", "-march=native", "-std=c++20", "-pthread", source, "-o", binary])
    return [binary, graph, "--json"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("matcha")
    parser.add_argument("truth")
    parser.add_argument("folder")
    parser.add_argument("--tier", default="")
    parser.add_argument("--backend", default="")
    parser.add_argument("--ahead", action="store_true")
    parser.add_argument("--algorithm", default="")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    wrong = 0
    print("| query | count | load | compile | run |\n|---|---:|---:|---:|---:|")
    with open(options.truth, encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["semantics"] == "isomorphism"]
    for row in rows:
        if "?" in row["query"] or "@" in row["query"] or (options.only and row["name"].split("-")[0] not in options.only):
            continue
        # Versions before took paths in quotes alone.
        query = re.sub(r"=([^,]*/[^,]*)", r"='\1'", row["query"])
        graph = pathlib.Path(options.folder) / (row["graph"] + ".mtg")
        with tempfile.TemporaryDirectory() as folder:
            command = [options.matcha, "run", "--pattern", query, "--embeddings", graph, "--json"]
            command += ["--tier", options.tier] if options.tier else []
            command += ["--algorithm", options.algorithm] if options.algorithm else []
            command += ["--backend", options.backend] if options.backend else []
            if options.ahead:
                command = ahead_of_time(options.matcha, query, graph, folder)
            best = {}
            for _ in range(options.times):
                answer = json.loads(call(command))
                for step, ms in answer["ms"].items():
                    best[step] = min(ms, best.get(step, ms))
            right = answer["result"] == int(row["count"])
            wrong += not right
            print(f"| {row['name']} | {answer['result']:,}{'' if right else ' WRONG'} | "
                  f"{best['load']:.1f} | {best['compile']:.1f} | {best['run']:.2f} |", flush=True)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
