"""`--shard`, `merge` and `--work`: a run in several processes has the answer of the whole run.

Under sanitizers, where a process takes half a second to start, each way has fewer examples, and those that take long have
a smaller graph."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import cli
from cli import TRIANGLE, WIKI, WIKI_TRIANGLES

GRQC = "examples/graphs/ca-grqc.txt.gz"
SANITIZED = bool(os.environ.get("MATCHA_SANITIZE"))
LONG = GRQC if SANITIZED else WIKI
YEAST = ("examples/graphs/yeast.txt.gz", "--labels", "examples/graphs/yeast.labels.txt.gz")


def counted_examples():
    """(program, arguments) of every example, on its smallest input."""
    for program in sorted(pathlib.Path("examples").glob("*.mt")):
        stated = re.findall(r"^# count: (.*) -?\d+$", program.read_text(), re.M)
        if stated and "_by(" not in program.read_text():  # A table is made of all rows.
            yield str(program), stated[-1].split()


def killed(words, is_time):
    """Starts the command, and kills it when it is time; false if it ended before."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not is_time():
        time.sleep(0.001)
    process.kill()
    return process.wait() == -signal.SIGKILL


class Shards(cli.CliTest):
    def whole(self, *words):
        return self.ok("run", *words, "--device", "cpu", "-q")

    def ledgers(self, count, *words):
        """Runs all shards; their files."""
        files = [str(self.folder / f"{count}-{i}.mtl") for i in range(count)]
        for i, file in enumerate(files):
            pathlib.Path(file).unlink(missing_ok=True)
            reported = self.ok("run", *words, "--shard", f"{i}/{count}", "--ledger", file, "-q")
            self.assertRegex(reported, rf"^shard {i}/{count}: (\d+) of \1 units are in ")
        return files

    def test_every_example(self):
        for program, arguments in list(counted_examples())[:: 5 if SANITIZED else 1]:
            wanted = self.whole(program, *arguments)
            for count in (3,) if SANITIZED else (1, 2, 7):
                with self.subTest(program=program, shards=count):
                    files = self.ledgers(count, program, *arguments)
                    self.assertEqual(self.ok("merge", *reversed(files), "-q"), wanted)
            with self.subTest(program=program, work=True):
                folder = str(self.folder / pathlib.Path(program).stem)
                self.assertEqual(self.ok("run", program, *arguments, "--work", folder, "-q"), wanted)
                # All is there: nothing is run again.
                self.assertEqual(self.ok("run", program, *arguments, "--work", folder, "-q"), wanted)

    def test_patterns(self):
        patterns = (("motif:4", GRQC), ("cycle:4", GRQC), ("0-1,1-2,2-3,0!2", GRQC), ("house", GRQC, "--order", "degree"),
                    ("path:4", GRQC, "--embeddings"), ("0:1-1:4,1-2:1,2-3:4,3-0", *YEAST),
                    ("0:1-1:4,1-2:1,2-3:4,3-0", *YEAST, "--algorithm", "join"))
        for words in patterns[:: 3 if SANITIZED else 1]:
            with self.subTest(words=words):
                wanted = self.whole("--pattern", *words)
                files = self.ledgers(2, "--pattern", *words)
                self.assertEqual(self.ok("merge", *files, "-q"), wanted)
                folder = str(self.folder / f"work{abs(hash(words))}")
                self.assertEqual(self.ok("run", "--pattern", *words, "--work", folder, "-q"), wanted)

    def test_values_of_every_kind(self):
        """Sums of floats, extremes, truths, several results, and one that is computed of two sums."""
        program = self.write("q.mt", """
def main(G: Graph):
    degrees = apply(lambda v: size(neighbor(G, v)), vertices(G))
    floats = apply(lambda v: 1.0 / (1.0 + size(neighbor(G, v))), vertices(G))
    some = apply(lambda v: size(neighbor(G, v)) > 80, vertices(G))
    return mk_tuple(val=[sum(floats), min(degrees), max(degrees), any(some), all(some), sum(degrees) - 3 * max(degrees)])
""")
        wanted = self.whole(program, GRQC)
        self.assertEqual(self.ok("merge", *self.ledgers(3, program, GRQC), "-q"), wanted)
        self.assertEqual(self.ok("run", program, GRQC, "--work", str(self.folder / "w"), "-q"), wanted)

    def test_loops_that_need_one_another(self):
        program = self.write("q.mt", """
def main(G: Graph) -> int:
    most = max(apply(lambda v: size(neighbor(G, v)), vertices(G)))
    return sum(apply(lambda v: size(neighbor(G, v)) * 2 > most, vertices(G)))
""")
        wanted = self.whole(program, GRQC)
        self.fails(4, "run", program, GRQC, "--shard", "0/2", "--ledger", str(self.folder / "a.mtl"), says=["--work"])
        self.assertEqual(self.ok("run", program, GRQC, "--work", str(self.folder / "w"), "-q"), wanted)

    def test_tables_and_rounds(self):
        """Each part makes the tables; a program whose result is one has no parts."""
        tables = self.write("tables.mt", """
def main(G: Graph):
    t = count_by(apply(lambda e: get(e, 1), edges(G)))
    return sum(apply(lambda v: get(t, v) * v, vertices(G)))
""")
        rounds = self.write("rounds.mt", """
def main(G: Graph):
    t = repeat(lambda l: apply(lambda v: v * 2, l), vertices(G), 2)
    return sum(apply(lambda v: v + 1, t))
""")
        for program in (tables, rounds):
            wanted = self.whole(program, GRQC)
            self.assertEqual(self.ok("merge", *self.ledgers(2, program, GRQC), "-q"), wanted)
        self.fails(4, "run", "examples/degree_histogram.mt", GRQC, "--shard", "0/2", "--ledger", str(self.folder / "a.mtl"),
                   says=["no parallel loop"])

    def test_rows(self):
        words = ("--pattern", "clique:4", GRQC, "--matches")
        whole = self.folder / "whole.csv"
        self.whole(*words, str(whole))
        files = self.ledgers(2, *words, str(self.folder / "parts.csv"))
        self.assertFalse((self.folder / "parts.csv").exists())
        self.ok("merge", *files, "-q")
        self.assertEqual(sorted((self.folder / "parts.csv").read_text().split("\n")), sorted(whole.read_text().split("\n")))
        self.ok("merge", *files, "-q", "--matches", str(self.folder / "other.csv"))
        self.assertEqual((self.folder / "other.csv").read_text(), (self.folder / "parts.csv").read_text())

    def test_many_parts_rank_no_vertices(self):
        """Each part would rank the whole graph. Merging repeats their decision."""
        graph = self.generate("g.mtg", "rmat", "--scale", "16")
        wanted = self.whole(TRIANGLE, graph)
        keys = []
        for count in (1, 3):
            files = self.ledgers(count, TRIANGLE, graph)
            keys.append(re.search(rb'"key":"(\w+)"', pathlib.Path(files[0]).read_bytes()).group(1))
            self.assertEqual(self.ok("merge", *files, "-q"), wanted)
        # The key has the order of the vertices.
        self.assertNotEqual(*keys)

    def test_json(self):
        files = self.ledgers(2, TRIANGLE, WIKI)
        answer = json.loads(self.ok("merge", *files, "--json", "-q"))
        self.assertEqual((answer["schema"], answer["result"], answer["complete"]), ("matcha.run/1", WIKI_TRIANGLES, True))
        reported = json.loads(self.ok("run", TRIANGLE, WIKI, "--shard", "1/2", "--ledger", files[1], "--json", "-q"))
        self.assertEqual((reported["schema"], reported["shard"], reported["units_done"], reported["complete"]), ("matcha.shard/1", 1, 100, True))

    def test_a_shard_continues(self):
        ledger = self.folder / "a.mtl"
        house = ("--pattern", "house", LONG, "--threads", "1")
        words = [cli.MATCHA, "run", *house, "--shard", "0/2", "--ledger", str(ledger), "-q"]
        some = 2000  # Bytes of the header and a few records.
        self.assertTrue(killed(words, lambda: ledger.exists() and ledger.stat().st_size > some))
        other = self.ledgers(2, *house)[1]
        self.fails(3, "merge", str(ledger), other, "-q", says=["shard 0/2 is not done", "--shard 0/2"])
        # Torn in the middle of a record.
        ledger.write_bytes(ledger.read_bytes()[:-5])
        self.fails(3, "merge", str(ledger), other, "-q", says=["middle of a record", "shard 0/2"])
        subprocess.run(words, check=True, capture_output=True)
        self.assertEqual(self.ok("merge", str(ledger), other, "-q"), self.whole(*house))

    def test_processes_that_share_a_folder(self):
        folder = str(self.folder / "w")
        words = [cli.MATCHA, "run", "--pattern", "house", LONG, "--work", folder, "--threads", "1", "-q"]
        self.assertTrue(killed(words, lambda: list(pathlib.Path(folder).glob("*.done"))))
        running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        answers = [process.communicate()[0] for process in running]
        self.assertEqual(answers, [self.whole("--pattern", "house", LONG)] * 2)
        done = [name for name in os.listdir(folder) if name.endswith(".done")]
        self.assertEqual(len(done), len([name for name in os.listdir(folder) if name.endswith(".claim")]))
        progress = json.loads((self.folder / "w" / "progress.json").read_text())
        self.assertEqual(progress["units_done"], progress["units_total"])

    def test_a_stop_and_the_same_command(self):
        folder = str(self.folder / "w")
        words = ("run", "--pattern", "house", LONG, "--work", folder, "--threads", "1", "-q", "--json")
        done = self.matcha(*words, "--timeout", "0.4" if SANITIZED else "0.8")
        code, out = done.returncode, done.stdout.decode()
        if code == 124 and out:
            self.assertFalse(json.loads(out)["complete"])
        answer = json.loads(self.ok(*words))
        self.assertTrue(answer["complete"])
        self.assertEqual(f"{answer['result']}\n", self.whole("--pattern", "house", LONG))

    def test_a_schedulers_shard(self):
        ledger = str(self.folder / "a.mtl")
        words = [cli.MATCHA, "run", TRIANGLE, WIKI, "--shard", "auto", "--ledger", ledger, "-q"]
        plain = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        slurm = {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "4", "SLURM_ARRAY_TASK_COUNT": "3"}
        done = subprocess.run(words, env={**plain, **slurm}, capture_output=True, text=True, check=True)
        self.assertIn("shard 1/3:", done.stdout)
        os.unlink(ledger)
        kubernetes = {"JOB_COMPLETION_INDEX": "0", "MATCHA_SHARDS": "2"}
        done = subprocess.run(words, env={**plain, **kubernetes}, capture_output=True, text=True, check=True)
        self.assertIn("shard 0/2:", done.stdout)
        done = subprocess.run(words, env=plain, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("SLURM_ARRAY_TASK_ID", done.stderr)

    def test_labels_with_other_words(self):
        """Equal codes of two dictionaries are other words, so their parts are of different runs."""
        graph = self.write("labelled.txt", "0 1\n1 2\n0 2\n2 3\n3 4\n2 4\n")
        first = self.write("first", "0 a\n1 a\n2 b\n3 b\n4 b\n")
        second = self.write("second", "0 b\n1 b\n2 c\n3 c\n4 c\n")
        words = ("run", "--pattern", "(x:b)-(y:b)", graph, "-q")
        for more in ((), ("--algorithm", "join")):
            files = [self.path(f"{len(more)}-{i}.mtl") for i in range(2)]
            for i, labels in enumerate((first, second)):
                self.ok(*words, *more, "--labels", labels, "--shard", f"{i}/2", "--ledger", files[i])
            self.fails(3, "merge", *files, "-q", says=["another run"])
            labels, folder = self.path("labels"), self.path(f"work{len(more)}")
            shutil.copy(first, labels)
            self.assertEqual(self.ok(*words, *more, "--labels", labels, "--work", folder), "3\n")
            shutil.copy(second, labels)
            self.fails(3, *words, *more, "--labels", labels, "--work", folder, says=["another run"])

    def test_words_behind_two_dashes(self):
        self.write("-g.txt", "0 1\n1 2\n0 2\n")

        def here(*words):
            return subprocess.run([os.path.abspath(cli.MATCHA), *words], cwd=self.folder, capture_output=True, text=True)

        for i in range(2):
            done = here("run", "-q", "--pattern", "triangle", "--shard", f"{i}/2", f"--ledger=-{i}.mtl", "--", "-g.txt")
            self.assertEqual(done.returncode, 0, done.stderr)
        done = here("merge", "-q", "--", "-0.mtl", "-1.mtl")
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        done = here("merge", "-q", "--matches", "rows.tsv", "--", "-0.mtl", "-1.mtl")
        self.assertEqual(done.returncode, 2)
        self.assertIn("run the parts with --matches", done.stderr)

    def test_refused_runs_leave_nothing(self):
        ledger, folder = self.path("refused.mtl"), self.path("refused")
        self.fails(4, "run", "--pattern", "(a)", GRQC, "--shard", "0/2", "--ledger", ledger, "-q", says=["in parts"])
        self.fails(4, "run", "examples/components.mt", GRQC, "--work", folder, "-q", says=["in parts"])
        self.assertFalse(os.path.exists(ledger) or os.path.exists(folder))

    def test_bad_input(self):
        files = self.ledgers(2, TRIANGLE, WIKI)
        other = self.ledgers(3, TRIANGLE, WIKI)
        self.fails(3, "merge", files[0], "-q", says=["shard 1/2 is missing"])
        self.fails(3, "merge", files[0], files[0], "-q", says=["shard 0/2", "too"])
        self.fails(3, "merge", files[0], other[1], "-q", says=["another run"])
        self.fails(3, "merge", WIKI, "-q", says=["no ledger"])
        self.fails(3, "merge", str(self.folder / "none.mtl"), "-q", says=["none.mtl"])
        self.fails(3, "run", TRIANGLE, GRQC, "--shard", "0/2", "--ledger", files[0], "-q", says=["another run"])
        self.fails(3, "run", TRIANGLE, WIKI, "--shard", "1/2", "--ledger", files[0], "-q", says=["shard 0/2"])
        self.fails(3, "run", TRIANGLE, WIKI, "--work", str(self.folder), "-q", says=["other files"])
        folder = str(self.folder / "w")
        self.ok("run", TRIANGLE, GRQC, "--work", folder, "-q")
        self.fails(3, "run", TRIANGLE, WIKI, "--work", folder, "-q", says=["another run"])
        done = pathlib.Path(folder) / "r0-u0.done"
        done.write_bytes(done.read_bytes()[:-1] + b"x")
        self.fails(3, "run", TRIANGLE, GRQC, "--work", folder, "-q", says=["r0-u0.done", "was changed"])
        for words, said in ((("--shard", "2/2", "--ledger", "a"), "no part"), (("--shard", "x", "--ledger", "a"), "no part"),
                            (("--shard", "0/2"), "--ledger"), (("--ledger", "a"), "--shard"),
                            (("--work", "w", "--limit", "3"), "--limit"), (("--work", "w", "--tune"), "--tune"),
                            (("--work", "w", "--backend", "interp"), "--backend interp")):
            program = "examples/triangle_listing.mt" if "--limit" in words else TRIANGLE
            self.fails(2, "run", program, WIKI, *words, "-q", says=[said])
        self.fails(2, "run", "--pattern", "triangle", "--pattern", "house", WIKI, "--work", folder, says=["one by one"])
        # Without a GPU nothing is begun.
        work = self.folder / "gpu"
        self.fails(4, "run", TRIANGLE, GRQC, "--work", str(work), "--device", "cuda", "-q", says=["no NVIDIA driver"],
                   env=self.environment(MATCHA_LIBCUDA="none.so"))
        self.assertFalse(work.exists())


if __name__ == "__main__":
    cli.main()
