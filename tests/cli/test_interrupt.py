"""Ctrl-C and `--timeout`: an orderly end with the partial result, marked as such. No test depends on a duration: if a signal or a
timeout comes before the run has begun, the test tries again with a longer wait."""

import errno
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import cli


DEEP = """
def main(G: Graph) -> int:
    def at_a(a):
        def at_b(b):
            def at_c(c):
                def at_d(d):
                    return sum(apply(lambda e: 1, cond=lambda e: (a + b + c + d + e) % 7 == 0, vertices(G)))
                return sum(apply(at_d, vertices(G)))
            return sum(apply(at_c, vertices(G)))
        return sum(apply(at_b, vertices(G)))
    return sum(apply(at_a, vertices(G)))
"""

BEFORE = """
def main(G: Graph) -> int:
    def at_a(a):
        def many(b):
            def at_c(c):
                return sum(apply(lambda d: 1, cond=lambda d: (a + b + c + d) % 7 == 0, vertices(G)))
            return sum(apply(at_c, vertices(G))) % 2 == 0
        some = apply(lambda b: b, cond=many, vertices(G))
        def at_e(e):
            return size(intersect(some, neighbor(G, e)))
        return sum(apply(at_e, neighbor(G, a)))
    return sum(apply(at_a, vertices(G)))
"""


# Triangles, and rings of eight; the rings of a clique take longer than any test.
RINGS = """
def main(g: Graph):
    def seventh(v0, v1, v2, v3, v4, v5, v6):
        return size(diff(intersect(neighbor(g, v6), neighbor(g, v0)), [v1, v2, v3, v4, v5]))
    def sixth(v0, v1, v2, v3, v4, v5):
        return sum(apply(lambda v6: seventh(v0, v1, v2, v3, v4, v5, v6), diff(neighbor(g, v5), [v0, v1, v2, v3, v4])))
    def fifth(v0, v1, v2, v3, v4):
        return sum(apply(lambda v5: sixth(v0, v1, v2, v3, v4, v5), diff(neighbor(g, v4), [v0, v1, v2, v3])))
    def fourth(v0, v1, v2, v3):
        return sum(apply(lambda v4: fifth(v0, v1, v2, v3, v4), diff(neighbor(g, v3), [v0, v1, v2])))
    def third(v0, v1, v2):
        return sum(apply(lambda v3: fourth(v0, v1, v2, v3), diff(neighbor(g, v2), [v0, v1])))
    def second(v0, v1):
        return sum(apply(lambda v2: third(v0, v1, v2), diff(neighbor(g, v1), [v0])))
    triangles = sum(apply(lambda a: sum(apply(lambda b: size(intersect(neighbor(g, a), neighbor(g, b))), neighbor(g, a))), vertices(g)))
    rings = sum(apply(lambda v0: sum(apply(lambda v1: second(v0, v1), neighbor(g, v0))), vertices(g)))
    return RESULT
"""


NESTED = os.path.join(cli.ROOT, "tests/emulation/nested_counts.mt")
TOO_EARLY = cli.TOO_EARLY


class Interrupt(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="matcha-cli-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        # Days of work for the programs above.
        cls.graph = os.path.join(folder, "big.mtg")
        command = [cli.MATCHA, "graph", "generate", "grid", "--rows", "400", "--columns", "400", "-o", cls.graph]
        subprocess.run(command, check=True, capture_output=True, cwd=cli.ROOT)

    def setUp(self):
        super().setUp()
        self.slow = self.write("slow.mt", cli.SLOW)
        self.pairs = self.write("pairs.mt", cli.PAIRS)

    def start(self, *args):
        return subprocess.Popen(
            [cli.MATCHA, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cli.ROOT, env=self.environment()
        )

    def wait_for_load(self, process):
        """Returns once the load report is printed, so that the run is about to begin."""
        self.assertIn(b"160,000 vertices", process.stderr.readline())

    def timed_out_run(self, program, *args):
        """A run on the large graph with a timeout that comes while it runs."""
        return self.timed_out("run", program, self.graph, *args, first=0.25)

    def finish(self, process):
        try:
            return process.communicate(timeout=cli.LIMIT_S)
        finally:
            process.kill()

    def signalled(self, number):
        """The status, output and errors of a run that gets the signal while it runs."""
        for wait in (0.1, 1, 4, 16, 64):
            process = self.start("run", self.slow, self.graph)
            self.wait_for_load(process)
            time.sleep(wait)
            process.send_signal(number)
            out, errors = self.finish(process)
            if TOO_EARLY not in errors:
                break
        return process.returncode, out, errors

    def test_signals(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            status, out, errors = self.signalled(number)
            self.assertEqual(status, code)
            self.assertIn(b"partial result", errors)
            self.assertRegex(out, rb"^\d*\n?$")

    def test_second_signal_kills(self):
        # A pipe without a reader keeps the program busy writing after the first signal.
        process = self.start("run", self.pairs, self.graph, "--matches", "-")
        self.assertRegex(process.stdout.readline(), rb"^\d+\t\d+\n$")
        give_up = time.monotonic() + cli.LIMIT_S
        while process.poll() is None and time.monotonic() < give_up:
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        self.finish(process)
        self.assertIn(process.returncode, (-signal.SIGINT, 130))

    def test_timeout(self):
        done = self.timed_out_run(self.slow, "--json")
        answer = json.loads(done.stdout)
        self.assertEqual((answer["complete"], answer["stopped_by"]), (False, "timeout"))
        self.assertEqual(answer["schema"], "matcha.run/1")
        self.assertTrue(0 <= answer["stats"]["work_done"] < 1, answer["stats"])
        self.assertRegex(done.stderr, rb"partial result: .* of 160,000 outer iterations, [0-9.]+% of the work")

    def test_work_is_not_the_number_of_iterations(self):
        # The hub is the first of some vertices, and has as many arcs as all others.
        star, n = self.path("star.mtg"), 400
        self.ok("graph", "generate", "star", "-n", str(n), "-o", star)
        deepest = "sum(apply(lambda c: (a * b + c * c + v) % 3, vertices(G)))"
        wait = f"apply(lambda a: sum(apply(lambda b: {deepest}, vertices(G))), vertices(G))"
        program = self.write("hub.mt", f"def f(G: Graph):\n    def at(v):\n        return sum({wait}) + v\n"
                             "    return sum(apply(at, vertices(G)))\n")
        common = ("run", program, star, "--device", "cpu", "--threads", "1", "--order", "id", "--tier", "native", "--json")
        done = self.timed_out(*common, first=0.25, began=lambda done: done.stdout and json.loads(done.stdout)["stats"].get("positions", 0) > 0)
        stats = json.loads(done.stdout)["stats"]
        count = stats["positions"]
        self.assertEqual(stats["positions_total"], n)
        self.assertAlmostEqual(stats["work_done"], (count + n - 1 + count - 1) / (n + 2 * (n - 1)), delta=0.001)
        whole = json.loads(self.ok("run", cli.TRIANGLE, cli.WIKI, "--json", "--device", "cpu"))
        self.assertEqual(whole["stats"]["work_done"], 1)

    def test_positions_of_a_search(self):
        ring = ",".join(f"{i}-{(i + 1) % 12}" for i in range(12))
        clique = self.write("clique.txt", "".join(f"{u} {v}\n" for u in range(200) for v in range(u)))
        common = ("run", "--device", "cpu", "--algorithm", "join", "--induced", "edge", "--json", clique)
        answer = json.loads(self.timed_out(*common, "--pattern", ring, first=2, began=lambda done: b'"positions_total"' in done.stdout).stdout)
        self.assertEqual((answer["complete"], answer["stats"]["backend"]), (False, "search"))
        self.assertEqual(answer["stats"]["positions_total"], 200)
        self.assertLess(answer["stats"]["positions"], 200)
        whole = json.loads(self.ok(*common, "--pattern", "clique:3"))
        self.assertEqual((whole["result"], whole["stats"]["backend"]), (1313400, "search"))
        self.assertEqual((whole["stats"]["positions"], whole["stats"]["positions_total"]), (200, 200))

    def test_patterns_of_a_program(self):
        """A sum of the patterns counted so far is a partial result; a ratio of them is none."""
        clique = self.write("clique.txt", "".join(f"{u} {v}\n" for u in range(200) for v in range(u)))
        sums = self.write("sums.mt", RINGS.replace("RESULT", "rings + triangles / 6"))
        done = self.timed_out("run", sums, clique, "--engine", "patterns", "--json", first=2,
                              began=lambda done: (json.loads(done.stdout)["result"] or 0) >= 1313400)
        self.assertGreaterEqual(json.loads(done.stdout)["result"], 1313400)
        self.assertLess(json.loads(done.stdout)["stats"]["work_done"], 0.01)  # 10^16 rings.
        self.assertRegex(done.stderr, rb"partial result: stopped by --timeout after [\d,]+ outer iterations")
        ratio = self.write("ratio.mt", RINGS.replace("RESULT", "(1.0 * rings) / (1.0 + triangles)"))
        done = self.matcha("run", ratio, clique, "--engine", "patterns", "--timeout", "1")
        self.assertEqual((done.returncode, done.stdout), (124, b""))

    def test_timeout_deep_in_a_nest(self):
        # One item of the second loop takes weeks, and so does the list that an item of the other program needs first.
        for text in (DEEP, BEFORE):
            done = self.timed_out_run(self.write("deep.mt", text), "--json")
            self.assertFalse(json.loads(done.stdout)["complete"])

    def test_limit_and_timeout_in_loops_over_bits(self):
        # A path of nine vertices, all adjacent to a tenth one, in a clique of 300: the first position does not end, in loops
        # over rows of bits.
        fan = ",".join(f"0-{i}" for i in range(1, 10)) + "," + ",".join(f"{i}-{i + 1}" for i in range(1, 9))
        with tempfile.TemporaryDirectory() as folder:
            graph, rows = os.path.join(folder, "clique.txt"), os.path.join(folder, "rows.txt")
            with open(graph, "w", encoding="utf-8") as file:
                file.writelines(f"{u} {v}\n" for u in range(300) for v in range(u))
            common = ("run", "--pattern", fan, "--induced", "edge", graph, "--device", "cpu", "--matches", rows)
            done = self.matcha(*common, "--limit", "10")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(rows, encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 10)
            done = self.timed_out(*common)
            self.assertRegex(done.stderr, rb"partial result: stopped by --timeout after \d+ of 300 outer iterations")

    def test_rows_of_a_part_of_the_work_are_whole(self):
        # Three loops are inside the one over vertices: a partial value of a vertex is not a row.
        for size, backend in ((60, "interp"), (300, "llvm")):
            graph = self.write("clique.txt", "".join(f"{u} {v}\n" for u in range(size) for v in range(u)))
            command = ("run", NESTED, graph, "--entry", "counts", "--backend", backend, "--json")
            done = self.timed_out(*command)
            rows = json.loads(done.stdout)["result"] or []
            self.assertEqual([row for row in rows if row[1] != ((size - 1) * (size - 2)) ** 2], [])

    @unittest.skipIf(os.environ.get("MATCHA_SANITIZE"), "compiling takes too long under sanitizers")
    def test_stops_before_the_run(self):
        # Planning, passes and LLVM take seconds, and LLVM does not test for a stop.
        with tempfile.TemporaryDirectory() as folder:
            graph = os.path.join(folder, "square.txt")
            with open(graph, "w", encoding="utf-8") as file:
                file.write("0 1\n1 2\n2 3\n3 0\n")
            common = ("run", "--pattern", "motif:5", graph, "--device", "cpu", "--no-cache", "--json", "--tier", "native")
            page = os.path.join(folder, "page.html")

            def length_of_the_whole():
                begin = time.monotonic()
                whole, work = self.work_of(*common)
                self.assertEqual(whole.returncode, 0, whole.stderr)
                return time.monotonic() - begin, work

            def stop_early(part, *command):
                """Stops the command long before its end, by processor time. If it ends before its limit, since other work on the
                machine has ended, the whole is timed again."""
                nonlocal length, work
                for _ in range(5):
                    stopped, seconds = self.work_of(*command, "--timeout", part * length)
                    is_whole = os.path.exists(page)  # The command ended, or was stopped only in its run.
                    if stopped.returncode == 124 and seconds < (part + 0.4) * work and not is_whole:
                        return stopped
                    if is_whole:
                        os.unlink(page)
                    length, work = length_of_the_whole()
                return self.fail(f"exit code {stopped.returncode} after {seconds} s of work; the whole takes {work} s")

            length, work = length_of_the_whole()
            for part in (0.02, 0.2, 0.4):
                stopped = stop_early(part, *common)
                self.assertIn(TOO_EARLY, stopped.stderr)
                if part > 0.1:  # A stop before the pattern is read prints no object.
                    answer = json.loads(stopped.stdout)
                    self.assertEqual((answer["stopped_by"], answer["result"]), ("timeout", None))
                    self.assertEqual((answer["signature"], answer["complete"]), ("motifs(G: Graph) -> Tuple<int, 21>", False))
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                for part in (0.3, 0.4, 0.5):
                    process = self.start(*common)
                    time.sleep(part * length)
                    process.send_signal(number)
                    out, errors = self.finish(process)
                    if process.returncode == code and out:
                        break
                self.assertEqual(process.returncode, code)
                self.assertIn(TOO_EARLY, errors)
                word = {130: "interrupt", 143: "terminate"}[code]
                self.assertEqual(json.loads(out)["stopped_by"], word)
            # `explain` compiles nothing, and takes a quarter of the time of the run.
            stop_early(0.05, "explain", *common[1:4], "--engine", "program", "--no-cache", "--html", page)
            self.assertEqual(os.listdir(folder), ["square.txt"])

    @unittest.skipIf(os.environ.get("MATCHA_SANITIZE"), "compiling takes too long under sanitizers")
    def test_explain_keeps_its_run(self):
        # The answer takes milliseconds, and the code that counts the loops takes seconds to compile.
        small = self.write("square.txt", "0 1\n1 2\n2 3\n3 0\n")
        common = ("explain", "--pattern", "motif:5", small, "--engine", "program")
        self.ok("run", *common[1:4], "--device", "cpu")
        done = self.matcha(*common)
        self.assertEqual(done.returncode, 0, done.stderr)
        for seconds in (0.25, 0.5, 1, 2, 4, 8):
            done = self.matcha(*common, "--timeout", seconds)
            if TOO_EARLY not in done.stderr and b"outer iterations" not in done.stderr:
                break
        if done.returncode == 124:
            self.assertIn(b"partial result: stopped by --timeout before sizes were counted", done.stderr)
            self.assertIn(b"this run, stopped by --timeout", done.stdout)

    def ends_soon(self, process, code, number=signal.SIGTERM):
        """Sends the signal to a process that would not end by itself, and checks its exit code. Returns its standard error."""
        if code > 0:
            cli.wait_until_caught(process, number)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(number)
        try:
            process.wait(timeout=60)  # Its output is not read in the meantime.
            _, errors = process.communicate()
        finally:
            process.kill()
        self.assertEqual(process.returncode, code)
        return errors

    def test_stops_of_other_verbs(self):
        out = self.path("large.txt")
        process = self.start("graph", "generate", "erdos-renyi", "-n", "10000000", "-m", "400000000", "-o", out)
        self.assertIn(TOO_EARLY, self.ends_soon(process, 143))
        fifo = self.path("nobody.txt")
        os.mkfifo(fifo)
        # The other end of the pipe is closed.
        for words in (["graph", "info", fifo], ["graph", "convert", fifo, out], ["run", cli.TRIANGLE, fifo],
                      ["run", cli.LISTING, cli.WIKI, "--matches", fifo], ["explain", cli.TRIANGLE, fifo]):
            self.assertIn(TOO_EARLY, self.ends_soon(self.start(*words), 130, signal.SIGINT))
        self.ends_soon(self.start("check", fifo), -signal.SIGTERM)
        self.ends_soon(self.start("build", fifo, "-o", out), -signal.SIGTERM)
        self.assertEqual((self.leftovers(), os.path.exists(out)), ([], False))

    def test_stops_while_the_answer_is_written(self):
        # The output is not read, and is larger than a pipe's buffer.
        process = self.start("run", self.write("all.mt", "def f(G: Graph):\n    return vertices(G)\n"), self.graph)
        self.wait_for_load(process)
        self.ends_soon(process, 143)

    def test_timeout_in_text(self):
        done = self.timed_out_run(self.slow)
        self.assertIn(b"partial result: stopped by --timeout", done.stderr)

    def test_timeout_of_nothing(self):
        done = self.matcha("run", self.slow, self.graph, "--timeout", "0", "--json")
        self.assertEqual(done.returncode, 124)
        self.assertIn(b"before there was a result", done.stderr)

    def test_timeout_of_rounds(self):
        """The value of an unfinished round is no answer."""
        program = self.write("rounds.mt", """
def main(G: Graph):
    step = lambda t: sum_by(apply(lambda v: (v, (get(t, v) + 1) % 1000000000), vertices(G)))
    return iterate(step, count_by(vertices(G)), 1000000000000)
""")
        for words in (("--backend", "interp"), ("--tier", "interp"), ("--tier", "native")):
            done = self.matcha("run", program, self.graph, "--timeout", "1", *words)
            self.assertEqual((done.returncode, done.stdout), (124, b""))
            self.assertIn(b"stopped by --timeout before there was a result", done.stderr)

    def writer_of(self, fifo, process):
        """Opens the pipe for writing, once the program has opened it for reading. BrokenPipeError: the program ended before."""
        while process.poll() is None:
            try:
                descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                time.sleep(0.01)
            else:
                os.set_blocking(descriptor, True)
                return open(descriptor, "wb")
        raise BrokenPipeError

    def test_timeout_while_loading(self):
        fifo = self.path("graph.txt")
        os.mkfifo(fifo)
        lines = b"".join(b"%d %d\n" % (i, i + 1) for i in range(100000))
        process = self.start("run", cli.TRIANGLE, fifo, "--timeout", "0.25")
        try:
            with self.writer_of(fifo, process) as writer:
                for _ in range(1000000):
                    writer.write(lines)
        except BrokenPipeError:
            pass
        out, errors = self.finish(process)
        self.assertEqual((process.returncode, out), (124, b""))
        self.assertIn(b"stopped by --timeout", errors)

    def test_partial_matches_are_kept_and_marked(self):
        out = self.path("rows.tsv")
        done = self.timed_out_run(self.pairs, "--matches", out, "--json")
        answer = json.loads(done.stdout)
        self.assertIs(answer["complete"], False)
        with open(out, encoding="utf-8") as file:
            lines = file.read()
        self.assertTrue(lines.endswith("\n"))
        self.assertEqual(lines.count("\n"), answer["result"])
        self.assertEqual(self.leftovers(), [])

    def test_enough_time_changes_nothing(self):
        text = self.ok("run", cli.TRIANGLE, cli.WIKI, "--timeout", "1000")
        self.assertEqual(text, f"{cli.WIKI_TRIANGLES}\n")


if __name__ == "__main__":
    cli.main()
