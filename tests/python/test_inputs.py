"""Graphs from other libraries: the same answers, borrowed memory, ids and labels as they were given."""

import array
import gc
import inspect
import itertools
import random
import warnings
from types import SimpleNamespace

import matcha as mt
import pytest
from matcha import _inputs, _lent

numpy = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def copies_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", mt.CopyWarning)
        yield


def random_edges(seed, vertices=12, chance=0.4):
    rng = random.Random(seed)
    return [pair for pair in itertools.combinations(range(vertices), 2) if rng.random() < chance]


EDGES = random_edges(5)
U, V = (list(column) for column in zip(*EDGES))
TRIANGLES = mt.count(mt.Graph(U, V), "triangle")


def address(values):
    return values.__array_interface__["data"][0]


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64"])
def test_arrays_are_read_where_they_are(kind):
    u, v = numpy.array(U, dtype=kind), numpy.array(V, dtype=kind)
    assert mt.count(mt.Graph(u, v), "triangle") == TRIANGLES
    column = _inputs.column_of(u, "u")
    assert column.address == address(u) and column.count == len(u) and column.owner is u
    pairs = numpy.array(EDGES, dtype=kind)
    assert mt.count(mt.Graph(pairs), "triangle") == TRIANGLES
    column = _inputs.column_of(pairs[:, 1], "v")
    assert column.address == address(pairs) + pairs.itemsize and column.stride == 2 * pairs.itemsize
    back = _inputs.column_of(u[::-1], "u")
    assert back.address == address(u) + u.nbytes - u.itemsize and back.stride == -u.itemsize
    assert mt.count(mt.Graph(u[::-1], v[::-1]), "triangle") == TRIANGLES
    frozen = u.copy()
    frozen.flags.writeable = False
    assert _inputs.column_of(frozen, "u").address == address(frozen)


def test_buffers_are_read_where_they_are():
    u, v = array.array("i", U), array.array("i", V)
    assert mt.count(mt.Graph(u, v), "triangle") == TRIANGLES
    assert _inputs.column_of(u, "u").address == u.buffer_info()[0]
    assert mt.count(mt.Graph(memoryview(u), memoryview(v)), "triangle") == TRIANGLES
    assert mt.count(mt.Graph(array.array("h", U), array.array("h", V)), "triangle") == TRIANGLES


@pytest.mark.parametrize("kind", ["int8", "uint16", ">i8", "float64"])
def test_conversions_are_said(kind):
    with pytest.warns(mt.CopyWarning, match="sources"):
        graph = mt.Graph(numpy.array(U, dtype=kind), V)
    assert mt.count(graph, "triangle") == TRIANGLES


def test_values_that_are_no_ids():
    with pytest.raises(ValueError, match="row 1 of `sources` has no value"):
        mt.Graph(numpy.array([0.0, numpy.nan]), [1, 2])
    with pytest.raises(ValueError, match="row 1 of `targets` has no value"):
        mt.Graph(["a", "b"], ["b", None])
    with pytest.raises(ValueError, match="2 sources and 1 targets"):
        mt.Graph([1, 2], [3])
    with pytest.raises(ValueError, match="2 dimensions"):
        mt.Graph(numpy.zeros((2, 2), dtype=int), numpy.zeros((2, 2), dtype=int))
    graph = mt.Graph(numpy.array([0.5, 1.5]), numpy.array([1.5, 2.5]))
    assert list(graph.vertices) == [0.5, 1.5, 2.5]
    large = mt.Graph(numpy.array([2**63, 1], dtype="uint64"), numpy.array([1, 2], dtype="uint64"))
    assert list(large.vertices) == [1, 2, 2**63]


def test_names_of_any_kind():
    graph = mt.Graph([("a", 1), (1, (2, 3)), ((2, 3), "a")])
    [match] = mt.match(graph, "triangle")
    assert set(match) == {"a", 1, (2, 3)}
    words = mt.Graph(numpy.array(["x", "y"]), numpy.array(["y", "z"]))
    assert list(words.vertices) == ["x", "y", "z"] and words.vertices.to_numpy().tolist() == ["x", "y", "z"]


def test_large_ids_beside_names():
    for kind, id in (("I", 3_000_000_000), ("Q", 3_000_000_000), ("i", -3)):
        assert set(mt.Graph(array.array(kind, [id]), ["a"]).vertices) == {id, "a"}
    graph = mt.Graph([3_000_000_000, "a"], ["a", "b"])
    size_of = mt.program("def main(G: Graph, k: List<int>) -> int:\n    return sum(apply(lambda v: size(neighbor(G, v)), k))")
    assert size_of(graph, k=array.array("I", [3_000_000_000])) == 1


def rows_of(edges, vertices):
    rows = [sorted([v for u, v in edges if u == w] + [u for u, v in edges if v == w]) for w in range(vertices)]
    return [0, *itertools.accumulate(map(len, rows))], [one for row in rows for one in row]


def test_rows_are_borrowed():
    offsets, targets = (numpy.array(one) for one in rows_of(EDGES, 14))
    targets = targets.astype("int32")
    _lent.Lent.collect()
    gc.collect()
    before = _lent.Lent.collect()
    graph = mt.Graph((offsets, targets))
    assert graph.vertex_count == 14 and mt.count(graph, "triangle") == TRIANGLES
    # The library reads this memory.
    assert _lent.Lent.collect() == before + 1
    del graph
    gc.collect()
    assert _lent.Lent.collect() == before
    with pytest.raises(mt.InputError, match="which has not vertex"):
        mt.Graph((numpy.array([0, 1, 1]), numpy.array([1], dtype="int32")))
    assert _lent.Lent.collect() == before, "after a failure nothing stays"
    assert repr(mt.Graph((numpy.array([0, 1, 1]), numpy.array([1], dtype="int32")), directed=True)) == \
        "Graph(2 vertices, 1 arcs, directed)"


def test_rows_are_those_of_the_arrays():
    offsets, targets = numpy.array([0, 1, 2, 3]), numpy.array([1, 9, 0, 9, 1, 9])
    for kind in ("int32", "uint32", "int64", "uint64"):
        with pytest.warns(mt.CopyWarning, match="`targets` do not lie next to each other"):
            graph = mt.Graph((offsets, targets.astype(kind)[::2]), directed=True)
        assert list(graph.edges) == [(0, 1), (1, 0), (2, 1)]
    with pytest.warns(mt.CopyWarning, match="`offsets` do not lie next to each other"):
        graph = mt.Graph((offsets[::-1].copy()[::-1], targets[::2].copy()), directed=True)
    assert list(graph.edges) == [(0, 1), (1, 0), (2, 1)]
    for short in (targets[:2], targets[:4]):
        with pytest.raises(ValueError, match=f"the last offset is 3, and there are {len(short)} targets"):
            mt.Graph((offsets, short), directed=True)


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    ones = numpy.ones(len(U))
    half = sparse.coo_matrix((ones, (U, V)), shape=(14, 14))
    whole = sparse.csr_matrix(half + half.T)
    graph = mt.Graph(whole)  # No CopyWarning.
    assert graph.vertex_count == 14 and mt.count(graph, "triangle") == TRIANGLES
    assert graph._owner is not None and _lent.Lent.collect() >= 1
    with pytest.warns(mt.CopyWarning) as caught:
        assert mt.count(mt.Graph(half), "triangle") == TRIANGLES
    assert ["format coo" in str(caught[0].message), "undirected" in str(caught[1].message)] == [True, True]
    loops = sparse.csr_matrix(whole + sparse.eye(14))
    with pytest.warns(mt.CopyWarning, match="to itself"):
        again = mt.Graph(loops)
    assert again.vertex_count == 14 and mt.count(again, "triangle") == TRIANGLES
    assert mt.Graph(sparse.csr_matrix(half), directed=True).edge_count == len(EDGES)
    spare = sparse.csr_matrix(whole)
    spare.indices = numpy.append(spare.indices, numpy.int32(0))  # More room than entries.
    assert mt.count(mt.Graph(spare), "triangle") == TRIANGLES
    with pytest.raises(ValueError, match="2 rows and 3 columns"):
        mt.Graph(sparse.csr_matrix((2, 3)))


FRAME = {"src": ["ann", "bob", "eve", "ann"], "dst": ["bob", "eve", "ann", "dan"],
         "relation": ["calls", "pays", "pays", "calls"], "weight": [1, 2, 3, 4]}
NODES = {"id": ["ann", "bob", "eve", "dan", "lone"], "kind": ["staff", "staff", "guest", "robot", "staff"]}


class OnlyArrow:
    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__()


class OnlyInterchange:
    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, **options):
        return self.frame.__dataframe__(**options)


class Interchanged:
    """One chunk of a column of the interchange protocol that begins at an offset of its buffers."""

    null_count = 0

    def __init__(self, kind, bits, buffers, size, offset, words=None):
        self.dtype, self.buffers, self.rows, self.offset = (kind, bits, "", "="), buffers, size, offset
        self.describe_categorical = {"categories": words}

    def size(self):
        return self.rows

    def get_chunks(self):
        return [self]

    def get_buffers(self):
        return {name: (SimpleNamespace(ptr=made.buffer_info()[0]), (kind, 8 * made.itemsize))
                for name, (made, kind) in self.buffers.items()}


def test_interchanged_columns_begin_at_their_offset():
    letters = array.array("b", b"annbobeve")
    text = Interchanged(21, 8, {"data": (letters, 1), "offsets": (array.array("q", [0, 3, 6, 9]), 0)}, 2, 1)
    kinds = Interchanged(23, 8, {"data": (array.array("B", [0, 1, 0]), 1)}, 2, 1, ["x", "y"])
    numbers = Interchanged(0, 32, {"data": (array.array("i", [7, 8, 9]), 0)}, 2, 1)
    named = {"text": text, "kinds": kinds, "numbers": numbers}
    frame = SimpleNamespace(column_names=lambda: list(named), get_column_by_name=named.get)
    given = OnlyInterchange(SimpleNamespace(__dataframe__=lambda: frame))
    edges = mt.Graph(given, src="text", dst="kinds").edges
    assert set(map(frozenset, edges)) == {frozenset(("bob", "y")), frozenset(("eve", "x"))}
    edges = mt.Graph(given, src="text", dst="numbers").edges
    assert set(map(frozenset, edges)) == {frozenset(("bob", 8)), frozenset(("eve", 9))}


def check_frame(frame, nodes):
    graph = mt.Graph(frame, src="src", dst="dst", edge_label="relation", vertices=nodes, id="id", label="kind")
    assert graph.vertex_count == 5 and mt.count(graph, "triangle") == 1
    assert sorted(mt.match(graph, "0:guest-1:staff")) == [("eve", "ann"), ("eve", "bob")]
    assert sorted(map(sorted, mt.match(graph, "0-1=calls", induced="edge"))) == [["ann", "bob"], ["ann", "dan"]]
    with pytest.raises(KeyError, match="there is no column 'from'"):
        mt.Graph(frame, src="from", dst="dst")


def test_frames():
    check_frame(FRAME, NODES)
    pandas = pytest.importorskip("pandas")
    check_frame(pandas.DataFrame(FRAME), pandas.DataFrame(NODES))
    frame = pandas.DataFrame(FRAME)
    for name in ("src", "dst", "relation"):
        frame[name] = frame[name].astype("category")
    check_frame(frame, pandas.DataFrame(NODES))
    with pytest.raises(TypeError, match="names of its columns"):
        mt.Graph(pandas.DataFrame(FRAME))
    gaps = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "b": [2, 3]})
    with pytest.raises(ValueError, match="row 1 of `a` has no value"):
        mt.Graph(gaps, src="a", dst="b")
    ints = pandas.DataFrame({"a": U, "b": V})
    assert mt.count(mt.Graph(ints, src="a", dst="b"), "triangle") == TRIANGLES
    assert mt.count(mt.Graph(ints.a, ints.b), "triangle") == TRIANGLES
    assert mt.count(mt.Graph(OnlyInterchange(ints), src="a", dst="b"), "triangle") == TRIANGLES
    words = pandas.DataFrame({"a": [f"x{u}" for u in U], "b": [f"x{v}" for v in V]})
    named = mt.Graph(OnlyInterchange(words), src="a", dst="b")
    assert mt.count(named, "triangle") == TRIANGLES and named.vertices[0] == "x0"
    listed = mt.match(named, "triangle").to_pandas()
    assert listed.shape == (TRIANGLES, 3) and str(listed.iloc[0, 0]).startswith("x")


def test_frames_by_arrow():
    graph = mt.Graph(U, V)
    table = mt.match(graph, "edge")
    again = mt.Graph(OnlyArrow(table), src="v0", dst="v1")
    assert mt.count(again, "triangle") == TRIANGLES
    named = mt.Graph([(f"x{u}", f"x{v}") for u, v in EDGES])
    again = mt.Graph(OnlyArrow(mt.match(named, "edge")), src="v0", dst="v1")
    assert list(again.vertices) == list(named.vertices) and mt.count(again, "triangle") == TRIANGLES
    with pytest.raises(KeyError, match="there are: v0, v1"):
        mt.Graph(OnlyArrow(table), src="v0", dst="v7")


def test_labels():
    graph = mt.Graph([0, 1, 2], [1, 2, 0], edge_label=[5, 5, 6], vertices=[0, 1, 2], label=["a", "b", "3"])
    assert mt.count(graph, "0-1=5", induced="edge") == 2
    assert len(mt.match(graph, "0:a-1:3")) == 1
    total = mt.program("def main(G: Graph) -> float:\n    def one(x: float) -> float:\n        return x\n"
                       "    return sum(apply(lambda v: sum(apply(one, edge_info(G, v))), vertices(G)))\n")
    assert total(mt.Graph([0, 1], [1, 2], edge_label=numpy.array([0.5, 0.25]))) == 1.5
    with pytest.raises(mt.UsageError, match="information of edges"):
        total(mt.Graph([0, 1], [1, 2]))
    typed = mt.Graph([0, 1], [1, 2], vertices=[0, 1, 2], label=[["a", "b"], {"b"}, []])
    assert [mt.count(typed, f"x:{kind}-y", embeddings=True) for kind in ("a", "b", "'b;a'")] == [1, 3, 1]
    with pytest.raises(ValueError, match="row 0 of `label` has a type that is missing"):
        mt.Graph([0], [1], vertices=[0, 1], label=[["a;b"], ["c"]])
    with pytest.raises(ValueError, match="2 labels for 3 edges"):
        mt.Graph([0, 1, 2], [1, 2, 0], edge_label=[5, 5])
    with pytest.raises(TypeError, match="`label` needs `vertices`"):
        mt.Graph([0, 1], [1, 2], label=["a", "b", "c"])
    with pytest.raises(mt.InputError, match="another label"):
        mt.Graph([0], [1], vertices=[0, 0], label=["a", "b"])


def test_labels_that_are_refused():
    for values, said in ((["a\0b", "a"], "row 0 of `{}` has a zero byte"), ([1, -(2**63)], "row 1 of `{}` is -9223372036854775808"),
                         (numpy.array([1, -(2**63)]), r"row 1 of `{}` is -2\*\*63"), ([1, 2**63], "row 1 of `{}` is 9223372036854775808"),
                         (numpy.array([1, 2**63], dtype="uint64"), "row 1 of `{}` is 9223372036854775808"),
                         ([1e300, 2], r"row 0 of `{}` is 1e\+300")):  # fmt: skip
        with pytest.raises(ValueError, match=said.format("label")):
            mt.Graph([0], [1], vertices=[0, 1], label=values)
        with pytest.raises(ValueError, match=said.format("edge_label")):
            mt.Graph([0, 1], [1, 2], edge_label=values)
    for values, said in (({0: "a", 1: "b"}, "not a dict"), ("ab", "not a str"), (b"ab", "not a bytes"), ({"a", "b"}, "no order")):
        with pytest.raises(TypeError, match=said):
            mt.Graph([0], [1], vertices=[0, 1], label=values)
        with pytest.raises(TypeError, match=said):
            mt.Graph([0, 1], [1, 2], edge_label=values)
    least = mt.Graph([0], [1], vertices=[0, 1], label=[1 - 2**63, 2**63 - 1])
    assert list(least.labels) == [1 - 2**63, 2**63 - 1]


def test_whole_numbers_beside_others():
    weighed = mt.Graph([0, 1], [1, 2], edge_label=[1.5, 2])
    assert list(weighed.edges["weight"]) == [1.5, 2.0]
    counted = mt.Graph([0, 1], [1, 2], edge_label=[numpy.int64(3), 2])
    assert list(counted.edges["label"]) == [3, 2]


def test_missing_labels():
    """A vertex or edge without a label meets no label of a pattern, and every vertex or edge without one."""
    nan = float("nan")
    for missing in (None, nan):
        graph = mt.Graph([1, 2], [2, 3], vertices=[1, 2, 3], label=["t", missing, "s"])
        assert (mt.count(graph, "a:t-b"), mt.count(graph, "b-c:s"), mt.count(graph, "a:t-b-c:s")) == (1, 1, 1)
        numbers = mt.Graph([1, 2], [2, 3], vertices=[1, 2, 3], label=[5, missing, 6], edge_label=[7, missing])
        assert (mt.count(numbers, "a:5-b"), mt.count(numbers, "a-b=7"), mt.count(numbers, "a-b=7,b-c")) == (1, 1, 1)
        edges = mt.Graph([1, 2, 3], [2, 3, 1], edge_label=["k", missing, "k"])
        assert (mt.count(edges, "a-b=k"), mt.count(edges, "a-b"), mt.count(edges, "a-b=k,b-c=k,a-c")) == (2, 3, 1)
    left_out = mt.Graph([1, 2], [2, 3], vertices=[1], label=["t"])
    assert (mt.count(left_out, "a:t-b"), mt.count(left_out, "a-b")) == (1, 2)
    rest = {"id": [1, 3], "kind": numpy.ma.masked_array([5, 6], mask=[False, True])}
    assert mt.count(mt.Graph([1, 2], [2, 3], vertices=rest, id="id", label="kind"), "a:5-b") == 1
    assert mt.count(mt.Graph([1, 2], [2, 3], edge_label=numpy.array([4.0, nan])), "a-b=4") == 1
    with pytest.raises(ValueError, match="row 1 of `edge_label` has no value"):
        mt.Graph([0, 1], [1, 2], edge_label=[0.5, nan])
    with pytest.raises(mt.InputError, match="vertex 0: a negative label beside labels that are words or missing"):
        mt.Graph([0, 1], [1, 2], vertices=[0, 1, 2], label=[-1, None, 2])


def test_missing_labels_of_frames():
    pandas = pytest.importorskip("pandas")
    nodes = pandas.DataFrame({"id": [1, 2, 3], "kind": pandas.array([5, None, 6], dtype="Int64"),
                              "word": pandas.array(["t", None, "s"], dtype="string")})
    for label, pattern in (("kind", "a:5-b"), ("word", "a:t-b")):
        graph = mt.Graph([1, 2], [2, 3], vertices=nodes, id="id", label=label)
        assert mt.count(graph, pattern) == 1


def test_loops_are_kept(tmp_path):
    ends = ([1, 2, 2, 3], [2, 2, 3, 3])
    labels = ["knows", "knows", "likes", "likes"]
    (tmp_path / "g.txt").write_text("".join(f"{u} {v} {word}\n" for u, v, word in zip(*ends, labels)))
    graphs = [mt.Graph(*ends, directed=True, edge_label=labels, keep_loops=True),
              mt.read(tmp_path / "g.txt", directed=True, edge_labels=True, keep_loops=True)]
    for graph in graphs:
        assert mt.count(graph, "a->b=knows", match="homo") == 2
        assert mt.count(graph, "a->a=likes") == 1
        assert mt.count(graph, "a->b=knows,b->c=likes", match="homo") == 2
        assert mt.count(graph, "a->b=?", match="homo") == 4
        # Maps see them without labels as well; different images do not.
        assert mt.count(graph, "a->b", match="homo") == 4
        assert mt.count(graph, "a->b,b->c", match="edge") == 4
        assert mt.count(graph, "a->b") == 2
        with pytest.raises(mt.UsageError, match="has no loops|the graph has loops"):
            mt.stream(graph, "a->b", match="homo")
        with pytest.raises(mt.UsageError, match="the graph has loops"):
            mt.stream(graph, "a->b=knows")
    without = mt.Graph(*ends, directed=True, edge_label=labels)
    assert mt.count(without, "a->b=knows", match="homo") == 1
    with pytest.raises(mt.UsageError, match="lost its own"):
        mt.count(without, "a->a=likes")
    with pytest.raises(ValueError, match="keep_loops"):
        mt.Graph(*ends, edge_label=labels, keep_loops=True)
    with pytest.raises(mt.UsageError, match="keep-loops"):
        mt.read(tmp_path / "g.txt", edge_labels=True, keep_loops=True)
    for graph in (mt.Graph(*ends, directed=True, keep_loops=True), mt.read(tmp_path / "g.txt", directed=True, keep_loops=True)):
        assert mt.count(graph, "a->b", match="homo") == 4
        assert mt.count(graph, "a->a") == 2
        assert mt.count(graph, "a->b") == 2
        assert sorted(mt.match(graph, "a->b", match="homo")) == [(1, 2), (2, 2), (2, 3), (3, 3)]


def test_networkx_and_igraph():
    networkx = pytest.importorskip("networkx")
    theirs = networkx.Graph()
    theirs.add_nodes_from([("ann", {"kind": "staff"}), ("bob", {"kind": "guest"}), ("lone", {"kind": "guest"})])
    theirs.add_edge("ann", "bob", relation="calls")
    graph = mt.Graph(theirs, edge_label="relation", label="kind")
    assert repr(graph) == "Graph(3 vertices, 1 edges, undirected)"
    assert list(mt.match(graph, "0:guest-1:staff")) == [("bob", "ann")]
    assert mt.count(graph, "0-1=calls", induced="edge") == 1
    assert mt.Graph(networkx.DiGraph([(1, 2), (2, 1)])).edge_count == 2
    arcs = mt.Graph(theirs, edge_label="relation", label="kind", directed=True)
    assert sorted(mt.match(arcs, "a->b")) == [("ann", "bob"), ("bob", "ann")]
    assert mt.count(arcs, "a:guest->b:staff=calls") == 1
    with_loop = networkx.MultiGraph([(1, 1, {"x": 4}), (1, 2, {"x": 5}), (1, 2, {"x": 6})])
    kept = mt.Graph(with_loop, directed=True, edge_label="x", keep_loops=True)
    assert [mt.count(kept, text, match="homo") for text in ("a->b=4", "a->a=4", "a->b=5", "a->b=6")] == [1, 1, 2, 2]
    assert mt.Graph(networkx.DiGraph([(1, 2), (2, 1)]), directed=False).edge_count == 1
    igraph = pytest.importorskip("igraph")
    other = igraph.Graph(edges=EDGES, n=14)
    assert mt.Graph(other).vertex_count == 14 and mt.count(mt.Graph(other), "triangle") == TRIANGLES
    other.vs["name"] = [f"x{one}" for one in range(14)]
    other.es["relation"] = ["a"] * other.ecount()
    named = mt.Graph(other, edge_label="relation")
    assert sorted(named.vertices) == sorted(other.vs["name"])
    assert mt.count(named, "0-1=a", induced="edge") == other.ecount()
    with pytest.raises(KeyError, match="there is no attribute 'colour'"):
        mt.Graph(other, label="colour")
    with pytest.raises(TypeError, match="has its own vertices"):
        mt.Graph(other, vertices=range(20))
    other.vs["name"] = ["ann", "bob", *map(str, range(11)), "bob"]
    with pytest.raises(ValueError, match="two vertices have the name 'bob'"):
        mt.Graph(other)
    del other.vs["name"]
    assert mt.count(mt.Graph(other), "triangle") == TRIANGLES


def test_what_nothing_reads_is_refused():
    networkx = pytest.importorskip("networkx")
    theirs = networkx.Graph([("a", "b")])
    frame = {"id": ["a", "b", "c"], "kind": ["X", "Y", "Z"]}
    for given in ({"vertices": frame, "id": "id", "label": "kind"}, {"vertices": ["c"]}, {"id": "id"}):
        with pytest.raises(TypeError, match="has its own vertices"):
            mt.Graph(theirs, **given)
        with pytest.raises(TypeError, match="has its own edges"):
            mt.Graph(theirs, ["b"], **given)
    with pytest.raises(TypeError, match="has its own edges"):
        mt.Graph(theirs, src="a", dst="b")
    with pytest.raises(TypeError, match="`id` needs `vertices`"):
        mt.Graph([1], [2], id="x")
    with pytest.raises(TypeError, match="beside which there are no other targets"):
        mt.Graph({"a": [1], "b": [2]}, [3], src="a", dst="b")


def test_values_that_are_not_graphs():
    for wrong in (["ab", "cd"], [1, 2], [(1, 2, 3)]):
        with pytest.raises(TypeError, match="pairs"):
            mt.Graph(wrong)
    for wrong in ("ab", b"ab", {1: 2, 2: 3}):
        with pytest.raises(TypeError, match="`sources` is a sequence or an array"):
            mt.Graph(wrong, [1, 2])
    for wrong in ("no", "false", 2):
        with pytest.raises(TypeError, match="`directed` is True or False"):
            mt.Graph([0], [1], directed=wrong)
    assert mt.Graph([0], [1], directed=numpy.bool_(True)).directed is True
    with pytest.raises(TypeError, match="go together"):
        mt.Graph(FRAME, src="src")
    with pytest.raises(TypeError, match="matcha.Graph"):
        mt.count([(0, 1)], "edge")


WEIGHED = mt.program("""def main(old: Graph, new: Graph, k: int = 1):
    both = apply(lambda v: mk_tuple(val=[v, k * size(intersect(neighbor(old, v), neighbor(new, v)))]), vertices(old))
    return apply(lambda e: e, cond=lambda e: get(e, 1) != 0, both)
""")


def test_several_graphs(tmp_path):
    old, new = [("ann", "bob"), ("bob", "eve"), ("eve", "zoe")], [("amy", "ann"), ("bob", "eve"), ("zoe", "eve")]
    wanted = [("bob", 1), ("eve", 2), ("zoe", 1)]
    first, second = mt.Graph(old), mt.Graph(new)
    assert sorted(WEIGHED(first, second)) == wanted
    assert sorted(WEIGHED(new=second, old=first)) == sorted(WEIGHED(mt.join(old=first, new=second))) == wanted
    assert sorted(WEIGHED(first, new=second, k=5)) == [(name, 5 * n) for name, n in wanted]
    joined = WEIGHED._joined
    WEIGHED(first, second)
    assert WEIGHED._joined is joined, "graphs are joined once"
    assert sorted(WEIGHED(second, first)) == wanted and sorted(WEIGHED(first, first)) == [("ann", 1), ("bob", 2), ("eve", 2), ("zoe", 1)]
    file = tmp_path / "new.csv"
    file.write_text("from,to\n" + "".join(f"{u},{v}\n" for u, v in new))
    read = mt.read(file, src="from", dst="to")
    assert sorted(WEIGHED(first, read)) == sorted(WEIGHED(read, first)) == wanted
    again = mt.join(old=read, new=mt.read(file))
    assert list(again.vertices) == ["amy", "ann", "bob", "eve", "zoe"] and mt.count(again, "edge") == 3
    numbers = mt.join(old=mt.Graph([5, 6], [6, 9]), new=mt.Graph([6, 7], [9, 9]))
    assert list(numbers.vertices) == [5, 6, 9] and sorted(WEIGHED(numbers)) == [(6, 1), (9, 1)]
    assert str(inspect.signature(WEIGHED)) == "(old: 'Graph', new: 'Graph', *, k: 'int' = 1) -> 'List<Tuple<int, 2>>'"


def test_several_graphs_that_do_not_fit():
    names, numbers = mt.Graph([("a", "b")]), mt.Graph([1], [2])
    with pytest.raises(TypeError, match="must have an order"):
        WEIGHED(names, numbers)
    with pytest.raises(TypeError, match="old, new"):
        WEIGHED()
    with pytest.raises(TypeError, match="no graph is called 'later'"):
        WEIGHED(numbers, later=numbers)
    with pytest.raises(TypeError, match="'old' is given twice"):
        WEIGHED(numbers, old=numbers)
    with pytest.raises(TypeError, match="takes 2"):
        WEIGHED(numbers, numbers, numbers)
    with pytest.raises(TypeError, match="not a matcha.Graph"):
        mt.join(old="file.txt")
    with pytest.raises(TypeError, match="needs graphs"):
        mt.join()
    with pytest.raises(mt.UsageError, match="`main` needs graphs for `old` and `new`"):
        WEIGHED(numbers)
    with pytest.raises(mt.UsageError, match="joined already"):
        mt.join(old=mt.join(old=numbers), new=numbers)


def test_tables_in_files(tmp_path):
    file = tmp_path / "pays.csv"
    file.write_text("when;payer;payee;how\n1;ann;bob;card\n2;bob;eve;cash\n3;eve;ann;card\n")
    people = tmp_path / "people.csv"
    people.write_text("name,kind\nann,staff\nbob,guest\neve,staff\nzoe,guest\n")
    columns = {"src": "payer", "dst": "payee"}
    assert mt.count(mt.read(file, **columns), "triangle") == 1
    g = mt.read(file, **columns, edge_label="how", vertices=people, id="name", label="kind", directed=True)
    assert (g.vertex_count, g.edge_count, g.directed) == (4, 3, True)
    assert sorted(mt.match(g, "(a:staff)-[:card]->(b)")) == [("ann", "bob"), ("eve", "ann")]
    assert mt.read(f"{file}:payer,payee").vertex_count == 3
    digits = tmp_path / "digits.txt"
    digits.write_text("1 02\n02 3\n")
    assert list(mt.read(digits, ids="text").vertices) == ["02", "1", "3"]
    with pytest.raises(mt.UsageError, match="belong together"):
        mt.read(file, src="payer")
    with pytest.raises(mt.InputError, match="nobody"):
        mt.read(file, src="payer", dst="nobody")
    with pytest.raises(mt.UsageError, match="there is to be one graph"):
        mt.read()
    with pytest.raises(mt.UsageError, match="header"):
        mt.read(file, header="perhaps")
