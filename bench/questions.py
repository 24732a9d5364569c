"""The questions of the cells of peers.json, and our programs that answer them."""

import csv
import dataclasses
import functools
import itertools
import math

import measuring
from measuring import edges_text

# Functions of std.listing and the patterns that they enumerate; all but the cliques have a vertex-induced twin.
LISTING = {
    "triangles": "01 02 12", "four_stars": "01 02 03", "four_paths": "02 01 13", "tailed_triangles": "01 02 12 03",
    "four_cycles": "01 12 23 03", "diamonds": "01 02 12 03 13", "four_cliques": "01 02 03 12 13 23",
    "houses": "01 12 23 03 04 14", "five_cycles": "01 12 23 34 04", "bowties": "01 02 12 03 04 34",
    "p3": "01 02 03 04 12 13 14 23", "p4": "01 02 03 12 13 24 34", "p5": "01 02 03 04 12 23 34 14",
    "p6": "01 02 03 04 12 13 14 23 24", "p7": "01 02 03 04 12 13 14 23 24 34",
}
LISTED_MOTIFS = {
    "motif:3": ["wedges_induced", "triangles"],
    "motif:4": ["four_paths_induced", "four_stars_induced", "four_cycles_induced", "tailed_triangles_induced", "diamonds_induced",
                "four_cliques"],
}
COUNTED_MOTIFS = {"motif:3": "induced_three_motifs", "motif:4": "induced_four_motifs"}
# Functions of std.motif, edge-induced, by identities.
MOTIF = {
    "four_stars": "01 02 03", "four_paths": "01 12 23", "four_cycles": "01 03 12 23", "tailed_triangles": "01 02 12 23",
    "diamonds": "01 02 12 13 23", "five_paths": "01 12 23 34", "five_stars": "01 02 03 04", "five_cycles": "01 04 12 23 34",
    "bulls": "01 02 03 12 14", "crickets": "01 02 03 04 12", "banners": "01 03 04 12 23", "houses": "01 03 04 12 14 23",
    "darts": "01 02 12 13 14 23", "kites": "01 02 12 13 23 34", "butterflies": "01 02 03 04 12 34",
    "two_by_threes": "02 03 04 12 13 14", "gems": "01 04 12 14 23 24 34", "three_books": "01 02 03 04 12 13 14",
    "four_wheels": "01 03 04 12 14 23 24 34", "five_cliques_minus_path": "01 02 03 12 13 23 24 34",
    "five_cliques_minus_edge": "02 03 04 12 13 14 23 24 34",
}
CLIQUE = ["", "", "", "triangles", "four_cliques", "five_cliques", "six_cliques", "seven_cliques", "eight_cliques"]
# Programs of examples/: pattern, induced, whether they enumerate all matches.
EXAMPLES = {
    "triangle": ("01 02 12", "edge", True), "clique4": ("01 02 03 12 13 23", "edge", True),
    "clique4_ordered": ("01 02 03 12 13 23", "edge", True), "clique5": ("01 02 03 04 12 13 14 23 24 34", "edge", True),
    "four_cycle": ("01 12 23 03", "edge", True), "tailed_triangle_induced": ("01 02 12 03", "vertex", True),
    "tailed_triangle": ("01 02 12 03", "edge", False), "diamond": ("01 02 12 13 23", "edge", False),
    "house": ("01 12 23 03 04 14", "edge", False),
}


@functools.cache
def canonical(pattern):
    """A key that is equal for isomorphic patterns."""
    if pattern.startswith("motif:"):
        return pattern
    edges = [(int(edge[0]), int(edge[1])) for edge in pattern.split()]
    n = 1 + max(map(max, edges))
    names = [[1 << (min(i, j) * n + max(i, j)) for j in range(n)] for i in range(n)]
    return n, min(sum(names[order[u]][order[v]] for u, v in edges) for order in itertools.permutations(range(n)))


def is_clique(pattern):
    n = 1 + max(int(digit) for edge in pattern.split() for digit in edge)
    return len(pattern.split()) == n * (n - 1) // 2


@dataclasses.dataclass(frozen=True)
class Question:
    """The question of a cell. Cells of several tables may have the same question."""
    graph: str
    pattern: str  # edges such as `01 02 12`, or `motif:K`
    induced: str
    labels: int  # 0: none; else vertex i of the pattern has label i mod labels, and embeddings are counted
    counted: bool  # any algorithm; else all matches are enumerated

    @property
    def count_key(self):
        """Questions with equal keys have equal counts."""
        clique = not self.pattern.startswith("motif:") and is_clique(self.pattern)
        pattern = self.pattern if self.labels else canonical(self.pattern)
        return self.graph, pattern, "any" if clique else self.induced, self.labels

    @property
    def key(self):
        return *self.count_key, self.counted


@dataclasses.dataclass
class Cell:
    table: str
    column: str
    question: Question
    times: str  # the cell's text in the table of peers, `1.5/-/>900`
    peers: list

    @property
    def milliseconds(self):
        """(time, peer) of the peers that have one."""
        found = []
        for text, peer in zip(self.times.split("/"), self.peers):
            if text[0] not in "->w":
                found.append((float(text), peer))
        return found

    @property
    def at_least(self):
        """A lower bound of the time of the fastest peer; for the order of the work."""
        bounds = [float(text.lstrip(">")) for text in self.times.split("/") if text[0] not in "-w"]
        return min(bounds, default=math.inf)


def column_meaning(entry, column):
    """(pattern's name, induced, counted) of a column such as `4-motif, vertex-induced, counted`."""
    name, *flags = column.split(", ")
    induced = next((flag.split("-")[0] for flag in flags if flag.endswith("-induced")), entry["induced"])
    return name, induced, entry.get("counted", False) or "counted" in flags


def all_cells(peers, device):
    """The cells of every table of this device that have a measurement of a peer."""
    cells = []
    for table, entry in peers["tables"].items():
        if entry["device"] != device:
            continue
        for graph, row in entry["ms"].items():
            for column, times in zip(entry["columns"], row.split()):
                if set(times) <= {"-", "/"}:
                    continue
                name, induced, counted = column_meaning(entry, column)
                question = Question(graph, peers["patterns"][name], induced, entry.get("labels", 0), counted)
                cells.append(Cell(table, column, question, times, entry["peers"]))
    return cells


def best_peers(cells):
    """The best (time, peer) for each question; a time to enumerate all matches also counts as a time to count them."""
    best = {}
    for cell in cells:
        keys = {cell.question.key, (*cell.question.count_key, True)}
        for key, found in itertools.product(keys, cell.milliseconds):
            best[key] = min(best.get(key, found), found)
    return best


def sources(question, folder, examples):
    """The programs that answer a question: name -> words of `matcha run` before the graph."""
    def listed(names):
        return [measuring.program_of(folder, "listing", names)]

    pattern, induced = question.pattern, question.induced
    found = {}
    if pattern.startswith("motif:"):
        found["std.listing"] = listed(LISTED_MOTIFS[pattern])
        if question.counted:
            found[f"std.motif {COUNTED_MOTIFS[pattern]}"] = [measuring.program_of(folder, "motif", [COUNTED_MOTIFS[pattern]])]
        return found | patterns(question, pattern, ["extend", "auto"] if question.counted else ["extend"])
    if question.labels:
        return {f"{name}, embeddings": [*words, "--embeddings"]
                for name, words in patterns(question, labelled_text(pattern, question.labels), ["extend", "join"]).items()}
    n = 1 + max(int(digit) for edge in pattern.split() for digit in edge)
    same = {"edge", "vertex"} if is_clique(pattern) else {induced}
    for name, (edges, meaning, walks) in EXAMPLES.items():
        if canonical(edges) == canonical(pattern) and meaning in same and (walks or question.counted):
            found[f"{name}.mt"] = [examples / f"{name}.mt"]
    if is_clique(pattern):
        found[f"std.clique {CLIQUE[n]}"] = [measuring.program_of(folder, "clique", [CLIQUE[n]])]
    for name, edges in LISTING.items():
        if canonical(edges) == canonical(pattern):
            name += "_induced" if induced == "vertex" and not is_clique(pattern) else ""
            found[f"std.listing {name}"] = listed([name])
    for name, edges in MOTIF.items():
        if canonical(edges) == canonical(pattern) and induced == "edge" and question.counted:
            found[f"std.motif {name}"] = [measuring.program_of(folder, "motif", [name])]
    algorithms = ["auto", "extend", "decompose"] if question.counted else ["extend"]
    found |= patterns(question, edges_text(pattern), algorithms)
    return found | {f"{name}, by degree": [*words, "--order", "degree"] for name, words in found.items() if takes_any_order(name)}


def takes_any_order(name):
    """Programs that enumerate matches in the graph itself; those that build an oriented graph choose its order."""
    return name == "pattern, extend" or name.startswith("std.listing") or name in ("triangle.mt", "clique4_ordered.mt")


def labelled_text(pattern, labels):
    """A pattern as the command line takes it, vertex i with label i mod `labels`."""
    vertices = sorted({int(digit) for edge in pattern.split() for digit in edge})
    return ",".join([edges_text(pattern), *(f"{v}:{v % labels}" for v in vertices)])


def patterns(question, text, algorithms):
    return {f"pattern, {algorithm}": ["--pattern", text, "--induced", question.induced, "--algorithm", algorithm]
            for algorithm in algorithms}


def plain_count(result):
    """A result that does not depend on the order of the patterns of a motif."""
    return sorted(result) if isinstance(result, list) else result


def known_counts(file, motifs):
    """Count by graph, pattern and induced, as `Question.count_key` has them."""
    known, by_size = {}, {}
    if file is None or not file.exists():
        return known
    for row in csv.DictReader(file.open(newline="")):
        edges = row["edges"].replace("-", "").replace(";", " ")
        key = Question(row["graph"], edges, row["induced"], 0, False).count_key
        known[key] = int(row["count"])
        if row["induced"] == "vertex":
            by_size.setdefault((row["graph"], key[1][0]), []).append(int(row["count"]))
    for (graph, size), counts in by_size.items():
        if len(counts) == motifs.get(size):
            known[(graph, f"motif:{size}", "vertex", 0)] = sorted(counts)
    return known
