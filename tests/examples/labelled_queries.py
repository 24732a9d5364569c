#!/usr/bin/env python3
"""Labelled query graphs against ../shared/ground_truth_labelled.csv.

usage: labelled_queries.py MATCHA             vertex extension, written by this script
       labelled_queries.py MATCHA patterns    `matcha run --pattern` of the query files

Counts are of embeddings. Queries of 4, 8 and 16 vertices (as patterns also of 24 and 32), one in ten of the large set
hprd-test; MATCHA_FULL=1 takes all.
Exit 77 if ../shared is not there.
"""

import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SHARED = pathlib.Path("../shared")
SIZES = (4, 8, 16)
LARGE_SET = "hprd-test"


def read_query(path):
    """Labels and neighbours by vertex of a `t/v/e` file."""
    labels, near = {}, {}
    for line in path.read_text().splitlines():
        word, *rest = line.split()
        if word == "v":
            labels[int(rest[0])] = int(rest[1])
            near[int(rest[0])] = set()
        elif word == "e":
            u, v = int(rest[0]), int(rest[1])
            near[u].add(v)
            near[v].add(u)
    return labels, near


def matching_order(labels, near, frequency):
    """Starts at the rarest label for its degree; then always the vertex with most matched neighbours, rarest label first."""
    rarity = {v: frequency.get(labels[v], 0) for v in labels}
    order = [min(labels, key=lambda v: (rarity[v] / len(near[v]), v))]
    while len(order) < len(labels):
        matched = set(order)
        rest = [v for v in labels if v not in matched and near[v] & matched]
        order.append(min(rest, key=lambda v: (-len(near[v] & matched), rarity[v], v)))
    return order


def program(labels, near, order):
    lines = ["def query(G: Graph) -> int:"]
    for level, vertex in enumerate(order):
        indent = "    " * (level + 1)
        condition = f"lambda v: vertex_label(G, v) == {labels[vertex]}"
        before = order[:level]
        if level == 0:
            candidates = "vertices(G)"
        else:
            sets = [f"neighbor(G, u{u})" for u in before if u in near[vertex]]
            candidates = sets[0]
            for other in sets[1:]:
                candidates = f"intersect({candidates}, {other})"
            used = [f"u{u}" for u in before if u not in near[vertex] and labels[u] == labels[vertex]]
            if used:
                candidates = f"diff({candidates}, [{', '.join(used)}])"
        if level + 1 == len(order):
            lines.append(f"{indent}return size(apply(lambda v: v, cond={condition}, {candidates}))")
        else:
            lines.append(f"{indent}def at{level}(u{vertex}):")
            lines.append((indent, level, condition, candidates))
    # Each function's caller stands after its body, one level further out.
    text, calls = [], []
    for line in lines:
        if isinstance(line, tuple):
            calls.append(line)
        else:
            text.append(line)
    for indent, level, condition, candidates in reversed(calls):
        text.append(f"{indent}return sum(apply(at{level}, cond={condition}, {candidates}))")
    return "\n".join(text) + "\n"


def main():
    matcha = sys.argv[1]
    as_patterns = sys.argv[2:] == ["patterns"]
    if not (SHARED / "ground_truth_labelled.csv").exists():
        print("[SKIP] ../shared/ground_truth_labelled.csv is not there")
        return 77
    frequency = {}
    failures = checked = 0
    with open(SHARED / "ground_truth_labelled.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as folder:
        for index, row in enumerate(rows):
            if LARGE_SET in row["query_file"] and index % 10 != 0 and not os.environ.get("MATCHA_FULL"):
                continue
            labels, near = read_query(SHARED / "data" / row["query_file"])
            if not as_patterns and len(labels) not in SIZES and not os.environ.get("MATCHA_FULL"):
                continue
            graph = SHARED / "data" / row["graph"]
            if row["graph"] not in frequency:
                words = gzip.open(f"{graph}.labels.txt.gz", "rt").read().split()
                frequency[row["graph"]] = {int(word): words.count(word) for word in set(words)}
            text = program(labels, near, matching_order(labels, near, frequency[row["graph"]]))
            path = pathlib.Path(folder) / "query.mt"
            path.write_text(text)
            what = [str(path)]
            if as_patterns:
                what = ["--pattern", str(SHARED / "data" / row["query_file"]), "--induced", "edge", "--embeddings"]
            done = subprocess.run([matcha, "run", *what, f"{graph}.txt.gz", "--labels", f"{graph}.labels.txt.gz", "--json",
                                   "--timeout", "120"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            answer = json.loads(done.stdout)["result"] if done.returncode == 0 else done.stderr
            checked += 1
            if answer != int(row["embeddings"]):
                failures += 1
                print(f"FAILED: {row['query_file']}: {answer}, expected {row['embeddings']} (exit {done.returncode})\n{text}")
    print(f"{checked} queries, {failures} wrong")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
