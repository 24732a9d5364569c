"""Tables and columns for other libraries, notebooks, and the environment of a process."""

import base64
import ctypes
import gc
import inspect
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import types

import matcha as mt
import pytest
from matcha import _arrow, _dlpack

SOURCE = str(pathlib.Path(mt.__file__).parents[1])
SQUARE = ([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])


def run(code, **options):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": SOURCE}, text=True,
                          capture_output=True, timeout=300, **options)


def test_columns_are_arrays():
    numpy = pytest.importorskip("numpy")
    table = mt.match(mt.Graph(*SQUARE), "triangle")
    column = table["v0"]
    assert isinstance(column, mt.Column) and len(column) == 2
    made = column.to_numpy()
    assert made.__array_interface__["data"][0] == column.address and made.dtype == numpy.int64
    with pytest.raises(ValueError):
        made[0] = 7
    shared = numpy.from_dlpack(column)
    assert shared.__array_interface__["data"][0] == column.address and shared.tolist() == list(column)
    assert column.__dlpack_device__() == (1, 0)
    del column, table
    gc.collect()
    assert made.tolist() == shared.tolist(), "the arrays keep the memory"
    del made, shared
    gc.collect()
    assert not _dlpack._lent
    unused = mt.Column.of([1, 2]).__dlpack__()
    assert len(_dlpack._lent) == 1
    del unused
    gc.collect()
    assert not _dlpack._lent


def test_columns_of_programs():
    numpy = pytest.importorskip("numpy")
    program = mt.program("def main(G: Graph):\n    return apply(lambda v: mk_tuple(val=[v, 0.5, v > 1]), vertices(G))\n")
    table = program(mt.Graph([0, 1], [1, 2]))
    assert [column.kind for column in table.columns.values()] == ["i", "f", "b"]
    assert list(table) == [(0, 0.5, False), (1, 0.5, False), (2, 0.5, True)]
    assert table["v2"].to_numpy().dtype == numpy.bool_ and numpy.asarray(table["v1"]).tolist() == [0.5] * 3
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and [kind.kind for kind in frame.dtypes] == ["i", "f", "b"]
    columns = _arrow.read_columns(table, ["v0", "v1"], "columns")
    assert [list(one) for one in columns] == [[0, 1, 2], [0.5] * 3]


def test_arrow_streams_release_all():
    named = mt.Graph([("ä", "b"), ("b", "c"), ("c", "ä")])
    for graph in (mt.Graph(*SQUARE), named):
        table = mt.match(graph, "edge")
        columns = _arrow.read_columns(table, list(table.columns), "columns")
        assert sorted(zip(*columns)) == sorted(table)
        del columns
        gc.collect()
        assert not _arrow._kept and not _arrow._streams
    capsule = table.__arrow_c_stream__()
    assert _arrow._kept
    del capsule
    gc.collect()
    assert not _arrow._kept and not _arrow._streams, "a capsule that nobody took"
    [only] = _arrow.read_columns(mt.Column.of([1, 2]), [""], "column")
    assert list(only) == [1, 2]


def test_children_may_be_moved_out():
    """A consumer may take a column out of a batch, release the batch, and then the column."""
    table = mt.Table({"a": mt.Column.of([1, 2, 3])}, 3)
    capsule = table.__arrow_c_stream__()
    stream = _arrow.CStream.from_address(_arrow._python.PyCapsule_GetPointer(capsule, b"arrow_array_stream"))
    batch, taken = _arrow.CArray(), _arrow.CArray()
    assert stream.get_next(ctypes.pointer(stream), ctypes.pointer(batch)) == 0
    ctypes.memmove(ctypes.byref(taken), batch.children[0], ctypes.sizeof(taken))
    batch.children[0].contents.release = _arrow._ReleaseArray()
    batch.release(ctypes.pointer(batch))
    assert not batch.release
    del table
    gc.collect()
    assert (ctypes.c_int64 * 3).from_address(taken.buffers[1])[:] == [1, 2, 3]
    taken.release(ctypes.pointer(taken))
    del capsule, stream
    gc.collect()
    assert not _arrow._kept


def test_an_error_ends_a_stream():
    def failing():
        yield mt.Table({"a": mt.Column.of([1])}, 1)
        raise mt.Timeout("error: too slow")

    capsule_of = _arrow.capsule_of

    class Source:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule_of(mt.Table({"a": mt.Column.of(())}, 0), failing())

    with pytest.raises(OSError, match="too slow"):
        _arrow.read_columns(Source(), ["a"], "a")
    gc.collect()
    assert not _arrow._kept


def test_matches_are_looked_for_when_they_are_looked_at():
    graph = mt.Graph(*SQUARE)
    late = mt.match(graph, "edge")
    assert sum(len(block) for block in late.blocks()) == 5
    assert len(late) == 5 and len(late) == 5 and len(list(late.blocks())) == 1
    assert list(mt.match(graph, "clique:4").columns) == ["v0", "v1", "v2", "v3"]
    assert len(mt.match(graph, "clique:4")) == 0
    with pytest.raises(mt.ProgramError):
        mt.match(graph, "no such pattern")
    assert "5 rows" in repr(late) and "<table>" in late._repr_html_()


def test_rows_outlive_their_table():
    graph = mt.Graph([(f"n{u}", f"n{v}") for u in range(60) for v in range(u)])
    rows = iter(mt.match(graph, "edge"))
    others = [mt.match(graph, "triangle", limit=5000).columns for _ in range(3)]
    assert len(list(rows)) == 1770 and others
    column = iter(mt.match(graph, "edge")["v0"])
    gc.collect()
    assert set(column) <= {f"n{u}" for u in range(60)}


def test_programs_are_functions():
    program = mt.program("def main(G: Graph, k: int = 2, f: float = 0.5, b: bool = True) -> int:\n"
                         "    \"\"\"Counts.\"\"\"\n    return k * size(vertices(G))\n")
    assert program.__name__ == "main" and program.__doc__ == "Counts."
    assert str(inspect.signature(program)).startswith("(G: 'Graph', *, k: 'int' = 2, f: 'float' = 0.5, b: 'bool' = True)")
    assert program(mt.Graph([0], [1]), k=3) == 6
    assert "vertices" in program.emit("source") and "main" in program.emit("asg") and program.emit()
    with pytest.raises(mt.UsageError, match="there is no stage"):
        program.emit("bytecode")
    with pytest.raises(mt.UsageError, match="no parameter `j`"):
        program(mt.Graph([0], [1]), j=3)
    with pytest.raises(TypeError):
        program([0])


def test_motifs_have_names_and_pictures():
    found = mt.motifs(mt.Graph(*SQUARE), 4)
    assert found == {"star:4": 0, "path:4": 0, "tailed-triangle": 0, "square": 0, "diamond": 1, "clique:4": 0}
    page = found._repr_html_()
    drawn = [base64.b64decode(one).decode() for one in re.findall(r"base64,([^\"]+)", page)]
    assert [one.count('<line class="edge"') for one in drawn] == [3, 3, 4, 4, 5, 6]
    assert len(mt.motifs(mt.Graph(*SQUARE), 5)) == 21 and mt.motifs(mt.Graph(*SQUARE), 2) == {"edge": 5}
    with pytest.raises(mt.ProgramError, match="from 2 to 6"):
        mt.motifs(mt.Graph(*SQUARE), 7)


def test_pictures_are_those_of_the_command_line():
    folder = pathlib.Path(__file__).parents[2] / "docs/pictures"
    for name, text in (("house", "house"), ("labelled", "0:0-1:1-2:2-0,0-3:3"), ("feed-forward", "0->1,1->2,0->2")):
        assert mt.Pattern(text).emit("svg") == (folder / f"{name}.svg").read_text(encoding="utf-8")


def test_plans():
    graph = mt.Graph(*SQUARE)
    plan = mt.explain(graph, "triangle")
    assert plan.answer == "2" and plan.facts["complete"] and "def" in plan.program
    assert "triangle" in str(plan) and "actual" in str(plan)
    page = plan._repr_html_()
    assert page.count("<img") == 1 and "Passes" in page and "<pre>" in page
    double = mt.program("def main(G: Graph, k: int) -> int:\n    return k * size(vertices(G))\n")
    assert mt.explain(graph, double, params={"k": 3}).answer == "12"
    with pytest.raises(mt.ProgramError):
        mt.explain(graph, "no such pattern")


def test_the_command_line_explains_the_same(tmp_path):
    """All but times, costs and methods of a stream is as in the library, which keeps ranks by degree without `order`."""
    def facts(plan):
        plan = {key: value for key, value in plan.items() if key not in ("ms", "passes", "stream")}
        plan["plans"] = [(one["plan"], one["algorithm"]) for one in plan.get("plans", [])]
        plan["engines"] = [{key: value for key, value in one.items() if key != "ns"} for one in plan["engines"]]
        return plan

    matcha = os.path.join(os.environ["MATCHA_BUILD"], "bin", "matcha")
    file, program = tmp_path / "square.txt", tmp_path / "pairs.mt"
    file.write_text("".join(f"{u} {v}\n" for u, v in zip(*SQUARE)))
    program.write_text("def main(G: Graph) -> int:\n    return size(vertices(G))\n")
    questions = [(pattern, ["--pattern", pattern]) for pattern in ("house", "motif:4")]
    questions.append((mt.program(program.read_text(), order="id"), [str(program)]))
    for question, words in questions:
        command = [matcha, "explain", *words, str(file), "--json", "--quiet", "--order", "id"]
        printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        own = {} if isinstance(question, mt.Program) else {"order": "id"}
        assert facts(mt.explain(mt.Graph(*SQUARE), question, **own).facts) == facts(printed), words
    with pytest.raises(TypeError, match="`order` is given with the program"):
        mt.explain(mt.Graph(*SQUARE), questions[-1][0], order="id")


def test_explain_names_the_engine_that_counts():
    graph = mt.Graph(*SQUARE)
    for pattern, engine in (("cycle:4", "identities"), ("motif:4", "identities"), ("triangle", "program")):
        plan = mt.explain(graph, pattern)
        chosen = [one for one in plan.engines if one.get("chosen")]
        assert plan.engine == engine and [one["engine"] for one in chosen] == [engine]
        assert engine in str(plan) and "Engines" in plan._repr_html_()
        assert {one["engine"] for one in plan.engines} >= {"program", "search", "identities", "messages", "parts"}
    assert mt.explain(graph, "cycle:4").answer == str(mt.count(graph, "cycle:4"))
    plan = mt.explain(graph, "cycle:4", engine="identities")
    assert (plan.engine, plan.program, plan.answer) == ("identities", "", str(mt.count(graph, "cycle:4", engine="program")))
    with pytest.raises(mt.UsageError, match='`engine="identities"` does not answer this'):
        mt.count(graph, "cycle:6", engine="identities")


def test_cliques_of_any_size():
    size = 150
    graph = mt.Graph(*zip(*((u, v) for u in range(size) for v in range(u))))
    assert mt.count(graph, "clique:75") == math.comb(size, 75)
    assert mt.count(graph, "clique:*") == {k: math.comb(size, k) for k in range(1, size + 1)}
    assert mt.count(mt.Graph([0, 1], [1, 2]), "clique:*", threads=1) == {1: 3, 2: 2}
    assert mt.count(graph, "clique:20", timeout=60) == math.comb(size, 20)
    with pytest.raises(mt.UsageError, match="pivot trees count cliques, and list none"):
        len(mt.match(graph, "clique:20"))


def test_cells():
    class Shell:
        user_ns = {"g": mt.Graph(*SQUARE), "size_wanted": 3}

        def register_magic_function(self, function, kind, name):
            assert (kind, name) == ("line_cell", "matcha")
            self.magic = function

    shell = Shell()
    mt.load_ipython_extension(shell)
    assert len(shell.magic("g induced=edge", "triangle\n")) == 2
    assert len(shell.magic("g triangle limit=1")) == 1 and len(shell.magic("g 'a - b - c - a'")) == 2
    with pytest.raises(ValueError, match="and a pattern"):
        shell.magic("g")
    program = "def main(G: Graph, k: int) -> int:\n    return k * size(vertices(G))\n"
    assert shell.magic("g k=size_wanted", program) == 12
    with pytest.raises(ValueError, match="no variable"):
        shell.magic("h", "triangle")
    with pytest.raises(ValueError, match="NAME=VALUE"):
        shell.magic("g fast", "triangle")


def test_in_ipython():
    testing = pytest.importorskip("IPython.testing.globalipapp")
    shell = testing.get_ipython() or testing.start_ipython()
    shell.run_line_magic("load_ext", "matcha")
    shell.user_ns["g"] = mt.Graph(*SQUARE)
    assert len(shell.run_cell_magic("matcha", "g", "triangle")) == len(shell.run_line_magic("matcha", "g triangle")) == 2


def test_doctor():
    found = mt.doctor()
    assert found["schema"] == "matcha.doctor/2" and found["python"]["version"] == sys.version.split()[0]
    reported = subprocess.run([sys.executable, "-m", "matcha", "doctor"], env={**os.environ, "PYTHONPATH": SOURCE},
                          capture_output=True, text=True, check=True)
    assert reported.stdout.endswith("works\n") and mt.version() in reported.stdout
    wrong = subprocess.run([sys.executable, "-m", "matcha", "nurse"], env={**os.environ, "PYTHONPATH": SOURCE},
                           capture_output=True, text=True)
    assert wrong.returncode == 2 and "usage" in wrong.stderr


def test_a_forked_child_gets_an_error():
    done = run("""
import os, matcha as mt
g = mt.Graph([0, 1, 2], [1, 2, 0])
assert mt.count(g, "triangle") == 1
child = os.fork()
if child == 0:
    for use in (lambda: mt.count(g, "triangle"), lambda: mt.Graph([0], [1]), lambda: g.edge_count):
        try:
            use()
        except mt.RunError as problem:
            assert "forked" in str(problem), problem
        else:
            os._exit(3)
    del g
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert mt.count(g, "triangle") == 1
""")
    assert done.returncode == 0, done.stderr


def test_a_child_of_a_process_that_did_nothing_works():
    done = run("""
import os, matcha as mt
if os.fork() == 0:
    os._exit(0 if mt.count(mt.Graph([0, 1, 2], [1, 2, 0]), "triangle") == 1 else 3)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
""")
    assert done.returncode == 0, done.stderr


def test_the_bar():
    done = run("""
from unittest import mock
from matcha import _progress
with mock.patch.object(_progress.time, "monotonic") as clock:
    clock.return_value = 7.0
    with _progress.Bar(True) as tell:
        clock.return_value = 7.2
        tell(1, 4)
        clock.return_value = 7.4
        tell(1, 4)
""")
    assert done.stdout == "" and "25%" in done.stderr and " left" in done.stderr and done.stderr.strip().startswith("[###")
    assert done.stderr.count("%") == 1, "nothing is drawn at once"


def test_devices():
    graph = mt.Graph(*SQUARE)
    assert graph.to("cpu") is graph and mt.count(graph, "triangle") == 2
    graph.release("cuda")
    with pytest.raises(ValueError, match="no device"):
        graph.to("tpu")
    if not mt.doctor()["cuda"]["usable"]:
        with pytest.raises(mt.RunError, match="no GPU can be used"):
            graph.to("cuda")
        with pytest.raises(mt.RunError):
            mt.count(graph, "triangle", device="cuda")


def test_types():
    mypy = subprocess.run(["mypy", "--version"], capture_output=True) if pathlib.Path("/usr/bin/mypy").exists() else None
    if mypy is None:
        pytest.skip("mypy is not installed")
    package = pathlib.Path(mt.__file__).parent
    found = subprocess.run(["mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull, str(package)],
                           capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    assert (package / "py.typed").exists() and isinstance(mt, types.ModuleType)
