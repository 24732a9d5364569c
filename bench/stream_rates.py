"""Processor time of updates, from text and from arrays: `bench/streams PAGE.md --streams DIR --figures --part rates`.

With `--base FOLDER`, which has `matcha` and `libmatcha.so` of an earlier version, both versions are measured in turn.
"""

import os
import resource
import subprocess
import sys
import tempfile

#: Stream, query, and how often the updates are made and taken back.
STREAMS = (("dblp-dcsm", "p_triangle", 2), ("enron-dcsm", "p_triangle", 4), ("calig-email", "q_4_q1", 24),
           ("calig-email", "q_4_q3", 24), ("calig-email", "strangers", 24), ("dblp-dcsm", "strangers", 2))
#: A pattern of labels that no vertex has.
STRANGERS = "a:987654321-b:987654322,b-c:987654323"
WAYS = (("text", 1000), ("text", 10000), ("text", 1), ("arrays", 1000), ("arrays", 10000))
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Reads updates, and measures batches of them through libmatcha: graph, labels, pattern, updates, batch.
ARRAYS = """
import sys, time
from array import array
import matcha as mt
graph, labels, pattern, updates, size = sys.argv[1:]
lines = [line.split() for line in open(updates)]
batches = []
for at in range(0, len(lines), int(size)):
    part = lines[at:at + int(size)]
    batches.append([array("q", (int(line[end]) for line in part if line[0] == sign)) for sign in "+-" for end in (1, 2)])
stream = mt.stream(mt.read(graph, labels=labels), pattern, threads=1)
stream.count()
began = time.process_time()
for u, v, p, q in batches:
    stream.add_many(u, v)
    stream.remove_many(p, q)
    stream.apply()
print(time.process_time() - began, stream.count())
"""


def pattern_of(path):
    """A query of the streams as text."""
    labels, edges = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.split()
            if cells[0] == "v":
                labels[cells[1]] = "" if os.path.basename(path).startswith("p_") else ":" + cells[2]
            elif cells[0] == "e":
                edges.append(cells[1:3])
    seen, parts = set(), []
    for ends in edges:
        parts.append("-".join("x" + end + ("" if end in seen else labels[end]) for end in ends))
        seen.update(ends)
    return ",".join(parts)


def files_of(folder, turns, into):
    """The graph, the labels and the updates, which are taken back in every second turn."""
    graph, labels, updates = (os.path.join(into, name) for name in ("graph.txt", "labels.txt", "updates.txt"))
    with open(os.path.join(folder, "data.graph"), encoding="utf-8") as file, open(graph, "w", encoding="utf-8") as edges, \
            open(labels, "w", encoding="utf-8") as names:
        for line in file:
            (edges if line[0] == "e" else names).write(" ".join(line.split()[1:3]) + "\n")
    with open(os.path.join(folder, "stream.graph"), encoding="utf-8") as file:
        there = [("+" if cells[0] == "e" else "-", *cells[1:3]) for cells in map(str.split, file)]
    back = [("-" if sign == "+" else "+", u, v) for sign, u, v in reversed(there)]
    with open(updates, "w", encoding="utf-8") as out:
        for turn in range(turns):
            out.writelines(" ".join(one) + "\n" for one in (back if turn % 2 else there))
    return graph, labels, updates, turns * len(there)


def cpu_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds_of(version, way, batch, files, pattern):
    """The time of the updates: that of the stream less that of a stream without updates."""
    graph, labels, updates, _ = files
    if way == "arrays":
        env = {**os.environ, "MATCHA_LIBRARY": version[1], "PYTHONPATH": os.path.join(ROOT, "bindings", "python", "src")}
        run = subprocess.run([sys.executable, "-c", ARRAYS, graph, labels, pattern, updates, str(batch)], env=env,
                             capture_output=True, text=True, check=True)
        return float(run.stdout.split()[0])
    command = [version[0], "stream", "--threads", "1", "--device", "cpu", "--quiet", "--pattern", pattern, graph, "--out", os.devnull,
               "--labels", labels, "--batch", str(batch), "--updates"]
    return cpu_of([*command, updates]) - cpu_of([*command, os.devnull])


def rates(options):
    versions = [(options.matcha, os.path.join(ROOT, "build", "api", "libmatcha.so"))]
    if options.base:
        versions.insert(0, (os.path.join(options.base, "matcha"), os.path.join(options.base, "libmatcha.so")))
    lines = ["| stream | query | updates | from | batch | " + ("before, µs | " if options.base else "") + "µs an update | updates a second |",
             "|---|---|---:|---|---:|" + "---:|" * (len(versions) + 1)]
    for stream, query, turns in STREAMS:
        if options.graph not in (None, stream) or options.query not in (None, query):
            continue
        folder = os.path.join(options.streams, stream)
        with tempfile.TemporaryDirectory() as into:
            files = files_of(folder, turns, into)
            pattern = STRANGERS if query == "strangers" else pattern_of(os.path.join(folder, query))
            for way, batch in WAYS:
                least = [min(times) for times in zip(*([seconds_of(version, way, batch, files, pattern) for version in versions]
                                                       for _ in range(options.repeat)))]
                each = [1e6 * seconds / files[3] for seconds in least]
                lines.append(f"| {stream} | {query} | {files[3]} | {way} | {batch} | " + " | ".join(f"{one:.3f}" for one in each) +
                             f" | {1e6 / each[-1]:.3g} |")
                print(lines[-1], flush=True)
    return lines
