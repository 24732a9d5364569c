"""Counts beside those of random graphs with the same degrees."""

import json
import math
import os
import pathlib
import subprocess

import matcha as mt
import numpy
import pytest

# Two cliques of four, joined by an edge, and a path.
EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (4, 5), (4, 6), (4, 7), (5, 6), (5, 7), (6, 7), (3, 4)]
EDGES += [(at, at + 1) for at in range(7, 20)]
GRAPH = mt.Graph(EDGES)


def test_rewired_graphs_keep_degrees_names_and_labels():
    named = mt.Graph([(f"v{a}", f"v{b}") for a, b in EDGES], vertices=["v0", "lone"], label=["x", "y"])
    made = named.rewired(3)
    assert list(made.vertices) == list(named.vertices) and list(made.degrees) == list(named.degrees)
    assert made.labels == named.labels and list(made.edges) != list(named.edges)
    assert list(named.rewired(3).edges) == list(made.edges) != list(named.rewired(4).edges)
    arcs = mt.Graph([0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 0], directed=True)
    made = arcs.rewired(5)
    assert made.directed and list(made.degrees) == list(arcs.degrees)
    assert list(made.reversed().degrees) == list(arcs.reversed().degrees)


def test_what_is_not_rewired():
    labelled = mt.Graph([0, 1], [1, 2], edge_label=["x", "y"])
    looped = mt.Graph([0, 1], [1, 1], directed=True, keep_loops=True)
    for graph in (labelled, looped):
        with pytest.raises(mt.InputError, match="not rewired"):
            graph.rewired()
    for seed in (-1, 1.5, "1"):
        with pytest.raises(ValueError, match="a seed"):
            GRAPH.rewired(seed)
    assert list(GRAPH.rewired(numpy.int64(3)).edges) == list(GRAPH.rewired(3).edges)


def test_the_table_is_that_of_a_loop():
    found = mt.significance(GRAPH, 3, samples=7, seed=11)
    drawn = [mt.motifs(GRAPH.rewired(seed), 3) for seed in range(11, 18)]
    for name, number, mean, std, z, more, less in found:
        counts = [one[name] for one in drawn]
        assert number == mt.motifs(GRAPH, 3)[name]
        assert mean == pytest.approx(sum(counts) / 7)
        assert std == pytest.approx(math.sqrt(sum((one - mean) ** 2 for one in counts) / 6))
        assert z == pytest.approx((number - mean) / std)
        assert more == (1 + sum(one >= number for one in counts)) / 8
        assert less == (1 + sum(one <= number for one in counts)) / 8
    assert found["z"][list(found["pattern"]).index("triangle")] > 2


def test_threads_and_runs_give_the_same_table():
    tables = [list(mt.significance(GRAPH, 4, samples=9, threads=threads)) for threads in (None, 1, 3)]
    assert tables[0] == tables[1] == tables[2] and len(tables[0]) == 6


def test_numbers_of_numpy():
    graph = mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])
    found = mt.significance(graph, numpy.int64(3), samples=numpy.int64(5), seed=numpy.uint8(7))
    assert found.columns == mt.significance(graph, 3, samples=5, seed=7).columns
    assert mt.motifs(graph, numpy.int32(3)) == mt.motifs(graph, 3)
    assert mt.count(graph, "triangle", threads=numpy.int64(1), embeddings=numpy.bool_(True)) == 12
    arcs = mt.Graph([1], [2], directed=True, keep_loops=True)
    text = "MATCH (a) OPTIONAL MATCH (a)-->(b) RETURN $x AS x, $y AS y"
    assert set(mt.query(arcs, text, params={"x": numpy.int64(7), "y": numpy.bool_(True)})) == {(7, True)}
    weights = mt.Graph([0, 1], [1, 2], edge_label=[numpy.int64(1), numpy.float32(1.5)])
    assert list(weights.edges["weight"]) == [1.0, 1.5]


def test_a_list_of_patterns():
    found = mt.significance(GRAPH, ["triangle", "clique:4", [("a", "b"), ("b", "c")]], samples=4)
    assert list(found["pattern"]) == ["triangle", "clique:4", "pattern 2"] and list(found["count"])[:2] == [8, 2]


def test_a_pattern_given_twice_has_two_rows_and_one_may_stand_alone():
    once = list(mt.significance(GRAPH, ["triangle"], samples=4))
    assert list(mt.significance(GRAPH, ["triangle", "triangle"], samples=4)) == 2 * once
    assert list(mt.significance(GRAPH, "triangle", samples=4)) == once
    alone = mt.significance(GRAPH, mt.Graph([0, 1, 2], [1, 2, 0]), samples=4)
    assert [row[1:] for row in alone] == [row[1:] for row in once]


def test_a_graph_that_is_the_only_one_of_its_degrees():
    star = mt.Graph([0] * 6, range(1, 7))
    (row,) = [row for row in mt.significance(star, ["path:3"], samples=5)]
    assert row == ("path:3", 15, 15.0, 0.0, 0.0, 1.0, 1.0)


def test_triads_of_directed_graphs():
    arcs = mt.Graph([0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 0], directed=True)
    found = mt.significance(arcs, 3, samples=3)
    assert len(found) == 16 and sum(found["count"]) == math.comb(5, 3) == sum(found["mean"])
    for size in (2, 5):
        with pytest.raises(ValueError, match="triads"):
            mt.significance(arcs, size)


def test_four_vertices_of_a_directed_graph():
    arcs = mt.Graph([0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 0], directed=True)
    found = mt.significance(arcs, 4, samples=2, seed=3)
    assert dict(zip(found["pattern"], found["count"])) == mt.motifs(arcs, 4)
    drawn = [mt.motifs(arcs.rewired(seed), 4) for seed in (3, 4)]
    assert list(found["mean"]) == [sum(one[name] for one in drawn) / 2 for name in found["pattern"]]


def test_wrong_arguments():
    with pytest.raises(ValueError, match="at least 1"):
        mt.significance(GRAPH, 3, samples=0)
    with pytest.raises(mt.ProgramError):
        mt.significance(GRAPH, ["a-"], samples=1)
    for several in ("clique:*", "clique:maximal"):
        with pytest.raises(ValueError, match="several counts"):
            mt.significance(GRAPH, ["house", several], samples=1)


def test_the_verb_gives_the_same_table(tmp_path):
    matcha = pathlib.Path(os.environ.get("MATCHA_BUILD", "build")) / "bin/matcha"
    if not matcha.exists():
        pytest.skip("the program is not there")
    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in EDGES), encoding="utf-8")
    for directed, size in ((False, 4), (False, 5), (True, 3), (True, 4)):
        words = [matcha, "motifs", str(size), path, "--null", "6", "--seed", "5", "--json", *["--directed"][:directed]]
        rows = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["counts"]
        found = mt.significance(mt.read(path, directed=directed), size, samples=6, seed=5, threads=3)
        assert [tuple(row[key] for key in ("name", "count", "mean", "std", "p_more", "p_less")) for row in rows] == [
            (name, count, mean, std, more, less) for name, count, mean, std, _, more, less in found]  # fmt: skip
        assert [row["z"] for row in rows] == [z if math.isfinite(z) else None for z in found["z"]]


def test_a_time_limit():
    with pytest.raises(mt.Timeout):
        mt.significance(mt.Graph([(a, b) for a in range(300) for b in range(a)]), 5, samples=100_000, timeout=0.3)


def test_progress_is_reported():
    seen = []
    mt.significance(mt.Graph([(a, b) for a in range(60) for b in range(a)]), 5, samples=200, progress=lambda *now: seen.append(now))
    assert seen == sorted(seen) and {total for _, total in seen} <= {0, 200} and seen[-1][0] > 0


def test_the_command_writes_the_same_table(tmp_path, capsys):
    from matcha.__main__ import main

    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in EDGES), encoding="utf-8")
    assert main(["significance", str(path), "--size", "3", "--null", "5", "--seed", "7"]) == 0
    assert capsys.readouterr().out == mt.significance(mt.read(path), 3, samples=5, seed=7).to_csv()
    assert main(["significance", str(path), "--null", "2", "--pattern", "house", "--pattern", "bowtie"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == ["pattern", "house", "bowtie"]
    wrong = (2, [str(path), "--null", "0"], "at least 1"), (3, [str(tmp_path / "none")], "cannot open"), (1, [str(path), "--pattern", "hause"], "house")
    for code, words, says in wrong:
        assert main(["significance", *words]) == code and says in capsys.readouterr().err


def test_temporal_motifs(tmp_path):
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "b"), ("c", "c"), ("c", "b"), ("b", "a")]
    times = [10, 20, 30, 30, 31, 33, 35]
    found = mt.temporal_motifs(edges, times, 15, samples=9, seed=4)
    assert len(found) == 42
    alone = mt.program("std.temporal", entry="motifs")(edges=edges, times=times, window=15)
    assert dict(zip(found["pattern"], found["count"])) == alone.as_dict()
    assert alone["ab<ab"] == 0 and alone["ab<bc"] == 3 and alone["ab<ba"] == 2
    table = tmp_path / "e.csv"
    table.write_text("u,v,t\n" + "".join(f"{u},{v},{t}\n" for (u, v), t in zip(edges, times)))
    words = [os.path.join(os.environ["MATCHA_BUILD"], "bin", "matcha"), "motifs", table, "--within", "15", "--null", "9", "--seed", "4", "--json", "-q"]
    told = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["counts"]
    assert [(row["name"], row["count"], row["mean"], row["p_more"]) for row in told] == [
        (name, number, mean, more) for name, number, mean, _, _, more, _ in found
    ]
    numbered = mt.temporal_motifs(numpy.array([["abc".index(end) for end in edge] for edge in edges]), numpy.array(times), 15, samples=9, seed=4)
    assert list(numbered) == list(found)
    with pytest.raises(ValueError, match="at least 1"):
        mt.temporal_motifs(edges, times, 15, samples=0)
