#!/usr/bin/env python3
"""Compares examples with tables with NetworkX on random graphs: test_table_examples.py MATCHA. Exit code 77: skipped, with the reason."""

import collections
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile

try:
    import networkx
except ImportError:
    print("[SKIP] NetworkX is not installed")
    sys.exit(77)

YEAST = "examples/graphs/yeast.txt.gz"
BACKENDS = (["--backend", "interp"], ["--tier", "interp"], ["--tier", "native", "--threads", "2"])


def run(matcha, program, graph, *options):
    command = [matcha, "run", f"examples/{program}.mt", graph, "--json", "--no-progress", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return json.loads(done.stdout)["result"]


def histogram(graph):
    counts = collections.Counter(degree for _, degree in graph.degree)
    return sorted([degree, count] for degree, count in counts.items())


def top_triangles(graph):
    triangles = networkx.triangles(graph)
    return sorted(([n, v] for v, n in triangles.items() if n), reverse=True)[:10]


def clustering(graph):
    return [[v, value] for v, value in sorted(networkx.clustering(graph).items())]


def edge_triangles(graph):
    common = ((u, v, len(set(graph[u]) & set(graph[v]))) for u, v in map(sorted, graph.edges))
    return sorted([u, v, n] for u, v, n in common if n)


def ego_networks(graph):
    return [[v, len(graph[v]), graph.subgraph(graph[v]).number_of_edges()] for v in sorted(graph)]


def projection(graph):
    pairs = collections.Counter(pair for v in graph for pair in itertools.combinations(sorted(graph[v]), 2))
    return sorted([u, v, n] for (u, v), n in pairs.items() if n >= 10)


def degree_mixing(graph):
    return [[degree, mean] for degree, mean in sorted(networkx.average_degree_connectivity(graph).items()) if degree]


def core_numbers(graph):
    return sorted([v, core] for v, core in networkx.core_number(graph).items())


def components(graph):
    return sorted([v, min(part)] for part in networkx.connected_components(graph) for v in part)


def label_propagation(graph):
    graph = graph.subgraph(v for v in graph if graph[v])  # A vertex without neighbours hears of no label.
    label = {v: v for v in graph}
    for _ in range(5):
        votes = {v: collections.Counter(label[w] for w in graph[v]) for v in graph}
        label = {v: max(votes[v], key=lambda each: (votes[v][each], -each)) for v in graph}
    return sorted([v, each] for v, each in label.items())


def pagerank(graph):
    rank = {v: 1 / len(graph) for v in graph}
    for _ in range(40):
        alone = sum(rank[v] for v in graph if not graph[v]) / len(graph)
        rank = {v: .15 / len(graph) + .85 * (alone + sum(rank[w] / len(graph[w]) for w in graph[v])) for v in graph}
    return sorted([v, value] for v, value in rank.items())


def k_core(graph):
    return sorted(networkx.k_core(graph, 5))


def truss(graph):
    return sorted(sorted(edge) for edge in networkx.k_truss(graph, 5).edges)


def closeness(graph):
    reached = {v: networkx.single_source_shortest_path_length(graph, v, cutoff=2) for v in sorted(graph)}
    return [[v, sum(1 / hops for hops in found.values() if hops)] for v, found in reached.items()]


def weighted_triangles(graph):
    weight = lambda u, v: 1 / math.sqrt(len(graph[u]) * len(graph[v]))
    total = collections.Counter()
    for u, v, w in (clique for clique in networkx.enumerate_all_cliques(graph) if len(clique) == 3):
        for corner in (u, v, w):
            total[corner] += weight(u, v) * weight(v, w) * weight(u, w)
    return sorted([v, value] for v, value in total.items())


CASES = {"k_core": k_core, "truss": truss, "closeness": closeness, "weighted_triangles": weighted_triangles,
         "core_numbers": core_numbers, "components": components, "label_propagation": label_propagation,
         "pagerank": pagerank,
         "degree_histogram": histogram, "top_triangles": top_triangles, "clustering": clustering,
         "edge_triangles": edge_triangles, "ego_networks": ego_networks, "projection": projection,
         "degree_mixing": degree_mixing}


def close(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
    return abs(a - b) <= 1e-12 * max(1, abs(b))


def main():
    matcha = sys.argv[1]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "g.txt")
        for seed, (vertices, chance) in enumerate([(2, 1), (9, .2), (30, .1), (45, .5), (120, .03)]):
            graph = networkx.gnp_random_graph(vertices, chance, seed=seed)
            graph = networkx.relabel_nodes(graph, {v: 3 * v + 1 for v in graph})
            # A loop is no edge, but its end is a vertex.
            lines = [*graph.edges, *((v, v) for v in networkx.isolates(graph))]
            path.write_text("".join(f"{u} {v}\n" for u, v in lines), encoding="utf-8")
            for program, wanted in CASES.items():
                expected = wanted(graph)
                for options in BACKENDS:
                    got = run(matcha, program, str(path), *options)
                    assert close(got, expected), (program, options, got, expected)
                    compared += 1
    graph = networkx.read_edgelist(YEAST, comments="#", nodetype=int, data=False)
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    for program, wanted in CASES.items():
        got, expected = run(matcha, program, YEAST), wanted(graph)
        assert close(got, expected), (program, got[:20], expected[:20])
        compared += 1
    print(f"{compared} answers are those of NetworkX")


if __name__ == "__main__":
    main()
