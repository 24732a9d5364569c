"""GPU systems without labels of edges beside `bench/geneva`: each edge becomes a vertex that has its label, in the graph and in the query."""

import pathlib
import re
import subprocess

MOST_VERTICES = 16  # The largest query of EGSM and gMatch.


class Subdivided:
    """The text of a graph whose edges are vertices. Label l of an edge becomes `labels + l`."""

    def __init__(self, matcha, graph, labels, folder):
        self.labels, self.folder = int(labels), pathlib.Path(folder)
        self.data, text = self.folder / "subdivided.graph", self.folder / "labelled.graph"
        subprocess.run([str(matcha), "graph", "convert", "--edge-labels", "--quiet", str(graph.path), str(text)], check=True)
        vertices, edges = [], []
        with open(text, encoding="ascii") as file:
            for line in file:
                kind, *numbers = line.split()
                if kind == "v":
                    vertices.append(int(numbers[1]))
                elif kind == "e":
                    edges.append(tuple(map(int, numbers[:3])))
        text.unlink()
        self.write(self.data, vertices, edges)

    def write(self, path, vertices, edges):
        degrees = [0] * len(vertices)
        for u, v, _ in edges:
            degrees[u] += 1
            degrees[v] += 1
        with open(path, "w", encoding="ascii") as out:
            out.write(f"t {len(vertices) + len(edges)} {2 * len(edges)}\n")
            out.writelines(f"v {v} {label} {degrees[v]}\n" for v, label in enumerate(vertices))
            out.writelines(f"v {len(vertices) + at} {self.labels + edge[2]} 2\n" for at, edge in enumerate(edges))
            out.writelines(f"e {end} {len(vertices) + at}\n" for at, edge in enumerate(edges) for end in edge[:2])

    def query(self, query):
        path = self.folder / "subdivided-query.graph"
        self.write(path, query.labels, query.edges)
        return path


def ms_of(name, text):
    """Milliseconds of the host for a phase; a phase that is missing is an error of the run."""
    return float(re.search(rf"{name}[,]? time \(ms\): ([\d.e+-]+)\s*\(host\)", text)[1])


# From the output of a system: the count, the milliseconds of a whole query, and those of its search.
READ = {
    "EGSM": lambda text: (int(re.search(r"# Matches: (\d+)", text)[1]),
                          ms_of("Build Cuckoo Tries", text) + ms_of("Filtering", text) + ms_of("Total join", text), ms_of("Total join", text)),
    "gMatch": lambda text: (int(re.search(r"Result: (\d+)", text)[1]), ms_of("Subgraph Matching Finished", text),
                            ms_of("Subgraph Matching Finished", text) - ms_of("Preparation", text)),
}


def ask(name, binary, subdivided, queries, timeout, times):
    """For each query a dict with `count`, `ms` and `search_ms` of the fastest of several runs, or `failed`."""
    answers = []
    for query in queries:
        best = None
        if len(query.labels) + len(query.edges) > MOST_VERTICES:
            answers.append({"failed": "too large for it"})
            continue
        for _ in range(times):
            try:
                done = subprocess.run([str(pathlib.Path(binary).resolve()), "-d", str(subdivided.data), "-q", str(subdivided.query(query))], check=False,
                                      capture_output=True, text=True, errors="replace", timeout=timeout)
                count, ms, search = READ[name](done.stdout)
            except subprocess.TimeoutExpired:
                best = best or {"failed": "timeout"}
                break
            except TypeError:
                output = (done.stdout + done.stderr).strip().splitlines()
                best = best or {"failed": next((line for line in output if "rror" in line), "it ended without an answer")[:60]}
                break
            if best is None or ms < best["ms"]:
                best = {"count": count, "ms": ms, "search_ms": search}
        answers.append(best)
    return answers
