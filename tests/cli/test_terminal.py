"""Colours and the progress bar: on a terminal only, and as NO_COLOR, CLICOLOR_FORCE and --color say."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

import cli

ESCAPE = b"\x1b["


class Terminal(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.wrong = self.write("q.mt", "def f(G: Graph):\n    return nothing\n")

    def on_terminal(self, *args, stop_when=None, **env):
        """Runs with standard error on a terminal. Its text, and standard output. `stop_when`: bytes after which Ctrl-C is sent."""
        master, slave = pty.openpty()
        environment = self.environment(TERM="xterm", **env)
        process = subprocess.Popen(
            [cli.MATCHA, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave, cwd=cli.ROOT,
            env=environment,
        )
        os.close(slave)
        seen = b""
        give_up = time.monotonic() + cli.LIMIT_S
        while time.monotonic() < give_up:
            ready, _, _ = select.select([master], [], [], 1)
            if not ready:
                continue
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
            if stop_when and stop_when in seen:
                process.send_signal(signal.SIGINT)
                stop_when = None
        else:
            process.kill()
            self.fail("the program hangs")
        out, _ = process.communicate(timeout=cli.LIMIT_S)
        os.close(master)
        return seen, out

    def test_color_on_a_terminal(self):
        self.assertIn(ESCAPE, self.on_terminal("check", self.wrong)[0])
        self.assertNotIn(ESCAPE, self.on_terminal("check", self.wrong, NO_COLOR="1")[0])
        self.assertNotIn(ESCAPE, self.on_terminal("check", self.wrong, "--color=never")[0])
        self.assertIn(ESCAPE, self.on_terminal("check", self.wrong, "--color=always", NO_COLOR="1")[0])
        # An empty NO_COLOR is as good as none.
        self.assertIn(ESCAPE, self.on_terminal("check", self.wrong, NO_COLOR="")[0])

    def test_color_in_a_pipe(self):
        self.assertNotIn(ESCAPE, self.matcha("check", self.wrong).stderr)
        self.assertIn(ESCAPE, self.matcha("check", self.wrong, "--color=always").stderr)
        self.assertIn(ESCAPE, self.matcha("check", self.wrong, env=self.environment(CLICOLOR_FORCE="1")).stderr)
        self.assertNotIn(ESCAPE, self.matcha("check", self.wrong, env=self.environment(CLICOLOR_FORCE="0")).stderr)
        both = self.environment(CLICOLOR_FORCE="1", NO_COLOR="1")
        self.assertNotIn(ESCAPE, self.matcha("check", self.wrong, env=both).stderr)

    def test_progress_on_a_terminal(self):
        slow = self.write("slow.mt", cli.SLOW)
        graph = self.generate("big.mtg", "grid", "--rows", "60", "--columns", "60")
        seen, out = self.on_terminal("run", slow, graph, "--threads", "1", stop_when=b"/s")
        self.assertIn(b"running [", seen)
        self.assertIn(b"/s", seen)
        # The bar is wiped before the message that follows it.
        self.assertIn(b"\r\x1b[Kpartial result", seen)
        self.assertNotIn(b"running", out)

    def test_notes_fit_the_terminal(self):
        seen, _ = self.on_terminal("run", cli.TRIANGLE, cli.WIKI, "--no-progress")
        lines = seen.decode().replace("\r\n", "\n").splitlines()
        self.assertGreater(len(lines), 1)
        self.assertTrue(all(len(line) <= 80 for line in lines), lines)
        self.assertEqual(" ".join(line.strip() for line in lines[:2])[:60],
                         self.matcha("run", cli.TRIANGLE, cli.WIKI).stderr.decode()[:60])

    def test_no_progress_elsewhere(self):
        slow = self.write("slow.mt", cli.SLOW)
        graph = self.generate("big.mtg", "grid", "--rows", "60", "--columns", "60")
        # A bar would be drawn after half a second.
        run = ["run", slow, graph, "--threads", "1", "--timeout", "1"]
        self.assertNotIn(b"running [", self.matcha(*run).stderr)
        for option in ("--no-progress", "--quiet"):
            self.assertNotIn(b"running [", self.on_terminal(*run, option)[0])


if __name__ == "__main__":
    cli.main()
