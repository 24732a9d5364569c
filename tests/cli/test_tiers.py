"""`--tier`: plans, compiled code, and one after the other."""

import json

import cli
from cli import TRIANGLE, WIKI, WIKI_TRIANGLES

HOUSES = ("run", "--pattern", "house", WIKI, "--device", "cpu", "--algorithm", "extend", "--no-cache", "--json")


class Tiers(cli.CliTest):
    def stats(self, *words):
        answer = json.loads(self.ok(*words))
        return answer["result"], answer["stats"]

    def test_one_tier(self):
        for tier, backend in (("interp", "plan"), ("native", "llvm")):
            result, stats = self.stats("run", TRIANGLE, WIKI, "--device", "cpu", "--tier", tier, "--json")
            self.assertEqual((result, stats["tier"], stats["backend"]), (WIKI_TRIANGLES, tier, backend))
            self.assertEqual("llvm" in stats["compile_ms"], tier == "native")

    def test_compiled_code_takes_over(self):
        wanted = json.loads(self.ok("run", "--pattern", "house", WIKI, "--json"))["result"]
        for threads in ("1", "2"):
            result, stats = self.stats(*HOUSES, "--threads", threads)
            self.assertEqual((result, stats["tier"]), (wanted, "interp, native"))

    def test_second_operands(self):
        """The neighbours of w are read behind a condition that only sometimes reads them."""
        path = self.write("q.mt", """
def common(G: Graph, u: int, v: int) -> int:
    return size(intersect(neighbor(G, u), neighbor(G, v)))

def main(G: Graph) -> int:
    def from_v(v):
        some = apply(lambda w: common(G, w, v), cond=lambda w: size(neighbor(G, v)) > 9999 and size(neighbor(G, w)) != v, vertices(G))
        return sum(some) + sum(apply(lambda w: size(neighbor(G, w)) + common(G, w, v), vertices(G)))
    return sum(apply(from_v, vertices(G)))
""")
        graph = self.write("g.txt", "".join(f"{v} {(v * v + 1) % 40}\n" for v in range(40)))
        wanted = self.ok("run", path, graph, "--backend", "interp", "--device", "cpu", "-q")
        for tier in ("interp", "native", "auto"):
            self.assertEqual(self.ok("run", path, graph, "--tier", tier, "--device", "cpu", "-q"), wanted, tier)

    def test_rows(self):
        words = ("run", "--pattern", "triangle", cli.WIKI, "--device", "cpu", "--matches", "-", "-q")
        rows = [sorted(self.ok(*words, "--tier", tier).split("\n")) for tier in ("interp", "native", "auto")]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0], rows[2])
        self.assertEqual(len(rows[0]), WIKI_TRIANGLES + rows[0].count(""))
        self.assertEqual(self.ok(*words, "--limit", "7", "--tier", "interp").count("\n"), 7)

    def test_errors(self):
        path = self.write("q.mt", "def f(G: Graph, d: int = 0):\n    return size(vertices(G)) / d\n")
        for tier in ("interp", "native", "auto"):
            self.fails(4, "run", path, WIKI, "--tier", tier, "-q", says=["q.mt:2:", "division by zero", "^"])
        self.fails(2, "run", TRIANGLE, WIKI, "--tier", "fast", says=["--tier"])
        self.fails(2, "run", TRIANGLE, WIKI, "--tier", "interp", "--backend", "interp", says=["--tier"])
        self.fails(2, "run", TRIANGLE, WIKI, "--tier", "interp", "--device", "cuda", says=["`--tier` is for the CPU"])

if __name__ == "__main__":
    cli.main()
