"""Wrong command lines: exit code 2, one message, and a hint that helps."""

import json
import os
import re
import unittest

import cli


class Usage(cli.CliTest):
    def test_help_of_every_verb(self):
        for verb in (
            [], ["run"], ["check"], ["build"], ["explain"], ["merge"], ["motifs"], ["bench"], ["serve"], ["stream"], ["fmt"], ["lsp"], ["doc"], ["doctor"], ["graph"], ["graph", "convert"],
            ["graph", "info"], ["graph", "generate"], ["graph", "generate", "rmat"],
        ):
            text = self.ok(*verb, "--help")
            self.assertIn("Usage: matcha" if not verb else "Usage", text)
        text = self.ok("--help")
        for word in ("Exit codes", "124 timeout", "130 interrupted", "143 terminated", "Examples:", "doctor"):
            self.assertIn(word, text)

    def test_manual_has_every_option(self):
        pages = ("cli", "run", "patterns", "motifs", "queries", "plan", "streams", "engines", "gpus", "scale", "bench", "serve", "graphs", "build", "reading-files")
        manual = "".join((cli.ROOT / f"docs/{page}.md").read_text(encoding="utf-8") for page in pages)
        documented = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", manual))
        known = set()
        kinds = re.findall(r"^  ([a-z-]+) ", self.ok("graph", "generate", "--help").split("Subcommands:")[1], re.M)
        self.assertIn("gnp", kinds)
        verbs = [[verb] for verb in ("run", "check", "build", "pattern", "motifs", "query", "explain", "bench", "serve", "stream", "doc", "fmt", "lsp", "doctor")]
        for verb in verbs + [["graph", one] for one in ("convert", "info")] + [["graph", "generate", one] for one in kinds]:
            known |= set(re.findall(r"^  (?:-\w,)?(--[a-z][a-z-]*)", self.ok(*verb, "--help-all"), re.M))
        self.assertEqual(known, documented)

    def test_examples_in_help(self):
        for verb in ("run", "check", "build", "explain", "merge", "motifs", "bench", "serve", "stream", "doc", "fmt", "graph", "doctor"):
            self.assertIn(f"matcha {verb}", self.ok(verb, "--help"))

    def test_help_fits_a_terminal(self):
        kinds = re.findall(r"^  ([a-z-]+) ", self.ok("graph", "generate", "--help").split("Subcommands:")[1], re.M)
        for verb in (
            [], ["run"], ["check"], ["build"], ["pattern"], ["query"], ["explain"], ["merge"], ["motifs"], ["bench"], ["serve"], ["stream"], ["fmt"], ["lsp"], ["doc"], ["doctor"], ["graph"],
            ["graph", "convert"], ["graph", "info"], ["graph", "generate"], *(["graph", "generate", kind] for kind in kinds),
        ):
            for flag in ("--help", "--help-all") if verb else ("--help",):
                for line in self.ok(*verb, flag).splitlines():
                    self.assertLessEqual(len(line), 80, line)
        short, whole = self.ok("run", "--help"), self.ok("run", "--help-all")
        for word in ("--tau-us", "--disable-pass", "--diagnostics"):
            self.assertNotIn(word, short)
            self.assertIn(word, whole)
        for word in ("--help-all", "--pattern", "--timeout", "--device", "Examples:"):
            self.assertIn(word, short)
        self.assertLess(len(short.splitlines()), len(whole.splitlines()) - 20)

    def test_likely_first_commands(self):
        graph = "tests/graphs/clique-6.txt"
        for words, hint in (
            (["run", "triangle", graph], "a pattern is given by an option: `--pattern triangle`"),
            (["explain", "K4", graph], "`--pattern K4`"),
            (["count", "triangle", graph], f"did you mean `matcha run --pattern triangle {graph}`?"),
            (["match", "a->b", graph], f"did you mean `matcha run --pattern 'a->b' {graph} --matches rows.csv`?"),
            (["count", "--pattern", "house", graph], f"did you mean `matcha run --pattern house {graph}`?"),
            (["motif", graph], "did you mean `motifs`?"),
            (["orbits", graph], f"did you mean `matcha run --pattern motif:4 {graph} --per vertex`?"),
            (["count"], "did you mean `matcha run --pattern triangle GRAPH`?"),
            (["build", "--pattern", "house"], "did you mean `matcha pattern house | matcha build -`?"),
            (["pattern", "house", "--emit=cuda"], "did you mean `matcha pattern house | matcha build - --emit=cuda`?"),
            (["run", "--pattern", "4-path", graph], "did you mean `path:4`? The number is that of its vertices"),
            (["run", "--pattern", "hosue", graph], "did you mean `house`?"),
            (["run", "--pattern", "butterfyl", graph], "did you mean `butterfly`?"),
            (["run", "--pattern", "(a:Mr. Hi)-(b)", graph], "a label with blanks or signs stands in quotes: `:'Mr. Hi'`"),
            (["run", "--pattern", "(a)-[:owes more]-(b)", graph], "in quotes: `:'owes more'`"),
            (["run", "--pattern", "a-b=3", graph], "; `--unlabelled-edges` forgets those of the pattern"),
        ):
            done = self.matcha(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(hint, done.stderr.decode())
        self.assertNotIn("--pattern", self.fails(3, "run", "nothing.mt", graph))

    def test_variables_are_named(self):
        for value in ("abc", "-1"):
            self.fails(2, "run", "--pattern", "edge", "tests/graphs/clique-6.txt", env=self.environment(MATCHA_NUM_THREADS=value),
                       says=f"error: MATCHA_NUM_THREADS: `{value}` is no whole number")
        self.fails(2, "run", "--pattern", "edge", "tests/graphs/clique-6.txt", "--threads", "x", says="--threads: `x`")

    def test_help_as_a_verb(self):
        self.assertEqual(self.ok("help"), self.ok("--help"))
        for verb in (["run"], ["graph"], ["graph", "convert"]):
            self.assertEqual(self.ok("help", *verb), self.ok(*verb, "--help"))
        self.fails(2, "help", "nothing", says="has no verb `nothing`")

    def test_version(self):
        text = self.ok("--version")
        self.assertRegex(text, r"^matcha \d+\.\d+\.\d+ \(LLVM \d+")
        self.assertEqual(self.ok("-V"), text)
        self.assertIn(f'VERSION {text.split()[1]} ', (cli.ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        python = (cli.ROOT / "bindings/python/pyproject.toml").read_text(encoding="utf-8")
        for version in re.findall(r'^version = "(.*)"$', python, re.M):
            self.assertEqual(version, text.split()[1])

    def test_versions_in_the_manual(self):
        table = (cli.ROOT / "docs/versions.md").read_text(encoding="utf-8")
        doctor = json.loads(self.ok("doctor", "--json"))
        run = json.loads(self.ok("run", "--pattern", "edge", "tests/graphs/clique-6.txt", "--json"))
        graph = json.loads(self.ok("graph", "info", "tests/graphs/clique-6.txt", "--json"))
        for schema in (doctor["schema"], run["schema"], graph["schema"]):
            self.assertIn(f"| `{schema}` |", table)
        self.assertIn(f"| the language | {doctor['versions']['language']} |", table)
        self.assertIn(f"| `.mtg` files | {doctor['versions']['mtg']} |", table)
        (symbols,) = re.findall(r"^(MATCHA_(\d+)) {", (cli.ROOT / "api/matcha.map").read_text(encoding="utf-8"), re.M)
        self.assertIn(f"| the C interface | {symbols[1]} | `libmatcha.so.{symbols[1]}`, the symbol version `{symbols[0]}` |", table)

    def test_limits_in_the_manual(self):
        self.fails(1, "run", "--pattern", "cycle:20", cli.WIKI, says="a number from 3 to 12")
        for page, says in (("README.md", "up to 12 vertices, or 64 with labels"), ("docs/patterns.md", "At most 12 vertices, or 64 with labels")):
            self.assertIn(says, " ".join((cli.ROOT / page).read_text(encoding="utf-8").split()))

    def test_no_verb_prints_help(self):
        done = self.matcha()
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Usage", done.stderr)

    def test_unknown_verb(self):
        self.fails(2, "runn", says=["`matcha` has no verb `runn`", "did you mean `run`?"])
        self.fails(2, "graph", "covert", says=["did you mean `convert`?"])
        self.fails(2, "xyzzy", says=["`xyzzy`", "the verbs are run, check", "matcha --help"])

    def test_unknown_option(self):
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--treads", "2", says=["--treads", "did you mean `--threads`?"])
        self.fails(2, "check", cli.TRIANGLE, "--zzz", says=["`matcha check` has no option `--zzz`"])

    def test_bad_values(self):
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--threads", "many", says="threads")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--threads", "-1", says="threads")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--threads", "4097", says="between 0 and 4096")
        for option in ("--chunk", "--tile", "--queue"):
            self.fails(2, "run", cli.TRIANGLE, cli.WIKI, option, str(2**30 + 1), says=[option, str(2**30)])
        for count in ("-1", "abc", "1e3", "0x10", "", "+1", "99999999999999999999"):
            self.fails(2, "run", cli.LISTING, cli.WIKI, "--limit", count, says="--limit: ")
            self.fails(2, "graph", "generate", "clique", "-n", count, "-o", "-", says="--vertices: ")
        for seconds in ("-1", "nan", "inf", "1s", ""):
            self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--timeout", seconds, says="is no number of seconds")
        self.fails(2, "run", "--pattern", "triangle", cli.WIKI, "--plan", "0", says="0 is not between 1 and")
        self.fails(2, "explain", cli.TRIANGLE, cli.WIKI, "--sample", "0", says="--sample: 0 is not between 1 and")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--device", "tpu", says="device")
        for device in ("gpu", "GPU", "cud"):
            self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--device", device,
                       says=f"--device: `{device}`: did you mean `cuda`? it takes `auto`, `cpu` or `cuda`")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--simd", "sse9", says=["`sse9`", "scalar"])
        self.fails(2, "build", cli.TRIANGLE, "--emit=nothing", says="emit")
        self.fails(2, "run", says="FILE")

    def test_outputs_do_not_replace_inputs(self):
        texts = {"g.txt": "0 1\n1 2\n2 0\n", "l.txt": "0 a\n1 a\n2 a\n", "q.mt": "def main(g: Graph):\n    return size(edges(g))\n",
                 "u.txt": "+ 3 4\n", "p.txt": "a-b\n", "c.rq": "MATCH (a)-->(b) RETURN a\n",
                 "l.mt": "def main(l: List<int>):\n    return l\n"}
        paths = {name: self.write(name, text) for name, text in texts.items()}
        graph, labels, program, updates, pattern = (paths[name] for name in ("g.txt", "l.txt", "q.mt", "u.txt", "p.txt"))
        os.symlink(graph, self.path("link.txt"))
        near = str(self.folder / "x" / ".." / "g.txt")
        os.mkdir(self.folder / "x")
        of_pattern = ["run", "--pattern", "triangle", graph]
        for args, names in (
            ([*of_pattern, "--matches", graph], ("--matches", "FILE")),
            ([*of_pattern, "--matches", self.path("link.txt")], ("--matches", "FILE")),
            ([*of_pattern, "--matches", near], ("--matches", "FILE")),
            ([*of_pattern, "--labels", labels, "--matches", labels], ("--matches", "--labels")),
            ([*of_pattern, "--vertices", labels, "--matches", labels], ("--matches", "--vertices")),
            (["run", "--pattern", f"{graph}:0,1", "--matches", graph], ("--matches", "--pattern")),
            (["run", "--pattern", pattern, graph, "--matches", pattern], ("--matches", "--pattern")),
            (["run", "--patterns", pattern, graph, "--matches", pattern], ("--matches", "--patterns")),
            (["run", program, f"{graph}:0,1", "--matches", graph], ("--matches", "GRAPH")),
            (["run", paths["l.mt"], "--in", f"l={graph}:1", "--matches", graph], ("--matches", "--in")),
            (["query", "MATCH (a)-->(b) RETURN a", graph, "--matches", graph], ("--matches", "GRAPH")),
            (["query", paths["c.rq"], graph, "--matches", paths["c.rq"]], ("--matches", "QUERY")),
            (["stream", program, graph, "--updates", updates, "--out", updates], ("--out", "--updates")),
            (["stream", program, graph, "--updates", updates, "--out", graph], ("--out", "FILES")),
            (["stream", program, graph, "--updates", updates, "--matches", program], ("--matches", "FILES")),
            (["build", program, "-o", program], ("--output", "FILE")),
            (["pattern", pattern, "-o", pattern], ("--output", "PATTERN")),
            (["pattern", pattern, "--svg", pattern], ("--svg", "PATTERN")),
            (["explain", program, graph, "--html", graph], ("--html", "GRAPH")),
            (["explain", program, "--svg", program], ("--svg", "FILE")),
            (["merge", graph, "--matches", graph], ("--matches", "LEDGER")),
            (["graph", "generate", "like", graph, "-o", graph], ("--output", "IN")),
            (["graph", "convert", graph, self.path("h.txt"), "--labels-out", graph], ("--labels-out", "IN")),
            (["graph", "convert", graph, updates, "--vertices", updates], ("OUT", "--vertices")),
            (["graph", "convert", graph, self.path("h.csv"), "--labels-out", f"{self.folder}/./h.csv"], ("OUT", "--labels-out")),
        ):
            self.fails(2, *args, says="`{}` and `{}` are the same file".format(*names))
            for name, text in texts.items():
                self.assertEqual((self.folder / name).read_text(), text, args)
        self.ok("graph", "convert", graph, graph)
        self.ok(*of_pattern, "--matches", self.write("rows.csv", "old\n"))

    def test_numbers_as_people_write_them(self):
        rows = self.ok("run", cli.LISTING, "tests/graphs/clique-6.txt", "--limit", "010", "--device", "cpu").splitlines()
        self.assertEqual(len(rows), 10)
        for seconds in ("1e300", "60.5"):
            self.assertEqual(self.ok("run", cli.TRIANGLE, cli.WIKI, "--timeout", seconds), f"{cli.WIKI_TRIANGLES}\n")

    def test_cuda_without_a_gpu(self):
        facts = json.loads(self.ok("doctor", "--json"))["cuda"]
        if facts["usable"]:
            self.skipTest("this machine has a GPU")
        self.fails(4, "run", cli.TRIANGLE, cli.WIKI, "--device", "cuda", says=["hint", "--device cpu"])
        for number in ("1", "2", "all"):
            self.fails(4, "run", cli.TRIANGLE, cli.WIKI, "--gpus", number, says="`--gpus` asks for a GPU")
        done = self.matcha("run", cli.TRIANGLE, cli.WIKI, "--steal", "half", "--hubs", "8")
        self.assertEqual((done.returncode, done.stdout), (0, b"%d\n" % cli.WIKI_TRIANGLES))
        self.assertIn(b"warning: `--steal`, `--hubs` do nothing on the CPU", done.stderr)

    def test_gpu_options_on_the_cpu(self):
        for options in (["--device", "cpu"], ["--simd", "scalar"], ["--backend", "interp"]):
            self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--gpus", "2", *options, says="`--gpus` is for GPUs")
            done = self.matcha("run", cli.TRIANGLE, "tests/graphs/clique-6.txt", "--group", "4", *options)
            self.assertEqual((done.returncode, done.stdout), (0, b"20\n"))
            self.assertIn(b"warning: `--group` does nothing on the CPU", done.stderr)

    def test_unbound_parameter(self):
        self.fails(2, "run", cli.TRIANGLE, says=["`G: Graph`", "graph file", "--in G=FILE"])
        errors = self.fails(2, "run", "examples/temporal_cycle.mt", says="`times: List<int>`")
        self.assertIn("--in edges=FILE:0,1", errors)
        self.assertIn("--in times=FILE:COLUMN", errors)
        self.assertNotIn("window", errors)

    def test_wrong_names(self):
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--in", "H=x.txt", says=["no parameter `H`", "its parameters are: G"])
        self.fails(2, "run", "examples/temporal_cycle.mt", "--param", "windw=3", says=["did you mean `window`?"])
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--in", "noequals", says="NAME=FILE")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--in", f"G={cli.WIKI}", says="no parameter left")
        self.fails(2, "run", cli.TRIANGLE, "--in", f"G={cli.WIKI}", "--in", f"G={cli.WIKI}", says="bound twice")

    def test_wrong_values(self):
        program = "examples/temporal_cycle.mt"
        self.fails(2, "run", program, "--param", "window=soon", says=["`soon` is no int", "`window`"])
        self.fails(2, "run", program, "--param", "window=99999999999999999999", says="is no int")
        self.fails(2, "run", program, "--param", "edges=3", says=["takes a file", "--in edges="])
        self.fails(2, "run", program, "--in", "window=x.txt", says=["--param window="])
        self.fails(2, "run", program, "--in", "edges=x.txt:0,1,2", says=["2 columns", "names 3"])

    def test_graph_for_several_parameters(self):
        program = self.write("two.mt", "def f(A: Graph, B: Graph):\n    return size(edges(A)) + size(edges(B))\n")
        self.fails(2, "run", program, cli.WIKI, says=["2 parameters", "--in A=FILE --in B=FILE"])

    def test_program_and_graph_swapped(self):
        self.fails(2, "run", cli.WIKI, cli.TRIANGLE, says=["is a program, not a graph", "program comes first"])
        self.fails(2, "run", cli.WIKI, cli.WIKI, says=["is a graph, not a program", "program comes first"])

    def test_rows_of_a_number(self):
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--matches", "-", says=["--matches", "returns `int`"])
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--limit", "3", says=["--limit", "returns `int`"])
        self.fails(2, "run", cli.LISTING, cli.WIKI, "--json", "--matches", "-", says="standard output")

    def test_passes(self):
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--passes=nonsense", says="nonsense")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--disable-pass=nonsense", says="nonsense")
        self.fails(2, "run", cli.TRIANGLE, cli.WIKI, "--passes=loop", says="stage")

    def test_labels_without_anything_to_label(self):
        program = self.write("one.mt", "def f(x: List<int>):\n    return sum(x)\n")
        data = self.write("x.txt", "1\n2\n")
        self.fails(2, "run", program, "--in", f"x={data}:0", "--labels", data, says="--labels")

    def test_json_errors(self):
        import json

        done = self.matcha("run", cli.TRIANGLE, "--diagnostics=json")
        self.assertEqual(done.returncode, 2)
        error = json.loads(done.stderr)[0]
        self.assertEqual((error["severity"], error["id"]), ("error", "usage"))
        self.assertIn("`G: Graph`", error["message"])


if __name__ == "__main__":
    cli.main()
