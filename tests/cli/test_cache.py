"""Cached code: loaded by the next run, and only if no other user can have written it."""

import json
import os
import pathlib
import subprocess
import unittest

import cli
from cli import TRIANGLE, WIKI, WIKI_TRIANGLES

RUN = ("run", TRIANGLE, WIKI, "--device", "cpu", "--tier", "native", "--json")


class Cache(cli.CliTest):
    def run_once(self, *options, env=None):
        """Whether the code was kept, and standard error. The answer is right in any case."""
        done = self.matcha(*RUN, *options, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["result"], WIKI_TRIANGLES)
        steps = answer["stats"]["compile_ms"]
        self.assertEqual(("code_cache" in steps) + ("llvm" in steps), 1, steps)
        return "code_cache" in steps, done.stderr.decode()

    def objects(self):
        return sorted(pathlib.Path(self.path("cache/code")).glob("*.o"))

    def expect_replaced(self, note):
        """Compiled again with one note, and kept again."""
        kept, says = self.run_once()
        self.assertFalse(kept)
        self.assertEqual(says.count("compiled again"), 1, says)
        self.assertIn(note, says)
        self.assertEqual(self.run_once(), (True, ""))

    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_once(), (False, ""))
        self.assertEqual(len(self.objects()), 1)

    def test_hit(self):
        self.assertEqual(self.run_once(), (True, ""))
        self.assertEqual(self.run_once("--threads", "1"), (True, ""))
        self.assertEqual(len(self.objects()), 1)
        self.ok("explain", TRIANGLE, WIKI)

    @unittest.skipIf(cli.SANITIZED, "the same code as another run")
    def test_other_code_is_another_file(self):
        self.assertEqual(self.run_once("--disable-pass", "restrict")[0], False)
        self.assertEqual(self.run_once("--disable-pass", "restrict")[0], True)
        self.assertEqual(self.run_once()[0], True)
        self.assertEqual(len(self.objects()), 2)

    @unittest.skipIf(cli.SANITIZED, "the same code as another run")
    def test_no_cache(self):
        before = self.objects()[0].stat().st_mtime_ns
        self.assertEqual(self.run_once("--no-cache"), (False, ""))
        self.assertEqual(self.objects()[0].stat().st_mtime_ns, before)
        env = self.environment(MATCHA_CACHE_DIR=self.path("other"))
        self.assertEqual(self.run_once("--no-cache", env=env), (False, ""))
        self.ok("explain", TRIANGLE, WIKI, "--no-cache", env=env)
        self.assertFalse(os.path.exists(self.path("other")))

    def test_damaged(self):
        (kept,) = self.objects()
        whole = kept.read_bytes()
        kept.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        self.expect_replaced("is damaged")
        kept.write_bytes(whole[:100])
        self.expect_replaced("is damaged")
        kept.write_bytes(b"")
        self.expect_replaced("is damaged")

    def test_file_that_others_may_write(self):
        (kept,) = self.objects()
        kept.chmod(0o666)
        self.expect_replaced("may be written by others")

    def test_link(self):
        (kept,) = self.objects()
        kept.rename(self.path("elsewhere"))
        kept.symlink_to(self.path("elsewhere"))
        self.expect_replaced("is a link")

    def test_folder_that_others_may_write(self):
        folder = pathlib.Path(self.path("cache/code"))
        folder.chmod(0o777)
        for _ in range(2):
            kept, says = self.run_once()
            self.assertFalse(kept)
            self.assertEqual(says.count("compiled code is not kept"), 1, says)
        self.assertEqual(self.run_once("--no-cache"), (False, ""))
        folder.chmod(0o700)
        self.assertEqual(self.run_once(), (True, ""))

    def test_files_after_a_stop_of_the_writer(self):
        (kept,) = self.objects()
        kept.rename(kept.with_name(".writing-1-2-3-" + kept.name))
        self.assertEqual(self.run_once(), (False, ""))
        self.assertEqual(self.run_once(), (True, ""))

    @unittest.skipIf(cli.SANITIZED, "the same code as another run")
    def test_many_at_once(self):
        env = self.environment(MATCHA_CACHE_DIR=self.path("shared"))
        runs = [subprocess.Popen([cli.MATCHA, *RUN], env=env, cwd=cli.ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(6)]
        for run in runs:
            out, err = run.communicate(timeout=cli.LIMIT_S)
            self.assertEqual((run.returncode, err), (0, b""))
            self.assertEqual(json.loads(out)["result"], WIKI_TRIANGLES)
        self.assertEqual(len(os.listdir(self.path("shared/code"))), 1)
        self.assertEqual(self.run_once(env=env), (True, ""))

    def test_places_of_errors(self):
        program = self.write("q.mt", "def q(G: Graph, d: int) -> int:\n    return sum(apply(lambda v: 6 / d, vertices(G)))\n")
        errors = [self.fails(4, "run", program, "tests/graphs/clique-6.txt", "--param", "d=0", "--device", "cpu", "-q")
                  for _ in range(2)]
        self.assertEqual(errors[0], errors[1])
        self.assertIn("q.mt:2:", errors[0])


if __name__ == "__main__":
    cli.main()
