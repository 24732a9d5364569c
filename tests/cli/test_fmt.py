"""matcha fmt, and all errors of a file in matcha check."""

import json
import os
import unittest

import cli

UNTIDY = "def main( g ):\n  return size( vertices(g) )   # all\n"
TIDY = "def main(g):\n    return size(vertices(g))  # all\n"


class Fmt(cli.CliTest):
    def test_a_folder_with_the_name_of_a_program(self):
        os.mkdir(self.path("folder.mt"))
        self.write("p.mt", "def main() -> int:\n    return 7\n")
        self.ok("fmt", "--check", str(self.folder))

    def test_file_folder_and_pipe(self):
        folder = self.folder / "queries"
        (folder / "deep").mkdir(parents=True)
        paths = [folder / "a.mt", folder / "deep" / "b.mt"]
        for path in paths:
            path.write_text(UNTIDY)
        os.chmod(paths[0], 0o640)
        (folder / "notes.txt").write_text("not a program")
        done = self.matcha("fmt", "--check", folder)
        self.assertEqual((done.returncode, done.stdout.decode().split()), (1, [str(path) for path in paths]))
        self.assertEqual(paths[0].read_text(), UNTIDY)
        done = self.matcha("fmt", folder)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertIn(b"2 of 2 files changed", done.stderr)
        self.assertEqual([path.read_text() for path in paths], [TIDY, TIDY])
        self.assertEqual(paths[0].stat().st_mode & 0o777, 0o640)
        before = paths[0].stat().st_mtime_ns
        self.assertEqual(self.ok("fmt", folder), "")
        self.assertEqual(paths[0].stat().st_mtime_ns, before)
        self.assertEqual(self.ok("fmt", "--check", folder), "")
        self.assertEqual(self.ok("fmt", "-", stdin=UNTIDY.encode()), TIDY)
        self.assertEqual(self.ok("fmt", "-", stdin=TIDY.encode()), TIDY)
        self.assertEqual(self.leftovers(), [])

    def test_errors_leave_the_file(self):
        good, bad = self.write("good.mt", UNTIDY), self.write("bad.mt", "def main(g:\n  return 1\n")
        errors = self.fails(1, "fmt", bad, good, says=["bad.mt:1:9", "[unmatched-bracket]"])
        self.assertNotIn("good.mt", errors)
        self.assertEqual((self.folder / "bad.mt").read_text(), "def main(g:\n  return 1\n")
        self.assertEqual((self.folder / "good.mt").read_text(), TIDY)
        self.fails(3, "fmt", self.path("missing.mt"), says="missing.mt")
        self.fails(2, "fmt", says="FILE")
        self.fails(1, "fmt", "-", stdin=b"\xff", says="[encoding]")

    def test_a_tuple_of_one_stays(self):
        texts = {"def f( x ):\n  return ( x , )\n": "def f(x):\n    return (x,)\n",
                 "def f(x,):\n    return (x, x,)\n": "def f(x):\n    return (x, x)\n",
                 "def f(x):\n    return get((size([x, 2,],),  # one\n    ), 0,)\n":
                     "def f(x):\n    return get(\n        (\n            size([x, 2]),  # one\n        ),\n        0\n    )\n",
                 "def f(x):\n    return (lambda a, b: a,)\n": "def f(x):\n    return (lambda a, b: a,)\n"}  # fmt: skip
        for text, formatted in texts.items():
            self.assertEqual(self.ok("fmt", "-", stdin=text.encode()), formatted)
            self.assertEqual(self.ok("fmt", "-", stdin=formatted.encode()), formatted)
        name = "n" * 60
        wide = f"def f({name}):\n    return (size([{name}, {name}]),)\n"
        done = self.ok("fmt", "-", stdin=wide.encode())
        self.assertEqual(done, f"def f({name}):\n    return (\n        size([\n            {name},\n            {name}\n        ]),\n    )\n")
        self.assertEqual(self.ok("fmt", "-", stdin=done.encode()), done)

    def test_one_kind_of_line_ends(self):
        text = b'"""A\r\n\r\nb."""\r\ndef f(x):\r\n    """C\rd."""\r\n    return x  # e\r\n'
        path = self.write("q.mt", text)
        self.assertEqual(self.matcha("fmt", "--check", path).returncode, 1)
        self.matcha("fmt", path)
        self.assertEqual((self.folder / "q.mt").read_bytes(), b'"""A\n\nb."""\n\ndef f(x):\n    """C\nd."""\n    return x  # e\n')
        self.assertEqual(self.ok("fmt", "--check", path), "")

    def test_a_type_and_its_value_without_blanks(self):
        text = "def f(x: Var<int>=3, l: List<Tuple<int, 2>>=m):\n    return (1 if x>=3 else 2)\n"
        self.assertEqual(self.ok("fmt", "-", stdin=text.encode()),
                         "def f(x: Var<int> = 3, l: List<Tuple<int, 2>> = m):\n    return (1 if x >= 3 else 2)\n")

    def test_the_programs_of_the_tree(self):
        self.assertEqual(self.ok("fmt", "--check", "stdlib", "examples"), "")


class AllErrors(cli.CliTest):
    def test_check_shows_all_errors(self):
        program = self.write("q.mt", "x = 1\n\ndef a(g:\n    return 1\n\ndef b(g):\n    return nothing(g)\n\ndef main(g: Graph):\n"
                             "    return neighbor(g, True) + a(1, 2)\n")
        found = json.loads(self.matcha("check", "--diagnostics=json", program).stdout)
        self.assertEqual([(one["line"], one["id"]) for one in found],
                         [(1, "syntax"), (3, "unmatched-bracket"), (7, "unknown-name"), (10, "arg-type")])
        self.fails(1, "check", program, says=["[syntax]", "[unmatched-bracket]", "[unknown-name]", "[arg-type]"])


if __name__ == "__main__":
    cli.main()
