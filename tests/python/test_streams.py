"""Streams: totals, deltas and rows beside counts of the graph as it is after each batch."""

import csv
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import threading

import matcha as mt
import pytest

PROGRAM = "def main(G: Graph) -> int:\n    return sum(apply(lambda v: size(neighbor(G, v)) % 3, vertices(G)))\n"


class Edges:
    """A graph of few vertices that changes at random, all of them with an edge or listed."""

    def __init__(self, seed, directed=False, count=9):
        self.random = random.Random(seed)
        self.directed = directed
        self.vertices = list(range(count))
        self.edges = {self.key(*self.random.sample(self.vertices, 2)) for _ in range(2 * count)}

    def key(self, u, v):
        return (u, v) if self.directed else (min(u, v), max(u, v))

    def graph(self):
        edges = sorted(self.edges)
        return mt.Graph([u for u, _ in edges], [v for _, v in edges], vertices=self.vertices, directed=self.directed)

    def change(self):
        """An update, and whether the edge comes; it may change nothing."""
        u, v = self.random.sample(self.vertices, 2)
        comes = self.random.random() < 0.5
        (self.edges.add if comes else self.edges.discard)(self.key(u, v))
        return comes, u, v


def test_updates_that_are_refused_change_nothing():
    labelled = mt.stream(mt.Graph([0, 1], [1, 2]), "a:7-b", "a:5-b")
    for label in (1.5, 2.0):
        with pytest.raises(TypeError):
            labelled.add_vertex(0, label)
    labelled.add_vertex(2, 5)
    labelled.add_vertex(1, 7)
    assert labelled.count() == (2, 1)
    edges = mt.stream(mt.Graph([0, 1, 2], [1, 2, 3], edge_label=["p", None, None]), "a-b=?p,b-c=?p")
    assert edges.count() == 1
    edges.add(3, 4)
    with pytest.raises(mt.UsageError, match="needs a label"):
        edges.apply()
    edges.update('+ 3 4 ""')
    assert edges.count() == 2
    edges.add_many([], [])
    edges.add(4, 5)
    edges.remove(3, 4)
    with pytest.raises(mt.UsageError, match="needs a label"):
        edges.count()
    assert edges.count() == 1


def test_lines_as_files_have_them():
    named = mt.stream(mt.Graph([("a", "b"), ("b", "c")]), "triangle", "a-b")
    named.update("\ufeff+ --5 a")
    assert named.count() == (0, 3)
    assert [batch.updates for batch in mt.stream(
        mt.Graph([0, 1], [1, 2]), "triangle", updates=["+ 0 2", "  ", "+ 2 3", "\t", "- 0 1"])] == [1, 1, 1]
    odd = mt.stream(mt.Graph([]), "triangle")
    odd.update("+ nan 1_0\n+ 1_0 x\n+ x nan")
    assert odd.count() == 1


def test_an_empty_graph_takes_the_ids_of_its_first_update():
    named = mt.stream(mt.Graph([]), "triangle", matches=True)
    for u, v in [("a", "b"), ("b", 7), (7, "a")]:
        named.add(u, v)
    assert named.count() == 1
    many = mt.stream(mt.Graph([]), "triangle")
    many.add_many([("a", "b"), ("b", "c"), ("c", "a")])
    assert many.count() == 1
    numbers = mt.stream(mt.Graph([]), "triangle")
    numbers.add(1, 2)
    with pytest.raises(TypeError, match="ints of 64 bits"):
        numbers.add(2, "c")
    assert numbers.count() == 0


@pytest.mark.parametrize("recompute", [False, True])
def test_totals_are_counts(recompute):
    for seed, (patterns, directed, options) in enumerate([
        (("triangle", "square", "tailed-triangle"), False, {}),
        (("wedge", "diamond", "motif:3"), False, {"induced": "vertex"}),
        (("house",), False, {"embeddings": True}),
        (("a->b->c->a", "a->b,a->c"), True, {}),
    ]):
        edges = Edges(seed, directed)
        stream = mt.stream(edges.graph(), *patterns, recompute=recompute, **options)

        def counts():
            graph = edges.graph()
            found = [tuple(mt.motifs(graph, 3).values()) if one == "motif:3" else mt.count(graph, one, **options)
                     for one in patterns]
            return found[0] if len(found) == 1 else tuple(found)

        before = counts()
        assert stream.count() == before
        for size in (1, 1, 4, 7, 0):
            for _ in range(size):
                comes, u, v = edges.change()
                (stream.add if comes else stream.remove)(u, v)
            batch = stream.apply()
            now = counts()
            assert batch.total == stream.count() == now, (patterns, options)
            assert batch.updates == size and batch.noops <= size
            if len(patterns) == 1:
                assert batch.delta == now - before == stream.delta()
                assert batch.plus is None or batch.plus - batch.minus == batch.delta
            assert (batch.how if len(patterns) == 1 else batch.how[0]) == ("recompute" if recompute else "delta")
            before = now


def test_many_at_once():
    numpy = pytest.importorskip("numpy")
    edges = Edges(9, count=30)
    stream = mt.stream(edges.graph(), "triangle", PROGRAM and mt.program(PROGRAM))
    start = stream.count()
    assert start == (mt.count(edges.graph(), "triangle"), mt.program(PROGRAM)(edges.graph()))
    pairs = numpy.array([edges.random.sample(edges.vertices, 2) for _ in range(50)])
    stream.add_many(pairs)
    stream.remove_many(pairs[::3, 0], pairs[::3, 1].astype(numpy.int32))
    stream.add_many([(1, 2), (2, 3)])
    edges.edges |= {edges.key(*pair) for pair in pairs.tolist()}
    edges.edges -= {edges.key(*pair) for pair in pairs[::3].tolist()}
    edges.edges |= {(1, 2), (2, 3)}
    now = (mt.count(edges.graph(), "triangle"), mt.program(PROGRAM)(edges.graph()))
    assert stream.count() == now
    assert stream.delta() == (now[0] - start[0], now[1] - start[1])
    assert stream.delta() == (0, 0)


def test_rows_and_names():
    edges = Edges(3)
    names = "abcdefghi"
    listed = [(names[u], names[v]) for u, v in sorted(edges.edges)]
    graph = mt.Graph(listed)
    stream = mt.stream(graph, "triangle", matches=True)
    kept = {frozenset(row) for row in stream.apply().added}
    for _ in range(12):
        comes, u, v = edges.change()
        (stream.add if comes else stream.remove)(names[u], names[v])
        batch = stream.apply()
        removed, added = ({frozenset(row) for row in rows} for rows in (batch.removed, batch.added))
        assert removed <= kept and not added & kept and len(batch.added) == batch.plus
        kept = (kept - removed) | added
        now = mt.Graph([(names[u], names[v]) for u, v in edges.edges])
        assert kept == {frozenset(row) for row in mt.match(now, "triangle")} and batch.total == len(kept)
    stream.add_many([("new", "a"), ("new", "other"), ("other", "a")])
    assert frozenset(("new", "other", "a")) in {frozenset(row) for row in stream.apply().added}


def test_lines_of_updates_have_names():
    named = mt.stream(mt.Graph([("ann", "bob"), ("bob", 7)]), "triangle", matches=True)
    named.update("# begins\r\n+ 7 ann\r\n")
    assert [sorted(map(str, row)) for row in named.apply().added] == [["7", "ann", "bob"]]
    named.update(['+\t"Carol, Ann"\tann\n', "+;bob;Carol, Ann\n", "- bob 7", 'v "new one" "a ""label"" of it"'])
    batch = named.apply()
    assert [sorted(row) for row in batch.added] == [["Carol, Ann", "ann", "bob"]] and batch.total == 1
    with pytest.raises(mt.InputError, match="2: error: `x` begins no update"):
        named.update("+ ann bob\nx ann bob")
    empty = mt.stream(mt.Graph([]), "triangle")
    empty.update("+ ann bob\n+ bob 7\n+ 7 ann")
    assert empty.count() == 1
    empty.add("7", "new")
    empty.update("+ new bob")
    assert empty.count() == 2
    numbers = mt.stream(mt.Graph([]), "triangle", updates=["+ 1 2", "+ 2 3", "+ 3 1"])
    assert [batch.total for batch in numbers] == [0, 0, 1]
    with pytest.raises(mt.InputError, match="`ann` is no id"):
        numbers.update("+ 1 ann")


def test_text_ids_of_a_file(tmp_path):
    (tmp_path / "calls.txt").write_text("ann bob x\nbob eve x\neve ann y\n")
    for options in ({}, {"edge_labels": True}):
        graph = mt.read(tmp_path / "calls.txt", **options)
        stream = mt.stream(graph, "triangle" if not options else "a-[:x]-b-[:x]-c", matches=True)
        assert [sorted(row) for row in stream.apply().added] == [["ann", "bob", "eve"]]
        stream.add_vertex("zoe", "new")
        if options:
            continue
        stream.add_many([("zoe", "ann"), ("zoe", "bob")])
        stream.remove("eve", "ann")
        batch = stream.apply()
        assert [[sorted(row) for row in rows] for rows in (batch.added, batch.removed)] == [
            [["ann", "bob", "zoe"]], [["ann", "bob", "eve"]]]
    numbers = mt.program("def main(G: Graph) -> int:\n    return sum(apply(lambda v: v % 2, vertices(G)))\n")
    with pytest.raises(mt.InputError, match="ids as numbers"):
        mt.stream(graph, numbers)


def test_labels():
    graph = mt.Graph([0], [1], vertices=[0, 1, 2], label=["a", "b", "a"])
    stream = mt.stream(graph, "(x:a)-(y:b)", "(x:new)-(y)")
    assert stream.count() == (1, 0)
    stream.add(2, 1)
    assert stream.count() == (2, 0)
    stream.add_vertex(2, "new")
    assert stream.count() == (1, 1)
    stream.add_vertex(7, "a")
    stream.update(["# a comment", "+ 7 1", "v 0"])
    stream.add_vertex(0)
    assert stream.count() == (2, 1), "without a label a vertex keeps its own"
    stream.remove_vertex(1)
    assert stream.count() == (0, 0)
    with pytest.raises(ValueError):
        stream.add_vertex(1, "two words")
    pays = mt.Graph({"u": [0, 1], "v": [1, 2], "what": ["pays", "calls"]}, src="u", dst="v", edge_label="what")
    stream = mt.stream(pays, "(x)-[:pays]-(y)")
    stream.update("+ 2 3 pays\n+ 1 2 pays\n- 0 1 pays\n")
    assert stream.count() == 2
    with pytest.raises(mt.InputError, match="2: error: an inserted edge needs a label"):
        stream.update("+ 5 6 pays\n+ 6 7")
    assert stream.count() == 2
    assert mt.stream(pays, "edge").count() == 2


def test_followed(tmp_path):
    lines = ["# begins", "+ 0 2", "", "+ 2 3", "- 0 1", "+ 0 3", "+ 1 3"]
    (tmp_path / "updates.txt").write_text("\n".join(lines) + "\n")
    tuples = [("+", 0, 2), ("e", 2, 3), ("-", 0, 1), ("+", 0, 3), ("+", 1, 3)]
    graph = mt.Graph([0, 1], [1, 2])
    for updates in (tmp_path / "updates.txt", lines, tuples, iter(tuples)):
        found = [(batch.number, batch.total) for batch in mt.stream(graph, "triangle", updates=updates)]
        assert found == [(1, 1), (2, 1), (3, 0), (4, 1), (5, 2)]
        if updates is not tuples:
            continue
        assert [batch.total for batch in mt.stream(graph, "triangle", updates=updates, batch=2)] == [1, 1, 2]
    for wrong in ([("+", 1)], [("?", 1, 2)], ["+ 1"], [7]):
        with pytest.raises((mt.InputError, TypeError)):
            list(mt.stream(graph, "triangle", updates=wrong))


def test_errors():
    graph = mt.Graph([0, 1], [1, 2])
    with pytest.raises(mt.ProgramError):
        mt.stream(graph, "a-")
    with pytest.raises(TypeError):
        mt.stream(graph)
    with pytest.raises(TypeError):
        mt.stream([(0, 1)], "edge")
    with pytest.raises(TypeError):
        iter(mt.stream(graph, "edge"))
    stream = mt.stream(graph, "edge", strict=True)
    with pytest.raises(TypeError):
        stream.add("a", "b")
    with pytest.raises(ValueError):
        stream.add(2**63, 1)
    with pytest.raises(ValueError):
        stream.add_many([1, 2], [3])
    stream.add(0, 3)
    stream.add(1, 0)
    with pytest.raises(mt.InputError, match="update 2 of the batch changes nothing"):
        stream.apply()
    assert stream.count() == 2, "the batch was dropped"
    stream.add(0, 3)
    assert stream.count() == 3
    divides = mt.program("def main(G: Graph) -> int:\n    return 6 / (size(vertices(G)) - 4)\n")
    stream = mt.stream(graph, divides)
    assert stream.count() == -6
    stream.add_vertex(9)
    with pytest.raises(mt.RunError):
        stream.apply()
    with pytest.raises(mt.RunError, match="has ended"):
        stream.count()


def test_stops():
    size = 400
    graph = mt.Graph([u for u in range(size) for _ in range(u)], [v for u in range(size) for v in range(u)])
    stream = mt.stream(graph, "path:7")
    with pytest.raises(mt.Timeout):
        stream.apply(timeout=0.1)
    with pytest.raises(mt.RunError):
        stream.count()


def test_threads_take_turns():
    stream = mt.stream(mt.Graph([0], [1]), "star:3")
    threads = [threading.Thread(target=lambda at=at: [stream.add(0, 2 + 50 * at + i) or stream.count() for i in range(50)])
               for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stream.count() == mt.count(mt.Graph([0] * 151, list(range(1, 152))), "star:3")


def test_more_threads_than_processors():
    code = ("import matcha as mt\nstream = mt.stream(mt.Graph([0], [1]), 'triangle', threads=300)\n"
            "stream.add_many(list(range(3000)), list(range(7, 3007)))\nprint(stream.apply().updates)\n")
    source = str(pathlib.Path(mt.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": source}, text=True, capture_output=True)
    assert (done.stdout, done.stderr) == ("3000\n", "")


LEDGER = {
    "src": ["a", "b", "c", "a", "b", "c"],
    "dst": ["b", "c", "a", "b", "a", "c d"],
    "at": [1, 2, 3, 7, 9, 9],
    "sum": [5.5, None, 9.5, 2.5, 7.5, 1.5],
    "memo": ["x", "y, z", "", '"q"', "x", None],
    "sure": [True, False, None, True, True, False],
    "tx": ["t1", "t2", "t3", "t4", "t5", "t6"],
}
TABLE_PATTERNS = ["(a)-[x {sum > 4}]->(b)-[y]->(c) where x < y", "a->b->c->a", "(a)-[x {memo = 'x', sure}]->(b)", "(a)->(b) where a.id < b.id"]


def rows_of(table, first, last):
    return {name: column[first:last] for name, column in table.items()}


def frames():
    yield dict
    for name in ("pandas", "polars", "pyarrow"):
        if importlib.util.find_spec(name) is not None:
            module = importlib.import_module(name)
            yield module.table if name == "pyarrow" else module.DataFrame


def of_the_command_line(folder, patterns, *more):
    """The answers of `matcha stream` for the same rows as a file, and the rows that come and go."""
    path, rows = folder / "table.csv", folder / "rows.ndjson"
    cells = [["" if one is None else str(one).lower() if isinstance(one, bool) else one for one in row] for row in zip(*LEDGER.values())]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([list(LEDGER), *cells])
    command = [os.path.join(os.environ["MATCHA_BUILD"], "bin", "matcha"), "stream", "--temporal", "--directed", "-q", "--json", "--updates", str(path), "--time", "at",
               "--window", "6s", "--batch", "2", *(word for pattern in patterns for word in ("--pattern", pattern)), *more]
    if len(patterns) == 1:
        command += ["--matches", str(rows)]
    answers = list(map(json.loads, subprocess.run(command, check=True, capture_output=True).stdout.splitlines()))[len(patterns):-1]
    return answers, [json.loads(line) for line in rows.read_text().splitlines()] if len(patterns) == 1 else []


def test_tables_have_the_answers_of_the_command_line(tmp_path):
    """Each batch of rows: totals, and rows that come and go with their own ids."""
    wanted, _ = of_the_command_line(tmp_path, TABLE_PATTERNS)
    _, changes = of_the_command_line(tmp_path, TABLE_PATTERNS[:1], "--edge-id", "tx")
    assert any(one["change"] == "-" for one in changes)
    for make in frames():
        stream = mt.stream(None, *TABLE_PATTERNS, directed=True, time="at", window="6s")
        listing = mt.stream(None, TABLE_PATTERNS[0], directed=True, time="at", window="6s", matches=True, edge_id="tx")
        for number, first in enumerate(range(0, 6, 2), start=1):
            part = make(rows_of(LEDGER, first, first + 2))
            for one in (stream, listing):
                one.add_many(part)
            mine = [answer for answer in wanted if answer["batch"] == number]
            batch, listed = stream.apply(), listing.apply()
            for name in ("total", "plus", "minus", "delta"):
                assert getattr(batch, name) == tuple(answer.get(name) for answer in mine), (number, name)
            for sign, rows in (("+", listed.added), ("-", listed.removed)):
                assert list(rows) == [tuple(one["row"]) for one in changes if one["batch"] == number and one["change"] == sign]
        assert list(listed.removed.columns)[:3] == ["a", "b", "c"]


def test_tables_refuse_what_they_do_not_have():
    stream = mt.stream(None, "(a)-[x]->(b)", directed=True)
    for refused in (lambda: stream.add(1, 2), lambda: stream.remove_many([1], [2]), lambda: stream.add_many([1], [2]), lambda: stream.add_many([1])):
        with pytest.raises(TypeError):
            refused()
    stream.add_many({"src": [1], "dst": [2], "time": [3]})
    with pytest.raises(ValueError, match="those before were"):
        stream.add_many({"src": [1], "dst": [2]})
    with pytest.raises(ValueError, match="differ in length"):
        stream.add_many({"src": [1, 2], "dst": [2], "time": [3]})
    with pytest.raises(TypeError, match="item that is no cell"):
        stream.add_many({"src": [[1]], "dst": [2], "time": [3]})
    assert stream.count() == 1
    with pytest.raises(mt.InputError, match=r"<lines>:3.*no time"):
        stream.add_many({"src": [1], "dst": [2], "time": ["x"]})
    with pytest.raises(mt.RunError):
        stream.apply()
    with pytest.raises(mt.UsageError):
        mt.stream(None, "(a)-[x]->(b)", directed=True, window="0s")


def test_rows_of_a_table_that_are_late():
    stream = mt.stream(None, "(a)-[x]->(b)-[y]->(c) where x < y", directed=True)
    stream.add_many({"src": [2, 1], "dst": [3, 2], "time": [5, 1]})
    batch = stream.apply()
    assert (batch.updates, batch.late, batch.total) == (1, 1, 0)
    with pytest.raises(TypeError, match="by add_many"):
        stream.update("1,2,7\n")
    lines = mt.stream(None, "(a)-[x]->(b)", directed=True)
    lines.update("src,dst,time\n1,2,3\n")
    with pytest.raises(TypeError, match="lines of text"):
        lines.add_many({"src": [2], "dst": [3], "time": [4]})
    assert lines.apply().total == 1
