"""`matcha serve`: requests and answers, a line of JSON each."""

import json
import os
import random
import signal
import subprocess

from cli import LIMIT_S, MATCHA, ROOT, SLOW, TRIANGLE, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
BIG = "def main(G: Graph) -> int:\n    return 7\n"


class Server:
    """A process that answers while it is asked."""

    def __init__(self, test, *args):
        self.process = subprocess.Popen([MATCHA, "serve", *args, "--device", "cpu"], cwd=ROOT, env=test.environment(),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.end)
        self.ready = self.answer()

    def send(self, request):
        line = request if isinstance(request, bytes) else json.dumps(request).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, request):
        self.send(request)
        return self.answer()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class ServeTest(CliTest):
    def test_several_graphs(self):
        program = """def shared(old: Graph, new: Graph, k: int = 1) -> int:
    return k * sum(apply(lambda v: size(intersect(neighbor(old, v), neighbor(new, v))), vertices(old)))
"""
        source = random.Random(3)
        rows = ["".join(f"p{source.randrange(9)},p{source.randrange(9)}\n" for _ in range(20)) for _ in range(2)]
        old, new = self.write("old.csv", "a,b\n" + rows[0]), self.write("new.csv", "from,to\n" + rows[1])
        file = self.write("shared.mt", program)
        graphs = ["--in", f"old={old}:a,b", "--in", f"new={new}"]
        wanted = int(self.ok("run", file, *graphs))
        edges = [int(self.ok("run", "--pattern", "edge", graph)) for graph in (f"{old}:a,b", new)]
        asked = [{"id": 1, "program": program}, {"id": 2, "file": file, "options": {"params": {"k": 3}}}, {"id": 3, "pattern": "edge"}]
        self.assertEqual([one.get("result") for one in self.served(asked, *graphs)], [wanted, 3 * wanted, edges[0]])
        (one,) = self.served(asked[2:], new, "--in", f"old={old}:a,b")
        self.assertEqual(one["result"], edges[1])
        (one,) = self.served(asked[:1], new)
        self.assertEqual((one["code"], one["errors"][0]["message"]), (2, "`shared` needs graphs for `old` and `new`"))
        ready = Server(self, *graphs).ready
        self.assertEqual([ready["graphs"][name]["edges"] for name in ("old", "new")], edges)
        self.fails(2, "serve", says="there is no graph")

    def test_queries(self):
        file = self.write("g.txt", "1 2 knows\n2 1 knows\n2 3 owns\n3 3 owns\n")
        texts = ["MATCH (a)-[:knows]->(b)-[:owns]->(c) RETURN count(*)", "SELECT ?c ?a { ?a <knows> ?b . ?b <owns> ?c }",
                 "ASK { ?a <owns> <1> }", "ASK { ?a <owns> <3> }", "MATCH (a)-[r]->(b) RETURN a, type(r)",
                 "MATCH (a)-[r]->(b) RETURN a, b LIMIT 2", "MATCH (a"]  # fmt: skip
        statements = [({"query": "MATCH (a) OPTIONAL MATCH (a)-[:owns]->(b) RETURN a, b ORDER BY a"}, [[1, None], [2, 3], [3, 3]]),
                      ({"query": "MATCH (a) MATCH (b) RETURN count(*)"}, 9), ({"query": "MATCH (a) MATCH (b) RETURN a", "options": {"limit": 2}}, [1, 1]),
                      ({"query": "MATCH (a) RETURN $x AS x LIMIT 1", "options": {"params": {"x": "y"}}}, ["y"]),
                      # The order of members means nothing.
                      *(({"pattern": "MATCH (a) RETURN $x AS x LIMIT 1", "options": options}, ["5"])
                        for options in ({"params": {"x": "5"}, "query": True}, {"query": True, "params": {"x": "5"}})),
                      *(({"query": "MATCH (a) RETURN $x AS x LIMIT 1", "options": {"params": {"x": value}}}, [value])
                        for value in ("12", "true", "it's", 12, None)),
                      ({"query": "MATCH (a)-->(b) WHERE a = b RETURN count(*)"}, 1)]
        for asked, wanted in statements:
            (one,) = self.served([{"id": 1, **asked}], file, "--directed", "--edge-labels", "--keep-loops")
            self.assertEqual((one["result"], one["complete"]), (wanted, "limit" not in str(asked)), one)
        for asked, code, words in (({"query": "MATCH (a) RETURN a.x, 1"}, 2, "no columns"),
                                   ({"query": "MATCH (a)-[r]->(b) WHERE r.w = 1 RETURN count(*)"}, 2, "no columns"),
                                   ({"query": "RETURN $x AS x"}, 2, "has no value"),
                                   ({"query": "RETURN 1 / 0 AS x"}, 4, "division by zero"), ({"query": "RETURN 1 AS x", "explain": True}, 2, "no plan"),
                                   ({"query": "MATCH (a) MATCH (b) RETURN count(*)", "options": {"limit": 2}}, 2, "a number"),
                                   ({"query": "RETURN 1 AS x", "options": {"device": "cuda"}}, 2, "cuda"),
                                   *(({"query": "RETURN 1 AS x", "options": {option: value}}, 2, f"`{option}` is not for")
                                     for option, value in (("induced", "vertex"), ("entry", "x"), ("order", "id"), ("plan", 2), ("match", "homo"), ("embeddings", True)))):
            (one,) = self.served([{"id": 1, **asked}], file, "--directed", "--edge-labels", "--keep-loops")
            self.assertEqual((one["code"], words in one["errors"][0]["message"]), (code, True), one)
        self.assertIn("lost its own", self.served([{"id": 1, "query": "MATCH (a) MATCH (b) RETURN a"}], file, "--directed", "--edge-labels")[0]["errors"][0]["message"])
        self.assertIn("rows", self.served([{"id": 1, "query": "MATCH (a) MATCH (b) RETURN a", "check": True}], file)[0]["meaning"])
        asked = [{"id": at, "pattern": text, "options": {"query": True}} for at, text in enumerate(texts)]
        asked.append({**asked[5], "id": 7, "options": {"query": True, "limit": 1}})
        answers = self.served(asked, file, "--directed", "--edge-labels", "--keep-loops")
        found = [one.get("result") for one in sorted(answers, key=lambda one: one["id"])]
        self.assertEqual(found[:4], [1, [[3, 1]], False, True])
        self.assertEqual(sorted(found[4]), [[1, "knows"], [2, "knows"], [2, "owns"], [3, "owns"]])
        self.assertEqual([len(found[5]), found[6], len(found[7])], [2, None, 1])

    def test_options_of_one_request(self):
        labelled = self.write("g.txt", "0 1 a\n1 2 a\n2 0 a\n2 3 b\n")
        pattern = {"pattern": "0-1=b,1-2=b,0-2=b"}
        asked = [{"id": 1, **pattern}, {"id": 2, **pattern, "options": {"unlabelled-edges": True}}, {"id": 3, **pattern, "options": {"unlabelled-edges": False}},
                 {"id": 4, "pattern": "triangle", "options": {"tier": "native", "order": "degree", "device": "cpu", "simd": "scalar", "disable-pass": ["fuse", "hoist"]}},
                 {"id": 5, "pattern": "triangle", "options": {"device": "cud"}}, {"id": 6, "pattern": "triangle", "options": {"memory": "2G"}},
                 {"id": 7, "pattern": "triangle", "options": {"src": "a"}}]  # fmt: skip
        answers = sorted(self.served(asked, labelled, "--edge-labels"), key=lambda one: one["id"])
        self.assertEqual([one.get("result") for one in answers], [0, 1, 0, 1, None, None, None])
        self.assertIn("did you mean `cuda`? it takes `auto`, `cpu` or `cuda`", answers[4]["errors"][0]["hint"])
        self.assertIn("`matcha run --memory`", answers[5]["errors"][0]["message"])
        self.assertIn("the graph is read already", answers[6]["errors"][0]["message"])

    def test_lists(self):
        people = self.write("e.csv", "a,b\nann,bob\nbob,eve\n7,ann\n")
        numbers = self.write("g.txt", "0 1\n1 2\n")
        degrees = "def main(G: Graph, seeds: List<int>) -> int:\n    return sum(apply(lambda v: size(neighbor(G, v)), seeds))\n"
        dot = "def main(G: Graph, rows: List<Tuple<float, 2>>) -> float:\n    return sum(apply(lambda r: get(r, 0) * get(r, 1), rows))\n"

        def ask(graph, program, **lists):
            options = ["--header", "yes"] if graph == people else []
            (one,) = self.served([{"id": 1, "program": program, "options": {"lists": lists}}], graph, *options)
            return one["result"] if one["status"] == "ok" else (one["code"], one["errors"][0]["message"])

        self.assertEqual(ask(people, degrees, seeds=["bob", "eve", "bob"]), 5)
        self.assertEqual(ask(people, degrees, seeds=["7"]), 1)
        self.assertEqual(ask(people, degrees, seeds=[7]), 1, "its id is the text 7, not its place")
        self.assertEqual(ask(people, degrees, seeds=[0]), (3, "the list `seeds`, item 0: no graph has the vertex 0"))
        self.assertEqual(ask(numbers, degrees, seeds=[1, 1, 0]), 5)
        self.assertEqual(ask(numbers, degrees, seeds=[]), 0)
        self.assertEqual(ask(numbers, degrees, seeds=["1"]), (3, "the list `seeds`, item 0: no graph has the vertex `1`"))
        self.assertEqual(ask(numbers, dot, rows=[[1, 2.5], [3, 4]]), 14.5)
        self.assertEqual(ask(numbers, dot, rows=[[1, 2.5], [3]]), (2, "the list `rows`: row 1 is not like the first one"))
        self.assertEqual(ask(numbers, degrees, seeds=[[1, 2]]), (2, "the list `seeds` has 2 columns, and the parameter takes 1"))
        self.assertEqual(ask(numbers, degrees, seeds=[True]), (2, "the list `seeds` is neither of numbers nor of texts"))
        self.assertEqual(ask(numbers, degrees), (2, "`main` needs a list for `seeds: List<int>`"))
        self.assertEqual(ask(numbers, degrees, seeds=[1], seed=[2]), (2, "`main` takes no list `seed`"))
        # Other lists are another program.
        asked = [{"id": i, "program": degrees, "options": {"lists": {"seeds": [i % 3]}}} for i in range(6)]
        self.assertEqual([one["result"] for one in self.served(asked, numbers)], [1, 2, 1] * 2)

    def test_loops(self):
        file = self.write("g.txt", "1 2 knows\n2 2 knows\n2 3 likes\n")
        asked = [{"id": 1, "pattern": "a->b=knows", "options": {"match": "homo"}}, {"id": 2, "pattern": "a->a=knows"}]
        options = [file, "--directed", "--edge-labels"]
        self.assertEqual([one.get("result") for one in self.served(asked, *options, "--keep-loops")], [2, 1])
        self.assertEqual([one.get("result") for one in self.served(asked, *options)], [1, None])
        self.fails(2, "serve", file, "--edge-labels", "--keep-loops", says="--directed")
        # Without labels of edges, too.
        asked = [{"id": 1, "pattern": "a->b", "options": {"match": "homo"}}, {"id": 2, "pattern": "a->b"}, {"id": 3, "pattern": "a->a"}]
        for given in ([file, "--directed", "--keep-loops"], [*options, "--keep-loops"]):
            self.assertEqual([one.get("result") for one in self.served(asked, *given)], [3, 2, 1])

    def test_named_vertices(self):
        words = self.write("words.txt", "ann bob\nbob cid\ncid ann\n")
        numbers = self.write("large.txt", "18446744073709551615 7\n7 8\n")
        for graph, name, wanted in ((words, "'ann'", 2), (words, "'zoe'", None), (numbers, "18446744073709551615", 1), (numbers, "7", 2)):
            self.assertEqual(self.served([{"id": 1, "pattern": f"a@{name}-b"}], graph)[0].get("result"), wanted, name)

    def test_answers(self):
        text = (ROOT / TRIANGLE).read_text()
        answers = self.served([
            {"id": 1, "program": text},
            {"id": "two", "file": TRIANGLE},
            {"id": 3, "pattern": "triangle"},
            {"id": 4, "pattern": "wedge", "options": {"induced": "edge"}},
            {"id": 5, "file": "std.clique", "options": {"entry": "triangles_by_vertex", "limit": 5}},
            {"program": text, "check": True},
            {"id": 7, "program": "def main(G: Graph, k: int, b: bool = True) -> int:\n    return k if b else 0\n", "options": {"params": {"k": 5, "b": False}}},
            {"id": 8, "pattern": "edge", "options": {"matches": True, "limit": 3}},
        ], WIKI)
        self.assertEqual([one["id"] for one in answers], [1, "two", 3, 4, 5, None, 7, 8])
        self.assertEqual({one["status"] for one in answers}, {"ok"})
        self.assertEqual([answers[i]["result"] for i in (0, 1, 2)], [WIKI_TRIANGLES] * 3)
        self.assertEqual(answers[3]["result"], int(self.ok("run", "--pattern", "wedge", "--induced", "edge", WIKI)))
        self.assertEqual((answers[4]["columns"], len(answers[4]["result"]), answers[4]["complete"]), (["vertex", "count"], 5, False))
        self.assertEqual((answers[5]["signature"], "result" in answers[5]), ("triangle(G: Graph) -> int", False))
        self.assertEqual(answers[6]["result"], 0)
        self.assertEqual((len(answers[7]["result"]), len(answers[7]["columns"])), (3, 2))

    def test_numbers_have_names(self):
        graph = self.write("d.txt", "1 2\n2 3\n3 1\n")
        triads, motifs = self.served([{"file": "std.directed", "options": {"entry": "triads"}}, {"pattern": "motif:3"}], graph, "--directed")
        self.assertEqual(dict(zip(triads["columns"], triads["result"]))["030C"], 1)
        self.assertEqual(len(triads["columns"]), 16)

    def test_tables(self):
        """Headings, columns by name, ids that are text, labels of vertices and edges, as `run` takes them."""
        edges = self.write("e.csv", "kind,payer,payee\npays,ann,bob\nowes,bob,eve\npays,eve,ann\n")
        people = self.write("v.csv", "name,role\nann,person\nbob,bank\neve,person\n")
        columns = ["--src", "payer", "--dst", "payee", "--edge-label", "kind", "--vertices", people, "--id", "name", "--label", "role"]
        requests = [{"id": 1, "pattern": "a-[:pays]-b"}, {"id": 2, "pattern": "(a:person)-(b:bank)"}, {"id": 3, "pattern": "triangle"},
                    {"id": 4, "pattern": "(a:bank)-(b)", "options": {"matches": True}}]
        counts = self.served(requests, edges, *columns)
        self.assertEqual([one.get("result") for one in counts[:3]], [2, 2, 1], counts)
        self.assertEqual(sorted(counts[3]["result"]), [["bob", "ann"], ["bob", "eve"]])
        self.assertEqual(self.served([{"id": 1, "pattern": "edge"}], f"{edges}:payer,payee")[0]["result"], 3)
        wrong = self.served([{"id": 1, "pattern": "a:persn-b"}], edges, *columns)[0]
        self.assertEqual((wrong["status"], wrong["errors"][0]["column"], wrong["errors"][0]["length"]), ("query", 3, 5), wrong)
        self.fails(2, "serve", edges, "--src", "payer", says="belong together")
        self.fails(2, "serve", says="there is no graph")
        self.fails(3, "serve", edges, "--src", "payer", "--dst", "nobody", says="nobody")

    def test_cached_programs(self):
        server = Server(self, WIKI)
        self.assertEqual(server.ready["graph"]["vertices"], 7115)
        first, again = (server.ask({"id": i, "file": TRIANGLE}) for i in (1, 2))
        pattern, query = (server.ask({"id": 3, key: "triangle"}) for key in ("pattern", "query"))
        self.assertEqual((pattern["result"], query["code"]), (WIKI_TRIANGLES, 1), "a pattern is no query of the same text")
        self.assertGreater(first["ms"]["compile"], 0)
        self.assertEqual((again["ms"]["compile"], again["result"]), (0, WIKI_TRIANGLES))
        server.process.stdin.close()
        self.assertEqual(server.process.wait(LIMIT_S), 0)

    def test_errors(self):
        wrong = "def main(G: Graph) -> int:\n    return size(3)\n"
        failing = "def main(G: Graph) -> int:\n    return 1 / size(intersect(vertices(G), [-1]))\n"
        cases = [
            ({"program": wrong}, 1, "arg-type", 2),
            ({"program": wrong, "check": True}, 1, "arg-type", 2),
            ({"program": failing}, 4, "run", 2),
            ({"pattern": "hous"}, 1, "pattern-name", None),
            ({"pattern": "0-1=a"}, 2, "usage", 0),
            ({"file": self.path("absent.mt")}, 3, "input", 0),
            ({"file": "-"}, 2, "usage", 0),
            ({"program": "def main(G: Graph, k: int) -> int:\n    return k\n"}, 2, "usage", 0),
            ({"program": BIG, "options": {"limit": 3}}, 2, "usage", 0),
            ({"program": BIG, "options": {"timout": 3}}, 2, "usage", 0),
            ({"program": BIG, "options": {"timeout": "3"}}, 2, "usage", 0),
            ({"program": BIG, "options": {"limit": -1}}, 2, "usage", 0),
            ({"program": BIG, "options": 3}, 2, "usage", 0),
            ({"program": BIG, "pattern": "house"}, 2, "usage", 0),
            ({"program": 3}, 2, "usage", 0),
            ({"progam": BIG}, 2, "usage", 0),
            ({}, 2, "usage", 0),
        ]
        answers = self.served([{"id": i, **request} for i, (request, *_) in enumerate(cases)] + [{"id": 99, "program": BIG}], SMALL)
        by_id = {one["id"]: one for one in answers}
        for i, (request, code, name, line) in enumerate(cases):
            self.assertEqual(by_id[i]["code"], code, (request, by_id[i]))
            error = by_id[i]["errors"][0]
            self.assertEqual(error["id"], name, (request, error))
            self.assertTrue(error["message"], request)
            if line is not None:
                self.assertEqual(error["line"], line, (request, error))
        self.assertEqual(by_id[99]["result"], 7)
        self.assertIn("did you mean `timeout`?", by_id[9]["errors"][0]["hint"])
        self.assertIn("did you mean `program`?", by_id[15]["errors"][0]["hint"])

    def test_keys_come_once(self):
        answers = self.served([b'{"id": 1, "program": "x", "program": "y"}\n', b'{"id": 2, "id": 3, "pattern": "edge"}\n',
                              b'{"id": 4, "pattern": "edge", "options": {"limit": 1, "limit": 2}}\n',
                              b'{"id": 5, "pattern": "edge", "options": {"params": {"a": 1, "b": {"a": 1}}}}\n'], SMALL)
        self.assertEqual([one["code"] for one in answers], [2] * 4)
        for one, key in zip(answers, ["program", "id", "limit"]):
            self.assertEqual(one["errors"][0]["message"], f"`{key}` is there twice in one object")

    def test_files_are_not_quoted(self):
        """A text that is neither a program nor a pattern could be the path of any file that the server can read."""
        for ending in ("", ".mt", ".graph", ".g6"):
            self.write("secret" + ending, "hunter2 swordfish 1\n\tletmein:9 'x\n")
        secret = self.path("secret")
        (self.folder / "imports.mt").write_text("from secret import f\ndef main(G: Graph) -> int:\n    return f(G)\n")
        (self.folder / "wrong.mt").write_text("def main(G: Graph) -> int:\n    return size(elsewhere)\n")
        requests = [{"file": self.path("secret.mt")}, {"file": secret}, {"file": self.path("imports.mt")}, {"pattern": secret},
                    {"pattern": self.path("secret.graph")}, {"pattern": self.path("secret.g6")}]
        requests += [{**request, "check": True} for request in requests]
        for request, answer in zip(requests, self.served(requests, SMALL)):
            self.assertEqual(answer["code"], 1, answer)
            for word in ("hunter2", "swordfish", "letmein"):
                self.assertNotIn(word, json.dumps(answer))
        # A program is quoted.
        (answer,) = self.served([{"file": self.path("wrong.mt")}], SMALL)
        self.assertIn("elsewhere", answer["errors"][0]["message"])

    def test_no_files(self):
        module = self.write("m.mt", "def f(G: Graph) -> int:\n    return 7\n")
        pattern = self.write("p.graph", "t 2 1\nv 0 0\nv 1 0\ne 0 1\n")
        importing = "from m import f\ndef main(G: Graph) -> int:\n    return f(G)\n"
        requests = [{"id": 0, "file": module}, {"id": 1, "pattern": pattern}, {"id": 2, "pattern": "/dev/zero"}, {"id": 3, "program": importing},
                    {"id": 4, "file": "std.absent"}, {"id": 5, "file": "std.clique", "options": {"entry": "triangles"}},
                    {"id": 6, "pattern": "triangle"}]
        lines = b"".join(json.dumps(one).encode() + b"\n" for one in requests)
        done = subprocess.run([MATCHA, "serve", os.path.join(ROOT, SMALL), "--device", "cpu", "--no-files"], cwd=self.folder,
                              env=self.environment(), input=lines, capture_output=True, check=False)
        answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines()[1:])}
        self.assertEqual([answers[i]["code"] for i in range(5)], [2, 1, 1, 1, 2], answers)
        self.assertIn("`program` has the text", answers[0]["errors"][0]["hint"])
        self.assertEqual(answers[5]["result"], answers[6]["result"])

    def test_malformed_lines(self):
        """Whatever comes, each line gets one answer, and the next request is served."""
        random.seed(7)
        good = json.dumps({"id": 1, "program": BIG, "options": {"timeout": 5}}).encode()
        lines = [b"{", b"[]", b"null", b"3", b'"x"', b'{"id": [1], "program": "x"}', b'{"id": 1.5, "pattern": "edge"}', b"\xff\xfe", b"{}" * 3,
                 b"[" * 100_000, b'{"a":' * 50_000, b'{"id": 1, "program": "\\ud800"}', b'{"cancel": ' + b"[" * 4_000_000 + b"]" * 4_000_000 + b"}", b'{"cancel": {"x": []}}', b'{"id": 1e999, "pattern": "edge"}']
        for _ in range(150):
            noise = bytes(random.choices(range(256), k=random.randrange(1, 60)))
            lines.append(noise.replace(b"\n", b" ").strip(b" \t\r") or b"x")
            changed = bytearray(good)
            for _ in range(random.randrange(1, 4)):
                at = random.randrange(len(changed))
                changed[at:at + random.randrange(2)] = bytes([random.choice(b'{}[]",:0x\\\x80 ')])
            lines.append(bytes(changed).strip() or b"x")
        server = Server(self, SMALL)
        for i, line in enumerate(lines):
            answer = server.ask(line)
            self.assertIn(answer["code"], range(6), (line, answer))
            self.assertEqual("errors" in answer, answer["code"] != 0, (line, answer))
            if i % 50 == 0:
                self.assertEqual(server.ask({"id": f"after {i}", "program": BIG})["result"], 7)
        server.send(b"  \r")
        server.send(b"")
        long = server.ask(b'{"id": 1, "program": "' + b"x" * (17 << 20) + b'"}')
        self.assertEqual((long["id"], long["code"]), (None, 2))
        self.assertIn("16 MiB", long["errors"][0]["message"])
        self.assertEqual(server.ask({"id": 0, "program": BIG})["result"], 7)
        server.process.stdin.write(b'{"id": "last", "program": ' + json.dumps(BIG).encode() + b"}")  # Without a newline.
        server.process.stdin.close()
        self.assertEqual(server.answer()["id"], "last")
        self.assertEqual(server.process.wait(LIMIT_S), 0)

    def test_stops(self):
        graph = self.generate("slow.mtg", "erdos-renyi", "-n", "20000", "-m", "100000")
        server = Server(self, graph)
        self.assertEqual(server.ask({"id": 0, "program": BIG})["result"], 7)
        late = server.ask({"id": 1, "program": SLOW, "options": {"timeout": 0.3}})
        self.assertEqual((late["id"], late["status"], late["code"], late["complete"]), (1, "timeout", 124, False))
        for i in (2, 3, 4):
            server.send({"id": i, "program": SLOW})
        self.assertEqual(server.ask({"id": 3, "program": BIG})["status"], "usage")  # That id is taken.
        waiting = [server.ask({"id": "c", "cancel": 3}), server.answer()]
        self.assertEqual(sorted((str(one["id"]), one["status"]) for one in waiting), [("3", "cancelled"), ("c", "ok")])
        answers = [server.ask({"id": "d", "cancel": 2}), server.answer()]
        self.assertEqual(sorted((str(one["id"]), one["code"]) for one in answers), [("2", 130), ("d", 0)])
        self.assertFalse(server.ask({"id": "e", "cancel": 77})["cancelled"])
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.process.wait(LIMIT_S), 130)

    def test_planning_stops(self):
        """A request that is over holds up no other one: planning this takes ten seconds of processor time."""
        server = Server(self, WIKI)
        self.assertEqual(server.ask({"id": 0, "program": BIG})["result"], 7)

        def processor_seconds():
            with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = processor_seconds()
        late = server.ask({"id": 1, "pattern": "motif:6", "options": {"timeout": 0.2}})
        self.assertEqual((late["id"], late["status"], late["result"], late["complete"]), (1, "timeout", None, False))
        server.send({"id": 2, "pattern": "motif:6"})
        answers = [server.ask({"id": 3, "cancel": 2}), server.answer()]
        self.assertEqual(sorted((one["id"], one["code"]) for one in answers), [(2, 130), (3, 0)])
        self.assertEqual(server.ask({"id": 4, "pattern": "edge"})["status"], "ok")
        self.assertLess(processor_seconds() - before, 3)

    def test_ends(self):
        self.fails(3, "serve", self.path("absent.txt"), says="absent.txt")
        self.fails(2, "serve", TRIANGLE, says="is a program")
        self.assertEqual(self.served([], SMALL), [])
        # No reader.
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([MATCHA, "serve", SMALL, "--device", "cpu"], input=b'{"id": 1, "pattern": "edge"}\n', stdout=write,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, check=False, cwd=ROOT, env=self.environment())
        os.close(write)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    main()
