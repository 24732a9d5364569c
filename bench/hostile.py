#!/usr/bin/env python3
"""Coverage of `run --within` on graphs that are hostile to samples: most matches lie where few draws come.

    python3 bench/hostile.py FOLDER [--seeds 1000] [--within 5] [--certain] [--draws MOST] [GRAPH…]

writes the graphs and their exact counts (by `matcha run`) to FOLDER and runs `bench_coverage`, which fails if intervals
of a pattern miss the count more often than they promise, beyond chance. GRAPH: further files, counted for at most 60 s
a pattern.
"""

import argparse
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PATTERNS = {
    "triangle": "0-1;0-2;1-2",
    "path:4": "0-1;1-2;2-3",
    "4-cycle": "0-1;1-2;2-3;3-0",
    "diamond": "0-1;0-2;1-2;1-3;2-3",
    "4-clique": "0-1;0-2;0-3;1-2;1-3;2-3",
    "house": "0-1;1-2;2-3;3-0;0-4;1-4",
    "5-cycle": "0-1;1-2;2-3;3-4;4-0",
    "5-clique": "0-1;0-2;0-3;0-4;1-2;1-3;1-4;2-3;2-4;3-4",
}


def clique(vertices):
    return [(u, v) for i, v in enumerate(vertices) for u in vertices[:i]]


def star_of_stars():
    """A centre of 300 stars, whose sizes are 1 to 2,000 by a power law; the leaves of the least ones have edges."""
    edges, at = [], 301
    for star in range(1, 301):
        size = max(1, 2000 // star)
        edges += [(0, star)] + [(star, at + leaf) for leaf in range(size)]
        if star > 200:
            edges += [(at + leaf, at + leaf + 1) for leaf in range(size - 1)]
        at += size
    return edges


def planted_cliques():
    """Cliques of 8 to 20 vertices in a random graph of 20,000 vertices and 40,000 edges."""
    rng = random.Random(1)
    edges = [(rng.randrange(20000), rng.randrange(20000)) for _ in range(40000)]
    for size in (8, 12, 16, 20):
        edges += clique(rng.sample(range(20000), size))
    return edges


def clique_behind_star():
    """A star of 5,000 leaves, and a clique of 30 vertices at the end of a path from one of them."""
    return [(0, leaf) for leaf in range(1, 5001)] + [(5000, 5001), (5001, 5002)] + clique(range(5002, 5032))


def road_with_cliques():
    """A grid of 120 x 120 points, as roads, and ten cliques of 5 along it."""
    rng = random.Random(2)
    edges = [(120 * y + x, 120 * y + x + 1) for y in range(120) for x in range(119)]
    edges += [(120 * y + x, 120 * y + x + 120) for y in range(119) for x in range(120)]
    for _ in range(10):
        corner = 120 * rng.randrange(118) + rng.randrange(118)
        edges += clique([corner, corner + 1, corner + 2, corner + 120, corner + 121])
    return edges


def two_scales():
    """A clique of 60 vertices, each with 100 leaves, and 3,000 triangles in a ring: many small parts and one large."""
    edges = clique(range(60)) + [(v, 60 + 100 * v + leaf) for v in range(60) for leaf in range(100)]
    first = 6060
    for i in range(3000):
        edges += clique([first + 2 * i, first + 2 * i + 1, first + (2 * i + 2) % 6000])
    return edges


def count(pattern, graph):
    """The exact number of matches; nothing after a minute."""
    edges = pattern.replace(";", ",")
    words = [str(ROOT / "build/bin/matcha"), "run", "--quiet", "--pattern", edges, graph, "--timeout", "60", "--device", "cpu"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    return int(ran.stdout) if ran.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("graphs", nargs="*")
    parser.add_argument("--seeds", default="1000")
    parser.add_argument("--within", default="5")
    parser.add_argument("--draws", default="200000")
    parser.add_argument("--certain", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    files = []
    for make in (star_of_stars, planted_cliques, clique_behind_star, road_with_cliques, two_scales):
        file = options.folder / f"{make.__name__}.txt"
        pairs = sorted({(min(edge), max(edge)) for edge in make() if edge[0] != edge[1]})
        file.write_text("".join(f"{u} {v}\n" for u, v in pairs), encoding="utf-8")
        files.append(str(file))
    files += options.graphs
    truth = options.folder / "truth.csv"
    with truth.open("w", encoding="utf-8") as out:
        for file in files:
            name = pathlib.Path(file).name.split(".", 1)[0]
            for pattern, edges in PATTERNS.items():
                matches = count(edges, file)
                if matches:
                    out.write(f"{name},{pattern},{edges},edge,{matches}\n")
    words = [str(ROOT / "build/bin/bench_coverage"), str(truth), *files, "--within", options.within, "--seeds", options.seeds,
             "--draws", options.draws, *(["--certain"] if options.certain else [])]
    print("$", " ".join(words), flush=True)
    return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
