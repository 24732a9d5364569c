"""`run --mpi`: the ranks of an MPI job have the answer of a plain run, under Open MPI and MPICH; skipped without a launcher.

MATCHA_TEST_ALL=1 tries every example with every number of ranks under both; else each of these ways has one example.
"""

import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import cli
from cli import LISTING, ROOT, TRIANGLE, WIKI, WIKI_TRIANGLES
from test_shards import GRQC, YEAST, counted_examples

SKIP = 77
# Open MPI binds ranks to processors, of which there may be fewer.
LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
    "MPICH": ["mpirun.mpich"],
}
FOUND = {name: words for name, words in LAUNCHERS.items() if shutil.which(words[0])}
RANKS = (1, 2, 4)
START_S = 1  # Until ranks run, if the machine is not too busy.
END_S = 200  # Far longer than they take to end.


class Mpi(cli.CliTest):
    def environment(self, **extra):
        """Without settings of a launcher around the tests. Leaks of the libraries are not ours."""
        ours = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "MATCHA_NUM_THREADS": "1"}
        options = os.environ.get("ASAN_OPTIONS")
        ours["ASAN_OPTIONS"] = (options + ":" if options else "") + "detect_leaks=0"
        ours["UCX_MEM_MMAP_HOOK_MODE"] = "none"  # Below MPICH; it patches the mmap that sanitizers have replaced.
        whole = super().environment(**{**ours, **extra})
        outer = ("OMPI_", "PMI", "PMIX_", "SLURM_", "MATCHA_LIBMPI", "HYDRA_")
        return {k: v for k, v in whole.items() if k in ours or k in extra or not k.startswith(outer)}

    def ranks(self, launcher, count, *words, **extra):
        """Runs `matcha run WORDS --mpi --threads 1` in `ranks` ranks."""
        return self.job(launcher, [(count, words)], **extra)

    def command(self, launcher, parts):
        line = list(FOUND[launcher])
        for i, (count, words) in enumerate(parts):
            line += [":"] if i else []
            line += ["-n", str(count), os.path.abspath(cli.MATCHA), "run", *map(str, words), "--mpi", "--threads", "1"]
        return line

    def job(self, launcher, parts, **extra):
        """The same of a job whose ranks have other words: (number of ranks, words) in this order."""
        return subprocess.run(self.command(launcher, parts), env=self.environment(**extra), cwd=ROOT, text=True,
                              capture_output=True, timeout=cli.LIMIT_S, stdin=subprocess.DEVNULL)

    def answer(self, launcher, count, *words):
        ran = self.ranks(launcher, count, *words)
        self.assertEqual(ran.returncode, 0, f"{launcher}, {count} ranks, {words}\n{ran.stdout}\n{ran.stderr}")
        return ran.stdout

    def whole(self, *words):
        return self.ok("run", *words, "--device", "cpu", "-q")

    def test_every_example(self):
        ways = list(itertools.product(RANKS, FOUND))
        examples = list(counted_examples())
        self.assertGreater(len(examples), len(ways))
        every = bool(os.environ.get("MATCHA_TEST_ALL"))
        for i, (program, arguments) in enumerate(examples if every else examples[::2][:len(ways)]):
            wanted = self.whole(program, *arguments)
            for count, launcher in ways if every else [ways[i]]:
                with self.subTest(program=program, ranks=count, launcher=launcher):
                    self.assertEqual(self.answer(launcher, count, program, *arguments, "-q"), wanted)

    def test_patterns_rows_and_json(self):
        ordered = set()
        for launcher in FOUND:
            with self.subTest(launcher=launcher):
                reported = json.loads(self.answer(launcher, 4, TRIANGLE, WIKI, "--json", "-q"))
                self.assertEqual((reported["result"], reported["complete"]), (WIKI_TRIANGLES, True))
                stats = reported["stats"]
                self.assertEqual((stats["ranks"], stats["units_done"]), (4, stats["units_total"]))
                whole, rows = self.path("whole.csv"), self.path("rows.csv")
                self.whole("--pattern", "triangle", GRQC, "--matches", whole)
                said = self.answer(launcher, 2, "--pattern", "triangle", GRQC, "--matches", rows, "-q")
                with open(whole) as a, open(rows) as b:
                    lines = sorted(a), sorted(b)
                self.assertEqual(*lines)
                self.assertEqual(said, f"{len(lines[0]) - 1}\n")  # There is a heading.
                again = self.path("again.csv")
                self.answer(launcher, 3, "--pattern", "triangle", GRQC, "--matches", again, "-q")
                ordered |= {pathlib.Path(rows).read_bytes(), pathlib.Path(again).read_bytes()}
                self.assertEqual(self.leftovers(), [])
        self.ok("run", "--pattern", "triangle", GRQC, "--matches", again, "--work", self.path("work"), "-q")
        ordered.add(pathlib.Path(again).read_bytes())
        self.assertEqual(len(ordered), 1, "rows have one order, whatever the ranks, threads and libraries")
        for words, launcher in zip((("motif:3", GRQC), ("0:1-1:4,1-2:1,2-3:4,3-0", *YEAST)), itertools.cycle(FOUND)):
            self.assertEqual(self.answer(launcher, 2, "--pattern", *words, "-q"), self.whole("--pattern", *words))
        listed = self.answer(launcher, 2, "--pattern", "triangle", GRQC, "--matches", "-", "-q")
        self.assertEqual(len(listed.splitlines()), len(lines[0]) - 1)

    def test_loops_that_need_one_another_and_an_empty_one(self):
        program = self.write("q.mt", """
def main(G: Graph):
    most = max(apply(lambda v: size(neighbor(G, v)), vertices(G)))
    none = sum(apply(lambda v: 1, cond=lambda v: size(neighbor(G, v)) > most, vertices(G)))
    return mk_tuple(val=[sum(apply(lambda v: size(neighbor(G, v)) * 2 > most, vertices(G))), none, most])
""")
        launcher = next(iter(FOUND))
        self.assertEqual(self.answer(launcher, 2, program, GRQC, "-q"), self.whole(program, GRQC))

    def test_an_error_of_all_and_of_one(self):
        """The documented exit code; for an error found by all ranks, that of one."""
        by_zero = self.write("zero.mt", "def f(G: Graph) -> int:\n    return sum(apply(lambda v: 1 / (v - v), vertices(G)))\n")
        other = ("rank 1 runs something else than rank 0", 4, [(1, (TRIANGLE, WIKI)), (1, (TRIANGLE, GRQC))])
        missing = ("rank 1: nowhere.txt: error: ", 3, [(1, (TRIANGLE, WIKI)), (1, (TRIANGLE, "nowhere.txt"))])
        cases = [("error: ", 3, [(2, (TRIANGLE, "nowhere.txt"))]), ("division by zero", 4, [(2, (by_zero, GRQC))]),
                 ("`--verify` is not for `--mpi`", 2, [(2, (TRIANGLE, WIKI, "--verify"))]), missing, other, missing]
        for (says, code, parts), launcher in zip(cases, itertools.cycle(FOUND)):
            with self.subTest(launcher=launcher, says=says):
                for _ in range(5):  # MPICH's launcher may lose output from right before the end, if it is late.
                    ran = self.job(launcher, parts)
                    if says in ran.stderr:
                        break
                self.assertEqual(ran.returncode, code, ran.stderr)
                # MPICH's launcher writes of its own to standard output.
                self.assertEqual(re.sub(r"(?s)(^|\n)=====.*", "", ran.stdout).strip(), "", ran.stderr)
                self.assertIn(says, ran.stderr)

    def test_a_timeout_gives_a_part(self):
        slow = self.write("slow.mt", cli.SLOW)
        for launcher in FOUND:
            with self.subTest(launcher=launcher):
                ran = self.ranks(launcher, 2, slow, WIKI, "--json", "--timeout", "1")
                self.assertEqual(ran.returncode, 124, ran.stderr)
                if "{" in ran.stdout:
                    # MPICH's launcher writes of its own to standard output.
                    reported = json.loads(ran.stdout[ran.stdout.index("{"):ran.stdout.rindex("\n}") + 2])
                    self.assertEqual((reported["complete"], reported["stopped_by"]), (False, "timeout"))
                else:  # On a very busy machine it comes before there is a report.
                    self.assertIn("stopped by --timeout", ran.stderr)

    def test_an_interrupt_ends_all(self):
        slow = self.write("slow.mt", cli.SLOW)
        for launcher in FOUND:
            with self.subTest(launcher=launcher):
                job = subprocess.Popen(self.command(launcher, [(2, (slow, WIKI, "--json"))]), env=self.environment(), cwd=ROOT,
                                       text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True)
                time.sleep(START_S)
                job.send_signal(signal.SIGINT)
                try:
                    out, errors = job.communicate(timeout=END_S)
                finally:
                    if job.poll() is None:
                        os.killpg(job.pid, signal.SIGKILL)
                # The exit code of the launcher is its own: MPICH's varies.
                if "{" in out:  # On a very busy machine the signal may come before the run.
                    reported = json.loads(out[out.index("{"):out.rindex("\n}") + 2])
                    self.assertFalse(reported["complete"], errors)

    def test_one_process_and_no_library(self):
        alone = self.matcha("run", TRIANGLE, WIKI, "--mpi", env=self.environment())
        self.assertEqual((alone.returncode, alone.stdout.decode()), (0, f"{WIKI_TRIANGLES}\n"), alone.stderr)
        self.assertIn("one rank: more are started by a launcher", alone.stderr.decode())
        self.fails(4, "run", TRIANGLE, WIKI, "--mpi", says=["no MPI library can be opened", "/nowhere/libmpi.so", "--work DIR"],
                   env=self.environment(MATCHA_LIBMPI="/nowhere/libmpi.so"))

    def test_streams(self):
        """Ranks that hold copies share the edges of each batch: the first one has the answers of a stream alone."""
        dice = random.Random(28)
        edges = {(u, v) for u in range(60) for v in range(u) if dice.random() < 0.3}
        graph = self.write("g.txt", "".join(f"{u} {v}\n" for u, v in sorted(edges)))
        lines = []
        for _ in range(300):
            u, v = sorted(dice.sample(range(64), 2))
            lines.append(f"{dice.choice('+-')} {u} {v}\n")
        words = ["stream", "--pattern", "house", "--pattern", "0-1,1-2,2-3,3-0", "--pattern", "cycle:5", graph, "--updates", self.write("u.txt", "".join(lines)), "--batch", "100", "--json"]

        def answers(text):
            found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
            return [{key: value for key, value in answer.items() if key not in ("ms", "seconds", "latency_ms", "updates_per_s")} for answer in found if "batch" in answer]

        wanted = answers(self.ok(*words, "--device", "cpu", "--threads", "1", "-q"))
        self.assertEqual(len(wanted), 12)
        for launcher, count in zip(FOUND, (4, 2)):
            with self.subTest(launcher=launcher):
                line = [*FOUND[launcher], "-n", str(count), os.path.abspath(cli.MATCHA), *words, "--mpi", "--threads", "1"]
                ran = subprocess.run(line, env=self.environment(), cwd=ROOT, text=True, capture_output=True, timeout=cli.LIMIT_S, stdin=subprocess.DEVNULL)
                self.assertEqual((ran.returncode, answers(ran.stdout)), (0, wanted), ran.stderr)
        for more, says in ((["--matches", "m.csv"], "--matches"), (["--state", "s"], "--state"), (["--gpu-memory", "1M"], "--gpu-memory")):
            self.fails(2, *words, "--mpi", "-q", *more, says=[says], env=self.environment())
        piped = ["-" if words[at - 1] == "--updates" else word for at, word in enumerate(words)]
        self.fails(2, *piped, "--mpi", "-q", says=["--updates FILE"], env=self.environment())
        self.fails(2, *words[:-3], "--mpi", "-q", says=["--batch, --blank or --slide"], env=self.environment())

    def test_the_file_for_launchers(self):
        for words in FOUND.values():
            ran = subprocess.run([ROOT / "examples/cluster/mpi.sh", "2", TRIANGLE, WIKI], cwd=ROOT, text=True,
                                 capture_output=True, timeout=cli.LIMIT_S, stdin=subprocess.DEVNULL,
                                 env=self.environment(MPIRUN=" ".join(words), MATCHA=os.path.abspath(cli.MATCHA), THREADS="1"))
            self.assertEqual((ran.returncode, ran.stdout), (0, f"{WIKI_TRIANGLES}\n"), ran.stderr)

    def test_options_that_exclude_it(self):
        alone = self.environment()
        for words, said in (((TRIANGLE, WIKI, "--work", "w"), "--work"),
                            ((TRIANGLE, WIKI, "--shard", "0/2", "--ledger", "a"), "--shard"),
                            ((TRIANGLE, WIKI, "--tune"), "--tune"), ((LISTING, WIKI, "--limit", "3"), "--limit"),
                            ((TRIANGLE, WIKI, "--backend", "interp"), "--backend interp"),
                            ((TRIANGLE, "-"), "standard input"), ((TRIANGLE, WIKI, "--labels", "-"), "standard input"),
                            (("--pattern", "triangle", "--pattern", "house", WIKI), "one by one")):
            self.fails(2, "run", *words, "--mpi", "-q", says=[said], env=alone)


if __name__ == "__main__":
    if not FOUND:
        print("[SKIP] neither mpirun.openmpi nor mpirun.mpich is installed")
        sys.exit(SKIP)
    cli.main()
