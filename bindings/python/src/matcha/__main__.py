"""`python3 -m matcha doctor`: the abilities of this installation; `python3 -m matcha significance GRAPH`: motifs beside random graphs."""

from __future__ import annotations

import argparse
import os
import sys

from matcha._doctor import doctor_text
from matcha._errors import Error
from matcha._graph import read
from matcha._significance import significance


def main(words: list[str]) -> int:
    """The exit code, as of the command line; 0 if patterns are counted correctly, or the table is written."""
    parser = argparse.ArgumentParser(prog="python3 -m matcha", description=__doc__)
    verbs = parser.add_subparsers(dest="verb")
    verbs.add_parser("doctor", help="the abilities of this installation")
    motifs = verbs.add_parser("significance", help="counts of motifs, and of random graphs with the same degrees, as CSV")
    motifs.add_argument("graph", help="a file that `matcha run` reads")
    motifs.add_argument("--size", type=int, default=4, help="vertices of the patterns (default: 4)")
    motifs.add_argument("--null", type=int, default=100, metavar="N", help="random graphs (default: 100)")
    motifs.add_argument("--seed", type=int, default=1, help="of the first random graph (default: 1)")
    motifs.add_argument("--directed", action="store_true", help="keep the arcs of the file")
    motifs.add_argument("--pattern", action="append", help="this one, in place of all of a size; may be repeated")
    given = parser.parse_args(words)
    if given.verb == "significance":
        try:
            graph = read(given.graph, directed=given.directed)
            significance(graph, given.pattern or given.size, samples=given.null, seed=given.seed).to_csv(sys.stdout)
            sys.stdout.flush()
        except Error as problem:
            sys.stderr.write(f"{problem}\n")
            return problem.status
        except ValueError as problem:
            sys.stderr.write(f"error: {problem}\n")
            return 2
        return 0
    text = doctor_text()
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0 if text.endswith("works\n") else 4


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except OSError as problem:  # Of standard output.
        code = 0 if isinstance(problem, BrokenPipeError) else 3
        if code != 0:
            sys.stderr.write(f"error: standard output: {problem.strerror}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes its buffer once more at exit.
    sys.exit(code)
