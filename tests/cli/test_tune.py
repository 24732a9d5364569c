"""`matcha run --tune`: schedules are timed on samples, and the winner is remembered."""

import json
import unittest

from cli import LISTING, TRIANGLE, WIKI, WIKI_TRIANGLES, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"


class TuneTest(CliTest):
    def tune(self, *args):
        """The JSON of a run with --tune, and the files that are remembered."""
        env = self.environment(MATCHA_CACHE_DIR=self.path("cache"))
        done = self.matcha("run", *args, "--tune", "--json", "--device", "cpu", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), sorted((self.folder / "cache" / "tuned").glob("*.json"))

    def test_the_winner_is_remembered(self):
        plain = json.loads(self.ok("run", "--pattern", "gem", SMALL, "--json", "--device", "cpu"))
        self.assertNotIn("tuned", plain["stats"])
        first, files = self.tune("--pattern", "gem", SMALL)
        reported = first["stats"]["tuned"]
        self.assertEqual((first["result"], first["complete"], reported["remembered"]), (plain["result"], True, False))
        self.assertEqual([one["schedule"] for one in reported["timed"]][:2], ["default", "--plan 2"])
        self.assertIn(reported["schedule"], [one["schedule"] for one in reported["timed"]])
        self.assertEqual(len(files), 1)
        again, _ = self.tune("--pattern", "gem", SMALL)
        self.assertEqual(again["result"], plain["result"])
        self.assertEqual(again["stats"]["tuned"], {**reported, "remembered": True})

    def test_remembered_choices_are_used(self):
        first, (file,) = self.tune("--pattern", "gem", SMALL)
        kept = json.loads(file.read_text())
        self.assertEqual(kept["schema"], "matcha.tuned/1")
        for words in (["--plan", "3"], ["--plan", "2", "--disable-pass", "bitset-neighborhood"], []):
            file.write_text(json.dumps({**kept, "chosen": words}))
            run, _ = self.tune("--pattern", "gem", SMALL)
            self.assertEqual(run["result"], first["result"])
            self.assertEqual((run["stats"]["tuned"]["schedule"], run["stats"]["tuned"]["remembered"]), (" ".join(words) or "default", True))
            self.assertEqual(any(one["pass"].startswith("bitset-neighborhood") for one in run["stats"]["passes"]), "bitset-neighborhood" not in words)

    def test_explain_shows_remembered_choices(self):
        for program in (["--pattern", "gem", SMALL], ["examples/clique4_ordered.mt", SMALL]):
            env = self.environment(MATCHA_CACHE_DIR=self.path("cache"), MATCHA_LIBCUDA="/nowhere")
            self.assertNotIn("--tune", self.ok("explain", *program, "--no-run", "--engine", "program", env=env))
            first, _ = self.tune(*program)
            said = f"`run --tune` takes a schedule that it remembers: {first['stats']['tuned']['schedule']}\n"
            self.assertIn(said, self.ok("explain", *program, "--no-run", "--engine", "program", env=env))
            self.assertIn("a schedule that it remembers", self.ok("explain", *program, "--engine", "program", "--no-run", "--html", "-", env=env))
            self.assertNotIn("--tune", self.ok("explain", *program, "--engine", "program", "--no-run", "--threads", "1", env=env))

    def test_ranks_by_degree(self):
        """Orders are tried if the program may depend on them, and used only if it provably does not."""
        dependent = self.write("dependent.mt", """
def closest(G: Graph) -> int:
    return sum(apply(lambda e: 1 if get(e, 0) + 1 == get(e, 1) else 0, edges(G)))
""")
        for program, is_free in (("examples/clique4_ordered.mt", True), (dependent, False)):
            first, files = self.tune(program, SMALL)
            timed = [one["schedule"] for one in first["stats"]["tuned"]["timed"]]
            self.assertEqual("--order degree" in timed, is_free)
            for file in files:
                file.write_text(json.dumps({**json.loads(file.read_text()), "chosen": ["--order", "degree"]}))
            run, _ = self.tune(program, SMALL)
            self.assertEqual((run["result"], run["graph"]["order"]), (first["result"], "degree" if is_free else "id"))
            self.assertEqual(run["stats"]["tuned"]["remembered"], True)
        said, _ = self.tune("examples/clique4_ordered.mt", SMALL, "--order", "id")
        self.assertFalse(said["stats"]["tuned"]["remembered"])
        self.assertNotIn("--order degree", [one["schedule"] for one in said["stats"]["tuned"]["timed"]])

    def test_unreadable_choices_are_timed_again(self):
        first, (file,) = self.tune("--pattern", "gem", SMALL)
        kept = json.loads(file.read_text())
        for text in ("", "{", "[]", json.dumps({**kept, "key": "0"}), json.dumps({**kept, "chosen": ["--plan", "99"]}),
                     json.dumps({**kept, "chosen": ["--plan"]}), json.dumps({**kept, "chosen": [1]}),
                     json.dumps({**kept, "chosen": ["--disable-pass", "plan-memory"]})):
            file.write_text(text)
            run, _ = self.tune("--pattern", "gem", SMALL)
            self.assertEqual((run["result"], run["stats"]["tuned"]["remembered"]), (first["result"], False), text)
            self.assertEqual(json.loads(file.read_text())["schema"], "matcha.tuned/1")

    def test_other_programs_and_graphs_are_timed_by_themselves(self):
        for args in (["--pattern", "gem", SMALL], ["--pattern", "gem", "--induced", "vertex", SMALL],
                     ["--pattern", "gem", "tests/graphs/random-12-seed1.txt"], ["--pattern", "gem", SMALL, "--threads", "1"]):
            run, _ = self.tune(*args)
            self.assertFalse(run["stats"]["tuned"]["remembered"], args)

    def test_samples_are_not_reported(self):
        run, _ = self.tune(TRIANGLE, WIKI)
        self.assertEqual((run["result"], run["complete"]), (WIKI_TRIANGLES, True))
        self.assertEqual(run["stats"]["tuned"]["every"], 7)
        run, _ = self.tune("examples/clique5.mt", WIKI)
        self.assertEqual(run["result"], 4514137)

    def test_without_a_folder(self):
        file = self.write("file", "")
        done = self.matcha("run", TRIANGLE, SMALL, "--tune", "--device", "cpu", env=self.environment(MATCHA_CACHE_DIR=file))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"the schedule is not remembered", done.stderr)

    def test_usage(self):
        for args in ([LISTING, SMALL, "--limit", "1"], ["--pattern", "gem", SMALL, "--plan", "2"]):
            done = self.matcha("run", *args, "--tune")
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(b"`--tune` is not for", done.stderr)


if __name__ == "__main__":
    main()
