#!/usr/bin/env python3
"""Every function of the standard library against counts by definition on random graphs, and against known counts on real ones.

usage: stdlib_tests.py MATCHA small MODULE      random graphs, interpreter and CPU
       stdlib_tests.py MATCHA rows              the rows of std.listing, one by one
       stdlib_tests.py MATCHA queries           the labelled queries of four modules on a real graph: all the same
       stdlib_tests.py MATCHA truth GRAPH       ../shared/data against ../shared/ground_truth.csv; exit 77 if they are absent
       stdlib_tests.py MATCHA cpp               motif and clique as C++ files, compiled and run

Run in the root folder."""

import csv
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import brute

SHARED = pathlib.Path("../shared")
BACK_ENDS = (["--backend", "interp"], ["--device", "cpu", "--threads", "2", "--engine", "program"], ["--device", "cpu"])

# Function of std.motif for each pattern.
MOTIF = {
    "wedge": "wedges", "triangle": "triangles", "4-path": "four_paths", "4-star": "four_stars", "4-cycle": "four_cycles",
    "tailed-triangle": "tailed_triangles", "diamond": "diamonds", "4-clique": "four_cliques", "5-path": "five_paths",
    "5-star": "five_stars", "fork": "forks", "5-cycle": "five_cycles", "bull": "bulls", "cricket": "crickets",
    "long-tailed-triangle": "long_tailed_triangles", "banner": "banners", "house": "houses", "dart": "darts",
    "kite": "kites", "butterfly": "butterflies", "K23": "two_by_threes", "K23-plus-edge": "two_by_threes_plus_edge",
    "gem": "gems", "book3": "three_books", "4-clique-tail": "four_clique_tails", "wheel4": "four_wheels",
    "5-clique-minus-path": "five_cliques_minus_path", "5-clique-minus-edge": "five_cliques_minus_edge",
    "5-clique": "five_cliques",
}
TUPLES = {3: "three_motifs", 4: "four_motifs", 5: "five_motifs"}
# Function of std.listing: its pattern, in the order of the row, and the name of the pattern in ground_truth.csv.
LISTING = {
    "wedges": ("01 02", "wedge"), "four_stars": ("01 02 03", "4-star"), "four_paths": ("01 02 13", "4-path"),
    "triangles": ("01 02 12", "triangle"), "tailed_triangles": ("01 02 12 03", "tailed-triangle"),
    "four_cycles": ("01 12 23 03", "4-cycle"), "diamonds": ("01 02 12 03 13", "diamond"),
    "four_cliques": ("01 02 03 12 13 23", "4-clique"), "houses": ("01 12 23 03 04 14", "house"),
    "five_cycles": ("01 12 23 34 04", "5-cycle"), "bowties": ("01 02 12 03 04 34", "butterfly"),
    "p3": ("01 02 03 04 12 13 14 23", "5-clique-minus-path"), "p4": ("01 02 03 12 13 24 34", "K23-plus-edge"),
    "p5": ("01 02 03 04 12 23 34 14", "wheel4"), "p6": ("01 02 12 03 13 23 04 14 24", "5-clique-minus-edge"),
    "p7": ("01 02 03 04 12 13 14 23 24 34", "5-clique"),
}
CLIQUES = {3: "triangles", 4: "four_cliques", 5: "five_cliques", 6: "six_cliques", 7: "seven_cliques", 8: "eight_cliques"}
QUERIES = {
    "q1": "01 12 23 03", "q2": "01 02 12 03 13", "q3": "01 12 23 03 04 14", "q4": "01 12 23 34 04",
    "q5": "01 02 12 03 13 04 15", "q6": "01 02 12 03 13 04 14 05",
}
TEMPORAL = {"q7": "ab bc ca", "q8": "ab bc cd", "q9": "ab bc cd da", "q10": "ab bc ca ad"}


class Failed(Exception):
    pass


def listing_names():
    """Functions of std.listing with their twins: name, pattern, name in the ground truth, induced."""
    cliques = ("triangles", "four_cliques", "p7")
    for name, (text, truth) in LISTING.items():
        yield name, text, truth, False
        if name not in cliques:
            yield name + "_induced", text, truth, True


def expect(what, got, wanted):
    if got != wanted:
        raise Failed(f"{what}: {got}, expected {wanted}")


def run(matcha, program, arguments, options):
    command = [matcha, "run", str(program), *map(str, arguments), "--json", "--no-progress", *options]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["result"]


class Folder:
    """A scratch folder with graphs and programs."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def write(self, name, text):
        file = self.path / name
        file.write_text(text)
        return file

    def graph(self, name, edges):
        return self.write(name, "".join(f"{u} {v}\n" for u, v in edges))

    def program(self, module, calls):
        """A program that returns the calls of functions of a module as a tuple."""
        names = sorted({call.split("(")[0] for call in calls})
        text = f"from std.{module} import {', '.join(names)}\n\ndef main(g: Graph):\n"
        return self.write(f"{module}.mt", text + f"    return mk_tuple(val=[{', '.join(calls)}, 0])\n")


def random_graph(seed, n, chance, step=1):
    """Edges u < v; every vertex in one at least; the ids are `step` apart."""
    source = random.Random(seed)
    edges = {(u, v) for u, v in itertools.combinations(range(n), 2) if source.random() < chance}
    edges |= {(min(v, (v + 1) % n), max(v, (v + 1) % n)) for v in range(n) if not any(v in e for e in edges)}
    return sorted((u * step + 3, v * step + 3) for u, v in edges)


def compare(matcha, folder, what, module, calls, wanted, graph, options=()):
    program = folder.program(module, calls)
    for back_end in BACK_ENDS:
        got = run(matcha, program, [graph, *options], back_end)[:-1]
        for call, one, other in zip(calls, got, wanted):
            expect(f"{what} {' '.join(back_end)} {module} {call}", one, other)
    print(f"ok: {what}: {module}, {len(calls)} functions")


GRAPHS = [(1, 8, 0.4, 1), (2, 9, 0.55, 1), (3, 9, 0.8, 1000003), (4, 10, 0.3, 7)]


def small_motif(matcha, folder):
    for seed, n, chance, step in GRAPHS[:3]:
        edges = random_graph(seed, n, chance, step)
        near = brute.adjacency(edges)
        graph = folder.graph("g.txt", edges)
        own = {name: function for name, function in MOTIF.items() if function not in CLIQUES.values()}
        calls = [f"{function}(g)" for function in own.values()]
        wanted = [brute.subgraphs(near, brute.EDGES[name]) for name in own]
        compare(matcha, folder, f"seed {seed}", "motif", calls, wanted, graph)
        for size, function in TUPLES.items():
            for induced in (False, True):
                entry = f"induced_{function}" if induced else function
                wanted = [brute.subgraphs(near, text, induced) for text in brute.MOTIFS[size].values()]
                for back_end in BACK_ENDS:
                    got = run(matcha, "stdlib/motif.mt", [graph, "--entry", entry], back_end)
                    expect(f"seed {seed} {entry}", got, wanted)


def small_clique(matcha, folder):
    for seed, n, chance, step in [*GRAPHS, (5, 11, 0.95, 3)]:
        edges = random_graph(seed, n, chance, step)
        near = brute.adjacency(edges)
        graph = folder.graph("g.txt", edges)
        found = {size: brute.cliques(near, size) for size in CLIQUES}
        calls = [f"{function}(g)" for function in CLIQUES.values()]
        compare(matcha, folder, f"seed {seed}", "clique", calls, [len(found[size]) for size in CLIQUES], graph)
        arcs = sorted(edges + [(v, u) for u, v in edges])
        for size in (3, 4, 5):
            at_vertices = [sum(v in c for c in found[size]) for v in sorted(near)]
            at_arcs = [sum(u in c and v in c for c in found[size]) for u, v in arcs]
            for entry, wanted in ((f"{CLIQUES[size]}_by_vertex", at_vertices), (f"{CLIQUES[size]}_by_edge", at_arcs)):
                # Compiled code for a graph in the middle and the densest one.
                for back_end in BACK_ENDS if seed in (2, 5) else BACK_ENDS[:1]:
                    got = run(matcha, "stdlib/clique.mt", [graph, "--entry", entry], back_end)
                    expect(f"seed {seed} {entry}", got, wanted)


def small_listing(matcha, folder):
    for seed, n, chance, step in GRAPHS[:3]:
        edges = random_graph(seed, n, chance, step)
        near = brute.adjacency(edges)
        functions = list(listing_names())
        wanted = [brute.subgraphs(near, text, induced) for _, text, _, induced in functions]
        program = "from std.listing import " + ", ".join(name for name, _, _, _ in functions)
        program += "\n\ndef main(g: Graph):\n    return mk_tuple(val=["
        program = folder.write("l.mt", program + ", ".join(f"size({name}(g))" for name, _, _, _ in functions) + "])\n")
        graph = folder.graph("g.txt", edges)
        for back_end in BACK_ENDS:
            got = run(matcha, program, [graph], back_end)
            for (name, _, _, _), one, other in zip(functions, got, wanted):
                expect(f"seed {seed} {name} {' '.join(back_end)}", one, other)


def rows(matcha, folder):
    """Each row is a match, and no two are the same subgraph."""
    edges = random_graph(2, 9, 0.6)
    near = brute.adjacency(edges)
    graph = folder.graph("g.txt", edges)
    for name, text, _, induced in listing_names():
        got = run(matcha, "stdlib/listing.mt", [graph, "--entry", name], BACK_ENDS[1])
        wanted = brute.edges_of(text)
        images = set()
        for row in got:
            expect(f"{name}: vertices of {row}", len(set(row)), len(row))
            image = frozenset(frozenset((row[u], row[v])) for u, v in wanted)
            if not all(row[v] in near[row[u]] for u, v in wanted):
                raise Failed(f"{name}: {row} is no match")
            inside = sum(v in near[u] for u, v in itertools.combinations(row, 2))
            if induced:
                expect(f"{name}: edges among {row}", inside, len(wanted))
            images.add(image)
        expect(f"{name}: different matches", len(images), len(got))
        expect(f"{name}: matches", len(got), brute.subgraphs(near, text, induced))


def small_labelled(matcha, folder, module):
    for seed, n, chance, step in [(1, 12, 0.45, 1), (2, 13, 0.5, 50)]:
        edges = random_graph(seed, n, chance, step)
        near = brute.adjacency(edges)
        source = random.Random(seed)
        labels = {v: source.randrange(3) for v in near}
        text = "".join(f"{v} {label}\n" for v, label in labels.items())
        options = ["--labels", folder.write("labels.txt", text)]
        calls, wanted = [], []
        for name, query in QUERIES.items():
            for _ in range(2):
                chosen = [source.randrange(3) for _ in range(brute.size_of(query))]
                calls.append(f"{name}(g, {', '.join(map(str, chosen))})")
                wanted.append(brute.embeddings(near, query, labels, chosen))
        compare(matcha, folder, f"seed {seed}", module, calls, wanted, folder.graph("g.txt", edges), options)


def small_directed(matcha, folder):
    for seed, n, chance in ((1, 9, 0.2), (2, 10, 0.4), (3, 8, 0.7)):
        source = random.Random(seed)
        arcs = [a for a in itertools.permutations(range(n), 2) if source.random() < chance]
        arcs += [(v, (v + 1) % n) for v in range(n) if not any(v in a for a in arcs)]
        graph = folder.graph("g.txt", arcs)
        wanted = brute.triads(range(n), arcs)
        into = [sum((b, a) in arcs for a, b in arcs if a == v) for v in range(n)]
        for back_end in BACK_ENDS:
            arguments = [graph, "--directed", "--entry"]
            expect(f"seed {seed} triads", run(matcha, "stdlib/directed.mt", [*arguments, "triads"], back_end), wanted)
            expect("reciprocated", run(matcha, "stdlib/directed.mt", [*arguments, "reciprocated"], back_end), into)


def small_orbit(matcha, folder):
    for seed, n, chance, step in GRAPHS[:3]:
        edges = random_graph(seed, n, chance, step)
        near = brute.adjacency(edges)
        graph = folder.graph("g.txt", edges)
        for entry, induced in (("orbits", False), ("induced_orbits", True)):
            wanted = brute.orbits(near, induced)
            for back_end in BACK_ENDS:
                got = run(matcha, "stdlib/orbit.mt", [graph, "--entry", entry], back_end)
                expect(f"seed {seed} {entry}", sorted(got), wanted)


def small_set(matcha, folder):
    """Of the neighbours of the ends of each arc: sizes, sums of ids, and lists that are cut, walked and looked up in."""
    program = folder.write("q.mt", """from std.set import is_subset, symdiff, union

def main(g: Graph):
    def of(value):
        return sum(apply(lambda u: sum(apply(lambda v: value(neighbor(g, u), neighbor(g, v)), neighbor(g, u))), vertices(g)))
    def ids(l):
        return sum(apply(lambda x: x, l))
    return mk_tuple(val=[of(lambda a, b: size(union(a, b))), of(lambda a, b: ids(union(a, b))),
                         of(lambda a, b: size(symdiff(a, b))), of(lambda a, b: ids(symdiff(a, b))),
                         of(lambda a, b: sum(apply(lambda x: 1 if is_subset(intersect(neighbor(g, x), a), b) else 0, a))),
                         of(lambda a, b: sum(apply(lambda x: size(intersect(neighbor(g, x), union(a, b))), union(a, b)))),
                         of(lambda a, b: sum(apply(lambda x: size(diff(symdiff(a, b), neighbor(g, x))), a)))])
""")
    for seed, n, chance in ((1, 9, 0.2), (2, 10, 0.4), (3, 8, 0.7)):
        source = random.Random(seed)
        arcs = [a for a in itertools.permutations(range(n), 2) if source.random() < chance]
        near = {v: {b for a, b in arcs if a == v} for v in range(n)}

        def of(value):
            return sum(value(near[a], near[b]) for a, b in arcs)
        wanted = [of(lambda a, b: len(a | b)), of(lambda a, b: sum(a | b)), of(lambda a, b: len(a ^ b)),
                  of(lambda a, b: sum(a ^ b)), of(lambda a, b: sum(near[x] & a <= b for x in a)),
                  of(lambda a, b: sum(len(near[x] & (a | b)) for x in a | b)),
                  of(lambda a, b: sum(len((a ^ b) - near[x]) for x in a))]
        graph = folder.graph("g.txt", arcs)
        for back_end in BACK_ENDS:
            expect(f"seed {seed} {' '.join(back_end)}", run(matcha, program, [graph, "--directed"], back_end), wanted)
        print(f"ok: seed {seed}: set, {wanted}")


def small_temporal(matcha, folder):
    for seed, n, count in ((1, 5, 30), (2, 6, 45), (3, 4, 40)):
        source = random.Random(seed)
        rows_ = [(*source.sample(range(n), 2), source.randrange(60)) for _ in range(count)] + [(1, 1, 30)]
        file = folder.write("t.txt", "".join(f"{u} {v} {t}\n" for u, v, t in rows_))
        inputs = ["--in", f"edges={file}:0,1", "--in", f"times={file}:2"]
        for name, pattern in TEMPORAL.items():
            for window, gaps in ((25, (100, 100, 100)), (60, (20, 9, 12))):
                wanted = brute.temporal(rows_, pattern, window, gaps)
                settings = [f"window={window}"] + [f"gap{i + 2}={gaps[i]}" for i in range(len(pattern.split()) - 1)]
                arguments = [*inputs, "--entry", name, *itertools.chain(*(("--param", s) for s in settings))]
                for back_end in BACK_ENDS:
                    expect(f"seed {seed} {name}", run(matcha, "stdlib/temporal.mt", arguments, back_end), wanted)


SMALL = {
    "motif": small_motif, "clique": small_clique, "listing": small_listing, "directed": small_directed,
    "orbit": small_orbit, "set": small_set, "temporal": small_temporal,
    **{module: lambda matcha, folder, module=module: small_labelled(matcha, folder, module)
       for module in ("labelled", "join", "decompose", "decompose_join")},
}


def same_queries(matcha, folder):
    """The four modules of labelled queries give the same on a real graph."""
    graph = ["examples/graphs/wiki-vote.txt.gz", "--labels", "examples/graphs/wiki-vote.labels.txt.gz"]
    calls = ["q1(g, 0, 1, 2, 3)", "q1(g, 1, 1, 1, 1)", "q2(g, 3, 1, 2, 2)", "q3(g, 0, 1, 2, 3, 4)", "q4(g, 0, 1, 2, 1, 4)"]
    calls += ["q5(g, 0, 1, 2, 3, 4, 5)", "q6(g, 1, 0, 2, 2, 4, 5)"]
    answers = {}
    for module in ("labelled", "join", "decompose", "decompose_join"):
        answers[module] = run(matcha, folder.program(module, calls), graph, BACK_ENDS[1])
        expect(f"{module} and labelled", answers[module], answers["labelled"])
    print(f"ok: {answers['labelled']}")


def truth(matcha, folder, graph):
    if not (SHARED / "ground_truth.csv").exists():
        print("[SKIP] ../shared/ground_truth.csv is not there")
        return 77
    with open(SHARED / "ground_truth.csv", newline="") as file:
        known = {(row["pattern"], row["induced"]): int(row["count"]) for row in csv.DictReader(file) if row["graph"] == graph}
    data = SHARED / "data" / f"{graph}.txt.gz"
    cpu = BACK_ENDS[1]
    for size in (4, 5):
        for induced, prefix in (("edge", ""), ("vertex", "induced_")):
            got = run(matcha, "stdlib/motif.mt", [data, "--entry", prefix + TUPLES[size]], cpu)
            for name, one in zip(brute.MOTIFS[size], got):
                expect(f"{graph} {name} {induced}", one, known[name, induced])
    for size, name in ((6, "6-clique"), (7, "7-clique")):
        expect(f"{graph} {name}", run(matcha, "stdlib/clique.mt", [data, "--entry", CLIQUES[size]], cpu), known[name, "edge"])
    slow = graph != "road-ny"
    for name, _, pattern, induced in listing_names():
        if pattern == "wedge" or slow and pattern in ("5-cycle", "house", "butterfly"):
            continue
        program = folder.write("l.mt", f"from std.listing import {name}\n\ndef main(g: Graph):\n    return size({name}(g))\n")
        expect(f"{graph} {name}", run(matcha, program, [data], cpu), known[pattern, "vertex" if induced else "edge"])
    print(f"ok: {graph}")
    return 0


def cpp(matcha, folder):
    """Two functions as C++ files. The compiler is the one in CXX, else c++."""
    edges = random_graph(6, 9, 0.6)
    near = brute.adjacency(edges)
    graph = folder.path / "g.mtg"
    subprocess.run([matcha, "graph", "convert", folder.graph("g.txt", edges), graph, "-q"], check=True)
    compiler = os.environ.get("CXX", "c++")
    for module, entry, wanted in (
            ("motif", "houses", brute.subgraphs(near, brute.EDGES["house"])),
            ("clique", "five_cliques", brute.subgraphs(near, brute.EDGES["5-clique"]))):
        source = folder.path / "q.cpp"
        subprocess.run([matcha, "build", f"stdlib/{module}.mt", "--entry", entry, "--emit=cpp", "-o", source], check=True)
        made = source.with_suffix(".o")
        cache = ["ccache"] if shutil.which("ccache") else []
        subprocess.run([*cache, compiler, "-std=c++20", "-O1", "-pthread", "-c", source, "-o", made], check=True)
        subprocess.run([compiler, "-pthread", made, "-o", folder.path / "q"], check=True)
        done = subprocess.run([folder.path / "q", graph], capture_output=True, text=True, check=True)
        expect(f"{module} {entry}", int(done.stdout.split()[0]), wanted)


def main():
    matcha, check, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        try:
            if check == "small":
                SMALL[rest[0]](matcha, folder)
            elif check == "truth":
                return truth(matcha, folder, rest[0])
            else:
                {"rows": rows, "queries": same_queries, "cpp": cpp}[check](matcha, folder)
        except Failed as failure:
            print(f"FAILED: {failure}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
