"""Output of `matcha` for shells and for man: completions and manual pages."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import cli

GENERATED = ["graph", "generate", "rmat"]


class Shells(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.verbs = []
        for verb in self.verbs_below([]):
            self.verbs += [verb, *self.verbs_below(verb)]
        self.assertIn(["graph", "generate"], self.verbs)

    def verbs_below(self, verb):
        _, _, below = self.ok(*verb, "--help").partition("Subcommands:\n")
        return [[*verb, name] for name in re.findall(r"^  ([a-z][a-z-]*) ", below.split("\n\n")[0], re.M)]

    def options(self, verb):
        return set(re.findall(r"^  (?:-\w,)?(--[a-z][a-z-]*)", self.ok(*verb, "--help-all"), re.M))

    def test_bash(self):
        self.write("script", self.ok("completion", "bash"))
        for name in ("one.txt", "two words.txt"):
            self.write(name, "")
        (self.folder / "inside").mkdir()

        def complete(*words):
            """The answers of the function that bash calls when the last word is completed."""
            call = 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _matcha; printf "%s\\n" "${COMPREPLY[@]}"'
            done = subprocess.run(["bash", "--norc", "-c", call, "bash", "matcha", *words], cwd=self.folder, text=True,
                                  capture_output=True, check=True)
            self.assertEqual(done.stderr, "")
            return set(done.stdout.split("\n")) - {""}

        self.assertEqual(complete("r"), {"run"})
        self.assertEqual(complete("graph", ""), {"convert", "info", "generate"})
        self.assertNotIn("man", complete(""))
        for verb in (*self.verbs, GENERATED):
            self.assertEqual(complete(*verb, "--"), self.options(verb), verb)
        devices = {"auto", "cpu", "cuda"}
        self.assertEqual(complete("run", "--device", ""), devices)
        self.assertEqual(complete("run", "--device", "="), devices)
        self.assertEqual(complete("run", "--device", "=", "cu"), {"cuda"})
        self.assertEqual(complete("completion", ""), {"bash", "zsh", "fish"})
        self.assertEqual(complete("run", "--disable-pass", "fus"), {"fuse"})
        self.assertEqual(complete("run", "--pattern", "tria"), {"triangle"})
        self.assertEqual(complete("run", "--threads", ""), set())
        files = {"one.txt", "two words.txt", "inside", "script"}
        modules = {line.split()[0] for line in self.ok("doc").splitlines()}
        for words in (["run", ""], ["run", "q.mt", ""]):
            self.assertEqual(complete(*words), files | modules, words)
        for words in (["run", "--matches", ""], ["build", "-o", ""], ["graph", "info", ""]):
            self.assertEqual(complete(*words), files, words)
        self.assertEqual(complete("check", "std.cli"), {"std.clique"})
        self.assertEqual(complete("explain", "arg-"), {"arg-count", "arg-type"})
        self.assertEqual(complete("doc", "std.clique", "triangles_by_"), complete("run", "--entry", "triangles_by_"))
        self.assertIn("triangles_by_vertex", complete("run", "--entry", "triangles"))
        self.assertEqual(complete("run", "--param", "k"), {"k="})
        self.assertEqual(complete("stream", "--simd", "avx2"), {"avx2"})
        self.assertEqual(complete("run", "--in", "G", "=", "on"), {"one.txt"})
        self.assertEqual(complete("build", "--dump-dir", ""), {"inside"})

    def test_bash_at_a_prompt(self):
        self.write("script", self.ok("completion", "bash"))
        self.write("two words.txt", "")
        answer = self.path("answer")
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        lines = ["source ./script", f"matcha() {{ printf '<%s>' \"$@\" > {answer}; }}",
                 "matcha ru\t--devi\tcu\ttwo\t --json"]
        os.write(terminal, "".join(line + "\n" for line in lines).encode())
        end = time.monotonic() + cli.LIMIT_S
        while time.monotonic() < end and not os.path.exists(answer):
            if select.select([terminal], [], [], 0.05)[0]:
                os.read(terminal, 4096)
        os.write(terminal, b"exit\n")
        os.waitpid(child, 0)
        with open(answer, encoding="utf-8") as given:
            self.assertEqual(given.read(), "<run><--device><cuda><two words.txt><--json>")

    def test_zsh(self):
        script = self.write("_matcha", self.ok("completion", "zsh"))
        if shutil.which("zsh") is None:
            self.skipTest("no zsh")
        subprocess.run(["zsh", "-n", script], check=True)

    def test_fish(self):
        script = self.write("matcha.fish", self.ok("completion", "fish"))
        if shutil.which("fish") is None:
            self.skipTest("no fish")

        def complete(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], check=True,
                                  cwd=self.folder, text=True, capture_output=True, env=self.environment(HOME=str(self.folder)))
            self.assertEqual(done.stderr, "")
            return {each.split("\t")[0] for each in done.stdout.splitlines()}

        self.assertEqual(complete("matcha gra"), {"graph"})
        self.assertEqual(complete("matcha graph "), {"convert", "info", "generate"})
        self.assertEqual(complete("matcha run --device "), {"auto", "cpu", "cuda"})
        self.assertIn("--scale", complete("matcha graph generate rmat --"))
        self.assertNotIn("--scale", complete("matcha graph generate gnp --"))
        self.assertEqual(complete("matcha run --matches matcha"), {"matcha.fish"})

    def test_other_shells(self):
        self.fails(2, "completion", "tcsh", says=["tcsh", "{bash,zsh,fish}"])
        self.fails(2, "completion", says="SHELL")

    def test_man(self):
        for verb in ([], *self.verbs):
            page = self.write("page.1", self.ok("man", *verb))
            text = (self.folder / "page.1").read_text(encoding="utf-8")
            name = "\\-".join(["matcha", *verb])
            self.assertIn(f".SH NAME\n{name} \\- ", text)
            bold = {option.replace("\\", "") for option in re.findall(r"\\fB(\\-\\-[a-z\\-]+)\\fR", text)}
            self.assertLessEqual(self.options(verb) if verb else {"--help", "--version"}, bold, verb)
            self.assertNotIn("](", text)
            self.assertNotIn("**", text)
            if shutil.which("man"):
                done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], check=True, capture_output=True,
                                      text=True, env=self.environment(MANWIDTH="80", LC_ALL="C.UTF-8"))
                self.assertEqual(done.stderr, "")
                self.assertIn("SYNOPSIS", done.stdout)
            if shutil.which("mandoc"):
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.stdout + done.stderr, "", verb)

    def test_chapters_of_the_manual(self):
        for verb, chapters in {"run": ["DESCRIPTION", "INPUTS", "ANSWERS", "STOPPING", "HOW TO RUN"], "check": ["CHECK"],
                               "pattern": ["NOTATION", "OPTIONS", "LABELS OF EDGES"], "explain": ["PLANS", "SIZES"],
                               "build": ["STAGES", "AHEAD OF TIME"], "merge": ["SEVERAL PROCESSES"],
                               "graph": ["GRAPHS OUT", "GENERATE"]}.items():
            text = self.ok("man", verb)
            for chapter in chapters:
                at = text.index(f".SH {chapter}\n")
                self.assertGreater(text.index("\n.SH ", at) - at, 300, f"{verb}: {chapter} is missing in its page of docs/")
        text = self.ok("man")
        for word in ("\n130\n", "Ctrl\\-C; the partial result", ".BR matcha\\-graph\\-convert (1)"):
            self.assertIn(word, text)
        self.assertIn("edge\\-factor", self.ok("man", "graph", "generate"))

    def test_pages_as_files(self):
        self.ok("man", "--all", str(self.folder))
        pages = sorted(path.name for path in self.folder.glob("*.1"))
        self.assertEqual(pages, sorted("-".join(["matcha", *verb]) + ".1" for verb in ([], *self.verbs)))
        self.assertEqual((self.folder / "matcha-run.1").read_text(encoding="utf-8"), self.ok("man", "run"))
        self.fails(3, "man", "--all", self.path("nowhere"), says="nowhere")
        self.fails(2, "man", "nothing", says="no manual page")


if __name__ == "__main__":
    cli.main()
