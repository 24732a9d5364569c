"""Formats of graphs: what is recognised and read, what is named in an error, and what is written so that it reads back."""

import os

import cli


class Written(cli.CliTest):
    def round_trip(self, text, name, *options, read=()):
        """The rows of all edges of a text, and those of the file that `graph convert` makes of it."""
        first, second = self.write("in.txt", text), self.path(name)
        self.ok("graph", "convert", first, second, "--quiet", *options)
        listing = ["run", "--pattern", "edge", "--limit", "99", "--quiet"]
        given = [option for option in options if option in ("--ids", "text", "--header", "no")]
        return (sorted(self.ok(*listing, path, *more)) for path, more in ((first, given), (second, read)))

    def test_text_ids_read_back(self):
        for text in ("a b\n", "source target2\ntarget2 x\n", '"a;b" "c|d"\n', '"#a" b\nb "say ""x"""\n'):
            before, after = self.round_trip(text, "out.txt", "--header", "no")
            self.assertEqual(before, after, text)
        before, after = self.round_trip("007 8\n8 x9\n", "out.txt", "--ids", "text", read=("--ids", "text"))
        self.assertEqual(before, after)
        done = self.matcha("graph", "convert", self.write("n.txt", "007 008\n"), self.path("n.el"), "--ids", "text")
        self.assertIn("--ids text", done.stderr.decode())

    def test_a_written_edge_list_has_no_size_line(self):
        path, out = self.write("hub.txt", "5 2\n5 3\n5 4\n"), self.path("out.txt")
        self.ok("graph", "convert", path, out, "--quiet", "--header", "no", "--directed")
        self.assertEqual(self.ok("run", "--pattern", "edge", out, "--quiet"), "3\n")

    def test_what_a_format_cannot_hold_is_an_error(self):
        words = self.write("w.txt", "1 2 likes\n2 3 'hates'\n")
        text = self.write("t.txt", "a b\nb c\n")
        for source, target, options, says in (
            (words, "w.mtx", ["--edge-labels"], "words"),
            (text, "t.mtx", ["--header", "no"], "ids are text"),
            (text, "t.graph", ["--header", "no"], "ids that are integers"),
        ):
            self.fails(3, "graph", "convert", source, self.path(target), *options, says=says)
            self.assertFalse(os.path.exists(self.path(target)))
        labels = self.write("l.txt", '1 "Big Corp"\n2 x\n')
        edges = self.write("e.txt", "1 2\n")
        self.fails(3, "graph", "convert", edges, self.path("l.graph"), "--labels", labels, says="`Big Corp`")
        done = self.matcha("graph", "convert", self.write("gap.txt", "10 20\n20 30\n"), self.path("gap.mtx"))
        self.assertIn("numbered from 1", done.stderr.decode())


if __name__ == "__main__":
    cli.main()
