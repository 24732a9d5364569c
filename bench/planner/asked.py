"""The questions of bench/planner: some 300, the same in every run. Graphs are files of the given folders, or are generated."""

import dataclasses
import functools
import gzip
import itertools
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Graph:
    """A graph, and how its file is read. `scale` is that of a generated R-MAT graph; 0: the graph is a file."""
    name: str
    labels: bool = False
    directed: bool = False
    scale: int = 0


GRAPHS = {graph.name: graph for graph in [
    Graph("ca-grqc"), Graph("wikivote", labels=True), Graph("enron", labels=True), Graph("facebook"), Graph("as-caida"),
    Graph("road-ny"), Graph("p2p-gnutella31"), Graph("ca-astroph"), Graph("dblp"), Graph("cnr-2000"), Graph("yeast", labels=True),
    Graph("hprd", labels=True), Graph("wordnet", labels=True), Graph("calig-lastfm", labels=True), Graph("calig-email", labels=True),
    Graph("labelled/fb15k237", directed=True), Graph("labelled/wordnet30", directed=True),
    Graph("rmat-12", scale=12), Graph("rmat-16", scale=16), Graph("rmat-19", scale=19)]}


@dataclasses.dataclass(frozen=True)
class Asked:
    """A question. `kind` is the row of the table that it belongs to."""
    kind: str
    graph: str
    patterns: tuple = ()
    program: str = ""  # a file below the root of the project, or the text of a program
    induced: str = "edge"
    match: str = "iso"
    embeddings: bool = False
    unlabelled: bool = False  # the labels of the graph are not read
    limit: int = 0
    wants: str = "count"  # count, exists, rows, or the places of `--per`

    @property
    def name(self):
        what = " + ".join(self.patterns) or self.program.split("\n")[0]
        further = [f"--{option} {value}" for option, value in self.options().items()]
        return " ".join([f"{self.graph}: {what}", *further, *([] if self.wants == "count" else [self.wants])])

    def options(self):
        """The options that differ from their defaults and that a request of `serve` has too."""
        found = {}
        if self.induced != "edge":
            found["induced"] = self.induced
        if self.match != "iso":
            found["match"] = self.match
        if self.embeddings:
            found["embeddings"] = True
        if self.limit:
            found["limit"] = self.limit
        return found


# Patterns of 3 to 7 vertices by their names, or their edges.
SMALL = ["triangle", "wedge", "star:4", "path:4", "cycle:4", "tailed-triangle", "diamond", "clique:4"]
FIVE = ["star:5", "path:5", "cycle:5", "house", "gem", "bull", "butterfly", "kite", "dart", "banner", "cricket", "wheel:5", "clique:5",
        "0-2,0-3,0-4,1-2,1-3,1-4", "0-1,0-2,0-3,0-4,1-2,1-3,1-4", "0-1,0-2,0-3,1-2,1-3,2-3,2-4,3-4",
        "0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4,3-4", "0-1,0-2,0-3,1-2,1-3,2-3,3-4"]
SIX = ["clique:6", "cycle:6", "path:6", "star:6", "0-1,0-2,0-3,1-2,1-4,2-5,3-4,3-5,4-5", "0-1,1-2,2-3,3-0,0-4,4-5,5-0", "clique:7",
       "0-1,0-2,1-2,2-3,3-4,3-5,4-5", "0-1,0-2,0-3,0-4,0-5,1-2,2-3,3-4,4-5", "0-1,1-2,2-3,3-4,4-5,5-0,0-3", "star:7"]


class Rows:
    """The neighbours in a graph's file, for random walks: `near[u]` is a list of (v, label, forwards)."""

    def __init__(self, path, labels, directed):
        self.near, self.labels = {}, {}
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                if line[0] in "#%":
                    continue
                u, v, *label = line.split()
                if u != v:
                    self.near.setdefault(int(u), []).append((int(v), label[0] if directed else "", True))
                    self.near.setdefault(int(v), []).append((int(u), label[0] if directed else "", False))
        if labels:
            with gzip.open(labels, "rt", encoding="utf-8") as lines:
                self.labels = dict(enumerate(line.strip() for line in lines))
        self.vertices = sorted(self.near)


def sampled_pattern(rows, source, size, directed, extra):
    """A pattern that has a match: `size` vertices of a random walk, and up to `extra` more edges among them. None if the walk finds none.
    `source`: the random numbers."""
    for _ in range(1000):
        images = [source.choice(rows.vertices)]
        edges = {}
        while len(images) < size:
            at = source.randrange(len(images))
            to, label, forwards = source.choice(rows.near[images[at]])
            if to in images:
                if source.random() < 0.2:
                    break
                continue
            images.append(to)
            edges[(at, len(images) - 1)] = (label, forwards)
        if len(images) < size:
            continue
        more = []
        for i, image in enumerate(images):
            more += [((i, images.index(to)), (label, forwards)) for to, label, forwards in rows.near[image] if to in images[:i]]
        source.shuffle(more)
        for (i, j), edge in more:
            if extra > 0 and (i, j) not in edges and (j, i) not in edges:
                edges[(i, j)] = edge
                extra -= 1
        if directed:
            return ",".join(f"{i}>{j}='{label}'" if forwards else f"{j}>{i}='{label}'" for (i, j), (label, forwards) in edges.items())
        return ",".join([*(f"{i}-{j}" for i, j in edges), *(f"{i}:{rows.labels[image]}" for i, image in enumerate(images))])
    return None


class Data:
    """Finds, or generates, the graphs."""

    def __init__(self, folders, matcha, made):
        self.folders, self.matcha, self.made = [pathlib.Path(folder) for folder in folders], matcha, pathlib.Path(made)

    @functools.cache
    def file(self, name):
        """The file of a graph, which is generated if need be; None if no folder has it."""
        scale = GRAPHS[name].scale
        if scale:
            self.made.mkdir(parents=True, exist_ok=True)
            path = self.made / f"{name}.mtg"
            if not path.exists():
                subprocess.run([self.matcha, "graph", "generate", "rmat", "--scale", str(scale), "--seed", "7", "-o", str(path), "--quiet"],
                               check=True)
            return path
        return self.found(f"{name}.txt.gz")

    def labels(self, name):
        return self.found(f"{name}.labels.txt.gz")

    def found(self, name):
        return next((folder / name for folder in self.folders if (folder / name).exists()), None)

    @functools.cache
    def rows(self, name):
        graph = GRAPHS[name]
        return Rows(self.file(name), self.labels(name) if graph.labels else None, graph.directed)


def plain():
    """Patterns without labels."""
    light = ["ca-grqc", "wikivote", "enron", "facebook", "as-caida", "road-ny", "rmat-12", "ca-astroph"]
    heavy = ["dblp", "cnr-2000", "rmat-16", "rmat-19"]
    source = random.Random(1)
    cases = [("3 and 4 vertices", graph, pattern, induced)
             for graph, pattern, induced in itertools.product(light + heavy, SMALL, ("edge", "vertex"))]
    chosen = source.sample(cases, 56)
    five = [("5 vertices", graph, pattern, induced)
            for graph, pattern, induced in itertools.product(light + heavy[:3], FIVE, ("edge", "vertex"))]
    chosen += source.sample(five, 60)
    six = [("6 and 7 vertices", graph, pattern, "edge")
           for graph, pattern in itertools.product(["ca-grqc", "road-ny", "p2p-gnutella31", "rmat-12"], SIX)]
    chosen += source.sample(six, 24)
    return [Asked(kind, graph, (pattern,), induced=induced) for kind, graph, pattern, induced in chosen]


def labelled(data):
    """Patterns with labels of vertices. Each has a match in its graph."""
    source, found = random.Random(2), []
    for graph in ("wikivote", "enron", "yeast", "hprd", "wordnet", "calig-lastfm", "calig-email"):
        for size, extra in ((3, 1), (4, 0), (4, 2), (5, 1), (5, 3), (6, 2), (7, 1), (7, 4)):
            pattern = data.file(graph) and data.labels(graph) and sampled_pattern(data.rows(graph), source, size, False, extra)
            wants, limit = source.choice([("count", 0)] * 5 + [("count", 1000), ("exists", 0), ("rows", 1000)])
            embeddings, induced = source.random() < 0.3, source.choice(["edge", "edge", "edge", "vertex"])
            if pattern:
                found.append(Asked("labels", graph, (pattern,), wants=wants, limit=limit, embeddings=embeddings, induced=induced))
    return found


def edge_labelled(data):
    """Patterns of arcs with labels."""
    source, found = random.Random(3), []
    for graph in ("labelled/fb15k237", "labelled/wordnet30"):
        for size, extra, match in itertools.product((3, 4, 5, 6), (0, 1), ("homo", "iso", "edge")):
            pattern = data.file(graph) and sampled_pattern(data.rows(graph), source, size, True, extra)
            wants, limit = source.choice([("count", 0)] * 4 + [("exists", 0), ("rows", 1000)])
            if pattern and match != "edge" or pattern and size < 5:
                found.append(Asked("edge labels", graph, (pattern,), match=match, wants=wants, limit=limit))
    return found


def bounded():
    """Questions that may end early: a limited count, `--exists`, some rows; and some that list all rows."""
    source, found = random.Random(4), []
    for graph in ("wikivote", "enron", "road-ny", "dblp", "rmat-16"):
        for pattern in source.sample(SMALL + FIVE + SIX, 6):
            wants, limit = source.choice([("exists", 0), ("count", 1000), ("count", 100000), ("rows", 100)])
            found.append(Asked("bounded", graph, (pattern,), wants=wants, limit=limit, unlabelled=True))
    for graph in ("ca-grqc", "wikivote", "as-caida", "road-ny"):
        for pattern in source.sample(["triangle", "diamond", "clique:4", "cycle:4", "clique:5"], 2):
            found.append(Asked("rows", graph, (pattern,), wants="rows", unlabelled=True))
    return found


def sets():
    """Motif sets, orbits, and several patterns of one command."""
    found = [Asked("motif sets", graph, (f"motif:{size}",), induced="vertex")
             for graph, size in [("ca-grqc", 3), ("ca-grqc", 4), ("ca-grqc", 5), ("wikivote", 3), ("wikivote", 4), ("enron", 4), ("facebook", 4),
                                 ("facebook", 5), ("road-ny", 4), ("dblp", 3), ("dblp", 4), ("cnr-2000", 4), ("rmat-16", 3)]]
    found += [Asked("orbits", graph, (f"motif:{size}",), wants=per)
              for graph, size, per in [("ca-grqc", 3, "vertex"), ("ca-grqc", 4, "vertex"), ("wikivote", 4, "edge"), ("road-ny", 5, "vertex")]]
    found += [Asked("several", graph, patterns)
              for graph, patterns in [("ca-grqc", ("house", "cycle:5")), ("enron", ("triangle", "clique:4", "cycle:4")),
                                      ("wikivote", ("triangle", "house", "gem")), ("facebook", ("cycle:4", "diamond")),
                                      ("road-ny", ("path:5", "star:5", "cycle:5")), ("dblp", ("clique:4", "clique:5")),
                                      ("rmat-16", ("cycle:4", "tailed-triangle")), ("as-caida", ("wheel:5", "cycle:5", "house", "butterfly"))]]
    return found


def programs():
    """Programs of the examples and the library, for which only the device is chosen."""
    def call(module, function):
        return f"from std.{module} import {function}\n\ndef main(g: Graph):\n    return {function}(g)\n"
    chosen = [("ca-grqc", "examples/triangle.mt"), ("enron", "examples/house.mt"), ("facebook", "examples/clique4.mt"),
              ("dblp", "examples/clique5.mt"), ("as-caida", "examples/four_cycle.mt"), ("road-ny", "examples/tailed_triangle.mt"),
              ("rmat-16", "examples/triangle.mt"), ("cnr-2000", "examples/diamond.mt"), ("rmat-19", "examples/triangle.mt"),
              ("enron", call("motif", "induced_four_motifs")), ("facebook", call("clique", "six_cliques")), ("wikivote", call("motif", "houses")),
              ("dblp", call("motif", "four_cycles")), ("as-caida", call("motif", "five_paths")), ("rmat-16", call("clique", "four_cliques"))]
    return [Asked("programs", graph, program=text) for graph, text in chosen]


def all_asked(data):
    """All questions whose graphs are found, shuffled so that each part of the list is like the whole."""
    found = [asked for asked in [*plain(), *labelled(data), *edge_labelled(data), *bounded(), *sets(), *programs()] if data.file(asked.graph)]
    random.Random(5).shuffle(found)
    return found
