"""A question in parts on the workers of a cluster: Dask, Ray, or any executor of `concurrent.futures`."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import Executor, Future, as_completed
from typing import Any, Callable, Optional, Union

from matcha._errors import error_of
from matcha._program import Progress
from matcha._progress import Bar

Path = Union[str, "os.PathLike[str]"]

_PARTS_A_WORKER = 4
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


class Cluster:
    """Workers that answer a question in parts. `dask`, `ray` and `cluster` make one.

    Each part is a process of the program `matcha`, which the variable MATCHA names, or which is in PATH. Graphs and
    programs are files that all workers see by the same path; parts and the answer are put together where the call is.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self._executor = executor
        self._workers = max(workers, 1)

    def count(self, graph: Path, pattern: str, **options: Any) -> Any:
        """The number of matches of a pattern, as text, in a graph file: what `count` gives of that graph.

        `parts` is the number of parts: four for each worker, by default. `progress` draws a bar, or is a function
        that gets the number of parts that are done, and of all. Other keywords are options of `matcha run`, such as
        `induced="vertex"`, `directed=True`, `threads` of each part (1) and `timeout`, the seconds of each. Sets such as
        `motif:4` and `clique:*` give a dict. A part whose worker died runs once more. Raises what `count` raises.
        """
        if not isinstance(pattern, str):
            raise error_of(2, "error: the pattern of a cluster is text\n")
        answer = self._answer(["--pattern", pattern, _path(graph, "graph")], **options)
        is_by_size = isinstance(answer, dict) and all(size.isdecimal() for size in answer)
        return {int(size): number for size, number in answer.items()} if is_by_size else answer

    def run(self, graph: Path, program: Path, **options: Any) -> Any:
        """The answer of a program, the path of its file, as JSON has it. The keywords are those of `count`."""
        return self._answer([_path(program, "program"), _path(graph, "graph")], **options)

    def _answer(
        self, words: list[str], *, parts: Optional[int] = None, progress: Progress = False, threads: int = 1,
        **options: Any,
    ) -> Any:
        parts = _PARTS_A_WORKER * self._workers if parts is None else parts
        if parts < 1:
            raise error_of(2, f"error: there are {parts} parts, and at least 1 is needed\n")
        words = ["run", *words, *_words_of({"threads": threads, **options})]
        running: list[Future[Any]] = []
        with tempfile.TemporaryDirectory(prefix="matcha-") as folder, Bar(progress) as tell:
            try:
                running += [self._executor.submit(run_part, words, at, parts) for at in range(parts)]
                for done, part in enumerate(as_completed(running), 1):
                    at, status, output = part.result()
                    if status != 0:
                        raise error_of(status, output.decode())
                    pathlib.Path(folder, f"{at}.mtl").write_bytes(output)
                    tell(done, parts)
            finally:
                for part in running:
                    part.cancel()
            merged = _run(["merge", "--json", *(str(pathlib.Path(folder, f"{at}.mtl")) for at in range(parts))])
        if merged.returncode != 0:
            raise error_of(merged.returncode, merged.stderr.decode())
        return json.loads(merged.stdout)["result"]


def run_part(words: list[str], at: int, parts: int) -> tuple[int, int, bytes]:
    """On a worker: part `at`, its exit code, and its ledger or its errors. Raises for failures that another worker may not have."""
    with tempfile.TemporaryDirectory(prefix="matcha-") as folder:
        ledger = pathlib.Path(folder, "part.mtl")
        ran = _run([*words, "--shard", f"{at}/{parts}", "--ledger", str(ledger)])
        if ran.returncode < 0:
            raise error_of(4, f"error: part {at} ended by {signal.Signals(-ran.returncode).name}\n")
        return at, ran.returncode, ledger.read_bytes() if ran.returncode == 0 else ran.stderr


def _run(words: list[str]) -> "subprocess.CompletedProcess[bytes]":
    """The program with these words. It ends with the thread that waits for it, and so with a worker that is killed."""
    control = ctypes.CDLL(None).prctl
    return subprocess.run(
        [_program(), *words], stdin=subprocess.DEVNULL, capture_output=True, check=False,
        preexec_fn=lambda: control(_SET_DEATH_SIGNAL, signal.SIGKILL),
    )


def _path(one: Path, noun: str) -> str:
    if not isinstance(one, (str, os.PathLike)):
        raise error_of(2, f"error: the {noun} of a cluster is the path of a file that all workers see\n")
    return os.fspath(one)


def _program() -> str:
    package = pathlib.Path(__file__).resolve().parent
    beside = package.parents[min(3, len(package.parents) - 1)] / "bin/matcha"  # of lib/python3/dist-packages/matcha
    found = os.environ.get("MATCHA") or shutil.which("matcha") or (str(beside) if beside.exists() else None)
    if found is None:
        raise error_of(4, "error: parts need the program `matcha`, which is not in PATH\n  hint: MATCHA may name its file\n")
    return found


def _words_of(options: dict[str, Any]) -> list[str]:
    """Keywords as words of the command line."""
    words = []
    for name, value in options.items():
        if value is not None and value is not False:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def dask(client: Any) -> Cluster:
    """The workers of a Dask cluster: of a `distributed.Client`.

        with distributed.Client("scheduler:8786") as client:
            mt.dask(client).count("/shared/g.mtg", "house")
    """
    threads = sum(client.ncores().values())
    return Cluster(client.get_executor(pure=False, retries=2), threads)


def ray() -> Cluster:
    """The workers of the Ray cluster that this process belongs to; `ray.init` is called if it was not."""
    import ray as library

    if not library.is_initialized():
        library.init()
    return Cluster(_RayExecutor(library), int(library.cluster_resources().get("CPU", 1)))


class _RayExecutor(Executor):
    def __init__(self, library: Any) -> None:
        self._library = library

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> "Future[Any]":
        remote = self._library.remote(max_retries=2, retry_exceptions=True)(call)
        task = remote.remote(*given, **named)
        future: Future[Any] = task.future()
        future.add_done_callback(lambda one: self._library.cancel(task) if one.cancelled() else None)
        return future


def cluster(executor: Executor, workers: int) -> Cluster:
    """The workers of an executor, such as `mpi4py.futures.MPIPoolExecutor`, or threads of this machine.

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            mt.cluster(pool, 2).count("graph.txt.gz", "triangle")
    """
    return Cluster(executor, workers)


__all__ = ["Cluster", "cluster", "dask", "ray"]
