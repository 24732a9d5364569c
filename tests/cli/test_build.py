"""`matcha check`, `build` and `explain`."""

import json
import os
import re
import shutil
import subprocess
import unittest

import cli


class Check(cli.CliTest):
    def test_signature(self):
        self.assertEqual(self.ok("check", cli.TRIANGLE), "triangle(G: Graph) -> int\n")
        text = self.ok("check", "examples/temporal_cycle.mt")
        self.assertEqual(text, "temporal_cycle(edges: List<Tuple<int, 2>>, times: List<int>, window: int = 3600) -> int\n")

    def test_every_example_is_right(self):
        for path in sorted((cli.ROOT / "examples").glob("*.mt")):
            self.assertIn(" -> ", self.ok("check", path))

    def test_json(self):
        self.assertEqual(json.loads(self.ok("check", cli.TRIANGLE, "--diagnostics=json")), [])
        wrong = self.write("q.mt", "def f(G: Graph):\n    x = nothing\n    return nowhere\n")
        done = self.matcha("check", wrong, "--diagnostics=json")
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        errors = [error for error in json.loads(done.stdout) if error["severity"] == "error"]
        self.assertEqual([(error["file"], error["line"]) for error in errors], [(wrong, 2), (wrong, 3)])

    def test_warnings(self):
        path = self.write("q.mt", "def f(G: Graph):\n    x = 1\n    return size(vertices(G))\n")
        done = self.matcha("check", path)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: ", done.stderr)
        self.assertEqual(self.matcha("check", path, "--quiet").stderr, b"")

    def test_imports(self):
        self.write("lib.mt", "def twice(x):\n    return x + x\n")
        program = self.write("q.mt", "from lib import twice\n\ndef f(k: int):\n    return twice(k)\n")
        self.assertEqual(self.ok("run", program, "--param", "k=21"), "42\n")
        self.fails(1, "check", self.write("r.mt", "from lub import twice\n\ndef f(k: int):\n    return twice(k)\n"), says="lub")
        with open(self.path("big.mt"), "wb") as file:
            file.truncate((64 << 20) + 1)
        self.fails(1, "check", self.write("s.mt", "from big import twice\n\ndef f(k: int):\n    return twice(k)\n"), says="longer than 64 MiB")


class Build(cli.CliTest):
    def test_stages(self):
        for stage, word in (("ast", "triangle"), ("asg", "intersect"), ("ir", "module loop"), ("kernel", "module kernel"), ("llvm", "define ")):
            self.assertIn(word, self.ok("build", cli.TRIANGLE, f"--emit={stage}"), stage)
        self.assertIn("digraph", self.ok("build", cli.TRIANGLE, "--emit=asg", "--dot"))
        self.fails(2, "build", cli.TRIANGLE, "--emit=ir", "--dot", says="--emit=asg")

    def test_no_variable_has_the_name_of_a_type(self):
        """Variables of one name get numbers: of `u` the 9th would be `u8`, and the 33rd `u32`."""
        graphs = [f"    d{k} = mk_graph(apply(lambda e: (get(e, 1), get(e, 0)), cond=lambda e: get(e, 0) % {k + 2} != 1, edges(g)))\n"
                  for k in range(34)]
        sums = [f"    s{k} = sum(apply(lambda u: size(neighbor(d{k}, u)), vertices(d{k})))\n" for k in range(34)]
        answer = ", ".join(f"s{k}" for k in range(34))
        program = self.write("q.mt", "".join(["def main(g: Graph):\n", *graphs, *sums, f"    return ({answer})\n"]))
        text = self.ok("build", program, "--emit=cpp")
        self.assertEqual(re.findall(r"const u32 (?:u8|u32)_? = ", text), ["const u32 u8_ = ", "const u32 u32_ = "])

    @unittest.skipUnless(shutil.which("g++"), "no compiler")
    def test_rows_of_a_graph_are_lists_of_a_compiled_program(self):
        rounds = self.write("q.mt", "def main(g: Graph):\n    a = repeat(lambda l: neighbor(g, max(l)), neighbor(g, 1), 3)\n"
                                    "    return (size(sort(neighbor(g, 1))), sum(top(1, neighbor(g, 1))), sum(a), sum(neighbor(g, 2)))\n")
        row = self.write("r.mt", "def main(g: Graph):\n    return neighbor(g, 1)\n")
        graph = self.path("g.mtg")
        self.ok("graph", "convert", "tests/graphs/random-12-seed1.txt", graph, "-q")
        for program in (rounds, row):
            text, made = self.path("q.cpp"), self.path("q")
            self.ok("build", program, "--emit=cpp", "-o", text)
            subprocess.run(["g++", "-std=c++20", "-pthread", text, "-o", made], check=True)
            found = subprocess.run([made, graph], capture_output=True, text=True, check=True).stdout
            self.assertEqual(found, self.ok("run", "-q", program, graph))

    def test_output_file(self):
        out = self.path("q.mtir")
        self.assertEqual(self.ok("build", cli.TRIANGLE, "--emit=kernel", "-o", out), "")
        with open(out, encoding="utf-8") as file:
            self.assertIn("module kernel", file.read())
        old = self.write("old.mtir", "old\n")
        wrong = self.write("q.mt", "def f(G: Graph):\n    return nothing\n")
        self.fails(1, "build", wrong, "-o", old)
        with open(old, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old\n")
        self.fails(3, "build", cli.TRIANGLE, "-o", str(self.folder), says="directory")
        self.assertEqual(self.leftovers(), [])

    def test_the_schedule_of_a_gpu(self):
        text = self.ok("build", cli.TRIANGLE, "--emit=kernel", "--device", "cuda")
        self.assertIn("group=32", text)
        self.assertIn("by arcs", text)
        self.assertNotIn(" by ", self.ok("build", cli.TRIANGLE, "--emit=kernel", "--device", "cuda", "--group", "1"))
        self.assertIn("group=1)", self.ok("build", cli.TRIANGLE, "--emit=kernel"))
        self.fails(2, "build", cli.TRIANGLE, "--emit=llvm", "--device", "cuda", says="is for a CPU")

    def test_the_query_alone(self):
        for emit in ("cuda", "cpp"):
            whole = self.ok("build", cli.TRIANGLE, f"--emit={emit}")
            part = self.ok("build", cli.TRIANGLE, f"--emit={emit}", "--part", "query")
            body = part[part.index("// The values of the program"):]
            self.assertIn(body.strip(), whole)
            self.assertIn("struct Frame {", body)
            self.assertIn("work_on_region_0(", body)
            self.assertLess(len(part.splitlines()), 70)
            self.assertEqual(whole, self.ok("build", cli.TRIANGLE, f"--emit={emit}", "--part", "all"))
        cuda = [self.ok("build", cli.TRIANGLE, "--emit=cuda", "--part", "query", *more) for more in ([], ["--group", "1"])]
        self.assertNotIn("#include", cuda[0])
        marks = [next(line for line in text.splitlines() if line.startswith("// matcha-query 1 plan=")) for text in cuda]
        self.assertEqual(len(set(marks)), 2)
        self.assertIn(" assumes=simple", marks[0])
        self.fails(2, "build", cli.TRIANGLE, "--emit=llvm", "--part", "query", says="--emit=cuda")

    def test_edited_kernels_need_a_gpu(self):
        part = self.path("q.cu")
        self.ok("build", cli.TRIANGLE, "--emit=cuda", "--part", "query", "-o", part)
        env = self.environment(MATCHA_LIBCUDA="/nowhere/libcuda.so.1")
        self.fails(4, "run", cli.TRIANGLE, cli.WIKI, "--load-cuda", part, says="`--load-cuda` asks for a GPU", env=env)
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--load-cuda", part, "--device", "cpu", says="--device cuda")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--load-cuda", part, "--tune", says="--tune")
        self.fails(3, "run", cli.TRIANGLE, cli.WIKI, "--load-cuda", self.path("absent.cu"), "--device", "cuda", says="absent.cu")

    def test_passes(self):
        done = self.matcha("build", cli.TRIANGLE, "--emit=kernel", "--print-after=plan-memory", "--time-passes")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"region", done.stderr)
        self.assertIn(b"legalize", done.stderr)
        folder = self.path("dump")
        self.ok("build", cli.TRIANGLE, "--emit=kernel", "--dump-dir", folder)
        self.assertTrue(any(name.endswith("plan-memory.mtir") for name in os.listdir(folder)))
        self.assertIn("module loop", self.ok("build", cli.TRIANGLE, "--emit=kernel", "--pass-limit", "0"))
        self.assertIn("module loop", self.ok("build", cli.TRIANGLE, "--emit=kernel", "--stop-after", "fuse"))
        self.fails(2, "build", cli.TRIANGLE, "--emit=kernel", "--print-after=nonsense", says="nonsense")
        self.fails(3, "build", cli.TRIANGLE, "--emit=kernel", "--dump-dir", "/dev/null/x", says="cannot write")

    def test_a_disabled_pass_changes_no_answer(self):
        graph = "tests/graphs/random-20-seed2.txt"
        answer = self.ok("run", cli.TRIANGLE, graph)
        for name in ("fuse", "restrict", "hoist"):
            self.assertEqual(self.ok("run", cli.TRIANGLE, graph, f"--disable-pass={name}"), answer)


class Explain(cli.CliTest):
    def test_plan(self):
        text = self.ok("explain", cli.TRIANGLE)
        for word in ("triangle(G: Graph) -> int", "as written", "passes", "as it runs", "in parallel", "for each", "memory"):
            self.assertIn(word, text)
        self.assertNotIn("this run", text)

    def test_with_a_graph(self):
        text = self.ok("explain", "examples/house.mt", "tests/graphs/clique-6.txt")
        self.assertIn("the maximum degree of G times 4 bytes = 20B", text)
        self.assertRegex(text, r"outer steps +6\n")

    def test_dot(self):
        self.assertIn("digraph", self.ok("explain", cli.TRIANGLE, "--dot"))


if __name__ == "__main__":
    cli.main()
