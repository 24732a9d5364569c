#!/usr/bin/env python3
"""Runs a program of examples/ with `--device cuda` on a GPU of threads and compares its answers.

usage: run_emulated.py MATCHA LIBRARY FOLDER PROGRAM         the counts of its `# count:` lines and, on small graphs, those of
                                                             the interpreter, with loops that split at once into tiny queues
       run_emulated.py MATCHA LIBRARY FOLDER PROGRAM races   fewer of them; LIBRARY is made with ThreadSanitizer

LIBRARY stands for the driver and for NVRTC; FOLDER is for what the test makes. Run in the root folder. Exit 77 without g++ or
ThreadSanitizer.
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
SETTINGS = [
    ["--group", "1"],
    ["--group", "1", "--tau-us", "1", "--chunk", "1", "--queue", "4"],
    ["--group", "1", "--tau-us", "1", "--chunk", "3", "--queue", "0"],
    ["--group", "1", "--tau-us", "1", "--chunk", "9", "--queue", "2", "--split", "3", "--steal", "half", "--stack", "paged"],
]
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
    """What the program takes of small graphs, as arguments."""
    if "'a'" in text or "--in" in text:
        return []
    labelled = [str(GRAPHS / "labelled.txt"), "--labels", str(GRAPHS / "labelled.labels.txt")]
    if "vertex_label" in text:
        return [labelled]
    return [*([str(GRAPHS / name)] for name in SMALL), labelled, [str(skewed)]]


def check(bench, skewed, races):
    text = pathlib.Path(bench.program).read_text()
    graphs = small_graphs(text, skewed)
    split_at_once = [SETTINGS[1], SETTINGS[3]]
    if not races:
        for words, count in stated_counts(text):
            bench.stated(words, count, SETTINGS)
        for words in graphs:
            bench.compare(words, SETTINGS[1:])
    elif not graphs:
        for words, count in stated_counts(text):
            bench.stated(words, count, split_at_once)
    else:
        deferred = bench.compare(graphs[-1], split_at_once)
        if pathlib.Path(bench.program).stem in CERTAINLY_SPLIT:
            expect("loops were split", deferred > 0, True)


def main():
    matcha, library, folder, program = sys.argv[1:5]
    races = sys.argv[5:] == ["races"]
    if shutil.which("g++") is None:
        print("[SKIP] there is no g++")
        return 77
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, MATCHA_LIBCUDA=library, MATCHA_NVRTC=library, MATCHA_CACHE_DIR=str(folder))
    if races:
        sanitizer = thread_sanitizer()
        if sanitizer is None:
            print("[SKIP] there is no ThreadSanitizer")
            return 77
        # The program itself is made without ThreadSanitizer, so what orders its threads is not seen.
        environment.update(LD_PRELOAD=sanitizer, TSAN_OPTIONS="exitcode=66:halt_on_error=1:ignore_noninstrumented_modules=1")
    skewed = folder / f"skewed-{os.getpid()}.txt"
    try:
        subprocess.run([matcha, "graph", "generate", *SKEWED, "-o", skewed, "-q"], check=True)
        check(Bench(os.path.abspath(matcha), environment, program), skewed, races)
    except Failed as failure:
        print(f"FAILED: {failure}")
        return 1
    finally:
        skewed.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
