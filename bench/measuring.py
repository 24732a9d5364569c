"""Runs of `matcha` and their times, for the scripts of this folder."""

import concurrent.futures
import dataclasses
import json
import math
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The labels of the vertices of the queries q1 to q6 of std.labelled, std.join, std.decompose and std.decompose_join.
QUERY_LABELS = {"Q1": "0123", "Q2": "0123", "Q3": "01231", "Q4": "01231", "Q5": "012323", "Q6": "012321"}


@dataclasses.dataclass
class Outcome:
    """One run. `ms`: the kernels on a GPU, the run on a CPU; `run_ms`: the run with the work of the host; `seconds`: the process."""
    status: str  # ok, timeout, failed, unfit: the algorithm or the order is not for it, or a pass cannot be left out
    ms: float = math.nan
    run_ms: float = math.nan
    seconds: float = 0
    result: object = None
    device: str = ""
    graph: dict = None
    version: str = ""
    passes: dict = None  # in their order; whether they changed the program
    stats: dict = dataclasses.field(default_factory=dict)  # as `--json` has them, and its `ms`
    message: str = ""


def first_line(text):
    return next((line for line in text.splitlines() if line.strip()), "")


def counts_of(answer):
    """The result of a run; of a motif, the counts in their order, without their names."""
    result = answer["result"]
    return list(result.values()) if isinstance(result, dict) else result


def outcome_of(done, seconds):
    """The output of a finished process of `matcha run --json`, as a run."""
    if done.returncode == 124:
        return Outcome("timeout", seconds=seconds)
    if done.returncode != 0 and ("[pattern-plan]" in done.stderr or "[bad-pipeline]" in done.stderr):
        return Outcome("unfit", seconds=seconds)
    if done.returncode == 2 and "--order degree" in done.stderr:
        return Outcome("unfit", seconds=seconds)
    if done.returncode != 0:
        return Outcome("failed", seconds=seconds, message=f"exit {done.returncode}: {first_line(done.stderr)}")
    answer = json.loads(done.stdout)
    if not answer["complete"]:
        return Outcome("failed", seconds=seconds, message="the answer is partial")
    kernels = [part["ms"] for part in answer["stats"].get("run_ms", []) if part["part"] == "kernel"]
    run_ms = answer["ms"]["run"]
    passes = {}
    for run in answer["stats"].get("passes", []):
        name = run["pass"].split("{")[0]
        passes[name] = run["changed"] or passes.get(name, False)
    return Outcome("ok", sum(kernels) if kernels else run_ms, run_ms, seconds, counts_of(answer), answer["device"], answer["graph"],
                   answer["version"], passes, {**answer["stats"], "ms": answer["ms"]})


def run_once(command, timeout):
    """One process of `matcha run`, which stops itself after `timeout` seconds, and is killed when it does not."""
    command = [str(word) for word in [*command, "--json", "--quiet", "--no-progress", "--timeout", f"{timeout:.2f}"]]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout + 30)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", seconds=time.monotonic() - begin, message="killed: it did not stop at its timeout")
    return outcome_of(done, time.monotonic() - begin)


def run_side_by_side(commands, timeout, at_a_time):
    """Runs all commands, `at_a_time` of them at once. For a GPU this fills the cache of compiled kernels."""
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(lambda command: run_once(command, timeout), commands))


def faster(a, b):
    """The better of two runs of one command, with the smallest of both times."""
    if a is None or b.status != "ok":
        return b
    return dataclasses.replace(a, ms=min(a.ms, b.ms), run_ms=min(a.run_ms, b.run_ms), seconds=max(a.seconds, b.seconds))


def how_to_run(options):
    """The words of a command that say where it runs."""
    return ["--device", options.device] + (["--threads", options.threads] if options.device == "cpu" else [])


def program_of(folder, module, functions, labels=""):
    """A program that counts with functions of `std.module`; those of std.listing give rows, which are counted. `labels`: such as
    `0123`, which functions of labelled queries take."""
    file = pathlib.Path(folder) / f"{module}-{'-'.join(functions)}.mt"
    calls = [f"{f}({', '.join(['g', *labels])})" for f in functions]
    calls = [f"size({call})" for call in calls] if module == "listing" else calls
    value = calls[0] if len(calls) == 1 else f"mk_tuple(val=[{', '.join(calls)}])"
    file.write_text(f"from std.{module} import {', '.join(functions)}\n\ndef main(g: Graph):\n    return {value}\n")
    return file


def find_graph(folders, name):
    """The file of a graph by its name; None when no folder has it."""
    for folder in folders:
        for ending in (".mtg", ".txt.gz", ".txt"):
            file = pathlib.Path(folder) / f"{name}{ending}"
            if file.exists():
                return file
    return None


def vertex_ids(matcha, folder, graph):
    """The ids of a graph, in order."""
    reported = subprocess.run([str(matcha), "graph", "info", "--json", str(graph)], capture_output=True, text=True, check=True)
    facts = json.loads(reported.stdout)
    if facts["vertices"] == facts["max_id"] + 1:
        return range(facts["vertices"])
    edges = pathlib.Path(folder) / f"{graph.name}.edges"
    subprocess.run([str(matcha), "graph", "convert", str(graph), str(edges)], capture_output=True, check=True)
    return sorted({int(word) for line in edges.open() if line[0] not in "#%" for word in line.split()[:2]})


def random_labels(matcha, folder, graph, labels):
    """A file with a label of 0 … labels - 1 for every vertex of a graph, the same each time."""
    out = pathlib.Path(folder) / f"{graph.name}.{labels}.labels"
    if not out.exists():
        source = random.Random(labels)
        out.write_text("".join(f"{v} {source.randrange(labels)}\n" for v in vertex_ids(matcha, folder, graph)))
    return out


def edges_text(text):
    """`0-1,0-2` for `01 02`."""
    return ",".join(f"{edge[0]}-{edge[1]}" for edge in text.split())


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else math.nan


def shown(number):
    """Three digits of a time or a ratio."""
    if number is None or math.isnan(number):
        return ""
    return f"{number:.0f}" if number >= 100 else f"{number:#.3g}"


def table(header, rows):
    """A Markdown table: cells that are numbers by their looks stand on the right."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def say(text):
    print(text, file=sys.stderr, flush=True)
