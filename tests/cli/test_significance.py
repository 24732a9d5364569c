"""`matcha motifs`: counts of small patterns, alone and beside those of random graphs with the same degrees."""

import json
import math
import os
import pty
import signal
import statistics
import subprocess
import time

import cli
from cli import WIKI, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
ARCS = "0 1\n1 2\n2 0\n2 3\n3 2\n3 4\n4 0\n1 4\n5 1\n"
STAR = "".join(f"0 {leaf}\n" for leaf in range(1, 7))


class Significance(CliTest):
    def counts(self, *words):
        """The lines `name count` of a run."""
        return dict(line.rsplit(None, 1) for line in self.ok("run", "-q", *words).splitlines())

    def rows(self, *words):
        return json.loads(self.ok("motifs", "-q", "--json", *words))["counts"]

    def check(self, rows, drawn):
        """Rows against the counts of each random graph, by name."""
        for row in rows:
            counts = [one[row["name"]] for one in drawn]
            mean, std = statistics.fmean(counts), statistics.stdev(counts)
            self.assertAlmostEqual(row["mean"], mean, 9)
            self.assertAlmostEqual(row["std"], std, 9)
            if std:
                self.assertAlmostEqual(row["z"], (row["count"] - mean) / std, 9)
            else:
                self.assertEqual(row["z"], 0 if row["count"] == mean else None)
            self.assertEqual(row["p_more"], (1 + sum(one >= row["count"] for one in counts)) / (len(counts) + 1))
            self.assertEqual(row["p_less"], (1 + sum(one <= row["count"] for one in counts)) / (len(counts) + 1))

    def drawn(self, graph, seeds, *pattern, options=(), labels=()):
        """Counts of the random graphs that `graph generate like` writes."""
        made = self.path("made.mtg" if options else "made.txt")
        found = []
        for seed in seeds:
            self.ok("graph", "generate", "like", graph, "--seed", seed, "-o", made, *options)
            found.append({name: int(count) for name, count in self.counts(*pattern, made, *options, *labels).items()})
        return found

    def test_counts_alone(self):
        edges = json.loads(self.ok("graph", "info", SMALL, "--json"))["edges"]
        self.assertEqual(self.ok("motifs", "-q", "2", SMALL), f"edge  {edges}\n")
        for size in (3, 4, 5, 6):
            counts = dict(line.rsplit(None, 1) for line in self.ok("motifs", "-q", size, SMALL).splitlines())
            self.assertEqual(counts, self.counts("--pattern", f"motif:{size}", SMALL))
        self.assertEqual(self.ok("motifs", "-q", SMALL), self.ok("motifs", "-q", "4", SMALL))
        edges = dict(line.split() for line in self.ok("motifs", "-q", "4", SMALL, "--induced", "edge").splitlines())
        self.assertEqual(edges, self.counts("--pattern", "motif:4", SMALL, "--induced", "edge"))
        self.assertEqual(edges, {row["name"]: str(row["count"]) for row in self.rows(SMALL, "--induced", "edge")})

    def test_directed(self):
        arcs = self.write("arcs.txt", ARCS)
        triads = self.counts("std.directed", "--entry", "triads", "--directed", arcs)
        self.assertEqual(dict(line.split() for line in self.ok("motifs", "-q", "3", arcs, "--directed").splitlines()), triads)
        self.assertEqual(len(triads), 16)
        rows = self.rows("3", arcs, "--directed", "--null", "6", "--seed", "2")
        self.check(rows, self.drawn(arcs, range(2, 8), "std.directed", "--entry", "triads", options=["--directed"]))
        rows = self.rows(arcs, "--directed", "--null", "3")
        self.assertEqual(len(rows), 199)
        self.check(rows, self.drawn(arcs, range(1, 4), "--pattern", "directed-motif:4", options=["--directed"]))

    def test_random_graphs(self):
        for size in (3, 4, 5):
            rows = self.rows(size, SMALL, "--null", "7", "--seed", "11")
            self.check(rows, self.drawn(SMALL, range(11, 18), "--pattern", f"motif:{size}"))
        text = self.ok("motifs", "-q", "4", SMALL, "--null", "7", "--seed", "11").splitlines()
        self.assertEqual(text[0].split(), ["pattern", "count", "mean", "std", "z", "p_more", "p_less"])
        for line, row in zip(text[1:], self.rows("4", SMALL, "--null", "7", "--seed", "11"), strict=True):
            numbers = [row[key] for key in ("mean", "std", "z", "p_more", "p_less")]
            self.assertEqual(line.split(), [row["name"], str(row["count"]), *(f"{number:.5g}" for number in numbers)])

    def test_threads_give_the_same_table(self):
        for words in (["5", SMALL], ["--pattern", "house", "--pattern", "clique:4", "--pattern", "a-b-c", SMALL]):
            tables = {self.ok("motifs", "-q", *words, "--null", "9", "--threads", threads) for threads in (1, 2, 5)}
            self.assertEqual(len(tables), 1, tables)

    def test_patterns_and_labels(self):
        labels = self.write("labels.txt", "".join(f"{vertex} {'xy'[vertex % 3 == 0]}\n" for vertex in range(20)))
        rows = self.rows("--pattern", "a:x-b:y-c:x", "--pattern", "triangle", SMALL, "--labels", labels, "--null", "5")
        self.assertEqual([row["name"] for row in rows], ["a:x-b:y-c:x", "triangle"])
        self.assertEqual(rows[0]["pattern"], "a-b,b-c,(a:'x'),(b:'y'),(c:'x')")
        for row in rows:
            drawn = [{row["name"]: int(self.ok("run", "-q", "--pattern", row["name"], made, "--labels", labels))}
                     for made in self.made(SMALL, range(1, 6))]
            self.check([row], drawn)

    def made(self, graph, seeds):
        for seed in seeds:
            self.ok("graph", "generate", "like", graph, "--seed", seed, "-o", self.path("made.txt"))
            yield self.path("made.txt")

    def test_a_graph_that_is_the_only_one_of_its_degrees(self):
        [row] = self.rows("--pattern", "path:3", self.write("star.txt", STAR), "--null", "5")
        self.assertEqual([row[key] for key in ("count", "mean", "std", "z", "p_more", "p_less")], [15, 15, 0, 0, 1, 1])

    def test_no_deviation(self):
        """All random graphs have the same count, and the graph has another one: z is no number of JSON."""
        [row] = self.rows("--pattern", "triangle", SMALL, "--null", "1")
        self.assertEqual((row["std"], row["z"]), (0, None) if row["count"] != row["mean"] else (0, 0))

    def test_a_plot_on_a_terminal(self):
        master, slave = pty.openpty()
        words = [cli.MATCHA, "motifs", "4", "examples/graphs/ca-grqc.txt.gz", "--null", "3", "-q"]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment())
        os.close(slave)
        seen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            seen += part
            if not part:
                break
        process.communicate(timeout=cli.LIMIT_S)
        os.close(master)
        lines = seen.decode().replace("\r", "").splitlines()
        begin = lines.index("")
        self.assertEqual((begin, lines[begin + 1].split()), (7, ["less|more"]))
        bars = {line.split()[0]: line.split("|") for line in lines[begin + 2 :]}
        self.assertEqual((len(bars), bars["path:4"][1], bars["clique:4"][1][:5]), (6, "", "====="))
        self.assertTrue(bars["path:4"][0].endswith("="))
        self.assertEqual(len({line.index("|") for line in lines[begin + 1 :]}), 1)
        for line in lines:
            self.assertLessEqual(len(line), 80)
        self.assertNotIn("|", self.ok("motifs", "4", SMALL, "--null", "3", "-q"))

    def test_wrong_words(self):
        arcs = self.write("arcs.txt", ARCS)
        informed = self.write("informed.txt", "0 1 7\n1 2 8\n2 3 7\n")
        for words, says in (
            (["7", SMALL], ["no motifs of `7` vertices", "2 to 6"]),
            (["1", SMALL], "2 to 6"),
            (["many", SMALL], "`many` vertices"),
            (["99999999999", SMALL], "2 to 6"),
            (["5", arcs, "--directed"], "3 or 4"),
            (["3", arcs, "--directed", "--induced", "edge"], ["vertex-induced", "directed-motif:3"]),
            (["4", SMALL, "--pattern", "house"], "both choose patterns"),
            ([SMALL, "--null", "0"], "--null: "),
            ([SMALL, "--seed", "3"], "--null"),
            ([SMALL, "--device", "cuda"], "`matcha motifs` has no option `--device`"),
            (["--pattern", "clique:*", SMALL], ["several counts", "one by one"]),
            (["--pattern", "a->b", SMALL], "--directed"),
            ([SMALL, "--null", "3", "--induced", "none"], "--induced"),
        ):
            self.fails(2, "motifs", *words, says=says)
        self.fails(1, "motifs", "--pattern", "hosue", SMALL, says="did you mean `house`?")
        self.fails(3, "motifs", self.path("nothing.txt"), says="nothing.txt")
        self.fails(3, "motifs", informed, "--edge-label", "2", "--pattern", "a-b", "--null", "2", says="are not rewired")
        self.assertEqual(self.matcha("motifs").returncode, 2)

    def test_ends_early(self):
        done = self.timed_out("motifs", "5", WIKI, "--null", "1000000", began=lambda done: True)
        self.assertEqual(done.stdout, b"")
        process = subprocess.Popen([cli.MATCHA, "motifs", "4", WIKI, "--null", "1000000"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment())
        cli.wait_until_caught(process, signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=cli.LIMIT_S)
        self.assertEqual((process.returncode, out), (130, b""))

    def test_wide_counts_are_exact(self):
        leaves = 20_000
        star = self.write("star.txt", "".join(f"0 {leaf}\n" for leaf in range(1, leaves + 1)))
        words = ("motifs", "--pattern", "star:6", star)
        most = math.comb(leaves, 5)
        self.assertGreater(most, 2**64)
        self.assertEqual(self.ok(*words, "-q").split(), ["star:6", str(most)])
        for null in ([], ["--null", "1"]):
            self.assertEqual(json.loads(self.ok(*words, "-q", "--json", *null))["counts"][0]["count"], most)

    def test_infinite_z_in_text(self):
        text = self.ok("motifs", "-q", "--pattern", "triangle", "examples/graphs/ca-grqc.txt.gz", "--null", "1")
        self.assertEqual(text.splitlines()[1].split()[4], "inf")


if __name__ == "__main__":
    main()
