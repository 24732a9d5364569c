#!/usr/bin/env python3
"""Compiles a program of examples/ ahead of time and compares its answers.

usage: run_ahead_of_time.py MATCHA FOLDER TARGET PROGRAM    the counts of the program's `# count:` lines and, on tests/graphs,
                                                            those of the interpreter; FOLDER is for what the test makes
       run_ahead_of_time.py MATCHA FOLDER TARGET refusals   bad input of such a program: exit codes and messages

TARGET is `cpp` (compiled by g++), `cuda` (by g++ against the emulation of tests/emulation, with groups of width 1) or `nvcc`
(by nvcc, and run when there is a GPU). Run in the root folder. Exit 77 without the compiler.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

GRAPHS = pathlib.Path("tests/graphs")
SMALL = ["empty.txt", "one-edge.txt", "duplicates-loops.txt", "sparse-ids.txt", "random-20-seed2.txt", "labelled.txt"]

# Threads and scheduling: the default; loops split at once, into a queue that is always full or nearly so, or into none.
SETTINGS = [
    ["--threads", "1"],
    ["--threads", "4"],
    ["--threads", "1", "--tau-us", "1", "--chunk", "3", "--queue", "2", "--tile", "1", "--eager"],
    ["--threads=4", "--tau-us=1", "--chunk=1", "--queue=3", "--tile=5", "--eager"],
    ["--threads", "4", "--tau-us", "1", "--queue", "0", "--tile", "0"],
    ["--threads", "4", "--tau-us", "0", "--chunk", "100000"],
]
# The same with idle threads that steal halves, in their block and beyond it; and without any stealing.
STEALING = [
    ["--threads=4", "--steal=half", "--block=2", "--tau-us=1", "--chunk=50", "--queue=3"],
    ["--threads=4", "--steal=half", "--block=4", "--tau-us=0", "--chunk=100000", "--tile=0", "--queue=0", "--split=1"],
    ["--threads=3", "--steal=half", "--block=1", "--tau-us=1", "--chunk=3", "--queue=1", "--split=2"],
    ["--threads=3", "--steal=none", "--tau-us=1"],
]
# A page has 16 vertices, so that small graphs need many.
PAGED = ["-DMATCHA_PAGE_BYTES=64"]
# Programs that are compiled a second time, with pages: those of many lists, of labels, and of rows.
PAGED_TOO = {"house", "labelled", "triangle_listing"}
# They keep lists that one page does not hold.
LONG = {"house"}
GPU_SETTINGS = [
    ["--chunk", "1"],
    [],
    ["--tau-us", "1", "--chunk", "3", "--queue", "2", "--tile", "1", "--eager"],
    ["--tau-us=1", "--chunk=1", "--queue=3", "--tile=5", "--eager"],
    ["--tau-us", "1", "--queue", "0", "--tile", "0"],
    ["--tau-us", "0", "--chunk", "100000"],
]
# A count that takes seconds is taken with fewer settings.
LARGE = 2 * 10**8
NVCC = "/usr/local/cuda/bin/nvcc"
# Their runs are thousands of times longer than 1 µs.
CERTAINLY_SPLIT = {"triangle", "four_cycle", "clique5", "house"}


class Failed(Exception):
    pass


def call(command, expected=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != expected:
        raise Failed(f"{' '.join(map(str, command))}\nexit {done.returncode}, expected {expected}\n{done.stderr}")
    return done.stdout if expected == 0 else done.stderr


def expect(what, got, wanted):
    if got != wanted:
        raise Failed(f"{what}: {str(got)[:200]}, expected {str(wanted)[:200]}")


class Bench:
    """The tools and the folder of one test."""

    def __init__(self, matcha, folder, target):
        self.matcha = matcha
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.target = target

    def compile(self, program, stack="array", more=()):
        stem = f"{pathlib.Path(program).stem}_{stack}_{self.target}"
        source = self.folder / (stem + (".cpp" if self.target == "cpp" else ".cu"))
        binary = source.with_suffix("")
        if self.target == "cpp":
            call([self.matcha, "build", program, "--emit=cpp", "--stack", stack, *more, "-o", source])
            self.compile_by_gcc(source, binary, ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-parentheses",
                                                 *(PAGED if stack == "paged" else [])])
        elif self.target == "cuda":
            call([self.matcha, "build", program, "--emit=cuda", "--group", "1", *more, "-o", source])
            text = source.read_text()
            kernels = re.findall(r"^ *run_(region_\d+)\(", text, re.MULTILINE)
            lines = [f"MATCHA_REGISTERED_KERNEL(run_{kernel})" for kernel in kernels]
            source.write_text("\n".join([text, "using namespace matcha_program;", *lines, ""]))
            self.compile_by_gcc(source, binary, ["-x", "c++", "-w", "-I.", "-Itests/emulation/runtime_api",
                                                 "-include", "tests/emulation/device.h"])
        else:
            call([self.matcha, "build", program, "--emit=cuda", *more, "-o", source])
            call([NVCC, "-arch=sm_90", *(["-rdc=true", "-maxrregcount=64"] if "kernel" in more else []), source, "-o", binary])
        return binary

    @staticmethod
    def compile_by_gcc(source, binary, flags):
        cache = ["ccache"] if shutil.which("ccache") else []
        made = source.with_suffix(".o")
        call([*cache, "g++", "-O1", "-std=c++20", "-pthread", *flags, "-c", source, "-o", made])
        call(["g++", "-pthread", made, "-o", binary])

    def convert(self, graph, labels=None):
        made = self.folder / (pathlib.Path(graph).name.split(".")[0] + ".mtg")
        call([self.matcha, "graph", "convert", graph, made, "-q", *(["--labels", labels] if labels else [])])
        return made

    def arguments(self, words):
        """Those of `matcha run`, for a program that was compiled: graphs converted, lists unpacked."""
        words = list(words)
        labels = None
        if "--labels" in words:
            at = words.index("--labels")
            labels = words[at + 1]
            del words[at : at + 2]
        result = []
        for before, word in zip([None, *words], words):
            if before == "--in":
                name, path = word.split("=", 1)
                path, _, columns = path.partition(":")
                if path.endswith(".gz"):
                    plain = self.folder / pathlib.Path(path).name[:-3]
                    plain.write_bytes(gzip.decompress(pathlib.Path(path).read_bytes()))
                    path = plain
                word = f"{name}={path}" + (f":{columns}" if columns else "")
            elif not word.startswith("-"):
                word = self.convert(word, labels)
            result.append(word)
        return result


def answer(binary, arguments, setting):
    given = json.loads(call([binary, *arguments, *setting, "--json"]))
    expect("the keys", [*given], ["schema", "program", "entry", "result", "complete", "device", "graph", "ms", "stats"])
    expect("schema", given["schema"], "matcha.run/1")
    expect("complete", given["complete"], True)
    return given


def has_gpu(binary, arguments):
    """Without one the program must say so."""
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return True
    if done.returncode != 4 or "no GPU" not in done.stderr:
        raise Failed(f"{binary}\nexit {done.returncode}\n{done.stderr}")
    print("compiled; there is no GPU to run it")
    return False


def comparable(result):
    """Rows come in order of the outermost loop only."""
    return sorted(result) if isinstance(result, list) else result


def check_stated(bench, binary, stack, text, name):
    stated = re.findall(r"^# count: (.*) (-?\d+)$", text, re.MULTILINE)
    for words, count in stated:
        arguments = bench.arguments(words.split())
        deferred = {}  # By stealing. Whether an idle thread comes in time to take a half is left to chance, here.
        settings = [*SETTINGS[1:4], *STEALING[:2]] if stack == "array" else [SETTINGS[3], STEALING[0], STEALING[3]]
        for setting in settings[::2] if int(count) > LARGE else settings:
            given = answer(binary, arguments, setting)
            result = given["result"]
            expect(f"{words} {setting}", len(result) if isinstance(result, list) else result, int(count))
            expect("stack", given["stats"]["stack"], stack)
            kind = "timeout" if len(setting) < 3 or "steal" not in setting[1] else setting[1]
            deferred[kind] = deferred.get(kind, 0) + given["stats"]["deferred"]
        if name in CERTAINLY_SPLIT:
            expect("loops were split", deferred["timeout"] > 0, True)
        expect("splits without stealing", deferred.get("--steal=none", 0), 0)
        if stack == "paged":
            check_exhaustion(binary, arguments, int(count), name)
    return stated


def check_stated_on_gpu(bench, binary, text, name):
    stated = re.findall(r"^# count: (.*) (-?\d+)$", text, re.MULTILINE)
    for words, count in stated:
        arguments = bench.arguments(words.split())
        deferred = 0
        for setting in GPU_SETTINGS[1:4]:
            given = answer(binary, arguments, setting)
            result = given["result"]
            expect(f"{words} {setting}", len(result) if isinstance(result, list) else result, int(count))
            deferred += given["stats"]["deferred"] if len(setting) > 2 else 0
        if bench.target != "nvcc" and name in CERTAINLY_SPLIT:
            expect("loops were split", deferred > 0, True)
    return stated


def check_exhaustion(binary, arguments, count, name):
    """With one page for all threads: an error that names the flag, or what needs no more gives the count."""
    for setting in (SETTINGS[3], STEALING[0]):
        done = subprocess.run([binary, *arguments, *setting, "--arena-mb=0.0001", "--json"], capture_output=True, text=True)
        if done.returncode == 0 and name not in LONG:
            result = json.loads(done.stdout)["result"]
            expect("with one page", len(result) if isinstance(result, list) else result, count)
            continue
        expect("with one page", done.returncode, 5)
        expect("its message", done.stderr, "error: the pages for intermediate lists ran out; raise --arena-mb\n")
        expect("its answer", done.stdout, "")


def check_program(bench, program):
    both = bench.target == "cpp" and pathlib.Path(program).stem in PAGED_TOO
    for stack in ("array", "paged") if both else ("array",):
        check_stack(bench, program, stack)


def check_started_kernels(bench, program, words, count):
    """The stated count with kernels that kernels start."""
    binary = bench.compile(program, "kernels", ["--steal", "kernel"])
    arguments = bench.arguments(words.split())
    for setting, starts in ((["--fanout=2", "--kernels=5"], True), (["--fanout=2", "--split=1"], False), (["--kernels=0"], False)):
        given = answer(binary, arguments, setting)
        expect(f"{words} {setting}", given["result"], int(count))
        expect(f"{words} {setting}: kernels", given["stats"]["kernels"]["started"] > 0, starts)


def check_stack(bench, program, stack):
    text = pathlib.Path(program).read_text()
    binary = bench.compile(program, stack)
    name = pathlib.Path(program).stem
    first = re.search(r"^# count: (.*) -?\d+$", text, re.MULTILINE).group(1)
    if bench.target == "nvcc" and not has_gpu(binary, bench.arguments(first.split())):
        return
    if bench.target == "cpp":
        stated = check_stated(bench, binary, stack, text, name)
    else:
        stated = check_stated_on_gpu(bench, binary, text, name)
        if name in CERTAINLY_SPLIT:
            check_started_kernels(bench, program, *stated[0])
    if "--in" in stated[0][0]:
        return
    for name in SMALL:
        labelled = name == "labelled.txt"
        if "vertex_label" in text and not labelled:
            continue
        words = [str(GRAPHS / name), *(["--labels", str(GRAPHS / "labelled.labels.txt")] if labelled else [])]
        command = [bench.matcha, "run", program, *words, "--backend", "interp", "--json", "--no-progress"]
        arguments = bench.arguments(words)
        if "'a'" in text:
            call([binary, *arguments], expected=3)
            continue
        wanted = json.loads(call(command))
        settings = [*SETTINGS[2:], *STEALING[1:]] if stack == "array" else [SETTINGS[4], STEALING[2]]
        for setting in settings if bench.target == "cpp" else GPU_SETTINGS[2:]:
            given = answer(binary, arguments, setting)
            expect(f"{name} {setting}", comparable(given["result"]), comparable(wanted["result"]))
            for fact in ("vertices", "edges", "max_degree"):
                expect(f"{name} {fact}", given["graph"][fact], wanted["graph"][fact])


PROGRAM = """\
def scaled(G: Graph, factor: int, offset: float = 0.5, twice: bool = False) -> Tuple<float, 2>:
    n = sum(apply(lambda v: 1 / (factor - v), vertices(G))) + size(apply(lambda v: v, cond=lambda v:
        vertex_label(G, v) == 'red', vertices(G)))
    return mk_tuple(val=[n * factor + offset, offset if twice else 1.0])
"""


TWO_GRAPHS = """\
def shared(G: Graph, H: Graph) -> int:
    return sum(apply(lambda v: size(intersect(neighbor(G, v), neighbor(H, v))), vertices(G)))
"""


def check_refusals(bench):
    program = bench.folder / "two_graphs.mt"
    program.write_text(TWO_GRAPHS)
    reported = call([bench.matcha, "build", program, f"--emit={bench.target}"], expected=1)
    if "[ahead-of-time-param]" not in reported:
        raise Failed(f"two graphs: {reported}")
    program = bench.folder / "scaled.mt"
    program.write_text(PROGRAM)
    binary = bench.compile(program)
    edges = bench.folder / "colours.txt"
    edges.write_text("0 1\n1 2\n")
    labels = bench.folder / "colours.labels.txt"
    labels.write_text("red\nred\nblue\n")
    good = bench.convert(edges, labels)
    expect("defaults", call([binary, good, "--param", "factor=100"]), "200.5\t1.0\n")
    expect("text", call([binary, good, "--param=factor=100", "--param", "offset=2", "--param=twice=true"]), "202.0\t2.0\n")
    for words, code, message in [
        ([good], 2, "--param factor=VALUE"),
        ([good, "--param", "factor=1x"], 2, "does not fit its type"),
        ([good, "--param", "factor=9", "--param", "fctor=1"], 2, "no parameter `fctor`"),
        ([good, "--param", "factor=9", "--in", "L=x"], 2, "no list `L`"),
        ([good, good], 2, "more than one graph"),
        ([good, "--queue", "x"], 2, "is no number"),
        ([good, "--arena-mb", "-1"], 2, "is no number of MiB"),
        ([good, "--steal", "some"], 2, "`some` is none of none, half and timeout"),
        ([good, "--frobnicate", "1"], 2, "unknown option"),
        ([], 2, "is missing"),
        (["--param", "factor=9", edges], 3, "not a .mtg file"),
        (["--param", "factor=9", bench.folder / "absent.mtg"], 3, "No such file"),
        ([good, "--param", "factor=2"], 4, "line 2, column 29: division by zero"),
    ]:
        reported = call([binary, *words], expected=code)
        if message not in reported:
            raise Failed(f"{words}: {reported}expected: {message}")
    labels.write_text("rod\nrad\nblue\n")
    reported = call([binary, bench.convert(edges, labels), "--param", "factor=9"], expected=3)
    expect("near labels", reported.split("`; ")[-1], "near ones are `rad` `rod`\n")
    check_assumption(bench)
    whole = good.read_bytes()
    for cut in (0, 10, 63, 64, 200, len(whole) - 1):
        good.write_bytes(whole[:cut])
        call([binary, good, "--param", "factor=9"], expected=3)
    if "usage:" not in call([binary, "--help"]):
        raise Failed("no help")


def check_assumption(bench):
    """A program refuses a graph that is not as it assumes."""
    program = "examples/four_cycle.mt"
    arcs = bench.folder / "arcs.txt"
    arcs.write_text("0 1\n1 2\n2 3\n0 3\n")
    undirected = bench.convert(arcs)
    directed = bench.folder / "directed.mtg"
    call([bench.matcha, "graph", "convert", arcs, directed, "-q", "--directed"])
    binary = bench.compile(program)
    expect("directed, not assumed", call([binary, directed]), call([bench.matcha, "run", program, arcs, "--directed"]))
    binary = bench.compile(program, more=["--assume", "symmetric,simple"])
    expect("undirected, assumed", call([binary, undirected]), "1\n")
    reported = call([binary, directed], expected=3)
    if "the graph for `G` is not `symmetric`: the compiled program assumes that each arc has its reverse" not in reported:
        raise Failed(f"directed, assumed: {reported}")
    # Arcs that are said to be edges: each is there at one of its ends only.
    arcs.write_bytes(directed.read_bytes()[:24] + b"\x02" + directed.read_bytes()[25:])
    reported = call([binary, arcs], expected=3)
    if "an undirected graph has edges at one of their ends only" not in reported:
        raise Failed(f"one-sided: {reported}")
    parallel = bench.folder / "parallel.mtg"
    arcs.write_text("0 1 5\n0 1 6\n1 2 5\n")
    call([bench.matcha, "graph", "convert", arcs, parallel, "-q", "--edge-labels"])
    reported = call([binary, parallel], expected=3)
    if "the graph for `G` is not `simple`" not in reported or "without --edge-labels" not in reported:
        raise Failed(f"parallel edges, assumed: {reported}")
    binary = bench.compile("examples/labelled.mt", more=["--assume", "labelled"])
    reported = call([binary, undirected], expected=3)
    if "the graph for `G` is not `labelled`: the compiled program assumes that every vertex has a label" not in reported:
        raise Failed(f"no labels, assumed: {reported}")
    if bench.target == "cpp" or "MATCHA_FULL" in os.environ:  # The host side is the same for both targets.
        check_assumed_degrees(bench)


def check_assumed_degrees(bench):
    """A program that assumes a degree of the side that it walks refuses a graph with a larger one there, and no other."""
    binary = bench.compile("examples/clique4_ordered.mt", more=["--assume", "lower_degree,upper_degree"])
    graphs = {}
    for center, leaves in ("0", range(1, 2050)), ("5000", range(1, 2050)):
        edges = bench.folder / f"star{center}.txt"
        edges.write_text("".join(f"{center} {leaf}\n" for leaf in leaves))
        graphs[center] = bench.convert(edges)
    expect("the other side is long", call([binary, graphs["0"]]), "0\n")
    reported = call([binary, graphs["5000"]], expected=3)
    message = "is not `lower_degree <= 2048`: the compiled program assumes that no vertex has more than 2048 neighbours below"
    if message not in reported:
        raise Failed(f"a long side, assumed: {reported}")
    expect("nothing assumed", call([bench.compile("examples/clique4_ordered.mt"), graphs["5000"]]), "0\n")


def main():
    matcha, folder, target, what = sys.argv[1:5]
    compiler = NVCC if target == "nvcc" else "g++"
    if shutil.which(compiler) is None:
        print(f"[SKIP] there is no {compiler}")
        return 77
    bench = Bench(os.path.abspath(matcha), folder, target)
    try:
        if what == "refusals":
            check_refusals(bench)
        else:
            check_program(bench, what)
    except Failed as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
