#!/usr/bin/env python3
"""Runs the programs of examples/ and compares their answers.

usage: run_examples.py MATCHA stated PROGRAM       the counts of the program's `# count:` lines; every SIMD tier, 1 and 2 threads
       run_examples.py MATCHA small PROGRAM        tests/graphs: interpreter, CPU and the brute-force counts of its README
       run_examples.py MATCHA ground-truth         ../shared/data against ../shared/ground_truth.csv; exit 77 if they are absent

Run in the root folder. MATCHA_FULL=1 adds the slow cells of ground-truth.
"""

import csv
import gzip
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GRAPHS = pathlib.Path("tests/graphs")
SHARED = pathlib.Path("../shared")

# Column of tests/graphs/README.md that a program counts.
SMALL_COLUMNS = {
    "wedge": "wedges", "triangle": "triangles", "triangle_listing": "triangles", "four_cycle": "4-cycles",
    "diamond": "diamonds", "clique4": "4-cliques", "clique4_ordered": "4-cliques",
}

# Programs on lists: the file with their expected count, and the number of its lines for the interpreter.
FIRST_LINES = {"temporal_cycle": ("examples/graphs/collegemsg.temporal.txt.gz", 10000)}

# Pattern and induction in ground_truth.csv.
TRUTH = {
    "triangle": ("triangle", "edge"), "diamond": ("diamond", "edge"), "four_cycle": ("4-cycle", "edge"),
    "house": ("house", "edge"), "clique4": ("4-clique", "edge"), "clique4_ordered": ("4-clique", "edge"),
    "clique5": ("5-clique", "edge"),
    "tailed_triangle": ("tailed-triangle", "edge"), "tailed_triangle_induced": ("tailed-triangle", "vertex"),
}
SLOW_CELLS = {("house", "wikivote"), ("house", "enron"), ("house", "facebook"), ("house", "dblp")}


class Failed(Exception):
    pass


def run(matcha, program, arguments, options):
    command = [matcha, "run", program, *arguments, "--json", "--no-progress", *options]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr}")
    answer = json.loads(done.stdout)
    if answer["complete"] is not True:
        raise Failed(f"{' '.join(command)}\nthe answer is partial")
    return answer["result"]


def number(result):
    """A list counts as its length, so that listing and counting programs compare."""
    return len(result) if isinstance(result, list) else result


def expect(what, got, wanted):
    if got != wanted:
        raise Failed(f"{what}: {got}, expected {wanted}")
    print(f"ok: {what}: {got}")


def tiers(matcha):
    done = subprocess.run([matcha, "doctor", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["cpu"]["simd"]


def check_stated(matcha, program):
    stated = re.findall(r"^# count: (.*) (-?\d+)$", pathlib.Path(program).read_text(), re.MULTILINE)
    if not stated:
        raise Failed(f"{program} states no count")
    *others, best = tiers(matcha)
    settings = [["--threads", "1", "--simd", tier, "--engine", "program"] for tier in others or [best]]
    settings += [["--threads", "2", "--simd", best, "--engine", "program"], []]
    for arguments, count in stated:
        for setting in settings:
            result = run(matcha, program, arguments.split(), setting)
            expect(f"{program} {arguments} {' '.join(setting)}", number(result), int(count))


def small_counts():
    lines = [line for line in (GRAPHS / "README.md").read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    header = cells[0]
    counts = {}
    for row in cells[2:]:
        name = re.match(r"\[(.*)\]", row[0]).group(1)
        counts[name] = {column: int(value) for column, value in zip(header[1:], row[1:])}
    return counts


def takes_one_graph(program):
    """True if the program can be bound to one graph file without labels."""
    head = re.search(r"^# count: (.*) -?\d+$", pathlib.Path(program).read_text(), re.MULTILINE).group(1)
    return "--" not in head


def check_lists(matcha, program):
    """The stated count on the interpreter, or its count on the first lines of the file and that of the CPU."""
    stated = re.search(r"^# count: (.*) (-?\d+)$", pathlib.Path(program).read_text(), re.MULTILINE)
    arguments, count = stated.group(1), int(stated.group(2))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as part:
        if pathlib.Path(program).stem in FIRST_LINES:
            path, lines = FIRST_LINES[pathlib.Path(program).stem]
            with gzip.open(path, "rt") as whole:
                part.writelines(itertools.islice(whole, lines))
            part.flush()
            arguments = arguments.replace(path, part.name)
            count = run(matcha, program, arguments.split(), ["--threads", "2"])
            if not 0 < count < int(stated.group(2)):
                raise Failed(f"{program} on the first {lines} lines: {count}")
        result = run(matcha, program, arguments.split(), ["--backend", "interp"])
        planned = run(matcha, program, arguments.split(), ["--tier", "interp", "--threads", "2"])
    expect(f"{program} on the interpreter", number(result), count)
    expect(f"{program} by a plan", number(planned), count)


def check_small(matcha, program):
    if not takes_one_graph(program):
        return check_lists(matcha, program)
    column = SMALL_COLUMNS.get(pathlib.Path(program).stem)
    for name, counts in small_counts().items():
        arguments = [str(GRAPHS / name)]
        interpreted = run(matcha, program, arguments, ["--backend", "interp"])
        compiled = run(matcha, program, arguments, ["--threads", "2", "--tier", "native"])
        planned = run(matcha, program, arguments, ["--threads", "2", "--tier", "interp"])
        if isinstance(interpreted, list):
            interpreted, compiled, planned = sorted(interpreted), sorted(compiled), sorted(planned)
        expect(f"{program} {name} interpreter and plan", planned, interpreted)
        expect(f"{program} {name} interpreter and CPU", compiled, interpreted)
        if column is not None:
            expect(f"{program} {name} brute force", number(interpreted), counts[column])


def check_truth(matcha):
    if not (SHARED / "ground_truth.csv").exists():
        print("[SKIP] ../shared/ground_truth.csv is not there")
        return 77
    with open(SHARED / "ground_truth.csv", newline="") as file:
        truth = {(row["graph"], row["pattern"], row["induced"]): int(row["count"]) for row in csv.DictReader(file)}
    graphs = sorted({graph for graph, _, _ in truth})
    for example, (pattern, induced) in TRUTH.items():
        for graph in graphs:
            if (example, graph) in SLOW_CELLS and not os.environ.get("MATCHA_FULL"):
                continue
            arguments = [str(SHARED / "data" / f"{graph}.txt.gz")]
            result = run(matcha, f"examples/{example}.mt", arguments, [])
            expect(f"{example} {graph}", result, truth[graph, pattern, induced])
    return 0


def main():
    matcha, check = sys.argv[1:3]
    try:
        if check == "stated":
            check_stated(matcha, sys.argv[3])
        elif check == "small":
            check_small(matcha, sys.argv[3])
        elif check == "ground-truth":
            return check_truth(matcha)
        else:
            print(__doc__)
            return 2
    except Failed as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
