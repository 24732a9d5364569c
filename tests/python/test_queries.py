"""Queries of SPARQL and Cypher, against every map."""

import itertools
import pickle
import random

import pytest

import matcha as mt
from matcha import _arrow

WORDS = ["knows", "owns"]


def graph_of(arcs):
    sources, targets, labels = zip(*arcs)
    return mt.Graph(list(sources), list(targets), directed=True, edge_label=list(labels), keep_loops=True)


def some_arcs(seed):
    source = random.Random(seed)
    return sorted({(source.randrange(5), source.randrange(5), source.choice(WORDS)) for _ in range(14)} | {(0, 1, "knows"), (1, 2, "owns")})


@pytest.mark.parametrize("seed", range(4))
def test_rows_and_counts_are_those_of_every_map(seed):
    arcs = some_arcs(seed)
    g, ids = graph_of(arcs), sorted({v for arc in arcs for v in arc[:2]})
    maps = [(a, b, c) for a, b, c in itertools.product(ids, repeat=3) if (a, b, "knows") in arcs and (b, c, "owns") in arcs]
    assert mt.query(g, "SELECT (COUNT(*) AS ?n) { ?a <knows> ?b . ?b <owns> ?c }") == len(maps)
    found = mt.query(g, "SELECT ?c ?a { ?a <knows> ?b . ?b <owns> ?c }")
    assert list(found.columns) == ["c", "a"]
    assert sorted(found) == sorted((c, a) for a, _, c in maps)
    some = mt.query(g, "SELECT ?a ?b ?c { ?a <knows> ?b . ?b <owns> ?c } LIMIT 2")
    assert len(some) == min(2, len(maps)) and set(some) <= set(maps)
    # No relationship is met twice in Cypher.
    apart = [(a, b, c) for a, b, c in itertools.product(ids, repeat=3)
             if (a, b, "knows") in arcs and (b, c, "knows") in arcs and (a, b) != (b, c)]
    assert mt.query(g, "MATCH (a)-[:knows]->(b)-[:knows]->(c) RETURN count(*)") == len(apart)
    assert sorted(mt.query(g, "MATCH (a)-[:knows]->(b)-[:knows]->(c) RETURN a, b, c")) == sorted(apart)


@pytest.mark.parametrize("seed", range(4))
def test_labels_of_edges_are_columns(seed):
    arcs = some_arcs(seed)
    g = graph_of(arcs)
    found = mt.query(g, "SELECT ?a ?p ?b { ?a ?p ?b }")
    assert sorted(found) == sorted((a, p, b) for a, b, p in arcs) and list(found.columns) == ["a", "p", "b"]
    both = [(p, q) for (_, b, p), (c, _, q) in itertools.product(arcs, repeat=2) if b == c]
    assert sorted(mt.query(g, "SELECT ?q ?p { ?a ?p ?b . ?b ?q ?c }")) == sorted((q, p) for p, q in both)
    assert sorted(mt.query(g, "MATCH (a)-[r]->(b) RETURN type(r) AS kind")["kind"]) == sorted(p for _, _, p in arcs)
    assert set(mt.query(g, "SELECT ?p { ?a ?p ?b } LIMIT 3")["p"]) <= set(WORDS)


def test_labels_that_are_numbers():
    g = mt.Graph([1, 2, 3], [2, 3, 1], directed=True, edge_label=[7, 8, 7], keep_loops=True)
    assert sorted(mt.query(g, "SELECT ?p ?a { ?a ?p ?b }")) == [(7, 1), (7, 3), (8, 2)]
    # Where there are no words, those below 0 are numbers, too.
    g = mt.Graph([1, 2], [2, 3], directed=True, edge_label=[-1, -8], keep_loops=True)
    assert sorted(mt.query(g, "SELECT ?p ?a { ?a ?p ?b }")) == [(-8, 2), (-1, 1)]


def test_labels_as_arrow():
    g = graph_of([(1, 2, "knows"), (2, 3, "owns")])
    columns = _arrow.read_columns(mt.query(g, "SELECT ?a ?p { ?a ?p ?b }"), ["a", "p"], "columns")
    assert sorted(zip(*columns)) == [(1, "knows"), (2, "owns")]


def test_names_of_vertices_in_a_file(tmp_path):
    (tmp_path / "calls.csv").write_text("src,dst,kind\nann,bob,knows\nbob,inc,pays\n")
    g = mt.read(tmp_path / "calls.csv", src="src", dst="dst", edge_label="kind", directed=True, keep_loops=True)
    assert list(mt.query(g, "SELECT ?a ?p { ?a ?p <inc> }")) == [("bob", "pays")]


def test_names_of_vertices_in_arrays():
    g = mt.Graph(["ann", "bob", "7"], ["bob", "inc", "bob"], directed=True, edge_label=["knows", "pays", "pays"], keep_loops=True)
    assert list(mt.query(g, "SELECT ?a ?p { ?a ?p <inc> }")) == [("bob", "pays")]
    assert mt.query(g, "ASK { <7> <pays> ?b }") is True
    assert mt.query(g, "ASK { <8> <pays> ?b }") is False
    # 0 is a place of this graph, and no name.
    with pytest.raises(mt.Error, match="no vertex `0`"):
        mt.count(g, "a@0->b")
    assert mt.count(g, "a@'ann'->b") == 1
    assert list(mt.match(g, "a->b@inc")) == [("bob", "inc")]


def test_edges_without_types():
    g = mt.Graph([1, 2, 3, 1], [2, 3, 1, 1], directed=True, keep_loops=True)
    assert mt.query(g, "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)") == 3
    assert mt.query(g, "SELECT (COUNT(*) AS ?n) { ?a ?p ?a }") == 1
    assert sorted(mt.query(g, "MATCH (a)-[r]->(b) RETURN a, type(r)")) == [(1, ""), (1, ""), (2, ""), (3, "")]
    with pytest.raises(mt.InputError, match="the edges of the graph have none"):
        mt.query(g, "MATCH (a)-[:knows]->(b) RETURN count(*)")


def test_ask():
    g = graph_of([(1, 2, "knows"), (2, 3, "owns"), (3, 3, "owns")])
    assert mt.query(g, "ASK { ?a <owns> ?a }") is True
    assert mt.query(g, "ASK { ?a <owns> <1> }") is False
    assert mt.query(g, "ASK { ?a <nothing> ?b }") is False


def test_names_and_types():
    g = mt.Graph(["ann", "bob", "inc"], ["bob", "inc", "ann"], directed=True, edge_label=["knows", "pays", "pays"], keep_loops=True,
                 vertices=["ann", "bob", "inc"], label=[["Person", "Admin"], ["Person"], ["Shop"]])
    assert list(mt.query(g, "MATCH (a:Person)-[:pays]->(b:Shop) RETURN b, a")) == [("inc", "bob")]
    assert mt.query(g, "MATCH (a:Person:Admin)-[:knows]->(b) RETURN count(*)") == 1
    assert sorted(mt.query(g, "MATCH (a:Person)-[:pays]-(b) RETURN a, b")) == [("ann", "inc"), ("bob", "inc")]


def test_numbers_are_labels_of_one_form():
    g = mt.Graph([1, 2, 3], [2, 3, 1], edge_label=["7", "x", "07"], directed=True, keep_loops=True)
    for text in ("MATCH (a)-[:07]->(b) RETURN a", "MATCH (a)-[:7]->(b) RETURN a ORDER BY a"):
        assert sorted(mt.query(g, text)["a"]) == [1, 3]


@pytest.mark.parametrize("made", (lambda g: g, lambda g: pickle.loads(pickle.dumps(g)), lambda g: g.subgraph(["ann", "bob", "cid"]), lambda g: g.reversed().reversed()))
def test_ids_of_names_are_texts(made):
    g = made(mt.Graph(["bob", "ann"], ["ann", "cid"], directed=True, keep_loops=True, edge_label=["x", "x"]))
    assert sorted(mt.query(g, "MATCH (a)-[:x]->(b) RETURN a, a.id, id(b)")) == [("ann", "ann", "cid"), ("bob", "bob", "ann")]
    for text in ("a.id = 'ann'", "id(a) = 'ann'", "a.id IN ['ann', 'x']", "a.id STARTS WITH 'an'", "id(a) < 'bob' AND a.id <> 'zed'"):
        assert list(mt.query(g, f"MATCH (a) WHERE {text} RETURN a")) == [("ann",)], text
    assert list(mt.query(g, "MATCH (a {id: 'bob'})-->(b) RETURN b")) == [("ann",)]
    assert mt.query(g, "MATCH (a {id: 0}) RETURN count(*)") == 0
    assert list(mt.query(g, "MATCH (a) RETURN max(a.id) AS x, collect(a.id) AS y")) == [("cid", ["ann", "bob", "cid"])]
    assert mt.count(g, "(a@bob)->(b)") == 1


@pytest.mark.parametrize("names", ([1, "a", 2], [1.5, 2.5, 3.5], [(0, 1), (0, 2), (1, 1)], [2**63, 2**63 + 1, 5], ["", "a", "b"], ["a\0", "b", "c"]))
def test_ids_that_only_python_knows_are_not_compared(names):
    g = mt.Graph(names[:2], names[1:], directed=True, keep_loops=True)
    assert list(mt.query(g, "MATCH (a)-->(b) WHERE a <> b RETURN a, b ORDER BY b")).count((names[0], names[1])) == 1
    for text in ("MATCH (a) RETURN a.id", "MATCH (a)-->(b) WHERE id(a) = 0 RETURN b", "MATCH (a {id: 0}) RETURN count(*)"):
        with pytest.raises(mt.UsageError, match="neither text nor ints of 64 bits are not compared"):
            mt.query(g, text)
    for program in ("def f(G: Graph) -> int:\n    return sum(apply(lambda v: v + 1, vertices(G)))\n", "def f(G: Graph, s: int) -> int:\n    return size(neighbor(G, s))\n"):
        for graph in (g, mt.Graph(["b", "a"], ["a", "c"])):
            with pytest.raises(mt.InputError, match="computes with ids as numbers"):
                mt.program(program)(graph, **({"s": 0} if "s: int" in program else {}))
            with pytest.raises(mt.InputError, match="computes with ids as numbers"):
                mt.stream(graph, mt.program(program), params={"s": 0} if "s: int" in program else None)
    if "a" in names and 1 in names:
        return  # Without an order they are not joined.
    with pytest.raises(mt.InputError, match="computes with ids as numbers"):
        mt.program("def f(G: Graph, H: Graph) -> int:\n    return sum(apply(lambda v: v + size(neighbor(H, v)), vertices(G)))\n")(g, g)


def test_problems():
    g = graph_of([(1, 2, "knows"), (2, 3, "owns")])
    with pytest.raises(mt.ProgramError, match="expected `SELECT`, `ASK` or `MATCH`") as caught:
        mt.query(g, "triangle")
    assert caught.value.diagnostics[0].column == 1
    lossy = mt.Graph([1, 1], [2, 1], directed=True, edge_label=["knows", "knows"])
    with pytest.raises(mt.UsageError, match="queries see loops"):
        mt.query(lossy, "MATCH (a)-[:knows]->(b) RETURN count(*)")
    twice = graph_of([(1, 2, "knows"), (1, 2, "knows")])
    with pytest.raises(mt.Error, match="left out 1 repeated"):
        mt.query(twice, "MATCH (a)-[:knows]->(b) RETURN count(*)")
    assert mt.query(twice, "SELECT (COUNT(?a) AS ?n) { ?a <knows> ?b }") == 1
    with pytest.raises(mt.UsageError, match="arcs"):
        mt.query(mt.Graph([1, 2], [2, 3]), "MATCH (a)-[:knows]->(b) RETURN count(*)")
    with pytest.raises(mt.UsageError, match="no query"):
        mt.Pattern("triangle").emit("query")
