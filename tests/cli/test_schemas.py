"""The JSON that is printed is as docs/schemas says. Where Python has no `jsonschema`, only keys are compared."""

import json

from cli import ROOT, TRIANGLE, WIKI, CliTest, main

try:
    import jsonschema
except ImportError:
    jsonschema = None

SMALL = "tests/graphs/random-20-seed2.txt"


class Schemas(CliTest):
    def schema(self, name):
        return json.loads((ROOT / f"docs/schemas/matcha.{name}.1.json").read_text(encoding="utf-8"))

    def check(self, name, text):
        """Checks an object; gives it."""
        schema, found = self.schema(name), json.loads(text)
        if jsonschema is not None:
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(found)
        parts = [schema, *schema.get("oneOf", [])]
        known = {key for part in parts for key in part.get("properties", {})}
        self.assertEqual(set(found) - known, set(), name)
        self.assertTrue(any(set(part.get("required", [])) <= set(found) for part in parts[-2:]), (name, found))
        if isinstance(found.get("graph"), dict):
            self.assertEqual(set(found["graph"]) - set(schema["$defs"]["graph"]["properties"]), set())
        return found

    def test_runs(self):
        for command in (["--pattern", "motif:3", SMALL], ["--pattern", "triangle", SMALL, "--verify"], [TRIANGLE, SMALL],
                        ["--pattern", "a-b-c-a", SMALL, "--limit", "2"], ["--pattern", "triangle", SMALL, "--within", "1%"],
                        ["--pattern", "path:5", WIKI, "--within", "5%", "--certain", "--engine", "sample"], ["std.clique", "--entry", "triangles_by_vertex", SMALL]):
            self.check("run", self.ok("run", *command, "--json"))
        for line in self.ok("run", "--pattern", "edge", "--pattern", "wedge", SMALL, "--json").splitlines():
            self.assertIn("given", self.check("run", line))
        motifs = self.check("run", self.ok("run", "--pattern", "motif:4", SMALL, "--json"))["result"]
        self.assertEqual(len(motifs), 6)
        stopped = self.timed_out("run", "--pattern", "path:7", "--algorithm", "extend", WIKI, "--json")
        self.assertFalse(self.check("run", stopped.stdout.decode())["complete"])
        names = self.write("e.csv", "source,target\nalice,bob\nbob,eve\n")
        self.check("run", self.ok("run", "--pattern", "a-b", names, "--limit", "1", "--json"))

    def test_benchmarks(self):
        listing = "examples/triangle_listing.mt"
        self.check("bench", self.ok("bench", TRIANGLE, listing, "--pattern", "edge", SMALL, "--runs", "1", "--json"))
        self.check("bench", self.ok("bench", TRIANGLE, "--in", f"G={SMALL}", "--in", f"H={SMALL}", "--runs", "1", "--json"))

    def test_motifs(self):
        self.check("motifs", self.ok("motifs", "4", SMALL, "--null", "3", "--json"))
        self.check("motifs", self.ok("motifs", "3", SMALL, "--json"))
        self.check("motifs", self.ok("motifs", "examples/graphs/payments.csv", "--within", "1d", "--null", "2", "--json"))

    def test_servers(self):
        requests = [{"id": 1, "pattern": "triangle"}, {"id": "b", "pattern": "hause"}, {"id": 3, "cancel": 9},
                    {"id": 4, "pattern": "a-b", "options": {"matches": True, "limit": 3}}, {"id": 5, "pattern": "motif:3"},
                    {"id": 6, "pattern": "house", "explain": True}, {"id": 7, "pattern": "house", "check": True},
                    {"id": 8, "pattern": "a-b", "picture": True, "options": {"matches": True, "limit": 3}},
                    {"id": 9, "pattern": "triangle", "options": {"within": "1%"}}]
        lines = self.ok("serve", SMALL, stdin="".join(json.dumps(one) + "\n" for one in requests).encode()).splitlines()
        self.assertEqual(len(lines), 1 + len(requests))
        for line in lines:
            self.check("serve", line)

    def test_a_wrong_object_is_refused(self):
        found = json.loads(self.ok("run", TRIANGLE, SMALL, "--json"))
        found["surprise"] = 1
        with self.assertRaises(AssertionError):
            self.check("run", json.dumps(found))


if __name__ == "__main__":
    main()
