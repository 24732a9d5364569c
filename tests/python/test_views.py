"""What a graph shows of itself: vertices, edges, degrees, and the graph in other forms."""

import itertools
import pickle
import struct
import warnings

import matcha as mt
import pytest

NAMED = mt.Graph([("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan")], vertices=["zed", "ann"])
LABELLED = mt.Graph(
    [0, 1, 2, 2, 0],
    [1, 2, 0, 2, 1],
    directed=True,
    keep_loops=True,
    edge_label=["x", "y", "x", None, "z"],
    vertices=[0, 1, 2, 9],
    label=["p", None, "q", "p"],
)
ARCS = [(0, 1, "x"), (0, 1, "z"), (1, 2, "y"), (2, 0, "x"), (2, 2, "")]


def test_a_graph_is_a_container_of_vertices():
    assert len(NAMED) == 5 and list(NAMED) == list(NAMED.nodes) == ["ann", "bob", "cid", "dan", "zed"]
    assert "zed" in NAMED and "eve" not in NAMED and 0 not in NAMED and [] not in NAMED
    plain = mt.Graph([10, 20], [20, 30])
    assert 20 in plain and 0 not in plain and 2**70 not in plain and "20" not in plain and 20.0 not in plain
    assert len(mt.Graph([], [])) == 0 and 0 not in mt.Graph([], [])


def test_neighbors_and_degrees():
    assert list(NAMED.neighbors("cid")) == ["ann", "bob", "dan"] and NAMED.degree("zed") == 0
    assert dict(zip(NAMED.vertices, NAMED.degrees)) == {"ann": 2, "bob": 2, "cid": 3, "dan": 1, "zed": 0}
    star = mt.Graph([0] * 100, range(1, 101))
    assert list(star.neighbors(0)) == list(range(1, 101)) and star.degree(7) == 1
    for missing in ("eve", 5):
        with pytest.raises(KeyError):
            NAMED.neighbors(missing)
    # Loops and parallel arcs are edges, and one neighbour or none.
    assert list(LABELLED.neighbors(2)) == [0] and list(LABELLED.neighbors(0)) == [1]


def test_edges_have_their_labels():
    assert list(NAMED.edges) == [("ann", "bob"), ("ann", "cid"), ("bob", "cid"), ("cid", "dan")]
    assert NAMED.labels is None
    assert sorted(LABELLED.edges) == ARCS and list(LABELLED.labels) == ["p", "", "q", "p"]
    weighted = mt.Graph([0, 1], [1, 2], edge_label=[0.5, 1.5])
    assert list(weighted.edges) == [(0, 1, 0.5), (1, 2, 1.5)] and list(weighted.edges["weight"]) == [0.5, 1.5]
    loops = mt.Graph([0, 1, 2], [1, 2, 2], directed=True, keep_loops=True)
    assert list(loops.edges) == [(0, 1), (1, 2), (2, 2)]
    assert list(mt.Graph([], []).edges) == []


@pytest.mark.parametrize("graph", [NAMED, LABELLED, mt.Graph([0, 1], [1, 2], edge_label=[0.5, 1.5]), mt.Graph([], [])])
def test_a_pickle_is_the_same_graph(graph):
    same = pickle.loads(pickle.dumps(graph))
    assert same.directed == graph.directed and list(same.vertices) == list(graph.vertices)
    assert sorted(same.edges) == sorted(graph.edges) and same.labels == graph.labels


def test_weights_stay_weights():
    weighted = mt.Graph(["a", "b", "c"], ["b", "c", "d"], edge_label=[1.5, 2.0, 7.0], directed=True)
    part = weighted.subgraph(["b", "c", "d"])
    assert list(part.edges.columns) == ["source", "target", "weight"]
    assert list(part.edges) == [("b", "c", 2.0), ("c", "d", 7.0)] == list(pickle.loads(pickle.dumps(part)).edges)
    assert list(part.reversed().edges) == [("c", "b", 2.0), ("d", "c", 7.0)]
    assert list(part.undirected().edges) == list(part.edges)
    assert list(weighted.subgraph(["a", "c"]).edges.columns) == ["source", "target", "weight"]
    networkx = pytest.importorskip("networkx")
    assert networkx.get_edge_attributes(part.to_networkx(), "weight") == {("b", "c"): 2.0, ("c", "d"): 7.0}
    assert part.to_scipy().toarray().tolist() == [[0, 2, 0], [0, 0, 7], [0, 0, 0]]


def test_labels_of_any_bytes_stay(tmp_path):
    (tmp_path / "g.txt").write_bytes(b"1 2 \xffx\n2 3 y\n")
    graph = mt.read(tmp_path / "g.txt", edge_labels=True)
    assert list(graph.subgraph([1, 2]).edges["label"]) == ["\udcffx"]


def test_graphs_made_of_a_graph():
    assert sorted(LABELLED.reversed().edges) == sorted((b, a, label) for a, b, label in ARCS)
    both = LABELLED.undirected()
    assert not both.directed and both.edge_count == 3 and list(both.labels) == ["p", "", "q", "p"]
    part = NAMED.subgraph(["dan", "cid", "ann", "zed"])
    assert list(part.vertices) == ["ann", "cid", "dan", "zed"] and list(part.edges) == [("ann", "cid"), ("cid", "dan")]
    labelled = LABELLED.subgraph([9, 0, 1])
    assert sorted(labelled.edges) == ARCS[:2] and list(labelled.labels) == ["p", "", "p"]
    assert mt.count(NAMED.subgraph(["ann", "bob", "cid"]), "triangle") == 1
    with pytest.raises(KeyError):
        NAMED.subgraph(["eve"])


@pytest.mark.filterwarnings("ignore:1 vertices")
@pytest.mark.parametrize("name", ["g.mtg", "g.mtx", "g.csv", "g.txt.gz"])
def test_saved_graphs_are_read_back(tmp_path, name):
    NAMED.save(tmp_path / name)
    same = mt.read(tmp_path / name)
    assert list(same.edges) == list(NAMED.edges)
    assert list(same.vertices) == list(NAMED.vertices)[: 5 if name.endswith(("mtg", "mtx")) else 4]


def test_saved_labels_are_read_back(tmp_path):
    LABELLED.save(tmp_path / "g.mtg")
    same = mt.read(tmp_path / "g.mtg", directed=True, edge_labels=True, keep_loops=True)
    assert sorted(same.edges) == ARCS and list(same.labels) == ["p", "", "q", "p"]
    words = mt.Graph(["a"], ["b"], edge_label=["t"], vertices=["a", "b"], label=["x", "y"])
    words.save(tmp_path / "w.mtg")
    same = mt.read(tmp_path / "w.mtg", edge_labels=True)
    assert list(same.edges) == [("a", "b", "t")] and list(same.labels) == ["x", "y"]


# Names that only Python knows: in the order of files, and in another one.
OWN_NAMES = [["a", "b", "c"], ["b", 10, "a"], ["x y", "\t", "z\n"], [2**64, 2**64 + 10, 2**64 + 9]]


@pytest.mark.parametrize("names", OWN_NAMES, ids=ascii)
@pytest.mark.parametrize("info", [["1", "1.5"], ["x", None], ["a\tb", 7], [3, 4]], ids=ascii)
def test_a_saved_graph_of_names_is_the_same(tmp_path, names, info):
    graph = mt.Graph(names[:2], names[1:], edge_label=info, directed=True, vertices=names, label=["7", "8", "x"])
    graph.save(tmp_path / "g.mtg")
    same = mt.read(tmp_path / "g.mtg", directed=True, edge_labels=True)
    texts = {name: name if isinstance(names[0], int) else str(name) for name in names}
    assert set(same.edges) == {(texts[a], texts[b], one) for a, b, one in graph.edges}
    assert same.edges.columns.keys() == graph.edges.columns.keys()
    assert dict(zip(same.vertices, same.labels)) == {texts[a]: one for a, one in zip(graph.vertices, graph.labels)}
    assert mt.count(same, "0:7>1") == mt.count(graph, "0:7>1") == 1


@pytest.mark.parametrize("name", ["w.mtg", "w.csv", "w.txt", "w.mtx"])
def test_weights_are_saved(tmp_path, name):
    for names, weights in itertools.product((["a", "b", "c"], ["b", 1, "a"], [1, 2, 3]), ([1.5, 2.25], [2.0, 1.5])):
        graph = mt.Graph(names[:2], names[1:], edge_label=weights, directed=True)
        graph.save(tmp_path / name)
        written = (tmp_path / name).read_bytes()
        if name == "w.mtg":
            assert all(struct.pack("<d", weight) in written for weight in weights)
        else:
            ends = [float(line.replace(",", " ").split()[-1]) for line in written.decode().splitlines()[-2:]]
            assert sorted(ends) == sorted(weights)


# Labels of edges, and what an error says of them.
NOT_AS_TEXT = [
    (["x", None], "some edges have no label"),
    (["1.5", "x"], "the label `1.5` would be read as a number"),
    (["9" * 30, "x"], "9` would be read as a number"),
    (["a\tb", "x"], r"the label `a\x09b` has"),
    (["a\nb", "x"], r"the label `a\x0Ab` has"),
]


@pytest.mark.parametrize("name", ["g.csv", "g.txt", "g.tsv", "g.mtx", "g.graph"])
@pytest.mark.parametrize("ends", [(["a", "b"], ["b", "c"]), ([1, 2], [2, 3])], ids=str)
@pytest.mark.parametrize("labels, said", NOT_AS_TEXT, ids=ascii)
def test_labels_that_text_cannot_hold_are_refused(tmp_path, name, ends, labels, said):
    """Nothing is written that would be read as another graph, or not at all."""
    graph = mt.Graph(*ends, edge_label=labels, directed=True)
    path = tmp_path / name
    if name == "g.mtx" and not said.endswith("has"):
        graph.save(path)
        assert list(mt.read(path, directed=True, edge_labels=True).edges) == list(graph.edges)
        return
    with pytest.raises(mt.InputError) as caught:
        graph.save(path)
    assert said.lower() in str(caught.value).lower() and str(path) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore:.*the labels of vertices are not")
def test_other_words_that_text_cannot_hold(tmp_path):
    labelled = mt.Graph(["a"], ["b"], vertices=["a", "b"], label=["1.5", "x"])
    for file in ({"path": "g.mtx"}, {"path": "g.csv", "labels": "labels.txt"}):
        with pytest.raises(mt.InputError, match="the label `1.5` would be read as a number"):
            labelled.save(**{name: tmp_path / one for name, one in file.items()})
    for name in ("g.csv", "g.txt", "g.mtx"):
        with pytest.raises(mt.InputError, match="the id `a.*b` has control characters"):
            mt.Graph(["a\nb"], ["c"]).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_loops_are_saved(tmp_path):
    mt.Graph([0, 1, 2], [1, 2, 2], directed=True, keep_loops=True).save(tmp_path / "g.mtg")
    assert list(mt.read(tmp_path / "g.mtg", directed=True, keep_loops=True).edges) == [(0, 1), (1, 2), (2, 2)]


def test_what_a_format_has_no_place_for(tmp_path):
    with pytest.warns(UserWarning, match="1 vertices without edges are not in"):
        NAMED.save(tmp_path / "g.csv")
    with pytest.warns(UserWarning, match="1 vertices without edges and the labels of vertices are not in"):
        LABELLED.subgraph([0, 1, 9]).save(tmp_path / "g.txt")
    numbers = mt.Graph(["01", "1"], ["1", "2"])
    with pytest.warns(UserWarning, match='with `ids="text"`'):
        numbers.save(tmp_path / "n.csv")
    assert list(mt.read(tmp_path / "n.csv", ids="text").edges) == list(numbers.edges)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbers.save(tmp_path / "n.mtx")
        mt.Graph([2**64, 1], [1, 2]).save(tmp_path / "ints.csv")
        NAMED.subgraph(["ann", "bob"]).save(tmp_path / "part.csv")
        NAMED.save(tmp_path / "g.mtg")


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(mt.UsageError, match="says no format"):
        NAMED.save(tmp_path / "g.foo")
    with pytest.raises(mt.InputError, match="No such file"):
        NAMED.save(tmp_path / "none" / "g.mtg")
    with pytest.raises(TypeError, match=r"text or ints, and not \(1, 2\)"):
        mt.Graph([((1, 2), (3, 4))]).save(tmp_path / "g.mtg")
    for wrong, said in (("a\0b", r"the id 'a\\x00b' has a zero byte"), ("", "the id '' is empty")):
        with pytest.raises(ValueError, match=said):
            mt.Graph([wrong], ["c"]).save(tmp_path / "g.mtg")
    with pytest.raises(TypeError, match="the same text"):
        mt.Graph([(1, "1")]).save(tmp_path / "g.mtg")
    assert list(tmp_path.iterdir()) == []


def test_networkx_gets_the_same_graph():
    networkx = pytest.importorskip("networkx")
    made = NAMED.to_networkx()
    assert type(made) is networkx.Graph and list(mt.Graph(made).edges) == list(NAMED.edges) and "zed" in made
    made = LABELLED.to_networkx()
    assert type(made) is networkx.MultiDiGraph and made.nodes[9] == {"label": "p"}
    assert sorted((a, b, facts["label"]) for a, b, facts in made.edges(data=True)) == ARCS


def test_scipy_gets_the_same_graph():
    pytest.importorskip("scipy")
    assert NAMED.to_scipy().toarray().sum(axis=1).tolist() == list(NAMED.degrees)


def test_igraph_gets_the_same_graph():
    pytest.importorskip("igraph")
    made = NAMED.to_igraph()
    assert made.vs["name"] == list(NAMED.vertices) and made.degree() == list(NAMED.degrees)


def test_the_summary_is_a_table_in_a_notebook():
    facts = LABELLED.summary()
    assert facts["vertices"] == 4 and facts["edges"] == 3 and facts["vertex labels"] == 3 and facts["max degree"] == 1
    assert "<th>vertices</th><td>4</td>" in LABELLED._repr_html_()
    assert mt.Graph([], []).summary()["mean degree"] == 0.0


def test_a_graph_is_a_pattern():
    triangle = mt.Graph([("x", "y"), ("y", "z"), ("z", "x")])
    assert mt.count(NAMED, triangle) == 1
    assert mt.count(LABELLED, mt.Graph([0], [1], directed=True, edge_label=["y"])) == 1
    ask = mt.Graph([0], [1], directed=True, edge_label=["x"], vertices=[0, 1], label=["q", "p"])
    assert list(mt.match(LABELLED, ask)) == [(2, 0)]
    numbers = mt.Graph([0, 1, 2], [1, 2, 3], vertices=[0, 1, 2, 3], label=[0, 1, 0, 1], edge_label=[0, 1, 1])
    for labels in ([0, 0], [0, 1], [0, None]):
        asked = mt.Graph([0], [1], vertices=[0, 1], label=labels)
        text = ",".join(["x-y", *(f"{name}:{label}" for name, label in zip("xy", labels) if label is not None)])
        assert mt.count(numbers, asked, embeddings=True) == mt.count(numbers, text, embeddings=True), labels
    assert [mt.count(numbers, mt.Graph([0], [1], edge_label=[label])) for label in (0, 1)] == [1, 2]
    with pytest.raises(ValueError, match="weights"):
        mt.count(NAMED, mt.Graph([0, 1], [1, 2], edge_label=[0.5, 1.5]))


def test_tables_go_to_other_forms(tmp_path):
    rows = mt.match(mt.Graph([("ann", "bob, jr."), ("bob, jr.", "cid")]), "edge")
    assert rows.shape == (2, 2) and rows.head(1).shape == (1, 2) and list(rows.head(9)) == list(rows)
    text = rows.to_csv()
    assert sorted(text.splitlines()) == sorted(["v0,v1", *(f'{a},"{b}"' if "," in b else f'"{a}",{b}' if "," in a else f"{a},{b}"
                                                          for a, b in rows)])  # fmt: skip
    rows.to_csv(tmp_path / "rows.csv", header=False)
    assert (tmp_path / "rows.csv").read_text() == text.split("\n", 1)[1]
    nothing = mt.match(mt.Graph([0], [1]), "triangle")
    assert nothing.to_csv() == "v0,v1,v2\n" and nothing.head().shape == (0, 3)
    for which in (slice(1, 4), slice(None, None, -1), slice(5, 9), slice(-1, None)):
        assert list(rows[which]) == list(rows)[which] and list(rows[which].columns) == ["v0", "v1"]
    kept = rows.head(1)["v0"]
    del rows
    assert kept[0] in ("ann", "bob, jr.")
    scores = mt.significance(mt.Graph([0, 1, 2, 0, 3, 4], [1, 2, 0, 3, 4, 0]), 3, samples=4)
    assert scores.to_csv().splitlines()[0] == "pattern,count,mean,std,z,p_more,p_less"


def test_tables_of_arrow_and_polars():
    rows = mt.match(mt.Graph([("ann", "bob")]), "edge")
    arrow = pytest.importorskip("pyarrow")
    assert rows.to_arrow().equals(arrow.table({"v0": ["ann"], "v1": ["bob"]}))
    polars = pytest.importorskip("polars")
    assert rows.to_polars().equals(polars.DataFrame({"v0": ["ann"], "v1": ["bob"]}))
