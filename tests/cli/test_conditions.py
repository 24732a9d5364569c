"""Patterns with conditions on columns: random graphs against brute force; errors with their places; the semantics line of a run."""

import csv
import json
import os
import random
import unittest

import ledger_oracle as oracle
from cli import CliTest, fewer

# More rounds, and other ones, by hand: MATCHA_ROUNDS=2000 MATCHA_SEED=7.
ROUNDS = int(os.environ.get("MATCHA_ROUNDS", "0"))
SEED = int(os.environ.get("MATCHA_SEED", "1"))

LEDGER = "from,to,time,amount,kind\na,b,10,100,wire\na,b,11,5,card\nb,c,12,95,wire\nc,a,13,90,wire\nc,a,99,90,wire\nb,a,14,,card\n"


def cell(value):
    return "" if value is None else str(value)


class RandomGraphs(CliTest):
    def files(self, source, rows, people):
        text = source.random() < 0.3
        name = (lambda v: f"p{v}") if text else (lambda v: str(v))
        columns = ["memo", "time", "src", "kind", "amount", "dst", "rate"]
        if source.random() < 0.5:
            source.shuffle(columns)
        lines = [",".join(columns)]
        for row in rows:
            lines.append(",".join(name(row[c]) if c in ("src", "dst") else cell(row[c]) for c in columns))
        table = self.write("edges.csv", "\n".join(lines) + "\n")
        lines = ["id,label,age,city"] + [f"{name(v)},{p['label']},{cell(p['age'])},{cell(p['city'])}" for v, p in people.items()]
        return table, self.write("people.csv", "\n".join(lines) + "\n"), name, text

    def one(self, seed, options=(), by_line=True, vertices=4, shapes=oracle.SHAPES):
        source = random.Random(seed)
        directed = source.random() < 0.7
        rows, people = oracle.graph(source, vertices, source.randrange(1, 14), loops=directed)
        pattern = oracle.pattern(source, directed, by_line, shapes)
        match = source.choice(["iso", "iso", "homo", "edge"])
        table, vertices, name, is_text = self.files(source, rows, people)
        if is_text and any(repr(("col", v, "id"))[1:-1] in repr(pattern) for v in pattern["vertices"]):
            return  # Ids that are text are not added to.
        keep_loops = directed and source.random() < 0.4
        asked = oracle.text(pattern)
        if not by_line and not oracle.conditions(pattern):
            return
        command = ["run", "--pattern", asked, table, "--vertices", vertices, "--label", "label", "--edge-label", "kind", "--quiet", *options]
        command += ["--directed"] * directed + ["--keep-loops"] * keep_loops + ["--match", match]
        found = oracle.maps(rows, people, pattern, match, directed, keep_loops, by_line)
        embeddings = match == "iso" and source.random() < 0.3
        command += ["--embeddings"] * embeddings
        if match == "iso" and not embeddings:
            found = oracle.orbits(pattern, found, by_line)
        labels = {p["label"] for p in people.values()}
        if any(label and label not in labels for label, _ in pattern["vertices"].values()):
            return
        used = {row["kind"] for row in rows}
        if any(edge[4] and edge[4] not in used for edge in pattern["edges"]):
            return  # A label that the graph does not have is an error.
        self.assertEqual(self.ok(*command).strip(), str(len(found)), (seed, command))
        path = str(self.folder / "rows.csv")
        self.ok(*command, "--matches", path)
        with open(path, encoding="utf-8") as file:
            got = sorted(tuple(row) for row in list(csv.reader(file))[1:])
        wanted = [tuple(name(v) for v in vertices) + (tuple(map(str, edges)) if by_line else ()) for vertices, edges in found]
        if match == "iso" and not embeddings:
            self.assertEqual(len(got), len(wanted), (seed, command))
            everything = oracle.maps(rows, people, pattern, match, directed, keep_loops, by_line)
            as_rows = {tuple(name(v) for v in v_) + (tuple(map(str, e_)) if by_line else ()): (v_, e_) for v_, e_ in everything}
            self.assertEqual(len(set(got)), len(got), (seed, command))
            self.assertEqual(len(oracle.orbits(pattern, [as_rows[row] for row in got], by_line)), len(wanted), (seed, command))
        else:
            self.assertEqual(got, sorted(wanted), (seed, command))

    def test_lines(self):
        for seed in range(ROUNDS or fewer(60, 5)):
            self.one(SEED * 1_000_000 + seed)

    def test_pairs(self):
        for seed in range(ROUNDS or fewer(25, 3)):
            self.one(SEED * 2_000_000 + seed, by_line=False)

    def test_engines(self):
        """The interpreter, code of the first tier and native code agree."""
        for seed in range(ROUNDS or fewer(12, 2)):
            for options in (["--backend", "interp"], ["--tier", "interp"], ["--tier", "native"], ["--threads", "3"]):
                self.one(SEED * 3_000_000 + seed, options)



class Ledger(CliTest):
    def setUp(self):
        super().setUp()
        self.table = self.write("ledger.csv", LEDGER)

    def count(self, pattern, *options, table=None):
        return self.ok("run", "--quiet", "--directed", "--pattern", pattern, table or self.table, *options).strip()

    def test_loops(self):
        """The search begins at a loop, whose second end is no vertex elsewhere in the program."""
        table = self.write("loops.csv", "src,dst,w\n1,2,1\n2,3,2\n2,2,2\n3,3,1\n2,4,1\n")
        for pattern, count in (("(a)-[x]->(b), (a)-[y]->(a) where y.w > 1", 2), ("(b)-[x]->(a), (a)-[y {w = 2}]->(a)", 1), ("(a)-[y {w = 1}]->(a)", 1),
                               ("(a)-[x]->(b), (a)-[y]->(a), (b)-[z]->(b) where y.w > z.w", 1)):
            self.assertEqual(self.count(pattern, "--keep-loops", "--match", "edge", table=table), str(count), pattern)

    def test_values(self):
        """Nulls, exact numbers, texts, truth and times of every unit, each against a count by hand."""
        wide = self.write("wide.csv", "src,dst,big,flag,when,ms,none\n1,2,9007199254740993,true,2024-05-01,1000,\n2,3,9007199254740992,FALSE,"
                          "2024-05-02T00:00:00Z,2500,\n3,1,-5,,2024-05-02 00:00:00.5+00:00,3500,\n")
        for pattern, count, *options in [
            ("(a)-[x {amount is null}]->(b)", 1), ("(a)-[x {not amount > 50}]->(b)", 1), ("(a)-[x {kind in ['card', 'cash']}]->(b)", 2),
            ("(a)-[x:wire]->(b) where x.amount >= 90", 4), ("(a {id = 'b'})-[x]->(b)", 2),
            ("(a)-[x]->(b)-[y]->(a) where x.time < y.time", 2), ("(a)-[x]->(b)-[y]->(a) where x < y, x.amount > y.amount or y.amount is null", 2),
            ("(a)-[x]->(b), (a)-[y]->(b)", 2), ("(a)-[x]->(b)-[y]->(a) where x < y, y.time - x.time <= 3", 1), ("(a)-[x]->(b), (a)-[y]->(b) where x < y", 2), ("(a)-[x]->(b) where a = b", 0),
            ("(a)-[x]->(b)-[y]->(c)-[z]->(a) where x < y < z within 3s", 2), ("(a)-[x]->(b)-[y]->(c)-[z]->(a) where x < y < z within 2s", 1),
            ("(a)-[x]->(b)-[y]->(c)-[z]->(a) where within 3", 2), ("(a)-[x]->(b)-[y]->(c) where y - x <= 1ms, x < y", 2, "--time", "time:ms"),
        ]:
            with self.subTest(pattern):
                self.assertEqual(self.count(pattern, "--src", "from", "--dst", "to", *options), str(count))
        for pattern, count, *options in [
            ("(a)-[x {none = 'a' or big = -5}]->(b)", 1), ("(a)-[x {none is null, not none < 3}]->(b)", 0), ("(a)-[x]->(b)-[y]->(c) where x.none < y.big", 0),
            ("(a)-[x]->(b)-[y]->(c) where x.none <> y.none or y.none is null", 3), ("(a)-[x]->(b)-[y]->(c) where x.none < y.none", 0),
            ("(a)-[x {big > 9007199254740992.0}]->(b)", 1), ("(a)-[x {big = 9007199254740993}]->(b)", 1), ("(a)-[x {flag}]->(b)", 1),
            ("(a)-[x {not flag}]->(b)", 1), ("(a)-[x {flag = true or flag is null}]->(b)", 2), ("(a)-[x {when >= '2024-05-02'}]->(b)", 2),
            ("(a)-[x]->(b)-[y]->(c) where y.when - x.when = 1d", 1), ("(a)-[x]->(b)-[y]->(c) where 0s < y.when - x.when <= 500ms", 1),
            ("(a)-[x]->(b)-[y]->(c) where y.ms - x.ms <= 1s, x.ms < y.ms", 1, "--time", "ms:ms"), ("(a)-[x]->(b)-[y]->(c) where x < y within 1500ms", 2, "--time", "ms:ms"),
            ("(a)-[x]->(b)-[y]->(c) where y.big - x.big > 0 and x.flag <> y.flag", 0), ("(a)-[x]->(b)-[y]->(c) where x.big * 2 > y.big", 2),
            ("(a)-[x]->(b)-[y]->(c) where x < y, y.ms - x.ms <= 1s", 1, "--time", "ms:ms"),
        ]:
            with self.subTest(pattern):
                self.assertEqual(self.count(pattern, *options, table=wide), str(count))

    def test_begins_of_conditions(self):
        table = self.write("d.csv", "src,dst,amount\na,b,1\nb,c,-3\n")
        for text, count in (("where -1 < x.amount", 1), ("where(x.amount > 1)", 0), ("where (-4 < x.amount)", 2), ("WHERE x.amount = -3", 1)):
            words = ["run", "--quiet", "--directed", table, "--src", "src", "--dst", "dst", "--pattern", f"(a)-[x]->(b) {text}"]
            self.assertEqual(int(self.ok(*words)), count, text)
        self.fails(1, *words[:-1], "(a)-[x]->(b) where", says="condition")

    def test_errors(self):
        """Each error has its place in the pattern."""
        ends = ["--src", "from", "--dst", "to"]
        for pattern, place, words, *options in [
            ("(a)-[x {amout > 1}]->(b)", 9, "no column `amout`"), ("(a)-[x {kind > 1}]->(b)", 9, "a number is compared with text"),
            ("(a)-[x]->(b) where x.kind + 1 = 2", 22, "a number is wanted"), ("(a)-[x]->(b) where a.age > 3", 22, "no table of vertices"),
            ("(a)-[x]->(b) where y.amount > 3", 20, "no vertex or edge is called `y`"), ("(a)-[x]->(b) where x.amount", 22, "a condition is wanted"),
            ("(a)-[x]->(b) where x.amount > ", 31, "expected a value"), ("(a)-[x]->(b) where x.amount / 2 > 1", 29, "`/` is not read"),
            ("(a)-[x]->(b) where x.kind < 1d", 29, "a duration is compared"), ("(a)-[x]->(b)-[x]->(c)", 15, "`x` stands here again"),
            ("(a)-[x {amount > 1]->(b)", 8, "expected `}`"), ("(a)-[x]->(b) where x.kind is 3", 30, "expected `NULL`"),
            ("(a)-[x]->(b) where within 1d", 20, "there are not two"), ("(a)-[x]->(b)-[y]->(c) where x.amount < y.amount within 1d", 49, "names of edges alone"),
            ("(a)-[x]->(b), a~c, (b)-[y]->(c)", 1, "not adjacent"), ("(a)-[x]->(b), (c)", 1, "vertex c has no edge"),
            ("(a)-[x]-(b)", 1, "two arcs"), ("(a)-[x:?p]->(b)-[y:?p]->(c)", 1, "variables of labels"), ("(a)-[x:cash]->(b)", 8, "no edge has the label `cash`", "--edge-label", "kind"),
            ("(a)-[x]->(b)-[y]->(c) where x.amount * y.amount * 1000000000000000000 > 3", 49, "beyond 64 bits"), ("(a)-[x]->(b)-[y]->(c) where x < y within 1us", 42, "no whole number"),
            ("(a)-[x]->(b) not (b)-[y]->(a)", 14, "`not` of a part"), ("(a)-[x]->(b), optional (b)-[y]->(a)", 15, "`optional` of a part"),
        ]:
            with self.subTest(pattern):
                self.fails(1, "run", "--directed", "--pattern", pattern, self.table, *ends, *options, says=[f"<pattern>:1:{place}:", words])

    def test_refused(self):
        """Verbs without columns refuse the pattern with that reason, and so do options that are not for these patterns."""
        pattern = "(a)-[x {amount > 1}]->(b)"
        self.fails(1, "pattern", pattern, says="[pattern-condition]")
        self.fails(2, "stream", "--pattern", pattern, "--directed", "--updates", self.write("u.txt", "+ 1 2\n"), says="without `--temporal`")
        mtg = self.path("g.mtg")
        self.ok("graph", "convert", self.table, mtg, "--src", "from", "--dst", "to", "--directed")
        self.fails(3, "run", "--directed", "--pattern", pattern, mtg, says="columns are those of tables")
        # Labels and columns of vertices may be in files beside it.
        small = self.path("s.mtg")
        self.ok("graph", "convert", self.write("s.txt", "1 2\n2 3\n3 1\n"), small, "--directed")
        vertices = self.write("v.csv", "id,kind,age\n1,p,3\n2,p,1\n3,q,9\n")
        for question in (["run", "--directed", "--pattern", "(a:p)->(b) where a.age > 2"], ["query", "MATCH (a:p)-->(b) WHERE a.age > 2 RETURN count(*)"]):
            self.assertEqual(self.ok(*question, small, "--vertices", vertices, "--label", "kind", "-q").strip(), "1")
        labels = self.write("l.txt", "1 p\n2 p\n3 q\n")
        self.assertEqual(self.ok("run", "--directed", "--pattern", "(a:p)->(b:p) where a.id < 3", small, "--labels", labels, "-q").strip(), "1")
        self.fails(3, "run", "--directed", "--pattern", "(a:p)->(b) where a.id < 3", small, says="columns are those of tables")
        base = ["run", "--directed", "--pattern", pattern, self.table, "--src", "from", "--dst", "to"]
        for options, word in [(["--verify"], "--verify"), (["--induced", "vertex"], "--induced vertex"), (["--memory", "1G"], "--memory"),
                              (["--tune"], "--tune"), (["--pattern", "a->b"], "several patterns"), (["--plan", "2"], "--plan"),
                              (["--parallel", "merge"], "--parallel merge"), (["--matches", "x.svg"], "pictures"), (["--edge-id", "amount"], "--edge-id")]:
            with self.subTest(options):
                done = self.matcha(*base, *options)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(word, done.stderr.decode())

    def test_rows(self):
        """Ids of edges are numbers of lines or cells; `--parallel keep` counts lines for any pattern."""
        ends = ["--directed", "--src", "from", "--dst", "to", "--quiet"]
        pattern = "(a)-[x:card]->(b) where x.time > 10"
        rows = lambda *options: self.ok("run", "--pattern", pattern, self.table, *ends, "--edge-label", "kind", "--matches", "-", *options)
        self.assertEqual(rows(), "a\tb\t1\nb\ta\t5\n")
        self.assertEqual(rows("--edge-id", "time"), "a\tb\t11\nb\ta\t14\n")
        ids = self.write("ids.csv", "tx,from,to\nt1,a,b\n17,a,b\nt-é,b,a\n")
        self.assertEqual(self.ok("run", "--pattern", "(a)-[x]->(b)", ids, *ends, "--edge-id", "tx", "--matches", "-"), "a\tb\tt1\na\tb\t17\nb\ta\tt-é\n")
        self.write("odd.csv", "tx,from,to,none\n2024-05-01,007,7,\n2024-05-02,7,8,\n1.50,8,007,\n")
        odd = ["run", self.path("odd.csv"), *ends, "--ids", "text", "--edge-id", "tx", "--matches", "-", "--pattern"]
        self.assertEqual(self.ok(*odd, "(a)-[x]->(b)"), "007\t7\t2024-05-01\n7\t8\t2024-05-02\n8\t007\t1.50\n")
        self.assertEqual(self.ok(*odd, "(a)-[x]->(b) where a.id = b.id"), "")
        self.write("large.csv", "from,to\n1,18446744073709551615\n")
        self.fails(2, "run", self.path("large.csv"), *ends, "--pattern", "(a)-[x]->(b) where a.id < b.id", says="beyond 63 bits")
        self.fails(3, "run", self.path("odd.csv"), *ends, "--edge-id", "none", "--pattern", "(a)-[x]->(b)", says="each edge has one")
        self.assertEqual(rows("--limit", "1")[:2], "a\t" if rows("--limit", "1")[0] == "a" else "b\t")
        asked = ["run", "--pattern", pattern, self.table, *ends, "--edge-label", "kind"]
        self.assertEqual(self.ok(*asked, "--exists").strip(), "true")
        self.assertEqual(self.ok(*asked, "--limit", "1", "--count").strip(), "1")
        self.assertEqual(json.loads(self.ok(*asked, "--json"))["result"], 2)
        self.assertEqual(self.ok("run", "--pattern", "a->b->c->a", self.table, *ends).strip(), "1")
        self.assertEqual(self.ok("run", "--pattern", "a->b->c->a", self.table, *ends, "--parallel", "keep").strip(), "4")
        self.assertEqual(self.ok("run", "--pattern", "a->b->c->a", self.table, *ends, "--parallel", "merge").strip(), "1")

    def test_shards(self):
        """The parts of a run in shards are the whole."""
        ends = ["--directed", "--src", "from", "--dst", "to", "--quiet", "--pattern", "(a)-[x]->(b)-[y]->(c) where x <= y"]
        ledgers = []
        for shard in range(3):
            ledgers.append(self.path(f"part{shard}.mtl"))
            self.ok("run", self.table, *ends, "--shard", f"{shard}/3", "--ledger", ledgers[-1])
        self.assertEqual(self.ok("merge", *ledgers).strip().splitlines()[-1], self.count(ends[-1], "--src", "from", "--dst", "to"))

    def test_explain(self):
        """What each condition became."""
        done = self.matcha("explain", "--directed", "--pattern", "(a)-[x {amount > 5}]->(b)-[y]->(c) where x < y within 1h, y.amount < x.amount", self.table,
                           "--src", "from", "--dst", "to")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ["5 < x.amount: before the search, a filter of x", "x < y: a slice of the edges of a vertex, by time",
                     "y - x <= 3600: a slice", "y.amount < x.amount: a test in the search", "x: 4 of 6 lines", "times are numbers of seconds"]:
            self.assertIn(line, done.stderr.decode())

    def test_chain(self):
        """Each edge of a chain within a window has both bounds, though the window is said of the first and the last."""
        chain = "(a)-[x]->(b)-[y]->(c)-[z]->(d) where x < y < z within 1h"
        text = self.ok("explain", "--no-run", "--directed", "--pattern", chain, self.table, "--src", "from", "--dst", "to")
        self.assertNotIn("9223372036854775806", text)
        self.assertNotIn("edge-induced", text)
        self.assertEqual(self.count("(a)-[x]->(b)-[y]->(c) where x < y, y < x", "--src", "from", "--dst", "to"), "0")

    def test_queries(self):
        """The same in Cypher, where a relationship is a line."""
        people = self.write("people.csv", "name,age,id\na,30,1\nb,40,2\nc,,3\n")
        options = ["--src", "from", "--dst", "to", "--edge-label", "kind", "--vertices", people, "--id", "name", "--quiet"]
        for query, answer in [
            ("MATCH (a)-[r:wire]->(b) WHERE r.amount >= 95 RETURN count(*)", "2"), ("MATCH (a)-[r {amount: 90}]->(b) RETURN count(*)", "2"),
            ("MATCH (a {age: 30})-[r]->(b) RETURN count(*)", "2"), ("MATCH (a)-[r]-(b) WHERE a.age < b.age RETURN count(*)", "3"),
            ("MATCH (a)-[r]->(b) WHERE b.age IS NULL RETURN a", "a\nb"), ("MATCH (a {id: 2})-->(b) RETURN b", "b\nc\na"),
            ("MATCH (a)-[r]->(b)-[s]->(c)-[t]->(a) WHERE r.time < s.time AND s.time < t.time AND t.time - r.time <= 3 RETURN a, b, c", "a,b,c\na,b,c\na,b,c"),
            ("MATCH (a)-[r]->(b), (a)-[s]->(c) WHERE r.amount <> s.amount AND b <> a RETURN count(*)", "2"),
            ("MATCH (a)-[r]->(b) WHERE NOT r.kind = 'wire' AND (a.age > 35 OR b.age > 35) RETURN count(*)", "2"),
        ]:
            with self.subTest(query):
                self.assertEqual(self.ok("query", query, self.table, *options).strip(), answer)


if __name__ == "__main__":
    unittest.main()
