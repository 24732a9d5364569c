"""Queries of Cypher that are more than one pattern, against brute force, and as tables."""

import enum
import pathlib
import random
import sys

import pytest

import matcha as mt
from matcha import _arrow

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import statement_oracle as oracle  # noqa: E402


def graph_of(nodes, relationships, name=lambda at: at):
    columns = [[one[key] for one in relationships] for key in ("from", "to", "type")]
    return mt.Graph([name(one) for one in columns[0]], [name(one) for one in columns[1]], edge_label=columns[2], directed=True, keep_loops=True,
                    vertices=[name(at) for at in range(len(nodes))], label=[";".join(one["labels"]) or None for one in nodes])


def shown(value, name):
    if isinstance(value, tuple):
        return tuple(shown(one, name) for one in value[1]) if value[0] == "P" else name(value[1]) if value[0] == "N" else value[1]
    return [shown(one, name) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(40))
def test_random(seed):
    source = random.Random(seed)
    nodes, relationships = oracle.graph_without_repeats(source)
    name = (lambda at: at) if seed % 2 else (lambda at: f"n{at}")
    if not relationships or not any(one["labels"] for one in nodes):
        return
    g = graph_of(nodes, relationships, name)
    for _ in range(10):
        statement = oracle.Maker(source, has_columns=False).statement()
        text = oracle.statement_text(statement)
        wanted = [tuple(shown(value, name) for value in row.values()) for row in oracle.Evaluator(nodes, relationships).answer(statement)]
        found = mt.query(g, text)
        if isinstance(found, int):
            assert [(found,)] == wanted, text
            continue
        found = list(found)
        for at, (term, _) in enumerate(statement[-1][3]):
            if term[0] == "collect":
                found = [(*row[:at], sorted(row[at], key=repr), *row[at + 1 :]) for row in found]
                wanted = [(*row[:at], sorted(row[at], key=repr), *row[at + 1 :]) for row in wanted]
        if not statement[-1][4]:
            found, wanted = sorted(found, key=repr), sorted(wanted, key=repr)
        assert list(map(repr, found)) == list(map(repr, wanted)), (seed, text)


def some_graph():
    return mt.Graph([1, 2, 2], [2, 1, 3], directed=True, edge_label=["knows", "knows", "owns"], keep_loops=True)


def test_tables():
    g = some_graph()
    found = mt.query(g, "MATCH (a) OPTIONAL MATCH (a)-[r:owns]->(b) RETURN a, b, type(r) AS t, a = b AS e, 0.5 AS f, 'é' AS s, null AS z ORDER BY a")
    assert list(found) == [(1, None, None, None, 0.5, "é", None), (2, 3, "owns", False, 0.5, "é", None), (3, None, None, None, 0.5, "é", None)]
    columns = [list(one) for one in _arrow.read_columns(found, ["a", "b", "t", "f", "s"], "columns")]
    assert columns == [[1, 2, 3], [None, 3, None], [None, "owns", None], [0.5] * 3, ["é"] * 3]
    assert list(found.head(2))[1][:3] == (2, 3, "owns") and found.to_csv().splitlines()[2] == "2,3,owns,False,0.5,é,"
    paths = mt.query(g, "MATCH p = (a)-[r*2]->(b) RETURN p, r, [1, 'x'] AS l ORDER BY p")
    assert list(paths)[0] == ((1, 0, 2, 1, 1), [0, 1], [1, "x"]) and list(g.edges)[1] == (2, 1, "knows")
    for name in ("p", "r", "l"):
        with pytest.raises(TypeError, match="a column of Arrow has one type, and this one has: (list|tuple)"):
            paths[name].__arrow_c_stream__()
    with pytest.raises(TypeError, match="has: int, str"):
        mt.query(g, "MATCH (a) OPTIONAL MATCH (a)-[r:owns]->() RETURN coalesce(type(r), 1) AS x")["x"].__arrow_c_stream__()
    assert mt.query(g, "MATCH (a) MATCH (b) RETURN count(*)") == 9
    numpy = pytest.importorskip("numpy")
    assert found["b"].to_numpy().tolist() == [None, 3, None] and found["a"].to_numpy().dtype == numpy.int64


def test_parameters():
    g = some_graph()
    text = "MATCH (a)-[r]->() WHERE type(r) = $kind RETURN a, $n AS n, $none AS x, $yes AS y ORDER BY a"
    params = {"kind": "owns", "n": 1.5, "none": None, "yes": True}
    assert list(mt.query(g, text, params=params)) == [(2, 1.5, None, True)]
    assert list(mt.query(g, "RETURN $x AS x", params={"x": "12"})) == [("12",)]
    with pytest.raises(mt.UsageError, match="`\\$n` has no value"):
        mt.query(g, text, params={"kind": "owns"})
    with pytest.raises(TypeError, match="'x' is a list"):
        mt.query(g, "RETURN $x AS x", params={"x": [1]})
    with pytest.raises(mt.UsageError, match="no parameters"):
        mt.query(g, "MATCH (a)-->(b) RETURN count(*)", params={"x": 1})


def test_parameters_of_subclasses_and_of_odd_values():
    class Level(enum.IntEnum):
        HIGH = 3

    class Share(float):
        def __repr__(self):
            return "Share"

    g = some_graph()
    assert list(mt.query(g, "RETURN $x AS x, $y AS y", params={"x": Level.HIGH, "y": Share(2.5)})) == [(3, 2.5)]
    numpy = pytest.importorskip("numpy")
    assert list(mt.query(g, "RETURN $x AS x, $y AS y, $z AS z", params={"x": numpy.int64(5), "y": numpy.float32(0.5), "z": numpy.bool_(True)})) == [(5, 0.5, True)]
    for value in (float("inf"), float("nan"), "a\0b"):
        with pytest.raises(ValueError, match="finite number" if isinstance(value, float) else "zero byte"):
            mt.query(g, "RETURN $x AS x", params={"x": value})
    with pytest.raises(ValueError, match="in its name"):
        mt.query(g, "RETURN $x AS x", params={"x=1": 2})
    assert len(mt.query(g, "RETURN $x AS x", params={"x": 1}).head(-1)) == 0


def test_problems():
    g = some_graph()
    for text, kind, words in (("MATCH (a) RETURN a.age, 1", mt.UsageError, "no columns, and so no `age`"),
                              ("MATCH (a:P) RETURN a, 1", mt.InputError, "vertices of the graph have none")):
        with pytest.raises(kind, match=words) as caught:
            mt.query(g, text)
        assert caught.value.diagnostics[0].line == 1
    with pytest.raises(mt.UsageError, match="the device `cuda` is not for a query that is more than one pattern"):
        mt.query(g, "MATCH (a) MATCH (b) RETURN a", device="cuda")
    with pytest.raises(mt.UsageError, match="lost its own"):
        mt.query(mt.Graph([1, 2], [2, 3]), "MATCH (a) MATCH (b) RETURN a")
    with pytest.raises(mt.UsageError, match="queries see loops"):
        mt.query(mt.Graph([1, 2], [2, 2], directed=True), "MATCH (a) MATCH (b) RETURN a")
    with pytest.raises(mt.Error, match="left out 1 repeated"):
        mt.query(mt.Graph([1, 1], [2, 2], directed=True, keep_loops=True), "MATCH (a) MATCH (b) RETURN a")
    with pytest.raises(mt.InputError, match="asks for a type"):
        mt.query(mt.Graph([1], [2], directed=True), "MATCH (a)-[:T]->(b) RETURN a, 1 AS n")
    with pytest.raises(mt.RunError, match="division by zero"):
        mt.query(g, "MATCH (a) RETURN 1 / 0 AS x")
    with pytest.raises(mt.Timeout):
        many = mt.Graph(range(60), [(at * 7 + 1) % 60 for at in range(60)], directed=True, keep_loops=True)
        mt.query(many, "MATCH (a) MATCH (b) MATCH (c) MATCH (d) MATCH (e) MATCH (f) RETURN count(DISTINCT [a, b, c, d]) AS n", timeout=0.2)
    asked = mt.Pattern("MATCH (a) MATCH (b) RETURN a", query=True)
    with pytest.raises(mt.UsageError, match="matcha_answer gives it"):
        asked(g)
