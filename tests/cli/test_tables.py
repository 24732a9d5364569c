"""Tables in, names out: headings, columns, ids that are text, containers, standard input, formats of rows."""

import ast
import bz2
import gzip
import io
import json
import lzma
import os
import struct
import tarfile
import unittest
import zipfile

import cli

FRIENDS = "src,dst,since\nalice,bob,2019\nbob,\"Carol, Ann\",2020\n\"Carol, Ann\",alice,2021\nalice,dave,2022\n"
TRIANGLE = ["run", "--pattern", "triangle"]
WEDGE = ["run", "--pattern", "wedge", "--induced", "edge"]


def read_npy(path):
    """The type, the shape and the bytes of the items of a .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert end % 64 == 0 and data[end - 1 : end] == b"\n"
    header = ast.literal_eval(data[10:end].decode())
    assert header["fortran_order"] is False
    return header["descr"], header["shape"], data[end:]


class Reading(cli.CliTest):
    def test_heading_and_columns(self):
        path = self.write("e.csv", FRIENDS)
        done = self.matcha(*TRIANGLE, path)
        self.assertEqual(done.stdout, b"1\n")
        self.assertIn("csv, heading, src → dst, 4 lines", done.stderr.decode())
        other = self.write("f.tsv", "when\tto\tfrom\n9\t2\t1\n9\t3\t2\n9\t1\t3\n")
        self.assertEqual(self.ok(*TRIANGLE, other, "--src", "from", "--dst", "to"), "1\n")
        self.assertEqual(self.ok(*TRIANGLE, other, "--src", "2", "--dst", "1"), "1\n")
        self.assertEqual(self.ok("run", cli.TRIANGLE, "--in", f"G={other}:from,to"), "1\n")
        self.assertEqual(self.ok("run", cli.TRIANGLE, "--in", f"G={other}:2,1", "--header", "yes"), "1\n")
        self.fails(3, *TRIANGLE, other, "--src", "form", "--dst", "to", says=["f.tsv:1: error: there is no column `form`", "`from`"])
        self.fails(2, *TRIANGLE, other, "--src", "from", says="belong together")
        self.fails(3, *TRIANGLE, self.write("g.csv", "src,dst\n1,2\n1,2,3\n"), says="g.csv:3: error: the line has 3 columns")
        self.assertEqual(self.ok(*TRIANGLE, self.write("h.txt", "1 2\n2 3\n3 1\n"), "--header", "yes"), "0\n")

    def test_a_heading_chooses_the_columns(self):
        path = self.write("c.csv", ",payee,payer,kind,amount\n0,b,a,wire,5\n1,c,b,card,5\n2,a,c,wire,7\n")
        done = self.matcha(*TRIANGLE, path)
        self.assertEqual((done.stdout, b"csv, heading, payer \xe2\x86\x92 payee" in done.stderr), (b"1\n", True))
        self.assertEqual(self.ok("run", "--pattern", "a->b=wire", "--directed", path), "2\n")
        self.assertEqual(self.ok("query", "MATCH (a)-[:wire]->(b) RETURN count(*)", path), "2\n")
        program = self.write("l.mt", "def f(edges: List<Tuple<int, 2>>, sums: List<int>):\n    return mk_tuple(val=[size(edges), sum(sums)])\n")
        numbers = self.write("n.csv", "row,dst,src,amount\n0,2,1,5\n1,3,2,5\n2,1,3,7\n")
        self.assertEqual(self.ok("run", program, "--in", f"edges={numbers}", "--in", f"sums={numbers}:amount").split(), ["3", "17"])
        self.fails(3, "run", program, "--in", f"edges={numbers}", "--in", f"sums={numbers}", says=["which columns are wanted?", "`amount`"])
        people = self.write("p.csv", "city,id\nrome,a\nbern,d\n")
        self.assertEqual(self.ok("run", "--pattern", "(x:rome)", path, "--vertices", people, "--label", "city"), "1\n")
        self.fails(3, *TRIANGLE, path, "--labels", people, says=["the id first", "--vertices", "--label city"])

    def test_edge_labels(self):
        path = self.write("e.csv", "kind,a,b\npays,1,2\n\"is owned by\",2,3\npays,3,1\n")
        named = ["--src", "a", "--dst", "b", "--edge-label", "kind", "--induced", "edge"]
        self.assertEqual(self.ok("run", "--pattern", "0-1=pays", path, *named), "2\n")
        self.assertEqual(self.ok("run", "--pattern", '0-1="is owned by"', path, *named), "1\n")

    def test_vertices_with_labels(self):
        edges = self.write("e.csv", FRIENDS)
        nodes = self.write("n.csv", "id,age,kind\nalice,30,person\nbob,,Big Corp\ndave,1,\nerin,2,person\n")
        labelled = ["--vertices", nodes, "--id", "id", "--label", "kind", "--induced", "edge"]
        self.assertEqual(self.ok("run", "--pattern", "0:person-1", edges, *labelled), "3\n")
        self.assertEqual(self.ok("run", "--pattern", '0:person-1:"Big Corp"', edges, *labelled), "1\n")
        facts = json.loads(self.ok("graph", "info", edges, *labelled[:6], "--json"))
        self.assertEqual((facts["vertices"], facts["ids"], facts["min_id"], facts["max_id"]), (5, "text", "Carol, Ann", "erin"))
        labels = self.write("l.txt", "alice person\nbob \"Big Corp\"\n")
        self.assertEqual(self.ok("run", "--pattern", '0:person-1:"Big Corp"', edges, "--labels", labels), "1\n")
        self.fails(3, *TRIANGLE, edges, "--label", "kind", says="--vertices FILE")
        self.fails(3, *TRIANGLE, edges, *labelled[:4], "--label", "sort", says="n.csv:1: error: there is no column `sort`")

    def test_containers(self):
        text = b"1 2\n2 3\n3 1\n3 4\n"
        packed = {"g.bz2": bz2.compress(text), "g.xz": lzma.compress(text), "two.bz2": bz2.compress(text[:4]) + bz2.compress(text[4:])}
        for kind in ("w", "w:gz", "w:bz2", "w:xz"):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode=kind) as archive:
                for name, content in (("net/README.txt", b"hello"), ("net/out.net", text)):
                    member = tarfile.TarInfo(name)
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
            packed["t" + kind.replace(":", "_")] = out.getvalue()
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("net.edges", text)
            archive.writestr("readme.html", "<p>")
        packed["z"] = out.getvalue()
        for name, content in packed.items():
            path = self.write(name, content)
            self.assertEqual(self.ok(*TRIANGLE, path), "1\n", name)
            self.fails(3, *TRIANGLE, self.write("cut", content[: 60 if name == "z" else 1030 if name == "tw" else len(content) - 9]), says="cut")
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr("other.edges", text)
        self.fails(3, *TRIANGLE, self.write("both.zip", out.getvalue()), says=["several tables", "other.edges"])
        mtg = self.generate("g.mtg", "clique", "-n", "4")
        with open(mtg, "rb") as file:
            self.assertEqual(self.ok(*TRIANGLE, self.write("g.mtg.xz", lzma.compress(file.read()))), "4\n")

    def test_many_repeats_are_counted(self):
        """They go while a file is read, and the report has them as it has others."""
        lines = ["1 2", "2 3", "3 1", "2 1", "3 3"]
        texts = {"plain.txt": "\n".join(lines * 4000), "comma.csv": "src,dst\n" + "\n".join(lines * 4000).replace(" ", ","),
                 "words.txt": "\n".join(line.replace("3", "c").replace("2", "b") for line in lines * 4000)}
        for name, text in texts.items():
            path = self.write(name, text + "\n")
            facts = json.loads(self.ok("graph", "info", path, "--json", *(["--header", "no"] if name == "words.txt" else [])))
            self.assertEqual([facts[key] for key in ("lines", "edges", "dropped_loops", "dropped_duplicates")], [20000, 3, 4000, 15996])
        path = self.path("plain.txt")
        self.ok("graph", "convert", path, self.path("g.mtg"), "--directed", "--keep-loops", "--quiet")
        self.fails(3, "query", "MATCH (a)-->(b) RETURN count(*)", self.path("g.mtg"), says="left out 19995 repeated edges")
        self.ok("graph", "convert", path, self.path("h.mtg"), "--directed", "--quiet")
        self.ok("graph", "convert", path, self.path("i.mtg"), "--directed", "--quiet", "--memory", "99M")
        with open(self.path("h.mtg"), "rb") as one, open(self.path("i.mtg"), "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.fails(2, "graph", "convert", path, self.path("j.mtg"), "--directed", "--keep-loops", "--memory", "99M", says="add `--edge-labels`")
        self.assertEqual(self.ok("query", "--quiet", "MATCH (a)-->(b) RETURN count(*)", path).strip(), "20000")

    def test_standard_input(self):
        self.assertEqual(self.ok(*TRIANGLE, "-", stdin=FRIENDS.encode()), "1\n")
        self.assertEqual(self.ok(*TRIANGLE, "-", stdin=gzip.compress(b"1 2\n2 3\n3 1\n")), "1\n")
        mtg = self.generate("g.mtg", "clique", "-n", "4")
        with open(mtg, "rb") as file:
            self.assertEqual(self.ok(*TRIANGLE, "-", stdin=file.read()), "4\n")
        self.assertIn("vertices       4", self.ok("graph", "info", "-", stdin=FRIENDS.encode()))
        several = self.ok("run", "--pattern", "edge", "--pattern", "wedge", "-", stdin=b"1 2\n2 3\n")
        self.assertEqual(several.split(), ["edge", "2", "wedge", "1"])
        self.fails(3, *TRIANGLE, "-", stdin=b"1 2\n3\n", says="-:2: error")
        self.fails(3, *TRIANGLE, "-", says="standard input is empty")

    def test_no_parquet_without_duckdb(self):
        environment = self.environment(MATCHA_LIBDUCKDB=self.path("none.so"))
        self.fails(3, *TRIANGLE, "--graph-sql", "select 1, 2", env=environment, says=["DuckDB", "install libduckdb.so", "| matcha run"])
        self.fails(2, *TRIANGLE, "g.txt", "--graph-sql", "select 1, 2", says="both the graph")

    @unittest.skipUnless(os.environ.get("MATCHA_LIBDUCKDB"), "MATCHA_LIBDUCKDB names no libduckdb.so")
    def test_duckdb(self):
        environment = self.environment(MATCHA_LIBDUCKDB=os.environ["MATCHA_LIBDUCKDB"])
        rows = "(values ('alice', 'bob'), ('bob', 'carol'), ('carol', 'alice')) t(a, b)"
        parquet = self.path("e.parquet")
        self.ok("graph", "convert", "--graph-sql", f"from {rows}", self.path("g.mtg"), env=environment)
        self.assertEqual(self.ok(*TRIANGLE, self.path("g.mtg")), "1\n")
        self.assertEqual(self.ok(*TRIANGLE, "--graph-sql", f"select a, b from {rows};", env=environment), "1\n")
        self.fails(3, *TRIANGLE, "--graph-sql", f"from '{parquet}'", env=environment, says=["--graph-sql", "e.parquet"])
        self.fails(3, *TRIANGLE, "--graph-sql", "select (", env=environment, says="--graph-sql: error")


class Answers(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.graph = self.write("e.csv", FRIENDS)

    def matches(self, name, *more):
        path = self.path(name)
        self.assertEqual(self.ok(*WEDGE, self.graph, "--threads", "1", "--matches", path, *more), "5\n")
        return path

    def test_ids_are_those_of_the_file(self):
        program = self.write("v.mt", "def f(G: Graph):\n    return vertices(G)\n")
        names = ["Carol, Ann", "alice", "bob", "dave"]
        for order in ("id", "auto"):
            self.assertEqual(self.ok("run", program, self.graph, "--order", order).splitlines(), names)
        self.assertEqual(json.loads(self.ok("run", program, self.graph, "--json"))["result"], names)
        self.ok("graph", "convert", self.graph, self.path("g.mtg"), "--order", "degree")
        self.assertEqual(self.ok("run", program, self.path("g.mtg")).splitlines(), names)
        self.ok("graph", "convert", self.path("g.mtg"), self.path("g.txt"))
        self.assertEqual(self.ok("run", program, self.path("g.txt")).splitlines(), names)
        self.fails(3, "graph", "convert", self.graph, self.path("g.graph"), says="ids that are integers")
        self.assertEqual(self.leftovers(), [])
        adds = self.write("a.mt", "def f(G: Graph):\n    return sum(apply(lambda v: v + 1, vertices(G)))\n")
        self.fails(3, "run", adds, self.graph, says="computes with ids as numbers, and those of its inputs are text")
        large = self.write("u.txt", "18446744073709551615 7\n7 3\n")
        self.assertEqual(self.ok("run", program, large).splitlines(), ["3", "7", "18446744073709551615"])
        self.assertEqual(json.loads(self.ok("run", program, large, "--json"))["result"], [3, 7, 2**64 - 1])

    def test_csv_and_ndjson(self):
        with open(self.matches("m.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "v0,v1,v2")
        rows = sorted(lines[1:])
        self.assertIn('"Carol, Ann"', rows[0] + rows[1])
        with gzip.open(self.matches("m.csv.gz"), "rt") as file:
            self.assertEqual(file.readline(), "v0,v1,v2\n")
        with open(self.matches("m.ndjson"), encoding="utf-8") as file:
            objects = [json.loads(line) for line in file]
        self.assertEqual([sorted(one) for one in objects], [["v0", "v1", "v2"]] * 5)
        self.assertIn("Carol, Ann", {one["v0"] for one in objects} | {one["v1"] for one in objects})
        answer = json.loads(self.ok(*WEDGE, self.graph, "--limit", "2", "--json"))
        self.assertTrue(all(isinstance(cell, str) for row in answer["result"] for cell in row))

    def test_npy(self):
        kind, shape, data = read_npy(self.matches("m.npy"))
        self.assertEqual((kind, shape, len(data)), ("|S10", (5, 3), 150))
        self.assertEqual({data[at : at + 10].rstrip(b"\0") for at in range(0, 150, 10)}, {b"alice", b"bob", b"dave", b"Carol, Ann"})
        numbers = self.write("n.txt", "18446744073709551615 7\n7 3\n")
        self.ok(*WEDGE, numbers, "--matches", self.path("u.npy"))
        kind, shape, data = read_npy(self.path("u.npy"))
        self.assertEqual((kind, shape, sorted(struct.unpack("<3Q", data))), ("<u8", (1, 3), [3, 7, 2**64 - 1]))
        self.ok(*WEDGE, "tests/graphs/clique-6.txt", "--matches", self.path("i.npy"))
        kind, shape, data = read_npy(self.path("i.npy"))
        self.assertEqual((kind, shape), ("<i8", (60, 3)))
        self.assertEqual(len(set(struct.iter_unpack("<3q", data))), 60)
        self.ok(*WEDGE, "tests/graphs/clique-6.txt", "--limit", "0", "--matches", self.path("none.npy"))
        self.assertEqual(read_npy(self.path("none.npy")), ("<i8", (0, 3), b""))
        mixed = self.write("m.mt", "def f(G: Graph):\n    return apply(lambda v: mk_tuple(val=[v, 0.5, True]), vertices(G))\n")
        self.ok("run", mixed, self.graph, "--matches", self.path("r.npy"))
        kind, shape, data = read_npy(self.path("r.npy"))
        self.assertEqual((kind, shape), ([("c0", "|S10"), ("c1", "<f8"), ("c2", "|b1")], (4,)))
        rows = {(name.rstrip(b"\0"), half, flag) for name, half, flag in struct.iter_unpack("<10sd?", data)}
        self.assertEqual(rows, {(name, 0.5, True) for name in (b"alice", b"bob", b"dave", b"Carol, Ann")})
        os.mkfifo(self.path("pipe.npy"))
        reader = os.open(self.path("pipe.npy"), os.O_RDONLY | os.O_NONBLOCK)
        self.fails(2, *WEDGE, self.graph, "--matches", self.path("pipe.npy"), says="no plain file")
        os.close(reader)

    def test_arrow(self):
        path = self.matches("m.arrow")
        with open(path, "rb") as file:
            data = file.read()
        self.assertTrue(data.startswith(b"ARROW1\0\0") and data.endswith(b"ARROW1"))
        self.assertEqual(len(data) % 2, 0)
        self.assertIn("Carol, Ann".encode(), data)
        self.fails(2, *WEDGE, self.graph, "--matches", self.path("m.arrow.gz"), says=".arrow")


if __name__ == "__main__":
    cli.main()
