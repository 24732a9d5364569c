"""Streams of patterns with conditions: random ledgers in windows against brute force and against runs on the rows that are in the window."""

import json
import os
import random
import re
import shutil
import subprocess
import unittest
from datetime import datetime, timedelta

import ledger_oracle as oracle
from cli import MATCHA, CliTest, fewer

# More rounds, and other ones, by hand: MATCHA_ROUNDS=2000 MATCHA_SEED=7.
ROUNDS = int(os.environ.get("MATCHA_ROUNDS", "0"))
SEED = int(os.environ.get("MATCHA_SEED", "1"))
SHIM = os.environ.get("MATCHA_KILL_SHIM", "")
COLUMNS = ["memo", "time", "src", "kind", "amount", "dst", "rate"]


def cell(value):
    return "" if value is None else str(value)


def released(rows, lateness):
    """The numbers of the lines in the order in which they are put, and how many are dropped."""
    waiting, order, latest, last = [], [], None, None
    for number, row in enumerate(rows):
        time = row["time"]
        if latest is not None and time < latest and latest - 1 - time >= lateness or last is not None and time < last:
            continue
        latest = time if latest is None else max(latest, time)
        waiting.append(number)
        waiting.sort(key=lambda at: rows[at]["time"])
        while waiting and latest - rows[waiting[0]]["time"] >= lateness:
            last = rows[waiting[0]]["time"]
            order.append(waiting.pop(0))
    return order + waiting


def batches(rows, order, width, lines, slide):
    """The windows after each batch, as lists of lines in order."""
    live, taken, windows, first = [], 0, [], None
    for number in order:
        time = rows[number]["time"]
        if first is not None and (lines and taken == lines or slide and time // slide != first // slide):
            windows.append(list(live))
            taken, first = 0, None
        if first is None:
            first = time
        taken += 1
        if width:
            live = [at for at in live if time - rows[at]["time"] < width]
        live.append(number)
    return windows + ([list(live)] if order else [])


class RandomLedgers(CliTest):
    def one(self, seed, options=(), vertices=4, runs=1):
        source = random.Random(seed)
        directed = source.random() < 0.7
        rows, people = oracle.graph(source, vertices, source.randrange(1, 24), loops=True)
        for row in rows:
            row["time"] = source.randrange(-6, 12)
        lateness = source.choice([0, 0, 2, 5])
        if lateness == 0 or source.random() < 0.3:
            rows.sort(key=lambda row: row["time"])
        elif source.random() < 0.8:
            rows.sort(key=lambda row: row["time"] + source.randrange(0, lateness + 1))
        pattern = oracle.pattern(source, directed, True)
        text = oracle.text(pattern)
        if source.random() < 0.5 and len(pattern["edges"]) > 1:
            within = source.randrange(1, 6)
            text += (", " if " where " in text else " where ") + f"within {within}s"
            names = [edge[0] for edge in pattern["edges"]]
            pattern["where"] += [("<=", ("-", ("col", a, "time"), ("col", b, "time")), within) for a in names for b in names if a != b]
        is_text = source.random() < 0.3
        if is_text and re.search(r"\('col', '\w+', 'id'\)", repr(pattern)):
            return False
        name = (lambda v: f"p{v}") if is_text else str
        labels = {p["label"] for p in people.values()}
        if any(label and label not in labels for label, _ in pattern["vertices"].values()):
            return False
        dates = source.random() < 0.2 and "within" not in text and " - " not in text
        time = (lambda t: (datetime(2024, 1, 10) + timedelta(seconds=t)).isoformat()) if dates else str
        columns = list(COLUMNS)
        source.shuffle(columns)
        line = lambda row: ",".join(name(row[c]) if c in ("src", "dst") else time(row[c]) if c == "time" else cell(row[c]) for c in columns)
        lines = list(map(line, rows))
        table = self.write("edges.csv", "\n".join([",".join(columns)] + lines) + "\n")
        people_file = self.write("people.csv", "\n".join(["id,label,age,city"] + [f"{name(v)},{p['label']},{cell(p['age'])},{cell(p['city'])}"
                                                                                  for v, p in people.items()]) + "\n")
        match = source.choice(["iso", "iso", "homo", "edge"])
        embeddings = match == "iso" and source.random() < 0.3
        common = ["--pattern", text, "--vertices", people_file, "--label", "label", "--edge-label", "kind", "--quiet", "--match", match]
        common += ["--directed"] * directed + ["--embeddings"] * embeddings
        width = source.choice([0, 1, 3, 6, 10])
        size, slide = source.choice([(1, 0), (2, 0), (5, 0), (100, 0), (0, 1), (0, 4), (3, 4)])
        command = ["stream", *common, "--updates", table, "--temporal", "--json", *options]
        command += (["--window", f"{width}s"] if width else []) + (["--lateness", f"{lateness}s"] if lateness else [])
        command += (["--batch", str(size)] if size else []) + (["--slide", f"{slide}s"] if slide else [])
        windows = batches(rows, released(rows, lateness), width, size, slide)
        counts = [json.loads(answer) for answer in self.ok(*command).splitlines()]
        path = self.path("rows.ndjson")
        listed = [json.loads(answer) for answer in self.ok(*command, "--matches", path).splitlines()]
        with open(path, encoding="utf-8") as file:
            changes = [json.loads(row) for row in file]
        self.assertEqual(len(counts), len(windows) + 2, (seed, command))
        whole = oracle.maps(rows, people, pattern, match, directed, False, True)
        count = lambda found: len(oracle.orbits(pattern, found, True) if match == "iso" and not embeddings else found)
        old, held = set(), []
        for at, window in enumerate(windows):
            now = set(window)
            inside = [one for one in whole if set(one[1]) <= now]
            plus = [one for one in inside if not set(one[1]) <= old]
            minus = [one for one in whole if set(one[1]) <= old and not set(one[1]) <= now]
            wanted = {"total": count(inside), "plus": count(plus), "minus": count(minus), "inserted": len(now - old), "deleted": len(old - now)}
            for answers in (counts, listed):
                answer = answers[at + 1]
                if "plus" not in answer:  # Recomputed without rows.
                    wanted.pop("plus", None), wanted.pop("minus", None)
                self.assertEqual({key: answer[key] for key in wanted}, wanted, (seed, at, answer, command))
            mine = [tuple(row["row"]) for row in changes if row["batch"] == at + 1 and row["change"] == "+"]
            gone = [tuple(row["row"]) for row in changes if row["batch"] == at + 1 and row["change"] == "-"]
            for row in gone:
                held.remove(row)
            held += mine
            names = lambda found: sorted((*(name(v) if is_text else v for v in found[0]), *found[1]) for found in found)
            if match != "iso" or embeddings:
                self.assertEqual(sorted(held), names(inside), (seed, at, command))
            else:
                as_rows = {(*(name(v) if is_text else v for v in one[0]), *one[1]): one for one in inside}
                self.assertEqual(len(set(held)), len(oracle.orbits(pattern, inside, True)), (seed, at, command))
                self.assertEqual(len(oracle.orbits(pattern, [as_rows[row] for row in held], True)), len(held), (seed, at, command))
            old = now
        for _ in range(runs):
            at = source.randrange(len(windows))
            kinds = {edge[4] for edge in pattern["edges"] if edge[4]}
            if not kinds <= {rows[number]["kind"] for number in windows[at]}:
                continue
            part = self.write("part.csv", "\n".join([",".join(columns)] + [lines[number] for number in windows[at]]) + "\n")
            self.assertEqual(self.ok("run", *common, part).strip(), str(counts[at + 1]["total"]), (seed, at, command))
        return True

    def test_streams(self):
        for seed in range(ROUNDS or fewer(25, 4)):
            self.one(SEED * 1_000_000 + seed)

    def test_recomputed(self):
        for seed in range(ROUNDS or fewer(6, 1)):
            self.one(SEED * 2_000_000 + seed, ["--engine", "recompute"])


LEDGER = "id,ts,from,to,amount,kind\nt1,10,a,b,100,wire\nt2,11,a,b,5,card\nt3,12,b,c,95,wire\nt4,13,c,a,90,wire\nt5,19,c,a,90,wire\nt6,20,b,a,,card\n"
RING = "(a)-[x {amount >= 90}]->(b)-[y]->(c)-[z]->(a) where x < y < z"


class Ledger(CliTest):
    def setUp(self):
        super().setUp()
        self.table = self.write("ledger.csv", LEDGER)
        self.base = ["stream", "--directed", "--temporal", "--quiet", "--updates"]
        self.ends = ["--src", "from", "--dst", "to", "--time", "ts"]

    def totals(self, pattern, *options, table=None, ends=None):
        answers = self.ok(*self.base, table or self.table, *(self.ends if ends is None else ends), "--batch", "1", "--json", "--pattern", pattern, *options)
        return [json.loads(answer)["total"] for answer in answers.splitlines()[1:-1]]

    def test_rows(self):
        """Rows have the numbers of lines or the cells of `--edge-id`; what leaves has the row with which it came."""
        command = [*self.base, self.table, *self.ends, "--pattern", RING, "--window", "5s", "--batch", "1", "--matches", "-"]
        self.assertEqual(self.ok(*command), "4\t+\ta\tb\tc\t0\t2\t3\n5\t-\ta\tb\tc\t0\t2\t3\n")
        self.assertEqual(self.ok(*command, "--edge-id", "id"), "4\t+\ta\tb\tc\tt1\tt3\tt4\n5\t-\ta\tb\tc\tt1\tt3\tt4\n")
        self.assertEqual(self.totals(RING), [0, 0, 0, 1, 2, 2])
        self.assertEqual(self.totals(RING, ends=[], table=f"{self.table}:from,to,ts,amount"), [0, 0, 0, 1, 2, 2])
        self.assertEqual(self.totals("a->b->c->a", "--parallel", "keep"), [0, 0, 0, 2, 4, 4])
        self.assertEqual(self.totals("(a@'b')-[x]->(c) where x.kind = 'wire'"), [0, 0, 1, 1, 1, 1])
        self.assertEqual(self.totals("(a)-[x]->(b) where a.id < b.id, x.amount is null or x.amount < 95"), [0, 1, 1, 1, 1, 1])
        self.assertEqual(self.totals("(a)-[x:card]->(b)", "--edge-label", "kind"), [0, 1, 1, 1, 1, 2])
        plain = self.write("plain.txt", "# u v t\n1 2 5\n2 1 6\n2 1 6\n1 2 6\n")
        self.assertEqual(self.totals("(a)-[x]->(b)-[y]->(a) where x < y", table=plain, ends=[]), [0, 1, 2, 2])
        vertices = self.write("v.csv", "name,city\na,rome\nb,oslo\n")
        self.assertEqual(self.totals("(a)-[x]->(b) where a.city <> b.city", "--vertices", vertices, "--id", "name"), [1, 2, 2, 2, 2, 3])
        answers = [json.loads(line) for line in self.ok(*self.base, self.table, *self.ends, "--pattern", RING, "--batch", "3", "--json").splitlines()]
        self.assertEqual([answer["how"] for answer in answers[:-1]], ["delta"] * 3)
        self.assertEqual([offer["engine"] for offer in answers[0]["engines"] if "refused" not in offer], ["delta", "recompute"])

    def test_times(self):
        """Dates, and units of numbers: of windows, slides and conditions."""
        dates = self.write("dates.csv", "src,dst,time\na,b,2024-05-01T10:00:00.5Z\nb,a,2024-05-01T10:00:02Z\na,b,2024-05-01 12:00:03+02:00\n")
        pattern = "(a)-[x]->(b)-[y]->(a) where x < y within 1500ms"
        command = [*self.base, dates, "--batch", "1", "--json", "--window", "2s", "--pattern", pattern]
        answers = [json.loads(line) for line in self.ok(*command).splitlines()][1:-1]
        self.assertEqual([(answer["plus"], answer["minus"], answer["total"], answer["first_t"]) for answer in answers],
                         [(0, 0, 0, "2024-05-01T10:00:00.5"), (1, 0, 1, "2024-05-01T10:00:02"), (1, 1, 1, "2024-05-01T10:00:03")])
        numbers = self.write("ms.csv", "src,dst,ts\na,b,500\nb,a,2000\na,b,3000\n")
        self.assertEqual(self.totals(pattern, "--window", "2s", "--time", "ts:ms", table=numbers, ends=[]), [0, 1, 1])

    def test_types(self):
        """A column is text while a cell of the window is; matches of old rows may change with that."""
        source = random.Random(SEED)
        for _ in range(fewer(6, 2)):
            rows = [(source.randrange(3), source.randrange(3), at, source.choice(["1", "01", "1", "1.0", "a", ""])) for at in range(14)]
            lines = [",".join(map(str, row)) for row in rows]
            table = self.write("memo.csv", "\n".join(["src,dst,time,memo", *lines]) + "\n")
            pattern = "(a)-[x]->(b)-[y]->(c) where x.memo = y.memo, x < y within 9s"
            ends = [json.loads(line) for line in self.ok(*self.base, table, "--batch", "1", "--window", "4s", "--json", "--pattern", pattern).splitlines()]
            rowed = [json.loads(line) for line in self.ok(*self.base, table, "--batch", "1", "--window", "4s", "--json", "--pattern", pattern, "--matches",
                                                          self.path("rows.ndjson")).splitlines()]
            for at in range(len(rows)):
                part = self.write("part.csv", "\n".join(["src,dst,time,memo", *lines[max(0, at - 3):at + 1]]) + "\n")
                total = int(self.ok("run", "--directed", "--quiet", "--pattern", pattern, part))
                self.assertEqual((ends[at + 1]["total"], rowed[at + 1]["total"]), (total, total), (lines, at))
                self.assertEqual(rowed[at + 1]["plus"] - rowed[at + 1]["minus"], rowed[at + 1]["delta"])

    def test_errors(self):
        """Errors of lines have their number, those of types their place in the pattern."""
        fails = lambda code, text, pattern, *options, says: self.fails(code, *self.base, self.write("bad.csv", text), "--pattern", pattern, "--out", self.path("out.txt"), *options, says=says)
        pattern = "(a)-[x {amount > 1}]->(b)"
        heading = "src,dst,time,amount\n"
        fails(3, heading + "1,2,3,4\n1,2,x,4\n", pattern, says=["bad.csv:3", "`x` is no time"])
        fails(3, heading + "1,2,3,4\n1,2,,4\n", pattern, says=["bad.csv:3", "is no time"])
        fails(3, heading + "1,2,3,4\n1,2,2024-05-01,4\n", pattern, says=["bad.csv:3", "those before it are numbers"])
        fails(3, heading + "1,2,3,4\n1,2,3,4,5\n", pattern, says=["bad.csv:3", "5 columns, and the heading 4"])
        fails(3, "src,dst,time\n1,2,3\n", pattern, says=["bad.csv:1", "no column `amount`"])
        fails(3, "1 2 3\n", pattern, says=["bad.csv:1", "no column `amount`"])
        fails(3, heading + '1,2,3,"4\n2,3,4,5"\n', pattern, says=["bad.csv:2", "a quoted cell does not end in its line"])
        fails(3, heading + '1,2,3,"4"5\n', pattern, says=["bad.csv:2", "a quoted cell is followed by text"])
        fails(3, 'src,dst,time,"amount\n1,2,3,4\n', pattern, says=["bad.csv:1", "a quoted cell does not end in its line"])
        fails(3, heading + "1,2,3,4\n1,2,4,\n", "(a)-[x]->(b)", "--edge-id", "amount", says=["bad.csv:3", "each edge has an id"])
        fails(1, heading + "1,2,3,4\n1,2,4,many\n", pattern, "--batch", "1", says=["<pattern 1>:1:9", "a number is compared with text"])
        done = self.matcha("stream", "--directed", "--temporal", "--updates", self.path("bad.csv"), "--pattern", pattern, "--batch", "1")
        self.assertIn("column amount is text, as line 3 has some", done.stderr.decode())
        self.assertIn("batch 1  +1 -0  total 1", done.stdout.decode())
        fails(2, heading, "(a)-[x:wire]->(b)", says="--edge-label")
        fails(1, heading, "(a)-[x]->(b) where a.age > 3", says="no table of vertices")
        fails(1, heading + "1,2,3,4\n", "(a)-[x]-(b)", says="two arcs")

    def test_refused(self):
        """A verb or an option without rows is named in the error."""
        program = self.write("p.mt", "def main(G: Graph) -> int:\n    return size(vertices(G))\n")
        binary = self.path("g.mtg")
        self.ok("graph", "convert", self.write("g.txt", "1 2\n"), binary, "-q")
        for options, word in [([program, "--vertices", self.table], "programs beside tables of vertices"), ([binary], "no table of lines"),
                              ([self.table + ":from,to"], "has 3 columns"), (["--device", "cuda"], "--device cuda"), (["--engine", "roots"], "--engine roots"), (["--induced", "vertex"], "--induced vertex")]:
            with self.subTest(options):
                self.fails(2, *self.base, self.table, *self.ends, "--pattern", RING, *options, says=word)
        self.fails(2, *self.base, self.table, *self.ends, "--edge-label", "kind", "--pattern", RING, "--pattern", "a-[:x|y]->b", says="alternatives of labels")
        self.fails(2, "stream", "--directed", "--pattern", RING, "--updates", self.table, says="without `--temporal`")
        done = self.matcha("explain", "--directed", "--src", "from", "--dst", "to", "--time", "ts", "--pattern", RING, self.table)
        for line in ("by what each edge changes (`delta`), in 3 places of the pattern", "edge a>b x"):
            self.assertIn(line, done.stdout.decode())


class Columns(CliTest):
    """Streams of tables whose columns change, by their last totals and rows."""

    def last(self, text, pattern, *more):
        table = self.write("table.csv", text)
        out = self.ok("stream", "--directed", "--temporal", "-q", "--batch", "1", "--updates", table + (more[0] if more else ""), *more[1:],
                      "--pattern", pattern)
        return out.splitlines()

    def test_types_that_change(self):
        head = "src,dst,time,c\n"
        far = head + "1,2,1,3000-01-01\n1,3,2,2024-01-01T00:00:00.000000001\n1,4,20,\n"
        self.assertTrue(self.last(far, "(a)-[x]->(b) where x.c < '2024-06-01'", "", "--window", "10s")[-1].endswith(" total 0"))
        equal = "(a)-[x]->(b)-[y]->(c) where x.c = y.c"
        ghost = head + "7,8,0,0.5\n1,2,5,9007199254740993\n2,3,6,9007199254740992\n7,8,10,1\n7,8,15,1\n"
        self.assertTrue(self.last(ghost, equal, "", "--window", "10s")[-1].endswith(" total 0"))
        late = head + "1,2,1,9007199254740993\n2,3,2,9007199254740992\n7,8,3,0.5\n"
        self.assertTrue(self.last(late, equal)[-1].endswith(" total 1"))

    def test_rows_and_answers_in_one_file(self):
        table = self.write("table.csv", "src,dst,time\n1,2,1\n2,3,2\n")
        words = ["stream", "--directed", "--temporal", "-q", "--updates", table, "--batch", "1", "--pattern", "(a)-[x]->(b)", "--matches"]
        with open(self.path("both"), "w+", encoding="utf-8") as both:
            both.write("before\n")
            both.flush()
            subprocess.run([MATCHA, *words, "/dev/stdout"], stdout=both, check=True)
            both.seek(0)
            found = both.read()
        self.assertEqual(found, "before\nbatch 0  total 0\n1\t+\t1\t2\t0\nbatch 1  +1 -0  total 1\n"
                                "2\t+\t2\t3\t1\nbatch 2  +1 -0  total 2\n")

    def test_columns_by_number_and_ids(self):
        text = "src,dst,time,ts\n1,2,1,9\n2,3,2,5\n"
        self.assertTrue(self.last(text, "(a)-[x]->(b)-[y]->(c) where x < y, x.ts > 1", ":0,1,2")[-1].endswith(" total 1"))
        self.assertTrue(self.last("src,dst,time\n7,8,1\n", "(a@'007')-[x]->(b)")[-1].endswith(" total 0"))
        short = self.write("short.csv", "1,2,1\n")
        self.fails(3, "stream", "--directed", "--temporal", "-q", "--updates", short + ":0,1,2", "--no-total", "--edge-id", "5", "--pattern", "(a)-[x]->(b)",
                   says="there is no column 5: the line has 3 of them, from 0")
        rows = self.last("id,src,dst,time\ntx0,0,1,1\ntx1,1,2,2\n", "(a)-[e]->(b)", "", "--edge-id", "id", "--matches", "-")
        self.assertEqual([line for line in rows if "+\t" in line], ["1\t+\t0\t1\ttx0", "2\t+\t1\t2\ttx1"])
        twice = self.write("twice.csv", "src,dst,time,m,m\n1,2,1,1,2\n")
        self.fails(3, "stream", "--directed", "--temporal", "-q", "--updates", twice, "--no-total", "--pattern", "(a)-[x]->(b) where x.m = 1",
                   says="there are several columns `m`")


HEAD = "src,dst,time,amount,kind"
PEOPLE = "id,age,city,kind\n" + "".join(f"{v},{(v * 7) % 5},{'ab'[v % 2]},{['rich', 'poor', ''][v % 3]}\n" for v in range(7))
BY_LINE = ["(a)-[x {amount > 2}]->(b)-[y]->(c) where x < y within 4s", "(a)-[x]->(b)-[y]->(a) where x < y, x.amount <> y.amount", "a-[x:w]->b"]
BY_PAIR = ["(a)->(b)->(c) where a.age < c.age", "(a)->(b), (a)->(c) where b.city = c.city", "(a {age > 1})-[:w]->(b)", "(a)->(b)->(c)->(a) where a.age >= b.age"]
OTHERS = ["a->b->c->a", "a->b", "a:rich->b", "a-[:w]->b->c", "a->b->c, a->c", "(a@'3')->b"]


class Ledgers(CliTest):
    """Random ledgers as streams, beside others and runs on the lines that are in the window."""

    def lines(self, source, count):
        times = sorted(source.randrange(20) for _ in range(count))
        return [f"{source.randrange(6)},{source.randrange(6)},{time},{source.choice(['1', '2', '3', '', '4'])},{source.choice('wv')}" for time in times]

    def setUp(self):
        super().setUp()
        self.people = self.write("people.csv", PEOPLE)
        self.common = ["--directed", "-q", "--vertices", self.people, "--label", "kind", "--edge-label", "kind"]

    def turned(self, patterns, source):
        """The patterns, at times without directions."""
        if source.random() < 0.6:
            return patterns
        self.common = [word for word in self.common if word != "--directed"]
        return [pattern.replace("->", "-") for pattern in patterns]

    def table(self, name, lines, head=HEAD):
        return self.write(name, "\n".join([head, *lines]) + "\n")

    def stream(self, patterns, table, *options):
        """The totals of each pattern, by batch, and the answers."""
        named = [word for pattern in patterns for word in ("--pattern", pattern)]
        found = self.ok("stream", *self.common, "--temporal", "--json", "--updates", table, *named, *options)
        answers = [json.loads(line) for line in found.splitlines()][:-1]
        for answer in answers:
            if "plus" in answer:
                self.assertEqual(answer["plus"] - answer["minus"], answer["delta"], (answer, patterns, options))
        return [[answer["total"] for answer in answers if answer.get("program", patterns[0]) == pattern] for pattern in patterns], answers

    def run_on(self, pattern, lines):
        return json.loads(self.ok("run", *self.common, "--pattern", pattern, "--json", self.table("part.csv", lines)))["result"]

    def windows(self, lines, size, width):
        """The lines of each window, after each batch."""
        rows = [{"time": int(line.split(",")[2])} for line in lines]
        return [[lines[at] for at in window] for window in batches(rows, list(range(len(rows))), width, size, 0)]

    def test_state_of_other_ids(self):
        table = self.write("ids.csv", "id,src,dst,ts\nt0,1,2,0\nt1,2,3,1\n")
        words = ["stream", "-q", "--directed", "--temporal", "--updates", table, "--batch", "1", "--window", "10s", "--state", self.path("S"),
                 "--checkpoint", "1", "--out", self.path("oo"), "--pattern", "(a)-[x]->(b)-[y]->(c) where x < y"]
        self.ok(*words)
        self.fails(2, *words, "--edge-id", "id", says="the state of another stream")
        self.ok(*words)

    def test_ids_and_loops(self):
        words = ["stream", "--directed", "--temporal", "-q", "--no-total", "--updates"]
        tab = self.write("tab.csv", 'src,dst,ts\na,b,1\nb,"c\td",2\n')
        self.fails(3, *words, tab, "--pattern", "(a)-[x]->(b)", says=["tab.csv:3", "no control characters"])
        good = self.write("good.csv", "src,dst,ts\na,b,1\nb,c,2\n")
        error = self.fails(1, *words, good, "--pattern", "(a)-[x]->(a)", says="streams keep no loops")
        self.assertNotIn("--keep-loops", error)

    def test_patterns_beside_others(self):
        """Each pattern of a stream has the totals that it has alone, and those of runs."""
        for seed in range(ROUNDS or fewer(4, 1)):
            source = random.Random(SEED * 77 + seed)
            lines = self.lines(source, 24)
            size, width = source.choice([(1, 5), (3, 4), (4, 8), (7, 0)])
            patterns = BY_LINE[:1] + source.sample(BY_LINE + BY_PAIR + OTHERS, 5)
            self.setUp()
            patterns = self.turned(list(dict.fromkeys(patterns)), source)
            options = ["--batch", str(size)] + (["--window", f"{width}s"] if width else [])
            table = self.table("ledger.csv", lines)
            found, _ = self.stream(patterns, table, *options)
            again, answers = self.stream(patterns, table, *options, "--recompute")
            self.assertEqual(found, again, (seed, patterns, options))
            self.assertEqual({answer["how"] for answer in answers[len(patterns):]}, {"recompute"})
            windows = self.windows(lines, size, width)
            for at in source.sample(range(len(windows)), 2):
                for pattern, totals in zip(patterns, found):
                    words = {"w"} if ":w" in pattern else set()
                    if not windows[at] or not words <= {line.split(",")[4] for line in windows[at]} or "@'3'" in pattern:
                        continue
                    self.assertEqual(self.run_on(pattern, windows[at]), totals[at + 1], (seed, pattern, windows[at]))

    def test_vertices_alone(self):
        """Conditions on vertices alone are about pairs: totals and rows are those of runs, whatever lines repeat a pair."""
        for seed in range(ROUNDS or fewer(3, 1)):
            source = random.Random(SEED * 79 + seed)
            lines = self.lines(source, 30)
            self.setUp()
            (pattern,) = self.turned([source.choice(BY_PAIR)], source)
            size, width = source.choice([(1, 4), (5, 3), (4, 6), (30, 2)])
            rows = self.path("rows.ndjson")
            options = ["--batch", str(size), "--window", f"{width}s", "--embeddings"]
            table = self.table("ledger.csv", lines)
            (totals,), _ = self.stream([pattern], table, *options)
            (listed,), answers = self.stream([pattern], table, *options, "--matches", rows)
            self.assertEqual(totals, listed)
            with open(rows, encoding="utf-8") as file:
                changes = [json.loads(line) for line in file]
            windows = self.windows(lines, size, width)
            held = []
            for at, window in enumerate(windows):
                mine = [(one["change"], tuple(one["row"])) for one in changes if one["batch"] == at + 1]
                self.assertEqual(len({row for _, row in mine}), len(mine), "a row comes and goes")
                for change, row in mine:
                    (held.append if change == "+" else held.remove)(row)
                self.assertEqual(len(held), totals[at + 1])
                if at % 4 == 0 and not (":w" in pattern and all(line.endswith(",v") for line in window)):
                    found = self.ok("run", *self.common, "--embeddings", "--pattern", pattern, "--matches", "-", self.table("part.csv", window))
                    self.assertEqual(sorted(held), sorted(tuple(map(int, row.split())) for row in found.splitlines()), (seed, at, pattern))
            self.assertEqual({answer["how"] for answer in answers}, {"delta"})

    def test_table_at_the_start(self):
        """The lines of a table at the start count as those of batch 0, and its columns are its own."""
        for seed in range(ROUNDS or fewer(3, 1)):
            source = random.Random(SEED * 83 + seed)
            lines = self.lines(source, 20)
            at = source.choice([0, 5, 12])
            patterns = [source.choice(BY_LINE), source.choice(BY_PAIR), "a->b->c"]
            turned = [",".join((cells[3], cells[2], cells[4], cells[0], cells[1])) for cells in (line.split(",") for line in lines[:at])]
            first = self.table("first.csv", turned, "amount,time,kind,src,dst")
            window = ["--window", f"{source.choice([3, 6, 50])}s", "--batch", "1"]
            whole, _ = self.stream(patterns, self.table("whole.csv", lines), *window)
            parts, _ = self.stream(patterns, self.table("rest.csv", lines[at:]), *window, first)
            self.assertEqual(parts, [totals[at:] for totals in whole], (seed, patterns))
            rows = []
            for tables in ([self.path("whole.csv")], [self.path("rest.csv"), first]):
                self.ok("stream", *self.common, "--temporal", *window, "--pattern", patterns[0], "--matches", self.path("r.tsv"), "--out", self.path("o"), "--updates", *tables)
                held = []
                with open(self.path("r.tsv"), encoding="utf-8") as file:
                    for row in file:
                        (held.append if "\t+\t" in row else held.remove)(row.split("\t", 2)[2])
                rows.append(sorted(held))
            self.assertEqual(*rows)

    def test_errors_of_the_start(self):
        start = self.write("start.csv", "src,dst,time\n1,2,3\n1,2,x\n")
        table = self.table("t.csv", [])
        words = ["stream", *self.common, "--temporal", "--updates", table, "--out", self.path("out"), "--pattern", "a-[x]->b", start]
        self.fails(3, *words, says=["start.csv:3", "is no time"])
        self.write("start.csv", "src,dst,time\n1,2,3\n")
        self.ok(*words)
        self.fails(3, *words[:-2], "a-[x {amount > 1}]->b", start, says=["start.csv:1", "no column `amount`"])
        self.ok(*words[:-1], start + ":src,dst,time")

    def test_state(self):
        """A stream that is killed, twice, goes on with the answers and rows of one that is not."""
        if not SHIM:
            self.skipTest("there is no shim")
        source = random.Random(SEED * 89)
        # Ids of any bytes, a column that is text for a while, lines that are late.
        lines = ["p\xe9" + line for line in self.lines(source, 22)]
        lines[8] = lines[8].replace(",", ",p", 1).rsplit(",", 2)[0] + ",m\xe9,w"
        lines[10], lines[11], lines[15], lines[17] = lines[11], lines[10], lines[17], lines[15]
        start, updates = (self.write(name, "\n".join([HEAD, *part, ""]).encode("latin-1")) for name, part in (("start.csv", lines[:6]), ("u.csv", lines[6:])))
        for patterns in (["(a)-[x]->(b)-[y]->(c) where x.amount = y.amount"], [BY_PAIR[1], BY_LINE[0].replace("amount > 2", "kind = 'w'"), "a->b->c", "a-[x:w]->b"]):

            def command(name):
                words = ["stream", *self.common, "--temporal", "--window", "6s", "--lateness", "2s", "--batch", "2", "--checkpoint", "3", "--tier", "interp",
                         "--state", self.path(name), "--out", self.path(name + ".out"), "--updates", updates, start]
                words += ["--matches", self.path(name + ".tsv"), "--edge-id", "time"] if len(patterns) == 1 else []
                return words + [word for pattern in patterns for word in ("--pattern", pattern)]

            def outputs(name):
                return [(self.folder / (name + ending)).read_bytes() for ending in ([".out", ".tsv"] if len(patterns) == 1 else [".out"])]

            self.ok(*command("whole"))
            whole, calls = outputs("whole"), 2
            while True:
                name = f"k{calls}-{len(patterns)}"
                done = self.matcha(*command(name), env=self.environment(LD_PRELOAD=SHIM, MATCHA_KILL_AT=str(calls)))
                if done.returncode == 0:
                    break
                self.assertEqual(done.returncode, 99, done.stderr)
                self.matcha(*command(name), env=self.environment(LD_PRELOAD=SHIM, MATCHA_KILL_AT="9"))
                self.ok(*command(name))
                self.assertEqual(outputs(name), whole, f"killed after call {calls}")
                calls += fewer(4, 11)
            self.assertGreater(calls, 20)
            shutil.rmtree(self.path("whole"))


if __name__ == "__main__":
    unittest.main()
