"""`matcha.nx_backend` answers as NetworkX does, called by itself and through the dispatch of NetworkX 3.2 and later."""

import os
import pathlib
import random
import shutil
import subprocess
import sys

import matcha as mt
import pytest

networkx = pytest.importorskip("networkx")

from matcha import nx_backend  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "bindings/python"
OF_NODES = ("triangles", "clustering", "square_clustering", "generalized_degree", "node_clique_number")
THEIRS = {name: getattr(networkx, name, None) for name in nx_backend._FUNCTIONS}
THEIRS["robins_alexander_clustering"] = networkx.bipartite.robins_alexander_clustering
# Run in an interpreter with a NetworkX that dispatches.
DISPATCH = """
import networkx as nx, matcha as mt
if hasattr(nx.config, "warnings_to_ignore"):
    nx.config.warnings_to_ignore.add("cache")
assert nx.utils.backends.backend_info["matcha"]["functions"]["triangles"] is not None
graph = nx.gnp_random_graph(30, 0.3, seed=1)
for name in ("triangles", "transitivity", "clustering", "average_clustering", "square_clustering", "generalized_degree"):
    call = getattr(nx, name)
    assert call(graph, backend="matcha") == call(graph), name
arcs = nx.gnp_random_graph(30, 0.2, seed=1, directed=True)
assert nx.triadic_census(arcs, backend="matcha") == nx.triadic_census(arcs)
ours = mt.Graph([0, 1, 2, 0], [1, 2, 0, 3])
assert nx.triangles(ours) == {0: 1, 1: 1, 2: 1, 3: 0} and nx.triangles(ours, 0) == 1
for refused in (lambda: nx.clustering(arcs, backend="matcha"), lambda: nx.clustering(graph, weight="w", backend="matcha"),
                lambda: nx.average_clustering(graph, 0, backend="matcha")):
    try:
        refused()
    except NotImplementedError:
        continue
    raise AssertionError("not refused")
print("dispatched")
"""


def random_graph(chance, kind=networkx.Graph, loops=True):
    count = chance.randint(1, 12)
    graph = networkx.gnp_random_graph(count, chance.random(), seed=chance.randrange(1000), directed=kind is networkx.DiGraph)
    names = [f"n{one}" for one in chance.sample(range(count), count)] if chance.random() < 0.5 else list(range(count))
    graph = networkx.relabel_nodes(graph, dict(enumerate(names)))
    if loops and chance.random() < 0.3:
        graph.add_edge(names[0], names[0])
    return graph


@pytest.mark.parametrize("seed", range(10))
def test_answers_are_those_of_networkx(seed):
    chance = random.Random(seed)
    graph = random_graph(chance)
    ours, nodes = nx_backend.convert_from_nx(graph), list(graph)
    some = chance.sample(nodes, chance.randint(1, len(nodes)))
    for name in OF_NODES:
        for arguments in ((), (chance.choice(nodes),), (some,)):
            if name == "square_clustering" and networkx.number_of_selfloops(graph):
                assert nx_backend.can_run(name, (graph, *arguments), {}) == "loops"
                continue
            assert nx_backend.can_run(name, (graph, *arguments), {}) is True
            found, wanted = getattr(nx_backend, name)(ours, *arguments), THEIRS[name](graph, *arguments)
            assert found == wanted, (name, arguments)
            if isinstance(wanted, dict) and set(wanted) == set(nodes) and name in ("triangles", "clustering"):
                assert list(found) == list(wanted), "in the order of NetworkX"
    assert nx_backend.transitivity(ours) == networkx.transitivity(graph)
    for arguments in ((), (some,)):
        assert nx_backend.average_clustering(ours, *arguments) == networkx.average_clustering(graph, *arguments)
    listed = [tuple(sorted(row)) for row in nx_backend.all_triangles(ours)]
    assert len(set(listed)) == len(listed) == sum(networkx.triangles(graph).values()) // 3
    plain = random_graph(chance, loops=False)
    assert nx_backend.robins_alexander_clustering(nx_backend.convert_from_nx(plain)) == THEIRS["robins_alexander_clustering"](plain)
    arcs = random_graph(chance, networkx.DiGraph, loops=False)
    assert nx_backend.triadic_census(nx_backend.convert_from_nx(arcs)) == networkx.triadic_census(arcs)


def test_what_is_refused():
    graph, arcs, many = networkx.path_graph(3), networkx.DiGraph([(0, 1)]), networkx.MultiGraph([(0, 1), (0, 1)])
    loop = networkx.DiGraph([(0, 0), (0, 1)])
    for name, arguments, reason in (
        ("triangles", (many,), "multigraph"),
        ("clustering", (arcs,), "a directed graph"),
        ("triadic_census", (graph,), "an undirected graph"),
        ("triadic_census", (loop,), "loops"),
        ("triadic_census", (arcs, [0]), "some of the nodes"),
        ("clustering", (graph, None, "weight"), "not read"),
        ("average_clustering", (graph, 0), "a single node"),
        ("triangles", (graph, iter([0])), "no collection"),
        ("node_clique_number", (graph, [0, 9]), "other nodes"),
    ):
        assert reason in nx_backend.can_run(name, arguments, {}), (name, arguments)
    assert nx_backend.can_run("triangles", (graph, [0, 9]), {}) is True
    assert "fewer than" in nx_backend.should_run("triangles", (graph,), {})
    assert nx_backend.should_run("triangles", (networkx.complete_graph(60),), {}) is True
    assert nx_backend.convert_to_nx(mt.Graph([0], [1])).number_of_edges() == 1
    assert set(nx_backend.backend_info()["functions"]) == set(nx_backend._FUNCTIONS)


def test_dispatch(tmp_path):
    """An installed package has entry points; here a folder of metadata stands for it."""
    facts = tmp_path / "matcha-0.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: matcha\nVersion: 0.0\n", encoding="utf-8")
    shutil.copy(PACKAGE / "entry_points.txt", facts)
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGE / 'src'}{os.pathsep}{tmp_path}"}
    for python in dict.fromkeys((sys.executable, shutil.which("python3"))):
        asked = "import networkx as nx; print(tuple(map(int, nx.__version__.split('.')[:2])) >= (3, 2))"
        known = subprocess.run([python, "-c", asked], env=environment, capture_output=True, text=True, check=False)
        if known.stdout.strip() == "True":
            done = subprocess.run([python, "-c", DISPATCH], env=environment, capture_output=True, text=True, check=False)
            assert (done.stdout, done.stderr) == ("dispatched\n", "")
            return
    pytest.skip("no NetworkX from 3.2 on")
