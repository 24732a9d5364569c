"""Copies and pickles: a process or a cache gets an equal object, which outlives the original."""

import copy
import gc
import pickle

import numpy
import pytest

import matcha as mt

NAMED = mt.Graph([("ann", "bob"), ("bob", "eve"), ("ann", "eve")])


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_columns_and_tables(again):
    graph = mt.Graph(range(50000), range(1, 50001))
    column, edges = again(graph.vertices), again(graph.edges)
    empty = again(mt.Graph([], []).vertices)
    names = again(NAMED.vertices.head(2))
    found = again(mt.match(NAMED, "triangle"))
    values = again(mt.query(mt.Graph([0, 1], [1, 2], directed=True), "MATCH (a)-->(b) RETURN a, collect(b) AS l"))
    del graph
    gc.collect()
    _ = [numpy.full(50001, 7) for _ in range(20)]
    assert column.to_numpy()[:3].tolist() == [0, 1, 2] and len(column) == 50001
    assert edges["target"].to_numpy()[-2:].tolist() == [49999, 50000] and list(edges.head(1)) == [(0, 1)]
    assert list(empty) == []
    assert list(names) == ["ann", "bob"] and names.to_numpy().tolist() == ["ann", "bob"]
    assert sorted(found.to_csv(header=False).strip().split(",")) == ["ann", "bob", "eve"]
    assert list(values["l"]) == [[1], [2]] and list(values[:1]) == [(0, [1])]


def test_programs_and_patterns():
    program = mt.program("def main(G: Graph, k: int = 2) -> int:\n    return k * size(vertices(G))")
    for again in (copy.deepcopy(program), pickle.loads(pickle.dumps(program))):
        assert again(NAMED, k=5) == 15 and again.__name__ == "main" and again.__signature__ == program.__signature__


def test_estimates():
    found = mt.estimate(NAMED, "triangle")
    assert pickle.loads(pickle.dumps(found)).refine("0.1%").value == 1


def test_a_join_keeps_its_graphs():
    text = ("def main(a: Graph, b: Graph) -> int:\n"
            "    return sum(apply(lambda v: size(intersect(neighbor(a, v), neighbor(b, v))), vertices(a)))")
    both = mt.join(a=mt.Graph([0, 1], [1, 2]), b=mt.Graph([0, 3], [1, 2]))
    program = mt.program(text)
    assert program(pickle.loads(pickle.dumps(both))) == program(both) == 2
    with pytest.raises(mt.UsageError, match="a join is several graphs"):
        both.save("/tmp/never.mtg")


def test_lists_that_are_none():
    one = mt.program("def main(G: Graph, s: List<int>) -> int:\n    return sum(s)")
    two = mt.program("def main(G: Graph, s: List<Tuple<int, float>>) -> int:\n    return size(s)")
    for wrong in (None, 5):
        with pytest.raises(TypeError, match="`s` is a sequence or an array"):
            one(NAMED, s=wrong)
    with pytest.raises(TypeError, match="row 1 of `s` is a int"):
        two(NAMED, s=[(0, 1.5), 0])
    with pytest.raises(TypeError, match="`s` is a sequence or an array"):
        two(NAMED, s=5)


def test_words_of_options_are_no_variables():
    from matcha._magic import cell

    namespace = {"g": NAMED, "vertex": 5, "entry": len, "most": 1}
    assert len(cell(namespace, "g wedge induced=vertex", None)) == 0
    assert len(cell(namespace, "g wedge limit=most", None)) == 1
