"""Answers of the Python package against enumeration and NetworkX; errors, time limits, Ctrl-C, threads, memory."""

import array
import doctest
import gc
import importlib
import itertools
import os
import pathlib
import pkgutil
import random
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import matcha as mt
import numpy
import pytest
from matcha import _patterns
from matcha._estimate import Estimate
from matcha._hints import in_keywords

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIKI_VOTE = ROOT / "examples/graphs/wiki-vote.txt.gz"


def random_edges(seed, vertices=12, chance=0.4):
    rng = random.Random(seed)
    return [pair for pair in itertools.combinations(range(vertices), 2) if rng.random() < chance]


def triangles(edges):
    joined = {frozenset(edge) for edge in edges}
    ends = sorted({end for edge in edges for end in edge})
    return sum(
        all(frozenset(pair) in joined for pair in itertools.combinations(three, 2))
        for three in itertools.combinations(ends, 3)
    )


@pytest.mark.parametrize("name", ["matcha", *(f"matcha.{m.name}" for m in pkgutil.iter_modules(mt.__path__))])
def test_documentation(name):
    if name == "matcha.nx":
        pytest.importorskip("networkx")
    if name != "matcha.__main__":
        assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_readme():
    pytest.importorskip("pandas")
    assert doctest.testfile(str(ROOT / "bindings/README.md"), module_relative=False).failed == 0


def test_wiki_vote():
    graph = mt.read(WIKI_VOTE)
    assert repr(graph) == "Graph(7115 vertices, 100762 edges, undirected)"
    assert mt.count(graph, "triangle") == 608389
    assert mt.motifs(graph, 3)["triangle"] == 608389


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed):
    edges = random_edges(seed)
    graph = mt.Graph(edges)
    assert mt.count(graph, "triangle") == triangles(edges)
    rows = mt.match(graph, "triangle")
    assert len(rows) == len({frozenset(row) for row in rows}) == triangles(edges)
    assert sum(mt.participation(graph, "triangle")) == 3 * triangles(edges)
    assert len(mt.match(graph, "edge", limit=3)) == min(3, len(edges))


def test_inputs():
    numpy = pytest.importorskip("numpy")
    edges = random_edges(5)
    sources, targets = zip(*edges)
    wanted = triangles(edges)
    forms = [
        mt.Graph(sources, targets),
        mt.Graph(array.array("q", sources), array.array("q", targets)),
        mt.Graph(numpy.array(edges)),
        mt.Graph(numpy.array(edges, dtype=numpy.uint32)),
        mt.Graph(numpy.array(sources, dtype=numpy.int32), numpy.array(targets, dtype=numpy.int32)),
        mt.Graph({"from": sources, "to": targets}, src="from", dst="to"),
        mt.Graph([(f"n{a}", f"n{b}") for a, b in edges]),
    ]
    assert [mt.count(graph, "triangle") for graph in forms] == [wanted] * len(forms)
    assert sorted(forms[-1].vertices) == sorted({f"n{end}" for edge in edges for end in edge})
    with pytest.raises(ValueError):
        mt.Graph([1, 2], [3])
    with pytest.raises(TypeError):
        mt.Graph([(1, 2, 3)])
    with pytest.raises(TypeError):
        mt.Graph({"from": sources}, src="from")


def test_ids_of_files_that_are_text(tmp_path):
    table = tmp_path / "e.csv"
    table.write_text("source,target\nzoe,al\nal,Ben\nBen,zoe\n")
    graph = mt.read(table)
    assert list(graph.vertices) == ["Ben", "al", "zoe"]
    assert [tuple(row) for row in mt.match(graph, "triangle")][0] in set(itertools.permutations(["Ben", "al", "zoe"]))
    table.write_text("18446744073709551615 7\n7 3\n")
    assert list(mt.read(table).vertices) == [3, 7, 2**64 - 1]


def test_large_ids():
    big = 2**62
    graph = mt.Graph([(big, -5), (-5, 7), (7, big)])
    assert sorted(next(iter(mt.match(graph, "triangle")))) == [-5, 7, big]
    assert mt.count(mt.Graph([(2**63, 1)]), "edge") == 1  # Beyond 64 bits an id is a name.


def test_which_maps_match():
    # Walks of two steps, those that turn back among them, and without them.
    kite = mt.Graph([0, 1, 2, 0], [1, 2, 0, 3])
    assert [mt.count(kite, "a-b-c", match=match) for match in ("iso", "homo", "edge")] == [5, 18, 10]


def test_scipy_and_pandas():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    pandas = pytest.importorskip("pandas")
    edges = random_edges(6)
    rows, columns = zip(*edges)
    with pytest.warns(mt.CopyWarning):
        graph = mt.Graph(scipy_sparse.coo_matrix(([1] * len(edges), (rows, columns)), shape=(12, 12)))
    assert mt.count(graph, "triangle") == triangles(edges)
    frame = pandas.DataFrame({"a": [f"x{r}" for r in rows], "b": [f"x{c}" for c in columns]})
    graph = mt.Graph(frame, src="a", dst="b")
    assert mt.count(graph, "triangle") == triangles(edges)
    listed = mt.match(graph, "triangle").to_pandas()
    assert listed.shape == (triangles(edges), 3) and str(listed.iloc[0, 0]).startswith("x")


def test_programs():
    degree = mt.program("def main(G: Graph, k: int = 2):\n    return apply(lambda v: mk_tuple(val=[v, k * size(neighbor(G, v)), 0.5]), vertices(G))\n")
    path = mt.Graph([0, 1], [1, 2])
    assert list(degree(path)) == [(0, 2, 0.5), (1, 4, 0.5), (2, 2, 0.5)]
    assert list(degree(path, k=5)) == [(0, 5, 0.5), (1, 10, 0.5), (2, 5, 0.5)]
    both = mt.program("def main(G: Graph):\n    return mk_tuple(val=[size(vertices(G)), size(vertices(G)) > 2])\n")
    assert both(path) == (3, True)
    huge = mt.program("def main(G: Graph) -> int:\n    return sum(apply(lambda v: 9223372036854775807, vertices(G)))\n")
    assert huge(path) == 3 * (2**63 - 1)
    assert mt.program(str(ROOT / "examples/triangle.mt"))(mt.Graph([0, 1, 2], [1, 2, 0])) == 1
    triangle = mt.Graph([5, 6, 7], [6, 7, 5])
    assert mt.program("std.clique", entry="triangles")(triangle) == 1
    assert list(mt.program("std.clique", entry="triangles_by_vertex")(triangle)) == [(5, 1), (6, 1), (7, 1)]
    with pytest.raises(mt.UsageError, match="`entry` says which"):
        mt.program("std.clique")
    with pytest.raises(mt.UsageError, match="did you mean `std.clique`"):
        mt.program("std.cliqe", entry="triangles")


def test_lists():
    g = mt.Graph([0, 1, 2, 3], [1, 2, 0, 0])
    people = mt.Graph([("ann", "bob"), ("bob", "eve")])
    degrees = mt.program(
        "def main(G: Graph, seeds: List<int>, k: int = 1) -> int:\n"
        "    return k * sum(apply(lambda v: size(neighbor(G, v)), seeds))"
    )
    for seeds in ([0, 3, 3], (0, 3, 3), numpy.array([0, 3, 3], dtype=numpy.int32), iter([0, 3, 3])):
        assert degrees(g, seeds=seeds) == 5
    assert degrees(g, seeds=[], k=3) == 0
    assert degrees(people, seeds=["bob", "eve"], k=10) == 30
    for wrong, error in (([9], mt.InputError), (["x"], TypeError), ([1.5], TypeError), ([None], ValueError)):
        with pytest.raises(error, match="seeds"):
            degrees(g, seeds=wrong)
    with pytest.raises(ValueError, match="item 1 of `seeds`: no graph has the vertex 0"):
        degrees(people, seeds=["bob", 0])
    with pytest.raises(mt.UsageError, match="needs a list for `seeds"):
        degrees(g)
    common = mt.program(
        "def main(G: Graph, pairs: List<Tuple<int, 2>>) -> int:\n"
        "    return sum(apply(lambda p: size(intersect(neighbor(G, get(p, 0)), neighbor(G, get(p, 1)))), pairs))"
    )
    assert common(g, pairs=[(1, 3), (1, 2)]) == 2
    assert common(g, pairs=numpy.array([[1, 3], [1, 2]])) == 2
    assert common(people, pairs={"a": ["ann"], "b": ["eve"]}) == 1
    with pytest.raises(ValueError, match="row 1 of `pairs` has 1 items"):
        common(g, pairs=[(1, 2), (1,)])
    # A program without a graph needs none.
    dot = mt.program(
        "def main(rows: List<Tuple<float, 2>>, scale: float = 1) -> float:\n"
        "    return scale * sum(apply(lambda r: get(r, 0) * get(r, 1), rows))"
    )
    assert (dot(rows=[(1.5, 2), (3, 4)]), dot(rows=numpy.ones((5, 2)), scale=-2)) == (15.0, -10.0)
    total = mt.program("def main(xs: List<float>) -> float:\n    return sum(xs)")
    assert total(xs=[1.5, 2]) == total(xs=array.array("d", [1.5, 2])) == 3.5
    for wrong in (b"12345678", "12345678", {1.5: 2}):
        with pytest.raises(TypeError, match="`xs` is a sequence or an array"):
            total(xs=wrong)
    edges = mt.program("def main(E: List<Tuple<int, 2>>) -> int:\n    return size(E)")
    assert (edges(g), edges(E=[(7, 8)])) == (8, 1)


def test_wrong_options_have_hints():
    graph = mt.Graph([0, 1], [1, 2])
    for options, said in (({"induced": "node"}, "it takes `edge` or `vertex`"), ({"algorithm": "x"}, "`auto`, `extend`, `join` or"),
                          ({"inducd": "edge"}, "did you mean `induced`?"), ({"unlabelled_edge": True}, "`unlabelled_edges`"),
                          ({"unlabelled": 3}, "it takes `true` or `false`"), ({"plan": 0}, "it takes a whole number from 1 on")):
        with pytest.raises(mt.UsageError, match=said.replace("?", r"\?")):
            mt.count(graph, "wedge", **options)
    for options, said in (({"src": "a"}, "a pattern takes no option `src`: it is one of graphs"), ({"device": "cud"}, "did you mean `cuda`?"),
                          ({"device": "gpu"}, "did you mean `cuda`?"),
                          ({"gpu_memory": "2G"}, "`gpu_memory` is not taken here"), ({"simd": "avx"}, "it takes `scalar`, "),
                          ({"foo": 1}, "unlabelled_edges,"), ({"strict": True}, "one of streams")):
        with pytest.raises(mt.UsageError, match=said.replace("?", r"\?")):
            mt.count(graph, "wedge", **options)
    asked = ((mt.count, "clique:3"), (mt.match, "clique:3"), (mt.estimate, "clique:3"), (mt.participation, "clique:3"),
             (mt.motifs, 3), (mt.orbits, 3), (mt.cliques, 3), (mt.blocks, "clique:3"))  # fmt: skip
    for (work, given), (name, value) in itertools.product(asked, (("per", "vertex"), ("matches", True), ("query", True))):
        with pytest.raises(mt.UsageError, match=f"counts and matches take no option `{name}`"):
            work(graph, given, **{name: value})
    with pytest.raises(mt.UsageError, match="a program takes no option `induced`: it is one of patterns"):
        mt.program("std.clique", entry="triangles", induced="edge")
    assert dir(mt) == sorted(mt.__all__)


def test_hints_name_keywords(tmp_path):
    """Not the options of the command line."""
    graph = mt.Graph([0, 1], [1, 2])
    asked = mt.program("def main(G: Graph, k: int) -> int:\n    return k")
    works = ((lambda: mt.count(graph, "a->b"), "add `directed=True`$"),
             (lambda: asked(graph), "`k=VALUE`"),
             (lambda: mt.count(graph, "a-b", match="edge", induced="vertex"), '`match="edge"` and `induced="vertex"` exclude'),
             (lambda: mt.query(mt.Graph([0], [1], directed=True, keep_loops=True), "MATCH (a) OPTIONAL MATCH (b) RETURN $x AS x"), '`params={"x": VALUE}`'),
             (lambda: graph.save(tmp_path / "g.zzz"), "also with .gz or .zst$"))  # fmt: skip
    for work, said in works:
        with pytest.raises(mt.Error, match=re.sub(r"([{}])", r"\\\1", said)) as caught:
            work()
        assert not re.search("--[a-z]", str(caught.value))
    for text, wanted in (("hint: `--src 0 --dst 2`", "hint: `src=0, dst=2`"),
                         ("hint: leave out --directed or `--order degree`", 'hint: leave out `directed` or `order="degree"`'),
                         ("hint: make it with `matcha graph convert --directed`", "hint: make it with `matcha graph convert --directed`"),
                         ("a--directed", "a--directed"), ("error: `a--b`", "error: `a--b`"), ("hint: --backend cpp", "hint: --backend cpp")):
        assert in_keywords(text) == wanted


def test_estimates():
    rng = random.Random(5)
    columns = [[rng.randrange(300) for _ in range(6000)] for _ in range(2)]
    graph = mt.Graph(*columns)
    found = mt.estimate(graph, "cycle:5", "20%", engine="sample", seed=3)
    assert not found.exact and found.refine("90%") is found
    # It goes on with the draws of the wide one, and is the same as without them.
    narrow, alone = found.refine("1%"), mt.estimate(mt.Graph(*columns), "cycle:5", "1%", engine="sample", seed=3)
    assert narrow.half_width <= 0.01 and narrow.draws > found.draws
    assert (narrow.value, narrow.low, narrow.draws, narrow.hits) == (alone.value, alone.low, alone.draws, alone.hits)
    for value, half_width in ((30.4255319, 0.8112), (9999.6, 12.0), (123456.7, 999.0), (1.5, 0.25), (4e12, 1e10)):
        shown = repr(Estimate(value, half_width, 100, 10, exact=False))
        middle, width = re.fullmatch(r"([\d.]+) ± ([\d.]+)% \(95%\)", shown).groups()
        low, high = (float(middle) * (1 + sign * float(width) / 100) for sign in (-1, 1))
        assert low <= value - half_width and value + half_width <= high, shown
        assert high - low < 2.3 * half_width + 3e-4 * value, shown
    for several in ("motif:4", "clique:*", "clique:maximal"):
        with pytest.raises(mt.UsageError, match="an estimate is of one pattern"):
            mt.estimate(graph, several)


def test_matches_of_a_vertex_count_once():
    edges = random_edges(3, 9)
    graph = mt.Graph(edges)
    for options in ({}, {"match": "homo"}, {"match": "edge"}, {"embeddings": True}):
        rows = list(mt.match(graph, "a-b-c", **options))
        counts = [sum(vertex in row for row in rows) for vertex in graph.vertices]
        assert list(mt.participation(graph, "a-b-c", **options)) == counts, options
        assert list(_patterns._counted(graph.vertices, mt.match(graph, "a-b-c", **options).blocks())) == counts


def test_equal_values_of_parameters_are_not_the_same():
    same = mt.program("def main(G: Graph, k: float = 2.0) -> float:\n    return k")
    graph = mt.Graph([0], [1])
    assert [str(same(graph, k=value)) for value in (0.0, -0.0, 0.0)] == ["0.0", "-0.0", "0.0"]
    times = mt.program("def main(G: Graph, k: int = 2) -> int:\n    return 3 * k")
    assert times(graph, k=1) == 3
    for wrong in (1.0, True):
        with pytest.raises(mt.UsageError):
            times(graph, k=wrong)


def test_texts_with_a_zero_byte():
    graph = mt.Graph([0, 1, 2], [1, 2, 0])
    for work in (lambda: mt.count(graph, "triangle\0x"), lambda: mt.read("a\0b"), lambda: mt.count(graph, "edge", cache="a\0b")):
        with pytest.raises(ValueError, match="zero byte"):
            work()


def test_reports_of_files(tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("0 1\n1 2\n2 2\n1 2\n")
    assert "dropped 1 loop, 1 repeated edge" in mt.read(path).report and mt.Graph([0], [1]).report is None
    path.write_text("3 2\n0 1\n1 2\n")
    with pytest.warns(UserWarning, match="taken as the size") as caught:
        graph = mt.read(path)
    assert len(graph) == 3 and "at the top is the size" in graph.report and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [len(mt.read(path, header=header)) for header in ("yes", "no")] == [3, 4]


def test_sets_of_graphs(tmp_path):
    for name, text, counts in (("last-empty.g6", "Bw\n?\n", [1, 0]), ("first-empty.g6", "?\nBw\n", [0, 1]),
                               ("text.txt", "a b\nb c\nc a\n", [1]), ("colons.csv", "u,v\n3:a,5:b\n5:b,7:c\n7:c,3:a\n", [1]),
                               ("one.g6", "Bw\n", [1]), ("of-a-set.txt", "2:0 2:1\n2:1 2:2\n2:0 2:2\n0:0 0:1\n", [0, 0, 1]), ("set.lg", "t # 0\nv 0 1\nt # 1\nv 0 1\nv 1 1\ne 0 1 1\nt # -1\n", [0, 0])):
        path = tmp_path / name
        path.write_text(text)
        some = mt.read_set(path)
        assert len(some) == len(counts) and some.count("triangle") == counts, name


def test_errors(tmp_path):
    with pytest.raises(mt.ProgramError, match="lambda|expected|neighbours?") as caught:
        mt.program("def main(G: Graph):\n    return neighbours(G, 1)\n")(mt.Graph([0], [1]))
    assert caught.value.status == 1 and "^" in str(caught.value) and len(caught.value.diagnostics) == 1
    [first] = caught.value.diagnostics
    assert (first.file, first.line) == ("<program>", 2) and first.column > 1 and "neighbours" in first.message
    with pytest.raises(mt.ProgramError):
        mt.count(mt.Graph([0], [1]), "no such pattern")
    with pytest.raises(mt.UsageError) as usage:
        mt.count(mt.Graph([0], [1]), "edge", induced="both")
    assert isinstance(usage.value, ValueError)
    with pytest.raises(OSError) as missing:
        mt.read(tmp_path / "missing.txt")
    assert isinstance(missing.value, mt.InputError)


def slow_call():
    return mt.count(mt.read(WIKI_VOTE), "path:7", induced="edge", algorithm="extend", timeout=0.4, threads=1)


def test_timeout_has_the_partial_count():
    with pytest.raises(TimeoutError) as caught:
        slow_call()
    assert isinstance(caught.value, mt.Timeout)
    assert caught.value.partial is None or caught.value.partial >= 0
    assert str(caught.value) == "error: `timeout` ended the run"


def test_ctrl_c_ends_a_run():
    program = (
        f"import matcha as mt\ng = mt.read({str(WIKI_VOTE)!r})\nprint('ready', flush=True)\n"
        "mt.count(g, 'path:7', induced='edge', algorithm='extend')\n"
    )
    source = str(pathlib.Path(mt.__file__).parents[1])
    started = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": source},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout.readline() == "ready\n"
    time.sleep(0.5)
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=300)
    assert "KeyboardInterrupt" in errors and started.returncode != 0


def test_progress_is_reported():
    seen = []
    graph = mt.read(WIKI_VOTE)
    for seconds in (1, 4, 16, 64):  # How long the run takes to begin is the machine's.
        with pytest.raises(mt.Timeout):
            mt.count(graph, "path:7", induced="edge", algorithm="extend", timeout=seconds,
                     progress=lambda done, total: seen.append((done, total)))
        if seen:
            break
    assert seen and all(done <= total for done, total in seen)
    seen.clear()
    assert len(mt.match(graph, "triangle", limit=10, progress=lambda done, total: seen.append((done, total)))) == 10 and seen


def test_threads_share_a_graph():
    graph = mt.Graph(random_edges(9, 40))
    wanted = mt.count(graph, "triangle")
    found = []
    threads = [threading.Thread(target=lambda: found.append(mt.count(graph, "triangle"))) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [wanted] * 8


def test_handles_are_freed():
    def resident():
        gc.collect()
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

    edges = random_edges(3, 60)
    program = mt.program("def main(G: Graph) -> int:\n    return size(vertices(G))\n")
    for _ in range(20):
        mt.Graph(edges)
    before = resident()
    for _ in range(2000):
        mt.Graph(edges)
    assert resident() - before < 4000  # Pages; 2,000 graphs that stay would take 10,000.
    assert program(mt.Graph(edges)) == 60


def test_importing_is_quick():
    source = str(pathlib.Path(mt.__file__).parents[1])
    out = subprocess.run([sys.executable, "-X", "importtime", "-c", "import matcha"], capture_output=True, text=True,
                         check=True, env={**os.environ, "PYTHONPATH": source}).stderr
    modules = {line.split("|")[-1].strip() for line in out.splitlines()}
    assert "matcha" in modules and not modules & {"numpy", "pandas", "scipy", "networkx"}
