#!/usr/bin/env python3
"""Runs a program of examples/ with `--device cuda` on a GPU of threads and compares its answers.

usage: run_emulated.py MATCHA LIBRARY FOLDER PROGRAM         the counts of its `# count:` lines and, on small graphs, those of
                                                             the interpreter, with loops that split at once into tiny queues
       run_emulated.py MATCHA LIBRARY FOLDER PROGRAM races   fewer of them; LIBRARY is made with ThreadSanitizer
       run_emulated.py MATCHA LIBRARY FOLDER PROGRAM warps   small graphs only, with groups of several lanes on warps of fibers
       run_emulated.py MATCHA LIBRARY FOLDER memory          lists that do not fit: fewer groups, pages, exit code 5; what goes up

LIBRARY stands for the driver and for NVRTC; FOLDER is for what the test makes. Run in the root folder. Exit 77 without g++ or
ThreadSanitizer. Each text takes the compiler some seconds: of ways to steal that have texts of their own, a program takes those that
its name falls on, and all with MATCHA_FULL in the environment.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

GRAPHS = pathlib.Path("tests/graphs")
SMALL = ["empty.txt", "one-edge.txt", "duplicates-loops.txt", "sparse-ids.txt", "random-20-seed2.txt"]
SKEWED = ["rmat", "--scale", "8", "--edge-factor", "8", "--seed", "5"]
SKEWED_FOR_WARPS = ["rmat", "--scale", "6", "--edge-factor", "10", "--seed", "5"]
SETTINGS = [
    ["--group", "1"],
    ["--group", "1", "--tau-us", "1", "--eager", "--chunk", "1", "--queue", "4", "--hubs", "1"],
    ["--group", "1", "--tau-us", "1", "--eager", "--chunk", "3", "--queue", "0"],
    ["--group", "1", "--tau-us", "1", "--eager", "--chunk", "9", "--queue", "2", "--split", "3", "--steal", "half", "--stack", "paged"],
    ["--group", "1", "--steal", "kernel", "--fanout", "2", "--kernels", "9", "--tau-us", "1", "--chunk", "3"],
]
# The first is for all programs; one of the others for each but those that say something of labels and data of edges.
WARPS = [
    ["--group", "32", "--tau-us", "1", "--eager", "--chunk", "1", "--queue", "4", "--hubs", "3"],
    ["--group", "8", "--tau-us", "1", "--eager", "--chunk", "9", "--queue", "2", "--steal", "half", "--stack", "paged"],
    ["--group", "2", "--steal", "none", "--tile", "0", "--hubs", "8"],
    ["--group", "32", "--steal", "kernel", "--fanout", "2", "--kernels", "3", "--stack", "paged"],
]
PAGED = ["--group", "1", "--stack", "paged"]
# Their runs are thousands of times longer than 1 µs.
CERTAINLY_SPLIT = {"triangle", "four_cycle", "clique5", "house"}


class Failed(Exception):
    pass


def call(command, environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=environment, timeout=500)
    if done.returncode != 0 or "ThreadSanitizer" in done.stderr:
        raise Failed(f"{' '.join(map(str, command))}\nexit {done.returncode}\n{done.stderr[-6000:]}")
    return json.loads(done.stdout)


def expect(what, got, wanted):
    if got != wanted:
        raise Failed(f"{what}: {str(got)[:200]}, expected {str(wanted)[:200]}")


def comparable(result):
    """Rows come in order of the outermost loop only."""
    return sorted(result) if isinstance(result, list) else result


class Bench:
    def __init__(self, matcha, environment, program):
        self.matcha, self.environment, self.program = matcha, environment, program

    def run(self, words, setting):
        command = [self.matcha, "run", self.program, *words, "--json", "--no-progress", *setting]
        given = call(command, self.environment if "--device" in setting else None)
        expect("complete", given["complete"], True)
        return given

    def emulated(self, words, setting):
        given = self.run(words, ["--device", "cuda", *setting])
        expect("device", given["device"], "GPU 0 (emulated)")
        return given

    def stated(self, words, count, settings):
        deferred = 0
        for setting in settings:
            given = self.emulated(words, setting)
            result = given["result"]
            expect(f"{words} {setting}", len(result) if isinstance(result, list) else result, count)
            deferred += given["stats"]["deferred"]
        if pathlib.Path(self.program).stem in CERTAINLY_SPLIT:
            expect("loops were split", deferred > 0, True)

    def compare(self, words, settings):
        wanted = self.run(words, ["--backend", "interp"])["result"]
        deferred = 0
        for setting in settings:
            given = self.emulated(words, setting)
            expect(f"{words} {setting}", comparable(given["result"]), comparable(wanted))
            deferred += given["stats"]["deferred"]
        return deferred


def thread_sanitizer():
    """Its library, to be loaded before a program that was made without it; None when there is none."""
    path = subprocess.run(["g++", "-print-file-name=libtsan.so"], capture_output=True, text=True).stdout.strip()
    return os.path.realpath(path) if os.path.exists(path) else None


def stated_counts(text):
    return [(words.split(), int(count)) for words, count in re.findall(r"^# count: (.*) (-?\d+)$", text, re.MULTILINE)]


def small_graphs(text, skewed):
    """The program's arguments for small graphs."""
    if "'a'" in text or "--in" in text:
        return []
    labelled = [str(GRAPHS / "labelled.txt"), "--labels", str(GRAPHS / "labelled.labels.txt")]
    if "vertex_label" in text:
        return [labelled]
    return [*([str(GRAPHS / name)] for name in SMALL), labelled, [str(skewed)]]


def taken(settings, program):
    """One of the settings, the same each time for a program; all of them if that is wanted."""
    return settings if "MATCHA_FULL" in os.environ else [settings[sum(pathlib.Path(program).stem.encode()) % len(settings)]]


def check(bench, skewed, mode):
    text = pathlib.Path(bench.program).read_text()
    graphs = small_graphs(text, skewed)
    settings = SETTINGS[:3] + taken(SETTINGS[3:], bench.program)
    split_at_once = [SETTINGS[1], *settings[3:]]
    if mode == "warps":
        settings = WARPS[:1] if bench.program.startswith("tests/") else WARPS[:1] + taken(WARPS[1:], bench.program)
        for words in graphs:
            bench.compare(words, settings)
    elif mode == "":
        for words, count in stated_counts(text):
            bench.stated(words, count, settings)
        for words in graphs:
            bench.compare(words, settings[1:])
    elif not graphs:
        for words, count in stated_counts(text):
            bench.stated(words, count, split_at_once)
    else:
        deferred = bench.compare(graphs[-1], split_at_once)
        if pathlib.Path(bench.program).stem in CERTAINLY_SPLIT:
            expect("loops were split", deferred > 0, True)


CLIQUES = """\
def cliques(G: Graph) -> int:
    def at_edge(e: Tuple<int, 2>) -> int:
        both = intersect(neighbor(G, get(e, 0)), neighbor(G, get(e, 1)))
        return sum(apply(lambda w: size(intersect(both, neighbor(G, w))), both))
    return sum(apply(at_edge, edges(G)))
"""


def check_memory(matcha, environment, folder):
    """Two hubs with 5,000 neighbours in common: an array of them has 20 kB, and three pages. Without rows of bits, which take more."""
    lists = "--disable-pass=bitset-neighborhood"
    program = folder / "cliques.mt"
    program.write_text(CLIQUES)
    graph = folder / "hubs.txt"
    spokes = "".join(f"0 {v}\n1 {v}\n" for v in range(2, 5002))
    graph.write_text("0 1\n" + spokes + "2 3\n")
    bench = Bench(matcha, environment, program)
    # Each of 45 lists wants all pages that there are, and no group finds all of them before another has taken one.
    many = folder / "many_hubs.txt"
    many.write_text("".join(f"{hub} {v}\n" for hub in range(10) for v in range(hub + 1, 5010)))
    for on, setting, stack, workers, said in [
        (graph, [], "array", 128, ""),
        (graph, ["--scratch-mb", "1"], "array", 52, "52 of 128 groups of threads work, because each needs 20032 bytes"),
        (graph, ["--scratch-mb", "0.5"], "paged", 63, "lists are kept in pages, because arrays for enough groups"),
        (graph, ["--stack=paged"], "paged", 128, ""),
        (graph, ["--stack=paged", "--arena-mb=0.1"], "paged", 12, "12 of 128 groups of threads work, because each needs 1 pages"),
        (many, ["--stack=paged", "--arena-mb=0.03", "--tile=1"], "paged", 1, "ran out with 3 groups of threads; it runs again with 1"),
        (graph, ["--stack=paged", "--arena-mb=0.008"], None, 1, "the pages for intermediate lists ran out"),
        (graph, ["--scratch-mb=0.001"], None, 0, "does not fit the GPU's memory"),
    ]:
        command = [matcha, "run", program, on, "--device=cuda", "--group=1", "--json", "--no-progress", lists,
                   *setting]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
        expect(f"exit code with {setting}", done.returncode, 5 if stack is None else 0)
        expect(f"`{said}` of {done.stderr}", said in done.stderr, True)
        if stack is None:
            expect("answer", done.stdout, "")
            continue
        given = json.loads(done.stdout)
        expect(f"result with {setting}", given["result"], bench.run([on], ["--device", "cpu"])["result"])
        expect(f"groups with {setting}", [given["stats"]["stack"], given["stats"]["workers"]], [stack, workers])
    arrays, pages = (bench.emulated([graph], [*setting, lists])["stats"]["scratch_bytes"] for setting in (SETTINGS[0], PAGED))
    expect(f"pages take less than arrays: {pages}, {arrays}", pages < arrays, True)


def check_uploads(matcha, environment, folder):
    """Of a graph with four labels of edges, 10,000 arcs each, those that a pattern names go up, and the labels of vertices if it has any."""
    graph = folder / "labels.mtg"
    subprocess.run([matcha, "graph", "generate", "erdos-renyi", "-n", "2000", "-m", "20000", "--random-labels", "2", "--random-edge-labels", "4",
                    "-q", "-o", str(graph)], check=True)
    bytes_up = {}
    for pattern in ("a-b=1,b-c=1,c-a=1", "a:1-b:2=1,b-c=1", "a-b=1,b-c=2,c-a=1"):
        command = [matcha, "run", "--pattern", pattern, graph, "--json", "--no-progress", "--algorithm", "extend"]
        given = call([*command, "--device", "cuda", "--group", "1"], environment)
        expect(pattern, given["result"], call([*command, "--device", "cpu"], None)["result"])
        bytes_up[pattern] = given["stats"]["uploaded_bytes"]
    one, labelled, two = bytes_up.values()
    # Offsets, where the halves of rows begin, the vertices, and the items.
    part, labels = 3 * 8 * 2001 + 4 * 2000 + 4 * 10000, 8 * 2000
    expect(f"one label: {one}", one < 1.1 * part, True)
    # Degrees are those of all edges.
    expect(f"two labels: {two}", one + 40000 < two < 2.2 * part + 8 * 2001, True)
    expect(f"with labels of vertices: {labelled}", labels + 40000 < labelled < 1.1 * (part + labels), True)


def main():
    matcha, library, folder, program = sys.argv[1:5]
    mode = sys.argv[5] if len(sys.argv) > 5 else ""
    if shutil.which("g++") is None:
        print("[SKIP] there is no g++")
        return 77
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, MATCHA_LIBCUDA=library, MATCHA_NVRTC=library, MATCHA_CACHE_DIR=str(folder))
    if mode == "races":
        sanitizer = thread_sanitizer()
        if sanitizer is None:
            print("[SKIP] there is no ThreadSanitizer")
            return 77
        # The program itself is compiled without ThreadSanitizer, which therefore does not see the order of its threads.
        environment.update(LD_PRELOAD=sanitizer, TSAN_OPTIONS="exitcode=66:halt_on_error=1:ignore_noninstrumented_modules=1")
    skewed = folder / f"skewed-{os.getpid()}.txt"
    try:
        if program == "memory":
            check_memory(os.path.abspath(matcha), environment, folder)
            check_uploads(os.path.abspath(matcha), environment, folder)
            return 0
        shape = SKEWED_FOR_WARPS if mode == "warps" else SKEWED
        subprocess.run([matcha, "graph", "generate", *shape, "-o", skewed, "-q"], check=True)
        check(Bench(os.path.abspath(matcha), environment, program), skewed, mode)
    except Failed as failure:
        print(f"FAILED: {failure}")
        return 1
    finally:
        skewed.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
