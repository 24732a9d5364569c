"""`matcha motifs --within`: shapes of two and three edges in the order of their times, alone and beside shuffled times."""

import itertools
import json
import os

import temporal_oracle as oracle
from cli import CliTest, fewer, main

CASES = int(os.environ.get("MATCHA_CASES", fewer(12, 4)))
FIRST = int(os.environ.get("MATCHA_SEED", 0))
SECOND = ("cb", "bc", "ca", "ac", "ba", "ab")
THIRD = ("ab", "ba", "ac", "ca", "bc", "cb")
NAMES = [f"ab<{edge}" for edge in THIRD] + [f"ab<{second}<{third}" for second in SECOND for third in THIRD]
# The data of a ledger: a loop, two lines at one time, a line without a time, and one that is late.
LEDGER = """from,to,at
ann,bob,2024-05-01T10:00:00Z
bob,cai,2024-05-01T10:20:00Z
bob,bob,2024-05-01T10:30:00Z
cai,ann,2024-05-01T11:00:00Z
cai,ann,2024-05-01T10:20:00Z
ann,bob,
cai,ann,2024-05-01T11:00:01Z
"""


def brute(rows, window):
    fits = oracle.ordered(window, [float("inf")] * 2)
    return {name: oracle.chains(rows, name.split("<"), fits) for name in NAMES}


class TemporalMotifs(CliTest):
    def counts(self, *words):
        return {name: int(count) for name, count in (line.split() for line in self.ok("motifs", "-q", *words).splitlines())}

    def rows(self, *words):
        return {row["name"]: row for row in json.loads(self.ok("motifs", "-q", "--json", *words))["counts"]}

    def some(self, found):
        return {name: count for name, count in found.items() if count}

    def test_brute_force(self):
        for seed in range(FIRST, FIRST + CASES):
            source = oracle.sources(seed)
            rows = oracle.edges(source, vertices=source.choice((2, 3, 5)), count=source.choice((0, 1, 8, 25)))
            file = self.write("e.txt", oracle.text(rows))
            for window in (0, source.randint(1, 6), 100):
                wanted = brute(rows, window)
                found = self.counts(file, "--within", window)
                self.assertEqual(found, wanted, (seed, window))
                self.assertEqual(list(found), NAMES)
            inputs = ["--in", f"edges={file}:0,1", "--in", f"times={file}:2", "--param", f"window={window}"]
            for way in (["--backend", "interp"], ["--tier", "native"], ["--tier", "native", "--threads", "2"]):
                told = self.ok("run", "-q", "std.temporal", "--entry", "motifs", *inputs, *way)
                self.assertEqual(dict(map(str.split, told.splitlines())), {name: str(count) for name, count in wanted.items()}, (seed, way))

    def test_patterns_with_conditions(self):
        rows = oracle.edges(oracle.sources(3), vertices=4, count=40)
        file = self.write("e.txt", oracle.text(rows))
        found = self.counts(file, "--within", "5s")
        for name, count in found.items():
            edges = [f"({edge[0]})-[{time}]->({edge[1]})" for edge, time in zip(name.split("<"), "xyz")]
            times = "<".join("xyz"[: len(edges)])
            pattern = f"{','.join(edges)} where {times} within 5s"
            self.assertEqual(self.ok("run", "-q", "--directed", file, "--pattern", pattern), f"{count}\n", pattern)
        self.assertGreater(len(self.some(found)), 30)

    def test_tables_and_units(self):
        file = self.write("ledger.csv", LEDGER)
        within = {"1h": {"ab<bc": 3, "ab<ca": 2, "ab<bc<ca": 1}, "3601s": {"ab<bc": 3, "ab<ca": 3, "ab<bc<ca": 2}}
        for window, wanted in within.items():
            found = self.some(self.counts(file, "--within", window))
            found = {name: count for name, count in found.items() if name in wanted}
            self.assertEqual(found, wanted)
        self.assertEqual(self.counts(file, "--within", "3600"), self.counts(file, "--within", "1h"))
        self.assertEqual(self.counts(file, "--within", "3600500ms"), self.counts(file, "--within", "1h"))
        self.assertEqual(self.counts(file, "--within", "999999w"), self.counts(file, "--within", "1d"))
        self.assertEqual(self.counts(f"{file}:from,to", "--time", "at", "--within", "1h", "--directed"), self.counts(file, "--within", "1h"))
        told = self.matcha("motifs", file, "--within", "1h").stderr.decode()
        for part in ("7 lines, 3 vertices", "dropped 1 loops", "times in s; dropped 1 without"):
            self.assertIn(part, told)
        numbers = self.write("ms.csv", "ts,v,u\n1000,1,0\n1500,2,1\n2001,0,2\n")
        columns = ("--src", "u", "--dst", "v", "--time")
        self.assertEqual(self.some(self.counts(numbers, *columns, "ts:ms", "--within", "1s")), {"ab<bc": 2})
        self.assertEqual(self.counts(numbers, *columns, "ts:ms", "--within", "1001ms")["ab<bc<ca"], 1)
        self.assertEqual(self.counts(numbers, *columns, "ts:ms", "--within", "1001")["ab<bc<ca"], 1)
        self.assertEqual(self.some(self.counts(numbers, *columns, "ts", "--within", "1001")), {"ab<bc": 2, "ab<ca": 1, "ab<bc<ca": 1})

    def test_json(self):
        file = self.write("ledger.csv", LEDGER)
        found = json.loads(self.ok("motifs", "-q", "--json", file, "--within", "1h", "--null", "2", "--seed", "4"))
        self.assertEqual(found["times"], {"within": "1h", "vertices": 3, "edges": 6})
        self.assertEqual((found["graph"], found["null"], len(found["counts"])), (None, {"graphs": 2, "seed": 4}, 42))

    def test_random_graphs_are_those_of_their_seeds(self):
        rows = oracle.edges(oracle.sources(9), vertices=4, count=30)
        words = (self.write("e.txt", oracle.text(rows)), "--within", "4")
        alone = [self.rows(*words, "--null", "1", "--seed", seed) for seed in range(5, 8)]
        tables = [self.rows(*words, "--null", "3", "--seed", "5", "--threads", threads) for threads in (1, 3)]
        self.assertEqual(*tables)
        for name, row in tables[0].items():
            drawn = [one[name]["mean"] for one in alone]
            self.assertAlmostEqual(row["mean"], sum(drawn) / 3)
            self.assertEqual(row["p_more"], (1 + sum(count >= row["count"] for count in drawn)) / 4)
        self.assertEqual({name: row["count"] for name, row in tables[0].items()}, brute(rows, 4))
        self.assertGreater(len({tuple(row["mean"] for row in one.values()) for one in alone}), 1)

    def test_each_order_of_times_is_as_likely(self):
        """The edges stay: three of different times make one of six shapes, one for each order."""
        file = self.write("e.txt", "0 1 10\n1 2 20\n0 2 30\n")
        found = self.rows(file, "--within", "100", "--null", "600")
        means = {name: row["mean"] for name, row in found.items() if name.count("<") == 2 and row["mean"]}
        orders = {name: mean * 600 for name, mean in means.items()}
        self.assertEqual(len(orders), 6)
        self.assertEqual(round(sum(orders.values())), 600)
        # Five degrees of freedom: beyond 20.5 once in a thousand.
        self.assertLess(sum((times - 100) ** 2 / 100 for times in orders.values()), 20.5)
        self.assertEqual([name for name, row in found.items() if row["count"] and name.count("<") == 2], ["ab<bc<ac"])

    def test_sums_that_no_shuffle_changes(self):
        rows = [(u, v, 7 * at) for at, (u, v) in enumerate(itertools.permutations(range(4), 2))]
        found = self.rows(self.write("e.txt", oracle.text(rows)), "--within", "1d", "--null", "20")
        # All times are within the window, and differ: each three edges on three vertices count once, in any order.
        threes = [row for name, row in found.items() if name.count("<") == 2]
        self.assertEqual(sum(row["count"] for row in threes), 80)
        self.assertAlmostEqual(sum(row["mean"] for row in threes), 80)

    def test_wrong_words(self):
        file = self.write("ledger.csv", LEDGER)
        plain = self.write("plain.txt", "0 1\n1 2\n")
        words = self.write("words.csv", "from,to,at\na,b,monday\n")
        floats = self.write("floats.csv", "from,to,at\na,b,1.5\n")
        far = self.write("far.csv", f"from,to,at\na,b,{oracle.LEAST}\nb,c,{oracle.LARGEST}\n")
        for window in ("1%", "x", "-1h", "1.5h", "1x"):
            self.fails(2, "motifs", file, "--within", window, says="no duration")
        for more, says in ((["3"], "a number of vertices"), (["--pattern", "house"], "`--pattern`"), (["--induced", "edge"], "`--induced`"),
                           (["--vertices", file], "`--vertices`"), (["--labels", file], "labels"), (["--edge-label", "at"], "`--edge-label`")):
            self.fails(2, "motifs", *more, file, "--within", "1h", says=says)
        self.fails(2, "motifs", self.write("s.csv", "u,v,t\n0,1,5\n"), "--time", "t", "--within", "5ms", says=["no whole number", "--time COLUMN:ms"])
        self.fails(2, "motifs", file, "--time", "at", says="--within")
        self.fails(2, "motifs", file, "--time", "at:h", "--within", "1h", says="no unit of time")
        self.fails(3, "motifs", file, "--time", "when", "--within", "1h", says="no column `when`")
        self.fails(3, "motifs", plain, "--within", "1h", says="plain.txt")
        self.fails(3, "motifs", words, "--within", "1h", says="neither whole numbers nor dates")
        self.fails(3, "motifs", floats, "--within", "1h", says="neither whole numbers nor dates")
        self.fails(3, "motifs", far, "--within", "1h", says="2^61 apart")


if __name__ == "__main__":
    main()
