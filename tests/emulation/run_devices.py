#!/usr/bin/env python3
"""Runs `matcha run --device cuda` on several GPUs of threads.

usage: run_devices.py MATCHA LIBRARY FOLDER devices    the stated counts of all examples, on 1, 2 and 3 GPUs
       run_devices.py MATCHA LIBRARY FOLDER counts     items whose counts others take over
       run_devices.py MATCHA LIBRARY FOLDER kernels    kernels that kernels start: their number, their room, those that are refused
       run_devices.py MATCHA LIBRARY FOLDER rows       rows that are streamed: all of them, a limit, two GPUs, splitting
       run_devices.py MATCHA LIBRARY FOLDER stops      Ctrl-C and --timeout
       run_devices.py MATCHA LIBRARY FOLDER partial    a stop inside of a position: the rows before it, no error
       run_devices.py MATCHA LIBRARY FOLDER builds     graphs that programs build, on the device and on the host
       run_devices.py MATCHA LIBRARY FOLDER short      vertices with many neighbours, on one side or in all: compiled for, when there are
       run_devices.py MATCHA LIBRARY FOLDER tunes      schedules that are timed on samples, and remembered
       run_devices.py MATCHA LIBRARY FOLDER chooses    the CPU or a GPU, by what a run is expected to take
       run_devices.py MATCHA LIBRARY FOLDER races      a CPU and a GPU at once, the first answer is kept
       run_devices.py MATCHA LIBRARY FOLDER loads      edited queries of `--load-cuda`
       run_devices.py MATCHA LIBRARY FOLDER streams    what changed edges do, against graphs that are counted anew
       run_devices.py MATCHA LIBRARY FOLDER labels     the same where edges have labels, against all maps of a pattern
       run_devices.py MATCHA LIBRARY FOLDER searches   labelled patterns that are matched without a program, against the CPU
       run_devices.py MATCHA LIBRARY FOLDER trees      pivot trees of cliques, against the CPU
       run_devices.py MATCHA LIBRARY FOLDER shares     runs in several processes: parts, a folder, ranks of MPI
       run_devices.py MATCHA LIBRARY FOLDER parts      patterns in graphs that do not fit the memory of a GPU, in parts
       run_devices.py MATCHA LIBRARY FOLDER spread     programs and patterns of all kinds in such graphs
       run_devices.py MATCHA LIBRARY FOLDER refusals   what cannot run: exit codes and messages

With MATCHA_TEST_ALL `spread` has all patterns of 3 to 5 vertices in three kinds of graphs, and `streams` more of both, else some.
LIBRARY stands for the driver and for NVRTC; FOLDER is for what the test makes. Run in the root folder. Exit 77 without g++.
"""

import copy
import gzip
import itertools
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from cli import LIMIT_S, wait_until_caught
from small_patterns import connected_patterns
from test_stream_edge_labels import Graph, random_line, random_pattern

ALL = bool(os.environ.get("MATCHA_TEST_ALL"))
GRAPH = "examples/graphs/ca-grqc.txt.gz"
TRIANGLES = 48260
WEDGES = "tests/emulation/wedge_listing.mt"
BUILT = "tests/emulation/built_graphs.mt"
NESTED = "tests/emulation/nested_counts.mt"
# Whether the device builds the graph.
BUILDERS = {"turned": True, "repeated": True, "halves": True, "weighed": True, "labelled": True, "labelled_by_input": True,
            "labelled_by_run": True, "looked_at": False}

# GPUs and schedule.
SETTINGS = [
    ["--gpus", "1"],
    ["--gpus", "2", "--tile", "0", "--hubs", "2"],
    ["--gpus", "all", "--tau-us", "20", "--queue", "3", "--chunk", "1", "--tile", "7"],
]


# Two sets of an item are counted, in the innermost loop of three.
HOUSELIKE = "0-1,0-2,0-3,1-2,1-3,2-4,3-4"


class Failed(Exception):
    pass


def expect(what, got, wanted):
    if got != wanted:
        raise Failed(f"{what}: {str(got)[:300]}, expected {str(wanted)[:300]}")


class Machine:
    """The command on emulated GPUs."""

    def __init__(self, matcha, library, folder):
        self.matcha = matcha
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.environment = dict(os.environ, MATCHA_LIBCUDA=library, MATCHA_NVRTC=library, MATCHA_EMULATED_DEVICES="3",
                                MATCHA_CACHE_DIR=str(self.folder))

    def command(self, *words):
        group = [] if "--group" in words else ["--group", "1"]
        return [self.matcha, "run", *map(str, words), "--device", "cuda", *group, "--quiet"]

    def run(self, *words, code=0, **variables):
        """Standard output; of a run that fails, standard error."""
        try:
            done = subprocess.run(self.command(*words), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env={**self.environment, **variables}, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired as hung:
            raise Failed(f"{' '.join(map(str, words))}: does not end") from hung
        if done.returncode != code:
            raise Failed(f"{' '.join(map(str, words))}: exit {done.returncode}, expected {code}\n{done.stderr}")
        return done.stdout if code in (0, 124, 130) else done.stderr

    def answer(self, *words, **variables):
        return json.loads(self.run(*words, "--json", **variables))

    def timed_out(self, *words, first=1, began=lambda: True):
        """The answer of a run without end under `--timeout`. How long the run takes to begin is the machine's: it
        gets more and more time, from `first` seconds on, until there is an answer and `began` says so."""
        for seconds in (first, 4 * first, 16 * first, 64 * first):
            text = self.run(*words, "--timeout", seconds, "--json", code=124)
            if text and began():
                break
        answer = json.loads(text)
        expect(f"{words}: complete", (answer["complete"], answer["stopped_by"]), (False, "timeout"))
        return answer


def count(result):
    return len(result) if isinstance(result, list) else result


def devices(machine):
    for program in sorted(pathlib.Path("examples").glob("*.mt")):
        text = program.read_text(encoding="utf-8")
        if re.search(r"\b(iterate|repeat)\(", text):  # Rounds are refused.
            continue
        for arguments, stated in re.findall(r"^# count: (.*) (-?\d+)$", text, re.M):
            for setting in SETTINGS:
                words = [program, *arguments.split(), *setting]
                answer = machine.answer(*words)
                expect(f"{words}", count(answer["result"]), int(stated))
                expect(f"{words}: complete", answer["complete"], True)
                names = [part["part"] for part in answer["stats"]["run_ms"]]
                for name in ("device", "module", "ready", "upload", "launch", "kernel", "collect"):
                    if name not in names:
                        raise Failed(f"{words}: no time of {name} in {names}")
                if (program.stem in ("diamond", "house")) > ("hubs" in names):
                    raise Failed(f"{words}: looks into no rows of hubs")
    # Kernels compiled before the driver is open are for the devices of the last process, which may have been others.
    wanted = machine.run("examples/triangle.mt", GRAPH)
    notes = list(machine.folder.glob("code/*.note"))
    right = {note: note.read_bytes() for note in notes}
    for arch in ("80", "130", None):
        if arch:
            expect(f"on sm_{arch}", machine.run("examples/triangle.mt", GRAPH, MATCHA_EMULATED_ARCH=arch), wanted)
        else:
            for note in notes:
                note.write_text("x")
        wrong = {note: note.read_bytes() for note in notes}
        expect(f"after a note of {arch}", machine.run("examples/triangle.mt", GRAPH), wanted)
        anew = [note for note in notes if note.read_bytes() != wrong[note]]
        expect(f"after a note of {arch}: written again", [note.read_bytes() == right[note] for note in anew], [True])


def counts(machine):
    """Items of which other groups take over the long lists that a group is about to count, with all that they add to sums."""
    random.seed(3)
    for program, hubs, others, queues in (("tests/emulation/two_sums.mt", 40, 150, (64, 4096)), (HOUSELIKE, 10, 70, (64,))):
        graph = machine.folder / f"hubs-{hubs}.txt"
        spokes = [(hub, v) for hub in range(hubs) for v in random.sample(range(hubs, hubs + 2 * others), others)]
        spokes += [(hub, other) for hub in range(hubs) for other in range(hub) if random.random() < 0.5]
        graph.write_text("".join(f"{u} {v}\n" for u, v in spokes))
        what = [program, graph] if program.endswith(".mt") else ["--pattern", program, graph, "--algorithm", "extend"]
        wanted = subprocess.run([machine.matcha, "run", *what, "--device", "cpu", "--quiet"], capture_output=True, text=True, check=True).stdout
        for queue in queues:
            words = [*what, "--group", "32", "--tau-us", 1, "--eager", "--hubs", 0, "--queue", queue, "--chunk", 32]
            expect(f"{words}", machine.run(*words), wanted)


def kernels(machine):
    """Counts, lists and limits with `--steal kernel`; a device that takes no kernel, or few; the library that it is linked with."""
    kernel = ["--steal", "kernel"]
    for program in ("examples/house.mt", "examples/clique5.mt"):
        wanted = machine.answer(program, GRAPH)["result"]
        for setting in ([], ["--fanout", 8], ["--fanout", 1, "--kernels", 1], ["--fanout", 30, "--tile", 0, "--split", 1],
                        ["--fanout", 2, "--gpus", 3, "--stack", "paged"], ["--fanout", 16, "--kernels", 0]):
            answer = machine.answer(program, GRAPH, *kernel, *setting)
            expect(f"{program} {setting}", (answer["result"], answer["complete"]), (wanted, True))
            reported = answer["stats"]["kernels"]
            room = setting[setting.index("--kernels") + 1] if "--kernels" in setting else 256
            expect(f"{program} {setting}: room", reported["at_once"], room)
            if setting == ["--fanout", 8]:
                expect(f"{program}: started and split off", (reported["started"] > 100, answer["stats"]["deferred"] >= reported["started"]), (True, True))
            if setting[-2:] in ([], ["--kernels", 0], ["--split", 1]):  # No loop is as long, or none may be split off.
                expect(f"{program} {setting}: started", reported["started"], 0)
            if setting[-1:] == [1] and "--kernels" in setting:
                expect(f"{program}: refused", reported["refused"] > 0, True)
        answer = machine.answer(program, GRAPH, *kernel, "--fanout", 4, MATCHA_EMULATED_PENDING="0")
        reported = answer["stats"]["kernels"]
        expect(f"{program}: a device that takes none", (answer["result"], reported["started"], reported["refused"] > 0), (wanted, 0, True))
        answer = machine.answer(program, GRAPH, *kernel, "--fanout", 4, MATCHA_EMULATED_PENDING="2")
        reported = answer["stats"]["kernels"]
        expect(f"{program}: a device that takes two", (answer["result"], reported["started"] > 0), (wanted, True))
    expect("no word of kernels where none are started", "kernels" in machine.answer("examples/house.mt", GRAPH)["stats"], False)
    lists = [machine.answer("examples/clique5.mt", GRAPH, *words)["stats"] for words in ([], [*kernel, "--fanout", 8, "--kernels", 64])]
    each = lists[0]["scratch_bytes"] // lists[0]["workers"]
    expect("memory of kernels", (lists[1]["kernels"]["scratch_bytes"], lists[1]["scratch_bytes"]), (64 * 32 * each, lists[0]["scratch_bytes"] + 64 * 32 * each))
    # Memory for fewer: a quarter of it is for kernels. The program has one region, since the report has the region with the most memory.
    alone = machine.answer("examples/house.mt", GRAPH)["stats"]
    some = machine.answer("examples/house.mt", GRAPH, *kernel, "--fanout", 8, "--scratch-mb", 4096 * alone["scratch_bytes"] / alone["workers"] / 2**20)
    expect("little memory", (some["stats"]["kernels"]["at_once"], some["stats"]["workers"]), (32, alone["workers"]))
    wanted = sorted(machine.run(WEDGES, GRAPH).splitlines())
    in_order = machine.run(WEDGES, GRAPH)
    expect("rows in order", machine.run(WEDGES, GRAPH, *kernel, "--fanout", 3), in_order)
    expect("rows", sorted(machine.run(WEDGES, GRAPH, "--matches", "-", *kernel, "--fanout", 3).splitlines()) == wanted, True)
    for limit in (0, 5, 4097):
        got = machine.run(WEDGES, GRAPH, "--matches", "-", "--limit", limit, *kernel, "--fanout", 3).splitlines()
        expect(f"limit {limit}", (len(got), set(got) <= set(wanted)), (limit, True))
    graph = machine.folder / "large.mtg"
    subprocess.run([machine.matcha, "graph", "generate", "rmat", "--scale", "14", "--seed", "3", "-o", graph, "-q"], check=True)
    machine.timed_out("examples/house.mt", graph, *kernel, "--fanout", 16)
    message = machine.run("examples/house.mt", GRAPH, *kernel, code=4, MATCHA_CUDADEVRT="/nowhere/libcudadevrt.a")
    for word in ("/nowhere/libcudadevrt.a", "hint", "MATCHA_CUDADEVRT"):
        expect(f"`{word}` in {message}", word in message, True)
    done = subprocess.run([machine.matcha, "build", "examples/house.mt", "--emit=cpp", *kernel], capture_output=True, text=True, check=False)
    expect("a C++ program", (done.returncode, "a C++ program starts no kernels" in done.stderr), (1, True))


def rows(machine):
    in_order = subprocess.run([machine.matcha, "run", WEDGES, GRAPH, "--device", "cpu", "--quiet"], capture_output=True,
                              text=True, check=True).stdout
    wanted = sorted(in_order.splitlines())
    if len(wanted) <= 65536:
        raise Failed("the rows fit a ring")
    for words in (["--gpus", 1], ["--gpus", 2], ["--gpus", 2, "--tau-us", 20, "--chunk", 3]):
        got = machine.run(WEDGES, GRAPH, "--matches", "-", *words).splitlines()
        expect(f"rows {words}", sorted(got) == wanted, True)
        for limit in (0, 1, 4097, len(wanted) - 1):
            got = machine.run(WEDGES, GRAPH, "--matches", "-", "--limit", limit, *words).splitlines()
            expect(f"limit {limit} {words}", (len(got), set(got) <= set(wanted)), (limit, True))
    # Without a stream rows come in the order of the program, from any number of GPUs, however they are split.
    eager = ["--tau-us", 1, "--eager"]
    for words in ([], ["--gpus", 2], [*eager, "--chunk", 3, "--tile", 0], ["--gpus", 2, *eager, "--tile", 3],
                  ["--steal", "half", "--tile", 0], ["--gpus", 3, "--steal", "half", "--chunk", 100]):
        expect(f"order {words}", machine.run(WEDGES, GRAPH, *words) == in_order, True)
    expect("a reader that goes away", subprocess.run(
        ["bash", "-c", '"$@" | head -n 1', "bash", *machine.command(WEDGES, GRAPH, "--matches", "-")],
        capture_output=True, env=machine.environment, timeout=LIMIT_S, check=True).stdout.count(b"\n"), 1)


def stops(machine):
    graph = machine.folder / "large.mtg"
    subprocess.run([machine.matcha, "graph", "generate", "rmat", "--scale", "14", "--seed", "3", "-o", graph, "-q"], check=True)
    machine.run("examples/house.mt", GRAPH)  # Compiles.
    machine.run(WEDGES, GRAPH, "--matches", "/dev/null")
    for words in (["examples/house.mt", graph], [WEDGES, graph, "--matches", "/dev/null"]):
        for gpus in (1, 2):
            machine.timed_out(*words, "--gpus", gpus)
    with subprocess.Popen(machine.command("examples/house.mt", graph, "--gpus", 2), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=machine.environment) as running:
        wait_until_caught(running, signal.SIGINT)
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        expect("Ctrl-C", running.wait(timeout=LIMIT_S), 130)
    # Compiling knows of no stop, and is left behind.
    shutil.rmtree(machine.folder / "code", ignore_errors=True)
    machine.timed_out("examples/house.mt", GRAPH, first=0.05)
    stops_stream(machine)


def stops_stream(machine):
    """A stream that reads on while a kernel takes minutes ends without it, and without what is compiled for totals that nobody wants."""
    size = 60
    graph, updates = machine.folder / "dense.txt", machine.folder / "slow.txt.gz"
    graph.write_text("".join(f"{u} {v}\n" for u in range(size) for v in range(u) if (u, v) not in ((1, 0), (3, 2))), encoding="utf-8")
    skipped = gzip.compress(b"# skipped\n" * 3_000_000, 1)
    # The first batch is counted by itself, the second one waits for others, and the third one takes it along.
    with open(updates, "wb") as out:
        out.write(gzip.compress(b"+ 100 101\n+ 0 1\n") + skipped + gzip.compress(b"+ 2 3\n") + 10 * skipped)
    command = [machine.matcha, "stream", str(graph), "--pattern", "cycle:9", "--updates", str(updates), "--batch", "1", "--no-total"]
    with subprocess.Popen([*command, "--device", "cuda"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=machine.environment) as running:
        expect("the first batch", running.stdout.readline(), "batch 1  +0 -0\n")
        time.sleep(2)
        running.send_signal(signal.SIGINT)
        _, says = running.communicate(timeout=LIMIT_S)
    expect("Ctrl-C in a stream", (running.returncode, "stopped by a signal after batch 1" in says), (130, True))
    expect(f"ends by itself: {says}", "before there was a result" in says, False)


def partial(machine):
    """A partial value of a position's loops is not an answer."""
    size = 160
    small, large = machine.folder / "small.txt", machine.folder / "large.txt"
    for graph, vertices in ((small, 5), (large, size)):
        graph.write_text("".join(f"{u} {v}\n" for u in range(vertices) for v in range(u)), encoding="utf-8")
    rows = machine.folder / "rows.txt"
    each = ((size - 1) * (size - 2)) ** 2
    for words in (["--entry", "counts", "--matches", rows], ["--entry", "least"]):
        machine.run(NESTED, small, *words)  # Compiles.
        machine.timed_out(NESTED, large, *words, began=rows.exists)
    wrong = [line for line in rows.read_text(encoding="utf-8").splitlines() if line.split("\t")[1] != str(each)]
    expect("rows with a part of a count", wrong, [])


def labels_for(machine, entry, graph):
    """Words for a file with a label for each vertex, where the entry wants one."""
    path = machine.folder / "labels.txt"
    opened = gzip.open(graph, "rt") if graph.endswith(".gz") else open(graph, encoding="utf-8")
    with opened as lines:
        edges = [line.split() for line in lines if line[0].isdigit()]
    vertices = sorted({int(vertex) for edge in edges for vertex in edge[:2]})
    path.write_text("".join(f"{vertex} {vertex % 4 - 1}\n" for vertex in vertices), encoding="utf-8")
    return {"labelled_by_input": ["--in", f"L={path}:0,1"], "labelled_by_run": ["--labels", path]}.get(entry, [])


def builds(machine):
    for entry, on_device in BUILDERS.items():
        for graph in ("tests/graphs/empty.txt", "tests/graphs/duplicates-loops.txt", "tests/graphs/random-20-seed2.txt", GRAPH):
            if entry in ("looked_at", "labelled_by_input", "labelled_by_run") and graph == "tests/graphs/empty.txt":
                continue  # It has no first vertex, and none to label.
            words = [BUILT, graph, "--entry", entry, *labels_for(machine, entry, graph)]
            wanted = subprocess.run([machine.matcha, "run", *words, "--device", "cpu", "--quiet"], capture_output=True,
                                    text=True, check=True).stdout
            eager = ["--tau-us", 1, "--eager", "--chunk", 3]
            for setting in ([], eager, ["--steal", "half"], ["--gpus", 2], ["--gpus", 3, *eager]):
                answer = machine.answer(*words, *setting)
                expect(f"{words} {setting}", answer["result"], int(wanted))
                parts = [part["part"] for part in answer["stats"]["run_ms"]]
                expect(f"{words} {setting}: built on the device", "build" in parts, on_device)
    # There is memory for the rows of both lists, and then for sorting them.
    words = [BUILT, GRAPH, "--entry", "weighed"]
    wanted = machine.run(*words)
    for gpus in (1, 2):
        ways = set()
        for kilobytes in range(41600, 44200, 200):
            command = [word for word in machine.command(*words, "--queue", 100, "--gpus", gpus) if word != "--quiet"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                                  env={**machine.environment, "MATCHA_EMULATED_BYTES": str(kilobytes * 1000)})
            ways.add((done.returncode, "built on the host" in done.stderr))
            if done.returncode == 0:
                expect(f"{kilobytes} kB on {gpus}", done.stdout, wanted)
        expect(f"ways on {gpus}", ways, {(0, False), (0, True), (5, False)})
    for entry, says in (("unequal", "lists of different lengths"), ("labelled_twice", "two labels for vertex"),
                        ("not_labelled", "vertex has no label")):
        for gpus in (1, 2):
            message = machine.run(BUILT, GRAPH, "--entry", entry, "--gpus", gpus, code=4)
            if says not in message:
                raise Failed(message)


def short(machine):
    """Kernels compiled while the graph is read assume lists of at most 2,048 neighbours."""
    leaves = 2500
    edges = [(a, b) for a in range(1, 9) for b in range(1, a)] + [(a, a - 1) for a in range(2, leaves + 1)]
    programs = ("examples/clique4_ordered.mt", "examples/tailed_triangle_induced.mt", "examples/clique4.mt")
    for program in programs:
        machine.run(program, GRAPH)
    again = {program: [] for program in programs}
    for hub in (0, leaves + 1):
        graph = machine.folder / f"hub-{hub}.txt"
        graph.write_text("".join(f"{a} {b}\n" for a, b in [*edges, *((hub, leaf) for leaf in range(1, leaves + 1))]))
        for program, order in itertools.product(programs, ("id", "degree")):
            if program == "examples/clique4.mt" and order == "degree":
                continue  # Its order of the vertices shows.
            words = [program, graph, "--order", order]
            wanted = subprocess.run([machine.matcha, "run", *words, "--device", "cpu", "--quiet"], capture_output=True,
                                    text=True, check=True).stdout
            kernels = set(machine.folder.glob("code/*"))
            expect(f"{words}", machine.run(*words), wanted)
            again[program].append(set(machine.folder.glob("code/*")) != kernels)
            for setting in (["--tau-us", 1, "--eager"], ["--tune"]) if program == programs[0] else ():
                expect(f"{words} {setting}", machine.run(*words, *setting), wanted)
    # The same with passes that the user lists.
    passes = "loop,distribute,simplify,bitset-neighborhood{least=2,most=2048,full=2048,lists=0},plan-memory,schedule"
    words = ["examples/clique4_ordered.mt", graph, "--order", "id"]
    wanted = subprocess.run([machine.matcha, "run", *words, "--device", "cpu", "--quiet"], capture_output=True, text=True,
                            check=True).stdout
    expect("passes by hand", machine.run(*words, "--passes", passes), wanted)
    # Kernels that were compiled for one graph are there for the next one.
    expect("compiled again: for the hub whose lower neighbours are many; for the first hub, as all are many", again,
           dict(zip(programs, ([False, False, True, False], [True, False, False, False], [True, False]))))


def tunes(machine):
    """A sample is a part of these vertices; the answer is that of all of them."""
    graph = machine.folder / "large.mtg"
    subprocess.run([machine.matcha, "graph", "generate", "rmat", "--scale", "17", "--edge-factor", "2", "-o", graph, "-q"],
                   check=True)
    vertices = 1 << 17
    for words in (["examples/triangle.mt", graph], ["--pattern", "triangle", graph]):
        wanted = subprocess.run([machine.matcha, "run", *words, "--device", "cpu", "--quiet"], capture_output=True, text=True,
                                check=True).stdout
        for gpus in (1, 2):
            first = machine.answer(*words, "--tune", "--gpus", gpus)
            tuned = first["stats"]["tuned"]
            expect(f"{words}", (first["result"], first["complete"], tuned["remembered"]), (int(wanted), True, False))
            expect(f"{words}: the sample is a part", tuned["every"] in (vertices >> 15, vertices >> 12), True)
            timed = [one["schedule"] for one in tuned["timed"]]
            expect(f"{words}: timed", (timed[0], tuned["schedule"] in timed), ("default", True))
            again = machine.answer(*words, "--tune", "--gpus", gpus)
            expect(f"{words}: again", (again["result"], again["stats"]["tuned"]), (int(wanted), {**tuned, "remembered": True}))
            expect(f"{words}: walks everything", again["stats"]["positions"], first["stats"]["positions"])


def chooses(machine):
    """With `--device auto` the CPU has the answer of a short run before a GPU is open, while a large file is read too."""
    copied = machine.folder / "copied.txt"
    with gzip.open(GRAPH, "rb") as packed:
        copied.write_bytes(packed.read() + b"% the end\n" * 300_000)
    for words, on_cpu in ((["examples/triangle.mt", GRAPH], True), (["--pattern", "triangle", GRAPH], True),
                          (["examples/triangle.mt", copied], True), (["--pattern", "triangle", copied], True),
                          (["examples/triangle.mt", GRAPH, "--gpus", "1"], False)):
        command = [machine.matcha, "run", *map(str, words), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env=machine.environment, timeout=LIMIT_S, check=True)
        answer = json.loads(done.stdout)
        expect(f"{words}: the device", answer["device"] == "cpu", on_cpu)
        expect(f"{words}: why", "expected to take" in answer["stats"].get("device", ""), on_cpu)
        expect(f"{words}", answer["result"], TRIANGLES)
    # A device that is asked for is taken.
    expect("--device cuda", machine.answer("examples/triangle.mt", GRAPH)["device"] == "cpu", False)
    # Rounds are for the CPU, also where a GPU is opened before the file is read.
    command = [machine.matcha, "run", "examples/components.mt", "--json"]
    asked = [subprocess.run([*command, file], input=text, capture_output=True, env=machine.environment, timeout=LIMIT_S, check=True)
             for file, text in ((GRAPH, None), ("-", gzip.open(GRAPH).read()))]
    small, piped = (json.loads(done.stdout) for done in asked)
    expect("rounds", (small["device"], piped["device"], piped["result"]), ("cpu", "cpu", small["result"]))
    machine.run("examples/components.mt", GRAPH, code=1)
    # No GPU is opened before a pipe is read. A driver without GPUs, which starts while a large file is read, is no error.
    pipe = subprocess.run([machine.matcha, "run", "examples/triangle.mt", "-", "--json"], input=gzip.open(GRAPH).read(), capture_output=True,
                          env=machine.environment, timeout=LIMIT_S, check=True)
    expect("a pipe", "expected to take" in json.loads(pipe.stdout)["stats"].get("device", ""), True)
    with open(copied, "wb") as large, gzip.open(GRAPH, "rb") as packed:
        large.write(packed.read() + b"% the end of a large file of comments\n" * 1_900_000)
    for words in (["examples/triangle.mt", copied], [BUILT, copied, "--entry", "turned"], ["--pattern", "triangle", copied]):
        done = subprocess.run([machine.matcha, "run", *words, "--json"], capture_output=True, text=True, timeout=LIMIT_S, check=True,
                              env={**machine.environment, "MATCHA_EMULATED_DEVICES": "0"})
        expect(f"{words}: no GPU", json.loads(done.stdout)["device"], "cpu")
    copied.unlink()


SUM_OF_MANY = """def main(g: Graph) -> int:
    D = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges(g)))
    return sum(apply(lambda v: 4611686018427387904 * size(neighbor(D, v)), vertices(D)))
"""
# It uses ids as numbers, so it is no sum of patterns.
OF_TWO = """def main(g: Graph) -> Tuple<int, float>:
    D = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges(g)))
    arcs = sum(apply(lambda v: size(neighbor(D, v)) + v, vertices(D)))
    return (arcs, 0.5 * arcs)
"""


def races(machine):
    """Where a GPU would have to be opened first, a CPU answers too, and the first answer is kept; gpu_beside_test.cpp has a CPU that takes long."""

    def asked(*words, code=0, verb="run", **variables):
        done = subprocess.run([machine.matcha, verb, *map(str, words), "--json", "--quiet"], capture_output=True, text=True,
                              env={**machine.environment, **variables}, timeout=LIMIT_S, check=False)
        expect(f"{words} {variables}: {done.stderr}", done.returncode, code)
        return json.loads(done.stdout) if done.stdout else done.stderr

    sums, two = machine.folder / "sums.mt", machine.folder / "two.mt"
    sums.write_text(SUM_OF_MANY)
    two.write_text(OF_TWO)
    turned = [BUILT, GRAPH, "--entry", "turned"]
    for words in (turned, [two, GRAPH]):
        plan = asked(*words, "--no-run", verb="explain")
        pair = [(one["engine"], one["device"]) for one in plan["engines"] if one.get("race")]
        expect(f"{words}: both", pair, [("program", "cuda"), ("program", "cpu")])
        alone = asked(*words, "--device", "cpu")
        expect(f"{words}: no race", alone["stats"].get("device"), None)
        answer = asked(*words)
        expect(f"{words}: the answer", (answer["result"], answer["complete"], answer["device"]), (alone["result"], True, "cpu"))
        expect(f"{words}: why", answer["stats"]["device"].startswith("the CPU had the answer before"), True)
        expect(f"{words}: the engine", (answer["stats"]["engine"], answer["stats"]["backend"] == "cuda"), ("program", False))
    wanted = asked(*turned, "--device", "cpu")["result"]
    # An error of the program is one.
    expect("too large", "overflow" in asked(sums, GRAPH, code=4), True)
    # Questions with one answer alone.
    for more in (["--device", "cuda", "--group", "1"], ["--tau-us", "20"], ["--verify"]):
        answer = asked(*turned, *more)
        expect(f"{more}", (answer["result"], "device" in answer["stats"]), (wanted, False))
    # A GPU that cannot be used is no error.
    for variables in ({}, {"MATCHA_EMULATED_DEVICES": "0"}):
        stopped = asked("--pattern", "cycle:8", "--threads", "1", "examples/graphs/wiki-vote.txt.gz", "--timeout", "2", code=124, **variables)
        expect(f"a stop {variables}", (stopped["complete"], stopped["stopped_by"]), (False, "timeout"))
        expect(f"{variables}: why", "no GPU can be used" in stopped["stats"]["device"], variables != {})


def refusals(machine):
    def refuses(code, says, *words, **variables):
        message = machine.run(*words, code=code, **variables)
        for word in says:
            if word not in message:
                raise Failed(f"{words} {variables}: no `{word}` in\n{message}")

    triangle = ["examples/triangle.mt", GRAPH]
    expect("compiles", machine.answer(*triangle)["result"], TRIANGLES)
    refuses(4, ["no NVIDIA driver", "hint", "--device cpu"], *triangle, MATCHA_LIBCUDA="/nowhere/libcuda.so.1")
    refuses(4, ["no NVRTC", "hint", "MATCHA_NVRTC"], *triangle, MATCHA_NVRTC="/nowhere/libnvrtc.so.12")
    refuses(4, ["CUDA_ERROR_NO_DEVICE", "hint"], *triangle, MATCHA_EMULATED_DEVICES="0")
    refuses(4, ["--gpus 4", "3 that the driver finds", "hint"], *triangle, "--gpus", "4")
    refuses(4, ["--gpus 2", "1 that the driver finds from number 2 on"], *triangle, "--gpus", "2", "--first-gpu", "2")
    refuses(4, ["--first-gpu 3", "none of the 3 GPUs", "hint"], *triangle, "--first-gpu", "3")
    refuses(2, ["--first-gpu"], *triangle, "--first-gpu", "-1")
    for words in (["--first-gpu", "2"], ["--first-gpu", "1", "--gpus", "2"], ["--first-gpu", "1", "--gpus", "all"]):
        expect(f"{words}", machine.answer(*triangle, *words)["result"], TRIANGLES)
    refuses(4, ["the kernel failed", "GPU 2"], *triangle, "--first-gpu", "2", MATCHA_EMULATED_FAULT="700")
    refuses(2, ["--gpus"], *triangle, "--gpus", "0")
    refuses(2, ["--gpus"], *triangle, "--gpus", "many")
    refuses(5, ["the graph needs", "free", "hint"], *triangle, MATCHA_EMULATED_BYTES="100000")
    refuses(4, ["the kernel failed", "CUDA_ERROR_ILLEGAL_ADDRESS", "GPU 0"], *triangle, MATCHA_EMULATED_FAULT="700")
    refuses(4, ["the kernel failed", "CUDA_ERROR_LAUNCH_TIMEOUT", "hint"], *triangle, MATCHA_EMULATED_FAULT="702")
    refuses(4, ["cannot compile for sm_75"], *triangle, MATCHA_EMULATED_ARCH="75")
    newer = machine.answer(*triangle, MATCHA_EMULATED_ARCH="130")
    expect("PTX for a device that NVRTC does not know", newer["result"], TRIANGLES)
    doctor = json.loads(subprocess.run([machine.matcha, "doctor", "--json"], capture_output=True, text=True, check=True,
                                       env={**machine.environment, "MATCHA_EMULATED_ARCH": "130"}).stdout)["cuda"]
    expect("doctor", (doctor["usable"], len(doctor["devices"])), (True, 3))
    expect("what doctor notes", "does not know sm_130" in doctor["notes"][0], True)


def loads(machine):
    """An edited query runs in place of the program's, if it fits."""
    program = "examples/triangle.mt"
    text = subprocess.run([machine.matcha, "build", program, "--emit=cuda", "--part", "query", "--group", "1"], capture_output=True, text=True, check=True).stdout
    file = machine.folder / "query.cu"

    def tries(edited, code=0, says=(), words=()):
        file.write_text(edited)
        given = machine.run(program, GRAPH, "--load-cuda", file, *words, code=code)
        for word in says:
            if word not in given:
                raise Failed(f"no `{word}` in\n{given}")
        return given

    expect("as emitted", int(tries(text)), TRIANGLES)
    add = "w.merge(0, t.sum0_);"
    expect("is edited", add in text, True)
    expect("edited", int(tries(text.replace(add, add.replace("_)", "_ * 2)")))), 2 * TRIANGLES)
    tries(text.replace(add, add.replace(";", "")), 4, ["query.cu"])
    tries(text.replace("// matcha-query", "// query"), 1, ["plan=", "--part query"])
    tries(text.replace("plan=", "plan=0"), 1, ["another program", "hint"])
    tries(text.replace("  i128 sum0;", "  i64 sum0;"), 1, ["struct Frame", "i128 sum0"])
    tries(text.replace("void work_on_region_0(const Frame& f", "void work_on_region_0(Frame f"), 1, ["region_0", "first line"])
    tries("", 1, ["plan="])


class Stream:
    """A random graph whose first vertex has many neighbours, and updates of it; of a digraph all pairs count. `grows`: places
    of vertices change."""

    def __init__(self, machine, seed, directed=False, labels=0, vertices=40, updates=150, grows=True):
        generator = random.Random(seed)
        self.machine = machine
        self.directed = directed
        self.graph, self.updates = machine.folder / f"{seed}.graph", machine.folder / f"{seed}.updates"
        pairs = [(u, v) for u in range(vertices) for v in range(vertices) if (u != v if directed else u < v)]
        edges = {pair for pair in pairs if generator.random() < (0.6 if 0 in pair else 0.15)}
        with open(self.graph, "w", encoding="utf-8") as out:
            out.writelines(f"v {v} {generator.randrange(max(labels, 1))}\n" for v in range(vertices))
            out.writelines(f"e {u} {v}\n" for u, v in sorted(edges))
        with open(self.updates, "w", encoding="utf-8") as out:
            for number in range(updates):
                if grows and labels and number % 15 == 7:  # The CPU takes its edges out, and in again.
                    out.write(f"v {generator.randrange(vertices)} {generator.randrange(labels)}\n")
                pair = generator.choice(pairs)
                out.write(f"{'-' if pair in edges else '+'} {pair[0]} {pair[1]}\n")
                edges ^= {pair}
            if grows and not labels:  # A new vertex, which rebuilds the rows' places, and edges of it.
                out.writelines(f"+ {u} {vertices + 700}\n" for u in range(12))

    def least(self, *words):
        """The sufficient bytes of a GPU, which an error states."""
        _, says = self.answers(*words, "--device", "cuda", "--gpu-memory", "10", code=5)
        return int(re.search(r"and (\d+) are the least that suffice", says)[1])

    def answers(self, *words, code=0, **variables):
        """The answers as objects, and standard error."""
        command = [self.machine.matcha, "stream", str(self.graph), "--updates", str(self.updates), "--json", "--threads", "2"]
        command += ["--directed"] if self.directed else []
        done = subprocess.run([*command, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              env={**self.machine.environment, **variables}, check=False)
        if done.returncode != code:
            raise Failed(f"{words}: exit {done.returncode}: {done.stderr[-1500:]}")
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def speaks(stream):
    """Waiting answers do not wait for a pipe, nor for the lines behind a wrong one."""
    with open(stream.updates, encoding="utf-8") as file:
        lines = file.readlines()
    words = ("--pattern", "triangle", "--batch", "3")
    wanted = [answer.get("delta") for answer in stream.answers(*words, "--device", "cpu")[0][:-1]]
    command = [stream.machine.matcha, "stream", str(stream.graph), *words, "--updates", "-", "--json", "--device", "cuda"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=stream.machine.environment) as process:
        found = [json.loads(process.stdout.readline()).get("delta")]
        for first, last in ((0, 3), (3, 9), (9, 90), (90, 93)):
            process.stdin.write("".join(lines[first:last]))
            process.stdin.flush()
            found += [json.loads(process.stdout.readline()).get("delta") for _ in range(first, last, 3)]
        process.stdin.write(lines[93] + "one two\n")
        process.stdin.close()
        expect("nothing else", process.stdout.read(), "")
        expect("a wrong line", process.wait(timeout=LIMIT_S), 3)
    expect("answers of a pipe", found, wanted[:32])
    with open(stream.updates.with_suffix(".wrong"), "w", encoding="utf-8") as out:
        out.writelines([*lines[:93], "one two\n"])
    done = subprocess.run([*command[:command.index("-")], str(out.name), *command[command.index("-") + 1:]], capture_output=True, text=True,
                          timeout=LIMIT_S, env=stream.machine.environment, check=False)
    expect("a wrong line of a file", done.returncode, 3)
    expect("answers of a file", [json.loads(line).get("delta") for line in done.stdout.splitlines()], wanted[:32])


def bounded(machine, agree):
    """The rows that a GPU has no room for are read in memory of the host, and those that are read most often come and go."""
    still, arcs = Stream(machine, 5, grows=False), Stream(machine, 6, directed=True, grows=False)
    words, plain = Stream(machine, 7, labels=3, grows=False), Stream(machine, 1)
    for stream, pattern in ((still, "house"), (words, "0:1-1:0,1-2,2-0"), (arcs, "0>1,1>2,0>2,2>3")):
        least = stream.least("--pattern", pattern)
        stream.answers("--pattern", pattern, "--gpu-memory", str(least - 1), "--device", "cuda", code=5)
        for batch, more in (("1", 0), ("3", 700), ("3", 2500), ("64", 2500)):
            agree(stream, "--pattern", pattern, "--batch", batch, "--gpu-memory", str(least + more))
        answers, says = stream.answers("--pattern", pattern, "--batch", "3", "--gpu-memory", str(least + 2500), "--device", "cuda")
        takes = re.search(r"(\d+) bytes of the GPU are taken, which reads the rest of the graph in (\d+) of the host", says)
        expect(f"memory of the host, {pattern}", takes is not None and least < int(takes[1]) <= least + 2500, True)
        rows = [answer["gpu_rows"] for answer in answers if "gpu_rows" in answer]
        for key in ("kept", "sent", "gone", "near", "far"):
            expect(f"rows {key} in many batches of {pattern}", sum(1 for one in rows if one[key] > 0) >= 10, True)
    # Places for vertices that come are more than it may have.
    most = str(plain.least("--pattern", "house"))
    agree(plain, "--pattern", "house", "--batch", "7", "--gpu-memory", most)
    _, says = plain.answers("--pattern", "house", "--batch", "7", "--gpu-memory", most, "--device", "cuda")
    expect("says that they are", f"the CPU counts the changes: it may take {most} bytes of the GPU" in says, True)


def several(machine):
    """GPUs that hold the graph and share the edges of batches: what each finds is added up, and where one fails there is no answer."""
    plain, labelled, arcs = Stream(machine, 1), Stream(machine, 2, labels=3), Stream(machine, 3, directed=True)
    for stream, pattern, batch, gpus in ((plain, "triangle", "1", "3"), (labelled, "0:1-1:0,1-2,2-0", "40", "all"), (arcs, "0>1,1>2,0>2,2>3", "7", "2")):
        words = ("--pattern", pattern, "--batch", batch, "--no-total")  # Without totals no program is compiled.
        wanted, found = ([[answer.get(key) for key in ("batch", "plus", "minus", "delta")] for answer in stream.answers(*words, *device)[0]]
                         for device in (("--device", "cpu"), ("--gpus", gpus)))
        expect(f"{words} on {gpus} GPUs", found, wanted)
    rows, found = machine.folder / "rows-of-gpus.tsv", []
    words = ["--pattern", "house", "--batch", "60", "--matches", str(rows)]
    for device in (("--device", "cpu"), ("--gpus", "3")):
        answers, _ = plain.answers(*words, *device)
        found.append(([answer.get("delta") for answer in answers], rows.read_text(encoding="utf-8")))
    expect("rows of several GPUs", found[1] == found[0] and found[0][1].count("\n") > 1000, True)
    expect("on GPUs", any(answer.get("device") == "cuda" for answer in answers), True)
    words = ["--pattern", "triangle", "--batch", "1", "--no-total"]
    for stream, one in ((plain, words), (labelled, ["--pattern", "0:1-1:0,1-2,2-0", "--batch", "1000", "--no-total"])):  # Batches together, and one alone.
        _, says = stream.answers(*one, "--gpus", "2", code=4, MATCHA_EMULATED_FAULT="700", MATCHA_EMULATED_ONE="1")
        expect(f"one that fails: {says}", "the kernel failed on GPU 1" in says and "CUDA_ERROR_ILLEGAL_ADDRESS" in says, True)
    short, says = plain.answers(*words, "--gpus", "2", MATCHA_EMULATED_BYTES="8389500", MATCHA_EMULATED_ONE="1")
    expect(f"one that is short of memory: {says}", "the CPU counts the changes: no " in says, True)
    wanted, _ = plain.answers(*words, "--device", "cpu")
    expect("its counts", [answer.get("delta") for answer in short], [answer.get("delta") for answer in wanted])
    _, says = plain.answers(*words, "--gpus", "4", code=4)
    expect(f"more than there are: {says}", "--gpus 4 asks for more GPUs than the 3 that the driver finds" in says, True)
    for wrong, what in ((("--gpus", "2", "--device", "cpu"), "`--gpus` is for GPUs"), (("--gpus", "2", "--gpu-memory", "1M"), "`--gpu-memory` is for one GPU"),
                        (("--gpus", "0"), "0 GPUs"), (("--gpus", "few"), "few")):
        expect(f"{wrong}", what in plain.answers(*words, *wrong, code=2)[1], True)


def chosen(stream):
    """With `--device auto` the GPU gets the rest of a long file, or of a batch, or nothing."""
    long = copy.copy(stream)
    long.updates = stream.updates.with_suffix(".long")
    long.updates.write_text(stream.updates.read_text(encoding="utf-8") + "# the end\n" * 150_000, encoding="utf-8")
    reported = []
    for one in (stream, long):
        for batch in ("7", "1000000"):
            for device in ("cpu", "auto"):
                answers, _ = one.answers("--pattern", "cycle:5", "--batch", batch, "--no-total", "--device", device)
                reported.append([(answer["batch"], answer["delta"]) for answer in answers if "end" not in answer])
            expect(f"chosen, batches of {batch}", reported[-1], reported[-2])


def listed(machine):
    """Rows that come and go are those of the CPU, batch by batch; where they have no room, it takes fewer edges at a time."""
    plain, labelled, arcs = Stream(machine, 1), Stream(machine, 2, labels=3), Stream(machine, 3, directed=True)
    for stream, words in ((plain, ("house",)), (plain, ("0-1,1-2,2-3", "--induced", "vertex")), (plain, ("triangle", "--embeddings")),
                          (labelled, ("0:1-1:0,1-2,2-0",)), (arcs, ("0>1,1>2,0>2",))):
        for batch, more in (("7", None), ("60", None), ("60", 0), ("60", 60000))[: 4 if stream is plain else 1]:
            found = {}
            bound = [] if more is None else ["--gpu-memory", str(stream.least("--pattern", *words, "--matches", "/dev/null") + more)]
            for device in ("cpu", "cuda"):
                rows = machine.folder / f"rows-{device}.tsv"
                answers, _ = stream.answers("--pattern", *words, "--batch", batch, "--device", device, "--matches", str(rows),
                                            *(bound if device == "cuda" else []))
                found[device] = ([answer.get("delta") for answer in answers], rows.read_text(encoding="utf-8"))
                wanted = [answer for answer in answers if answer.get("device") == "cuda"]
                if more != 0:  # What suffices has room for 16 of them, and one edge may bring more, which the CPU lists.
                    expect(f"rows of {words} on {device}", len(wanted) > 10 if batch == "7" else bool(wanted), device == "cuda")
            expect(f"rows of {words}, batches of {batch}, bound {more}", found["cuda"], found["cpu"])
            expect("there are rows", found["cpu"][1].count("\n") > 20, True)


def short_calls(machine):
    """Each allocating call fails once: the CPU takes over with all pending answers; before the first batch it is an error."""
    stream = Stream(machine, 9, vertices=20, updates=60, grows=False)
    words = ["--pattern", "house", "--no-total"]
    bound = ["--gpu-memory", str(stream.least(*words) + 900)]
    for setting in (["--batch", "3"], ["--batch", "3", "--gpus", "2"], ["--batch", "64"], ["--batch", "3", *bound]):
        wanted = [answer.get("delta") for answer in stream.answers(*words, *setting[:2], "--device", "cpu")[0]]
        ways = set()
        for call, numbers in (("cuMemAlloc", (1, 4, 7, 8, 9)), ("cuMemHostAlloc", (1, 2, 4)), ("cuEventCreate", (1, 2)),
                              ("cuLaunchKernel", (1, 3, 8)), ("cuMemcpyHtoDAsync", (1, 2, 4, 9))):
            for number in numbers[:: 1 if ALL else 2]:
                command = [machine.matcha, "stream", str(stream.graph), "--updates", str(stream.updates), *words, *setting, "--json",
                           *([] if "--gpus" in setting else ["--device", "cuda"])]
                done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False,
                                      env={**machine.environment, "MATCHA_EMULATED_SHORT": f"{call}:{number}"})
                what = f"{setting}, {call} {number}: exit {done.returncode}, {done.stderr[-500:]}"
                found = [json.loads(line).get("delta") for line in done.stdout.splitlines()]
                ways.add((done.returncode, "the CPU counts the changes: " in done.stderr))
                expect(what, found, wanted if done.returncode == 0 else [])
                expect(f"{what}: the code", done.returncode in (0, 5), True)
        expect(f"{setting}: the CPU takes over", (0, True) in ways, True)


def streams(machine):
    def numbers(answers):
        return [[answer.get(key) for key in ("batch", "plus", "minus", "delta", "total")] for answer in answers if "end" not in answer]

    def agree(stream, *words, **variables):
        wanted, _ = stream.answers(*words, "--device", "cpu", "--recompute")
        by_cpu, _ = stream.answers(*words, "--device", "cpu")
        found, _ = stream.answers(*words, "--device", "cuda", **variables)
        expect(f"{words}", numbers(found), numbers(by_cpu))
        expect(f"{words} anew", [row[-1] for row in numbers(found)], [row[-1] for row in numbers(wanted)])
        counted = [answer for answer in found if answer.get("device") == "cuda"]
        if not counted or any(answer["how"] != "delta" for answer in counted):
            raise Failed(f"{words}: no batch was counted on the GPU")

    plain, labelled = Stream(machine, 1), Stream(machine, 2, labels=3)
    for batch in ("1", "7", "64", "1000") if ALL else ("7", "1000"):
        agree(plain, "--pattern", "house", "--batch", batch)
    for pattern in ("triangle", "clique:4", "0-1,1-2,2-3,3-4", "0-1,0-2,0-3,0-4", "0-1,1-2,0!2,2-3")[:: 1 if ALL else 2]:
        agree(plain, "--pattern", pattern, "--batch", "50")
    agree(plain, "--pattern", "house", "--pattern", "cycle:4", "--induced", "vertex", "--batch", "50")
    agree(plain, "examples/triangle.mt", "--batch", "50")
    for pattern in ("0:1-1:0,1-2,2-0", "0:0-1:1,1-2:2,2-3,3-0"):
        agree(labelled, "--pattern", pattern, "--batch", "40")
    agree(Stream(machine, 3, directed=True), "--pattern", "0>1,1>2,0>2,2>3", "--batch", "40")
    # A warp of fibers is slow.
    small = Stream(machine, 4, vertices=36, updates=24)
    agree(small, "--pattern", "diamond", "--batch", "12", MATCHA_EMULATED_WARPS="1", MATCHA_CACHE_DIR=str(machine.folder / "warps"))
    bounded(machine, agree)
    several(machine)
    short_calls(machine)
    chosen(plain)
    speaks(plain)
    listed(machine)
    # Graphs that do not fit are for the CPU.
    words = ["--pattern", "triangle", "--batch", "50"]
    words += ["--no-total"]
    short, says = plain.answers(*words, "--device", "cuda", MATCHA_EMULATED_BYTES="8389500")
    expect("no memory", numbers(short), numbers(plain.answers(*words, "--device", "cpu")[0]))
    expect("says so", "the CPU counts the changes: no " in says, True)
    words[words.index("50")] = "7"
    short, says = plain.answers(*words, "--device", "cuda", MATCHA_EMULATED_BYTES="8389500")
    expect("no memory, small batches", numbers(short), numbers(plain.answers(*words, "--device", "cpu")[0]))
    _, says = plain.answers(*words, "--device", "cuda", code=4, MATCHA_EMULATED_FAULT="700")
    expect("a fault, small batches", says.count("CUDA_ERROR_ILLEGAL_ADDRESS"), 1)
    _, says = plain.answers(*words, "--device", "cuda", code=4, MATCHA_EMULATED_FAULT="700")
    expect("a fault", "the kernel failed on GPU 0" in says and "CUDA_ERROR_ILLEGAL_ADDRESS" in says, True)


class LabelStream(Stream):
    """A graph whose edges have labels, some pairs more than one, and updates of it; `relabels`: of vertices too, which come and go."""

    def __init__(self, machine, seed, directed, vertices=6, updates=120, relabels=True, patterns=3):
        draw = random.Random(seed)
        self.machine, self.directed = machine, directed
        self.patterns = list({one.text: one for one in (random_pattern(draw, directed) for _ in range(patterns))}.values())
        self.graph, self.updates = machine.folder / f"{seed}.txt", machine.folder / f"{seed}.updates"
        drawn = (random_line(draw, vertices) for _ in itertools.count())
        self.lines = list(itertools.islice((line for line in drawn if relabels or line[0] in "+-" and line[1] == " "), updates + 40))
        first = Graph(directed)
        for line in self.lines[:40]:
            first.apply(line)
        self.edges = first.edges
        self.lines = self.lines[40:]
        self.graph.write_text("".join("%d %d %s\n" % edge for edge in sorted(self.edges)), encoding="utf-8")
        self.updates.write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")

    def counts(self, pattern, induced, batch):
        """Maps at first and after each batch."""
        graph = Graph(self.directed)
        for edge in self.edges:
            graph.apply("+ %d %d %s" % edge)
        found = [pattern.count(graph, induced)]
        for begin in range(0, len(self.lines), batch):
            for line in self.lines[begin:begin + batch]:
                graph.apply(line)
            found.append(pattern.count(graph, induced))
        return found

    def check(self, induced, batch, *words, **variables):
        """Some patterns on a GPU against all maps, without totals, as these run programs. The share of batches that it counted."""
        words = [*words, *(word for one in self.patterns for word in ("--pattern", one.text)), "--induced", induced, "--batch", str(batch), "--no-total"]
        found, _ = self.answers(*words, "--embeddings", **variables)
        found = [answer for answer in found if "end" not in answer and answer["batch"] != 0]
        for pattern in self.patterns:
            deltas = [answer["delta"] for answer in found if answer.get("program", pattern.text) == pattern.text]
            wanted = self.counts(pattern, induced, batch)
            expect(f"{words}: {pattern.text} in {self.graph}", deltas, [after - before for before, after in itertools.pairwise(wanted)])
        expect(f"{words}: how", {answer["how"] for answer in found}, {"delta"})
        changes = [answer for answer in found if answer["inserted"] + answer["deleted"] != 0]
        return sum(1 for answer in changes if answer.get("device") == "cuda") / len(changes)


def labels(machine):
    """Labels of edges are layers of the graph on the GPU, and an edge changes that of its label, that of all pairs, both or neither."""
    cuda = ("--device", "cuda")
    for seed in range(20, 60 if ALL else 24):
        stream = LabelStream(machine, seed, directed=seed % 2 == 1)
        for batch in (1, 3, 64, 1000) if ALL else (1, 3, 64):
            share = stream.check(("edge", "vertex")[seed // 2 % 2], batch, *cuda)
            expect(f"on the GPU: {share}, {stream.graph}, batches of {batch}", share > 0.6, True)
    # Edges alone, so that batches are together, in few bytes, and on several GPUs.
    for seed, directed in ((70, False), (71, True)):
        stream = LabelStream(machine, seed, directed, vertices=8, relabels=False, patterns=2)
        for batch in (1, 3, 50):
            expect("on the GPU", stream.check("edge", batch, *cuda), 1.0)
            expect("on three GPUs", stream.check("edge", batch, "--gpus", "3"), 1.0)
        arrow = "->" if directed else "-"
        text = f"a{arrow}b=x,b{arrow}c=y,a{arrow}c"
        least = stream.least("--pattern", text)
        stream.answers("--pattern", text, "--gpu-memory", str(least - 1), *cuda, code=5)
        wanted, by_rows = None, []
        for device in (("--device", "cpu"), *((*cuda, "--gpu-memory", str(least + more)) for more in (0, 300, 1000, 4000)), cuda):
            rows = machine.folder / "rows.tsv"
            reported = ([answer.get("delta") for answer in stream.answers("--pattern", text, "--batch", batch, "--no-total", *device)[0]]
                    for batch in ("1", "3", "50"))
            reported = list(reported)
            expect(f"{text} {device}", reported, wanted or reported)
            wanted = reported
            if "--gpu-memory" not in device:
                stream.answers("--pattern", text, "--batch", "7", *device, "--matches", str(rows))
                by_rows.append(rows.read_text(encoding="utf-8"))
        expect(f"rows of {text}", by_rows[0] == by_rows[1] and by_rows[0].count("\n") > 20, True)
        expect("without memory", stream.check("edge", 3, *cuda, MATCHA_EMULATED_BYTES="8389500"), 0.0)
    small = LabelStream(machine, 80, directed=False, updates=30, relabels=False, patterns=1)
    small.check("edge", 5, *cuda, MATCHA_EMULATED_WARPS="1", MATCHA_CACHE_DIR=str(machine.folder / "warps"))


class Searches:
    """A random labelled graph whose first vertices have many neighbours, and patterns that are cut out of it."""

    def __init__(self, machine, seed, vertices, labels=3):
        generator = random.Random(seed)
        self.machine, self.generator = machine, generator
        self.graph = machine.folder / f"search-{seed}.graph"
        self.around = {v: set() for v in range(vertices)}
        for u, v in itertools.combinations(range(vertices), 2):
            if generator.random() < (0.4 if u < 3 else 8 / vertices):
                self.around[u].add(v)
                self.around[v].add(u)
        self.labels = [generator.randrange(labels) for _ in range(vertices)]
        self.write(self.graph, range(vertices), lambda u, v: True)

    def write(self, file, vertices, wanted):
        number = {v: i for i, v in enumerate(vertices)}
        edges = [(u, v) for u, v in itertools.combinations(vertices, 2) if v in self.around[u] and wanted(u, v)]
        with open(file, "w", encoding="utf-8") as out:
            out.write(f"t {len(number)} {len(edges)}\n")
            out.writelines(f"v {number[v]} {self.labels[v]} {sum(v in edge for edge in edges)}\n" for v in vertices)
            out.writelines(f"e {number[u]} {number[v]}\n" for u, v in edges)

    def pattern(self, size, name):
        """A connected graph of that many vertices; other edges exist with probability one half."""
        taken, tree = [self.generator.choice([v for v in self.around if self.around[v]])], set()
        while len(taken) < size:
            u = self.generator.choice(taken)
            rest = sorted(self.around[u] - set(taken))
            if rest:
                taken.append(self.generator.choice(rest))
                tree.add(frozenset((u, taken[-1])))
        file = self.machine.folder / f"{name}.graph"
        self.write(file, taken, lambda u, v: frozenset((u, v)) in tree or self.generator.random() < 0.5)
        return file

    def run(self, device, *words, code=0, **variables):
        command = [self.machine.matcha, "run", str(self.graph), "--device", device, "--json", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              env={**self.machine.environment, **variables}, check=False)
        if done.returncode != code:
            raise Failed(f"{command}: exit {done.returncode}: {done.stderr[-1500:]}")
        single = sum(word == "--pattern" for word in words) == 1
        texts = [done.stdout] if single else done.stdout.splitlines()
        return [json.loads(text) for text in texts if text], done.stderr

    def agree(self, *words, on_gpu=True, **variables):
        found, says = self.run("cuda", *words, **variables)
        wanted, _ = self.run("cpu", *words)
        expect(f"{words}", [answer["result"] for answer in found], [answer["result"] for answer in wanted])
        expect(f"{words}: by search", {answer["stats"]["backend"] for answer in found}, {"search"})
        expect(f"{words}: on a GPU", {"GPU 0" in (answer["device"] or "") for answer in found}, {on_gpu})
        return found, says


def searches(machine):
    graph = Searches(machine, 11, 400)
    patterns = [graph.pattern(size, f"q{i}") for i, size in enumerate((4, 7, 10, 10, 12, 13))]
    several = [word for pattern in patterns for word in ("--pattern", pattern)]
    for induced in ("edge", "vertex"):
        found, _ = graph.agree(*several, "--algorithm", "join", "--induced", induced)
        expect("some are found", induced == "vertex" or all(answer["result"] > 0 for answer in found), True)
    graph.agree(*several, "--algorithm", "join", "--induced", "edge", "--embeddings")
    for pattern in patterns[:5]:
        for some in (["--limit", "7", "--count"], ["--limit", "1000000000", "--count"], ["--exists"]):
            graph.agree("--pattern", pattern, "--induced", "edge", *some)
    # Any label, leaves that are alike, and pairs that must not be adjacent.
    for text in ("0:0-1:1,0-2,0-3,0-4", "0:0-1:1,1-2:2,0-3:1,0-4:1,2-5:0,2-6:0", "0:0-1:1,1-2:2,2-3:0,0!3,1!3"):
        graph.agree("--pattern", text, "--algorithm", "join", "--induced", "edge")
    # Rows are for programs, if requested.
    ten = ["--pattern", patterns[2], "--induced", "edge"]
    expect("rows", graph.run("cuda", *ten, "--limit", "3")[0][0]["stats"]["backend"], "cuda")
    expect("a schedule", graph.run("cuda", *ten, "--group", "1")[0][0]["stats"]["backend"], "cuda")
    # Inputs that are too large for it.
    star = "0:0-" + ",0-".join(f"{leaf}:1" for leaf in range(1, 15))
    wide = Searches(machine, 12, 900, labels=2)
    _, says = wide.agree("--pattern", star, "--algorithm", "join", "--embeddings", "--induced", "edge", on_gpu=False)
    expect("says so", "their number is too large for a GPU" in says, True)
    # If the device is chosen automatically, a GPU only takes over long runs from the CPU.
    ring = ",".join(f"{i}:{i % 2}-{(i + 1) % 14}:{(i + 1) % 2}" for i in range(14))
    # Seconds until a GPU takes over, which depend on the machine. A run that no GPU takes over has the same time limit.
    times = (1, 4, 16, 64)
    for some, by_gpu in ((["--limit", str(10 ** 17), "--count"], True), ([], False)):
        for seconds in times:
            found, _ = wide.run("auto", "--pattern", ring, "--induced", "edge", "--timeout", seconds, *some, code=124)
            if found and ("GPU 0" in (found[0]["device"] or "")) == by_gpu:
                times = [seconds]
                break
        expect("not all", (found[0]["complete"], found[0]["stats"]["backend"]), (False, "search"))
        expect(f"{some}: handed over", "GPU 0" in (found[0]["device"] or ""), by_gpu)
    found, _ = wide.run("auto", "--pattern", ring, "--induced", "edge", "--limit", "5", "--count")
    expect("soon found", (found[0]["result"], "GPU 0" in (found[0]["device"] or "")), (5, False))
    # A warp of fibers is slow.
    small = Searches(machine, 13, 60)
    warps = {"MATCHA_EMULATED_WARPS": "1", "MATCHA_CACHE_DIR": str(machine.folder / "warps")}
    small.agree("--pattern", small.pattern(6, "s0"), "--pattern", small.pattern(5, "s1"), "--algorithm", "join", "--induced", "edge", **warps)
    _, says = graph.run("cuda", *ten, code=4, MATCHA_EMULATED_FAULT="700")
    expect("a fault", "the kernel failed on GPU 0" in says and "CUDA_ERROR_ILLEGAL_ADDRESS" in says, True)


def parts(machine):
    """Data sent in parts is counted as the whole is."""
    def tool(*words):
        return subprocess.run([machine.matcha, *map(str, words)], capture_output=True, text=True, check=True, env=machine.environment).stdout

    graphs = {}
    for name, scale, words in (("small", 7, ("--edge-factor", 6)), ("large", 8, ("--edge-factor", 4))):
        text, graph = machine.folder / f"{name}.txt", machine.folder / f"{name}.mtg"
        tool("graph", "generate", "rmat", "--scale", scale, *words, "-o", text, "-q")
        labels = machine.folder / "labels.txt"
        labels.write_text("".join(f"{v} {('a', 'b')[v % 2]}\n" for v in range(2**scale)))
        tool("graph", "convert", text, graph, "--order", "degree", "--labels", labels, "-q")
        graphs[name] = graph
    for name, share, *words in (("small", 6, "motif:3", "--induced", "vertex"), ("small", 3, "clique:4"), ("large", 6, "triangle", "--gpus", 2),
                                ("large", 6, "a:a-b:b-c:a")):
        graph = graphs[name]
        bytes_ = graph.stat().st_size // share
        shared = [word for word in words if word != "--gpus" and word != 2]
        wanted = tool("run", "--pattern", *shared, graph, "--device", "cpu", "-q")
        command = [word for word in machine.command("--pattern", *words, graph, "--gpu-memory", bytes_, "--engine", "parts") if word != "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, env=machine.environment, timeout=LIMIT_S, check=False)
        expect(f"{words}: {done.stderr}", (done.returncode, done.stdout), (0, wanted))
        expect(f"{words}: parts: {done.stderr}", "it is counted in" in done.stderr and "ran on" in done.stderr, True)
    small = graphs["small"]
    expect("one that fits", machine.run("--pattern", "triangle", small, "--gpu-memory", "1G"),
           tool("run", "--pattern", "triangle", small, "--device", "cpu", "-q"))


def spread(machine):
    """A graph that a GPU may have a part of has the answers of the plain run."""
    def tool(*words, code=0):
        done = subprocess.run([machine.matcha, *map(str, words)], capture_output=True, text=True, check=False, env=machine.environment)
        expect(f"{words}: exit of {done.stderr}", done.returncode, code)
        return done.stdout

    def converted(*words):
        name = machine.folder / f"{len(list(machine.folder.glob('*.mtg')))}.mtg"
        tool("graph", "convert", words[0], name, *words[1:], "-q")
        return name

    def both(graph, *words, share=4, gpu=(), bounded=True):
        bytes_ = graph.stat().st_size // share
        plain = tool("run", *words, "--device", "cpu", "-q")
        command = [word for word in machine.command(*words, *gpu, "--gpu-memory", bytes_) if word != "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, env=machine.environment, timeout=LIMIT_S, check=False)
        got, wanted = sorted(done.stdout.split("\n")), sorted(plain.split("\n"))
        expect(f"{words}, {share}: {done.stderr}", (done.returncode, got == wanted, len(got)), (0, True, len(wanted)))
        expect(f"{words}: says so: {done.stderr}", "read in memory of the host" in done.stderr and "ran on" in done.stderr, True)
        if bounded:
            answer = machine.answer(*words, *gpu, "--gpu-memory", bytes_)
            expect(f"{words}: bytes of a GPU", 0 < answer["stats"]["uploaded_bytes"] <= bytes_, True)

    everything = ALL
    ran = 0
    for program in sorted(pathlib.Path("examples").glob("*.mt")):
        text = program.read_text(encoding="utf-8")
        for arguments in re.findall(r"^# count: (.*) -?\d+$", text, re.M):
            if "(G: Graph)" not in text:
                continue
            order = ("--order", "degree") if ran % 2 else ()
            graph = converted(*arguments.split(), *order)
            both(graph, program, graph, share=8 if order else 4, bounded=False)  # The file has the graph in both orders.
            if program.stem == "triangle":
                for share in (2, 9, 40, 1000):  # Blocks, more of them, too many, and nothing at all is on the GPU.
                    both(graph, program, graph, share=share, bounded=False)
            ran += 1
    expect("examples", ran >= 12, True)
    dice = random.Random(28)
    arcs = [(dice.randrange(60), dice.randrange(60), dice.choice("xyz")) for _ in range(900)]
    text, labels = machine.folder / "arcs.txt", machine.folder / "labels.txt"
    text.write_text("".join(f"{u} {v} {label}\n" for u, v, label in arcs))
    labels.write_text("".join(f"{v} {'ab'[v % 2]}\n" for v in range(60)))
    graphs = {"directed": converted(text, "--directed", "--labels", labels), "informed": converted(text, "--directed", "--edge-labels", "--labels", labels),
              "plain": converted(text, "--labels", labels)}
    patterns = [(size, edges) for size in (3, 4, 5) for edges in connected_patterns(size)]
    expect("patterns", len(patterns), 2 + 6 + 21)
    for number, (size, edges) in enumerate(patterns):
        vertices = [f"{v}:{'ab'[dice.randrange(2)]}" if dice.randrange(2) else str(v) for v in range(size)]
        arrows = ",".join(f"{vertices[u]}>{vertices[v]}" for u, v in edges)
        informed = ",".join(f"{vertices[u]}>{vertices[v]}={dice.choice('xyz')}" for u, v in edges)
        for kind, pattern in (("directed", arrows), ("informed", informed), ("plain", ",".join(f"{u}-{v}" for u, v in edges))):
            more = ["--induced", dice.choice(("edge", "vertex"))]
            if everything or (number + len(kind)) % 11 == 0:
                both(graphs[kind], "--pattern", pattern, graphs[kind], *more, bounded=False)
    # Groups of lanes walk vertices; by arcs they need whole rows.
    both(graphs["plain"], "examples/triangle.mt", graphs["plain"], gpu=("--group", "32"), bounded=False)
    both(graphs["plain"], "examples/triangle.mt", graphs["plain"], gpu=("--group", "32", "--passes", "c-family"))
    both(graphs["plain"], "examples/clique4_ordered.mt", graphs["plain"], gpu=("--group", "8", "--hubs", "2"), bounded=False)
    # Ranks by degree are made where they pay, as in the plain run: memory of the host has room for them.
    ids = machine.folder / "ids.mtg"
    tool("graph", "generate", "rmat", "--scale", "11", "--seed", "1", "-o", ids, "--quiet")
    both(ids, "--pattern", "clique:6", ids, bounded=False)
    expect("order", machine.answer("--pattern", "clique:6", ids, "--gpu-memory", "100K")["graph"]["order"], "degree")
    # Rows, several GPUs, several processes; and no more of a GPU than was said.
    both(graphs["plain"], "--pattern", "0-1,1-2", graphs["plain"], "--matches", "-", bounded=False)
    both(graphs["plain"], "--pattern", "clique:4", graphs["plain"], share=3)
    both(graphs["plain"], "--pattern", "0-1,1-2,2-3,3-0,0-2", graphs["plain"], gpu=("--gpus", "2"), bounded=False)
    both(graphs["plain"], "examples/triangle.mt", graphs["plain"], gpu=("--work", machine.folder / "work"), bounded=False)
    graph, listed = graphs["plain"], machine.folder / "listed.mt"
    listed.write_text("def edges(edges: List<Tuple<int, 2>>) -> int:\n    return size(edges)\n")
    for code, says, words in ((2, "--memory", ("--pattern", "triangle", graph, "--memory", "1K")), (2, ".mtg", ("--pattern", "triangle", GRAPH, "--gpu-memory", "1K")),
                              (5, "--tune", ("--pattern", "triangle", graph, "--gpu-memory", "1K", "--tune")),
                              (5, "list of edges", (listed, graph, "--gpu-memory", "1K"))):
        reported = machine.run(*words, code=code)
        expect(f"{words}: {reported}", says in reported, True)


def motifs(machine):
    def run(device, graph, *words, code=0, **variables):
        command = [machine.matcha, "run", str(graph), "--device", device, "--json", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              env={**machine.environment, **variables}, check=False)
        expect(f"{command}: exit of {done.stderr[-1500:]}", done.returncode, code)
        return [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")], done.stderr

    def whole(device, *words, **variables):
        """One answer, which is printed over many lines."""
        command = [machine.matcha, "run", "--device", device, "--json", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              env={**machine.environment, **variables}, check=False)
        expect(f"{command}: exit of {done.stderr[-1500:]}", done.returncode, 0)
        return json.loads(done.stdout), done.stderr

    by_identities = ("--engine", "identities")
    generator = random.Random(25)
    dense, small = machine.folder / "dense.txt", machine.folder / "small.txt"
    for file, vertices, chance in ((dense, 300, 0.1), (small, 40, 0.3)):
        edges = [f"{u} {v}\n" for u, v in itertools.combinations(range(vertices), 2) if u < 2 or generator.random() < chance]
        file.write_text("".join(edges), encoding="utf-8")
    for graph in (GRAPH, dense):
        for pattern in ("cycle:5", "wheel:4"):
            for more in ([], ["--embeddings"]):
                words = [graph, "--pattern", pattern, *more]
                found, _ = whole("cuda", *words, *by_identities)
                wanted, _ = whole("cpu", *words, "--algorithm", "extend")
                expect(f"{words}", found["result"], wanted["result"])
                expect(f"{words}: by identities on a GPU", (found["stats"]["backend"], "GPU 0" in (found["device"] or "")), ("identities", True))
                expect(f"{words}: kernels", "kernels" in [part["part"] for part in found["stats"]["run_ms"]], True)
    several = [word for pattern in ("wheel:4", "cycle:5") for word in ("--pattern", pattern)]
    found, _ = run("cuda", small, *several, *by_identities)
    wanted, _ = run("cpu", small, *several)
    expect("several", [one["result"] for one in found], [one["result"] for one in wanted])
    expect("several: how", [one["stats"]["backend"] for one in found], ["identities"] * 2)
    # Others have programs, as has the description of their schedule.
    for more in (["--group", "1"], ["--algorithm", "extend"], ["--induced", "vertex"]):
        expect(f"{more}", whole("cuda", small, "--pattern", "cycle:5", *more)[0]["stats"]["backend"], "cuda")
        command = machine.command("--pattern", "cycle:5", small, *more, *by_identities)
        refused = subprocess.run(command, capture_output=True, text=True, env=machine.environment, timeout=LIMIT_S, check=False)
        expect(f"{more}: {refused.stderr}", (refused.returncode, "`--engine identities` does not answer this" in refused.stderr), (2, True))
    # Parts are of programs, and a program that takes less than opening a GPU is taken.
    ledger = machine.folder / "motifs.mtl"
    machine.run("--pattern", "cycle:5", GRAPH, "--shard", "0/1", "--ledger", ledger)
    expect("in parts", subprocess.run([machine.matcha, "merge", ledger, "-q"], capture_output=True, text=True, env=machine.environment, check=True).stdout.strip(),
           str(whole("cpu", GRAPH, "--pattern", "cycle:5")[0]["result"]))
    expect("a small graph", whole("cuda", small, "--pattern", "wheel:4")[0]["stats"]["backend"], "cuda")
    # Where there is no room a CPU counts.
    found, says = whole("cuda", GRAPH, "--pattern", "wheel:4", *by_identities, MATCHA_EMULATED_BYTES="600000")
    expect("no room", (found["result"], found["device"]), (whole("cpu", GRAPH, "--pattern", "wheel:4")[0]["result"], "cpu"))
    expect("no room: says so", "a CPU counts: " in says, True)
    # A warp of fibers is slow.
    warps = {"MATCHA_EMULATED_WARPS": "1", "MATCHA_CACHE_DIR": str(machine.folder / "warps")}
    for pattern in ("cycle:5", "wheel:4"):
        expect(f"{pattern} by warps", whole("cuda", small, "--pattern", pattern, *by_identities, **warps)[0]["result"],
               whole("cpu", small, "--pattern", pattern)[0]["result"])
    _, says = run("cuda", small, "--pattern", "cycle:5", *by_identities, code=4, MATCHA_EMULATED_FAULT="700")
    expect("a fault", "the kernel failed on GPU 0" in says and "CUDA_ERROR_ILLEGAL_ADDRESS" in says, True)


def trees(machine):
    def run(device, *words, code=0, **variables):
        """The answer and standard error."""
        command = [machine.matcha, "run", "--device", device, "--json", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              env={**machine.environment, **variables}, check=False)
        expect(f"{command}: exit of {done.stderr[-1500:]}", done.returncode, code)
        return json.loads(done.stdout) if code == 0 else None, done.stderr

    generator = random.Random(47)
    graphs = {"small": (40, 0.5, 0), "wide": (150, 0.3, 2), "dense": (90, 0.8, 0), "hubs": (600, 0.02, 8), "none": (1, 1, 0)}
    files = {}
    for name, (vertices, chance, hubs) in graphs.items():
        edges = [f"{3 * u} {3 * v}\n" for u, v in itertools.combinations(range(vertices), 2) if u < hubs or generator.random() < chance]
        files[name] = machine.folder / f"{name}.txt"
        files[name].write_text("".join(edges) or "# no edges\n", encoding="utf-8")
    for name, graph in {**files, "collaborations": GRAPH}.items():
        for pattern in ("clique:*", "clique:5", "clique:6", "clique:9", "clique:13", "clique:46"):
            # Of few vertices a program may take less.
            words = [graph, "--pattern", pattern, *([] if name == "collaborations" and pattern != "clique:5" else ["--engine", "cliques"])]
            found, _ = run("cuda", *words)
            expect(f"{name} {pattern}", found["result"], run("cpu", *words)[0]["result"])
            expect(f"{name} {pattern}: on a GPU", (found["stats"]["engine"], "GPU 0" in (found["device"] or "")), ("cliques", True))
        # At each vertex, by vertices and sizes.
        for pattern in ("clique:*", "clique:2", "clique:3", "clique:4", "clique:6", "clique:9", "clique:46"):
            if name in ("dense", "wide") and pattern == "clique:*":
                continue
            words = [graph, "--pattern", pattern, "--per", "vertex"]
            found, _ = run("cuda", *words)
            expect(f"{name} {pattern} at each vertex", found["result"], run("cpu", *words)[0]["result"])
            expect(f"{name} {pattern} at each vertex: on a GPU", (found["stats"]["engine"], "GPU 0" in (found["device"] or "")), ("cliques", True))
    # What a schedule of programs describes, and parts, are of programs or of a CPU.
    small = files["small"]
    for words in (["clique:6", "--group", "1"], ["clique:5"]):
        expect(f"a program: {words}", run("cuda", small, "--pattern", *words)[0]["stats"]["backend"], "cuda")
    for words, says in ((["clique:4", "--per", "edge"], "cliques at each vertex alone"),
                        (["motif:4", "--per", "vertex"], "cliques at each vertex alone"),
                        (["clique:5", "--per", "vertex", "--group", "1"], "each vertex alone, without `--group`"),
                        (["clique:13", "--group", "1"], "program")):  # fmt: skip
        expect(f"{words}: {says}", says in run("cuda", small, "--pattern", *words, code=2)[1], True)
    # Shares, one by one and from a folder.
    for name, pattern in (("all", "clique:*"), ("6", "clique:6")):
        words = [small, "--pattern", pattern, "--engine", "cliques"]
        parts, folder = [machine.folder / f"part-{name}-{i}.mtl" for i in range(3)], machine.folder / f"work-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        for i, part in enumerate(parts):
            part.unlink(missing_ok=True)
            run("cuda", *words, "--shard", f"{i}/3", "--ledger", part)
        merged = subprocess.run([machine.matcha, "merge", *map(str, parts), "--json"], capture_output=True, text=True, env=machine.environment, check=True).stdout
        found, _ = run("cuda", *words, "--work", folder)
        wanted = run("cpu", *words)[0]["result"]
        expect(f"{pattern}: shares", (json.loads(merged)["result"], found["result"], "GPU 0" in (found["device"] or "")), (wanted, wanted, True))
    # Too little memory, and a root that is too wide: a CPU counts.
    found, says = run("cuda", GRAPH, "--pattern", "clique:*", MATCHA_EMULATED_BYTES="200000")
    expect("no room", (found["result"], found["device"], "a CPU counts: " in says), (run("cpu", GRAPH, "--pattern", "clique:*")[0]["result"], "cpu", True))
    ring = machine.folder / "ring.txt"
    ring.write_text("".join(f"{u} {v}\n" for u, v in itertools.combinations(range(1100), 2)), encoding="utf-8")
    found, says = run("cuda", ring, "--pattern", "clique:6")
    expect("too wide", (found["result"], found["device"], "trees of at most 1024" in says), (run("cpu", ring, "--pattern", "clique:6")[0]["result"], "cpu", True))
    # Numbers of more than 256 bits are an error before.
    wide = machine.folder / "k270.txt"
    wide.write_text("".join(f"{u} {v}\n" for u, v in itertools.combinations(range(270), 2)), encoding="utf-8")
    expect("too many bits", "266 bits" in run("cuda", wide, "--pattern", "clique:*", code=4)[1], True)
    # Rows of at most 63 bits, from counts of the graph of up to 128.
    complete = machine.folder / "k120.txt"
    complete.write_text("".join(f"{u} {v}\n" for u, v in itertools.combinations(range(120), 2)), encoding="utf-8")
    rows = run("cuda", complete, "--pattern", "clique:15", "--per", "vertex")[0]["result"]
    expect("numbers of 64 bits", rows, [[v, math.comb(119, 14)] for v in range(120)])
    expect("a row too wide", "20-cliques at one vertex are a number of more than 63 bits" in run("cuda", complete, "--pattern", "clique:20", "--per", "vertex", code=4)[1], True)
    expect("all too wide", "128" in run("cuda", wide, "--pattern", "clique:90", "--per", "vertex", code=4)[1], True)
    at_vertices = ["--pattern", "clique:*", "--per", "vertex"]
    found, says = run("cuda", GRAPH, *at_vertices, MATCHA_EMULATED_BYTES="200000")
    expect("no room at vertices", (found["result"], found["device"], "a CPU counts: " in says), (run("cpu", GRAPH, *at_vertices)[0]["result"], "cpu", True))
    # One graph in memory, several questions; a warp of fibers is slow.
    served = subprocess.run([machine.matcha, "serve", GRAPH, "--device", "cuda"], input="".join(json.dumps({"id": i, "pattern": p}) + "\n" for i, p in enumerate(("clique:*", "clique:7", "clique:*"))),
                            capture_output=True, text=True, env=machine.environment, timeout=LIMIT_S, check=False)  # fmt: skip
    answers = {one["id"]: one["result"] for one in map(json.loads, served.stdout.splitlines()) if "id" in one}
    sizes = list(run("cpu", GRAPH, "--pattern", "clique:*")[0]["result"].values())
    expect(f"served: {served.stderr[-300:]}", answers, {0: sizes, 1: sizes[6], 2: sizes})
    warps = {"MATCHA_EMULATED_WARPS": "1", "MATCHA_CACHE_DIR": str(machine.folder / "warps")}
    for pattern in ("clique:*", "clique:7"):
        expect(f"{pattern} by warps", run("cuda", small, "--pattern", pattern, **warps)[0]["result"], run("cpu", small, "--pattern", pattern)[0]["result"])
    expect("at vertices by warps", run("cuda", small, "--pattern", "clique:5", "--per", "vertex", **warps)[0]["result"], run("cpu", small, "--pattern", "clique:5", "--per", "vertex")[0]["result"])
    _, says = run("cuda", small, "--pattern", "clique:*", code=4, MATCHA_EMULATED_FAULT="700")
    expect("a fault", "the kernel failed on GPU 0" in says and "CUDA_ERROR_ILLEGAL_ADDRESS" in says, True)


SEVERAL = """
def main(G: Graph):
    degrees = apply(lambda v: size(neighbor(G, v)), vertices(G))
    floats = apply(lambda v: 1.0 / (1.0 + size(neighbor(G, v))), vertices(G))
    some = apply(lambda v: size(neighbor(G, v)) > 80, vertices(G))
    return mk_tuple(val=[sum(floats), min(degrees), max(degrees), min(floats), any(some), all(some), max(vertices(G)), sum(degrees) - 3 * max(degrees)])
"""
NEEDS_OTHER = """
def main(G: Graph) -> int:
    most = max(apply(lambda v: size(neighbor(G, v)), vertices(G)))
    return sum(apply(lambda v: size(neighbor(G, v)) * 2 > most, vertices(G)))
"""


def shares(machine):
    def tool(*words, code=0, **variables):
        done = subprocess.run([machine.matcha, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**machine.environment, **variables}, timeout=LIMIT_S, check=False)
        expect(f"{words}: exit of {done.stderr}", done.returncode, code)
        return done.stdout if code == 0 else done.stderr

    def parts(number, *words):
        files = [machine.folder / f"{i}.mtl" for i in range(number)]
        for i, file in enumerate(files):
            file.unlink(missing_ok=True)
            reported = machine.run(*words, "--shard", f"{i}/{number}", "--ledger", file)
            expect(f"{words}: {reported}", re.match(rf"shard {i}/{number}: (\d+) of \1 units are in ", reported) is not None, True)
        return files

    several, needs_other = machine.folder / "several.mt", machine.folder / "needs_other.mt"
    several.write_text(SEVERAL)
    needs_other.write_text(NEEDS_OTHER)
    path = machine.folder / "path.txt"
    path.write_text("0 1\n1 2\n2 3\n")
    programs = [("examples/triangle.mt", GRAPH), ("--pattern", "house", "tests/graphs/random-20-seed2.txt"), (WEDGES, GRAPH), (several, GRAPH),
                ("tests/emulation/kinds.mt", "tests/graphs/random-20-seed2.txt"), ("examples/triangle.mt", path),
                ("--pattern", "0:1-1:4,1-2:1,2-3:4,3-0", "examples/graphs/yeast.txt.gz", "--labels", "examples/graphs/yeast.labels.txt.gz",
                 "--algorithm", "join")]
    for number, words in enumerate(programs):
        wanted = tool("run", *words, "--device", "cpu", "-q")
        for count, setting in ((1, []), (3, ["--tau-us", 20, "--queue", 3, "--chunk", 2]), (2, ["--gpus", 2, "--steal", "half"])):
            expect(f"{words}: {count} parts", tool("merge", *reversed(parts(count, *words, *setting)), "-q") == wanted, True)
        for _ in range(2):  # The second time all is there.
            expect(f"{words}: a folder", machine.run(*words, "--work", machine.folder / f"work{number}") == wanted, True)
    # A process that dies, and goes on.
    triangle = ("examples/triangle.mt", GRAPH)
    for attempt in range(5):
        work = machine.folder / f"killed{attempt}"
        process = subprocess.Popen(machine.command(*triangle, "--work", work), env=machine.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(work.glob("*.done"))) < 4:
            time.sleep(0.001)
        process.kill()
        if process.wait() == -signal.SIGKILL:
            break  # Else it had ended before.
    expect("a process that dies", process.returncode, -signal.SIGKILL)
    answer = machine.answer(*triangle, "--work", work)
    expect("after that", (answer["result"], answer["complete"], answer["stats"]["units_done"]), (TRIANGLES, True, 16))
    # Loops that need one another have no parts, but share a folder.
    wanted = tool("run", needs_other, GRAPH, "--device", "cpu", "-q")
    expect("loops that need one another", "--work" in machine.run(needs_other, GRAPH, "--shard", "0/2", "--ledger", machine.folder / "n.mtl", code=4), True)
    expect("the same in a folder", machine.run(needs_other, GRAPH, "--work", machine.folder / "needs"), wanted)
    # Parts of a CPU are of another run: its units are others.
    mixed = parts(2, *triangle)
    tool("run", *triangle, "--device", "cpu", "--shard", "1/2", "--ledger", machine.folder / "cpu.mtl", "-q")
    expect("a part of a CPU", "cpu.mtl" in tool("merge", mixed[0], machine.folder / "cpu.mtl", "-q", code=3), True)
    if shutil.which("mpirun") is not None:
        reported = subprocess.run(["mpirun", "-n", "2", *machine.command(*triangle, "--mpi")], capture_output=True, text=True, timeout=LIMIT_S, check=False,
                              env={**machine.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                   "OMPI_MCA_rmaps_base_oversubscribe": "1"})
        expect(f"two ranks: {reported.stderr}", reported.stdout.strip(), str(TRIANGLES))


def main():
    machine = Machine(*sys.argv[1:4])
    if shutil.which("g++") is None:
        print("[SKIP] there is no g++")
        return 77
    try:
        {"devices": devices, "counts": counts, "rows": rows, "stops": stops, "partial": partial, "tunes": tunes, "short": short, "builds": builds,
         "chooses": chooses, "races": races, "kernels": kernels, "refusals": refusals, "loads": loads, "streams": streams, "labels": labels, "searches": searches, "shares": shares, "parts": parts, "spread": spread,
         "motifs": motifs, "trees": trees}[sys.argv[4]](machine)
    except Failed as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
