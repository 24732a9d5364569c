"""A question in parts: on threads, and on a Dask cluster of processes of which one is killed."""

import concurrent.futures
import os
import pathlib
import signal

import pytest

import matcha as mt

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPH = ROOT / "examples/graphs/wiki-vote.txt.gz"
TRIANGLES = 608389


@pytest.fixture(autouse=True)
def _matcha(monkeypatch):
    program = pathlib.Path(os.environ.get("MATCHA_BUILD", ROOT / "build"), "bin/matcha")
    if not program.exists():
        pytest.skip(f"{program} is not built")
    monkeypatch.setenv("MATCHA", str(program))


@pytest.fixture(name="threads")
def _threads():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield mt.cluster(pool, 2)


def test_answers_are_those_of_one_run(threads):
    assert threads.count(GRAPH, "triangle") == TRIANGLES
    graph = mt.read(GRAPH)
    assert threads.count(str(GRAPH), "motif:4", parts=3) == dict(mt.motifs(graph, 4))
    assert threads.count(GRAPH, "clique:*", parts=2) == mt.count(graph, "clique:*")
    assert threads.count(GRAPH, "house", induced="vertex", threads=2, parts=1) == mt.count(graph, "house", induced="vertex")
    assert threads.run(GRAPH, ROOT / "examples/triangle.mt", parts=2) == TRIANGLES


def test_progress_counts_parts(threads):
    seen = []
    threads.count(GRAPH, "triangle", parts=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_errors_are_those_of_a_run(threads, monkeypatch):
    with pytest.raises(mt.ProgramError, match="did you mean `triangle`"):
        threads.count(GRAPH, "triangl")
    with pytest.raises(mt.InputError, match="no-such-file"):
        threads.count("no-such-file", "triangle")
    with pytest.raises(mt.UsageError, match="no option"):
        threads.count(GRAPH, "triangle", indced="vertex")
    with pytest.raises(mt.UsageError, match="0 parts"):
        threads.count(GRAPH, "triangle", parts=0)
    with pytest.raises(mt.UsageError, match="the path of a file that all workers see"):
        threads.count(mt.Graph([0], [1]), "triangle")
    with pytest.raises(mt.UsageError, match="is text"):
        threads.count(GRAPH, [("a", "b")])
    monkeypatch.delenv("MATCHA")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(mt.RunError, match="not in PATH"):
        threads.count(GRAPH, "triangle")


def test_a_dask_worker_is_killed(monkeypatch):
    distributed = pytest.importorskip("distributed")
    package = str(pathlib.Path(mt.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", package)  # Of the workers, which are processes.
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers:
        with distributed.Client(workers) as client:
            [victim, *_] = client.run(os.getpid).values()
            seen = []

            def kill(done, total):
                seen.append(done)
                if done == 1:
                    os.kill(victim, signal.SIGKILL)

            assert mt.dask(client).count(GRAPH, "triangle", parts=12, progress=kill) == TRIANGLES
            assert seen == list(range(1, 13))
            with pytest.raises(mt.ProgramError, match="triangl"):
                mt.dask(client).count(GRAPH, "triangl")
