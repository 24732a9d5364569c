#!/usr/bin/env python3
"""Tests of the lint rules: each finds what it is there for, and no more."""

import pathlib
import re
import subprocess
import tempfile
import unittest
import unittest.mock

import lint


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def problems(self, rule):
        return lint.RULES[rule](lint.Tree(self.root))

    def test_includes_up_the_stages_are_found(self):
        self.write("ir/a.h", '#include "ir/b.h"\n#include "runtime/result.h"\n')
        self.write("ir/b.h", "")
        self.write("runtime/result.h", "")
        self.write("passes/p.cpp", '#include "frontend/ast.h"\n')
        self.write("frontend/ast.h", '#include "tools/main.h"\n')
        self.write("tools/main.h", '#include "passes/q.h"\n')
        self.write("passes/q.h", '#include "ir/a.h"\n')
        self.assertEqual(
            self.problems("includes"),
            [
                "frontend/ast.h:1: frontend/ may not include tools/",
                "ir/a.h:2: ir/ may not include runtime/",
                "passes/p.cpp:1: passes/ may not include frontend/",
            ],
        )

    def test_codegen_sees_ir_and_runtime(self):
        self.write("codegen/a.cpp", '#include "ir/a.h"\n#include "runtime/b.h"\n#include "codegen/c.h"\n')
        for path in ("ir/a.h", "runtime/b.h", "codegen/c.h"):
            self.write(path, "")
        self.assertEqual(self.problems("includes"), [])

    def test_the_interpreter_stays_apart(self):
        for path in ("codegen/backend.h", "codegen/interp/value.h", "codegen/host/list.h"):
            self.write(path, "#pragma once\n")
        self.write("codegen/interp/a.cpp", '#include "codegen/backend.h"\n#include "codegen/host/list.h"\n')
        self.write("codegen/cuda/a.cpp", '#include "codegen/host/list.h"\n#include "codegen/interp/value.h"\n')
        message = "codegen/interp/ and the other back ends do not include each other"
        self.assertEqual(
            self.problems("includes"), [f"codegen/cuda/a.cpp:2: {message}", f"codegen/interp/a.cpp:2: {message}"]
        )

    def test_libraries_stay_in_their_place(self):
        self.write("frontend/parse.cpp", "#include <antlr4-runtime.h>\n")
        self.write("frontend/infer.cpp", "#include <antlr4-runtime.h>\n")
        self.write("codegen/llvm/emit.cpp", "#include <llvm/IR/Module.h>\n")
        self.write("codegen/interp/run.cpp", '#include "llvm/IR/Module.h"\n')
        self.assertEqual(
            self.problems("includes"),
            [
                "codegen/interp/run.cpp:1: LLVM is seen only by codegen/llvm",
                "frontend/infer.cpp:1: ANTLR is seen only by frontend/parse",
            ],
        )

    def test_includes_are_root_relative_and_exist(self):
        self.write("ir/a.cpp", '#include "a.h"\n#include "../ir/a.h"\n#include "ir/none.h"\n')
        self.write("ir/a.h", "")
        self.assertEqual(
            self.problems("includes"),
            [
                "ir/a.cpp:1: includes are relative to the root",
                "ir/a.cpp:2: includes are relative to the root",
                "ir/a.cpp:3: there is no ir/none.h",
            ],
        )

    def test_antlr_in_a_header_is_found(self):
        self.write("frontend/parse.h", "antlr4::Token* token;\n// antlr4 in a comment\n")
        self.assertEqual(self.problems("antlr-headers"), ["frontend/parse.h:1: a header names ANTLR"])

    def test_long_files_are_found(self):
        self.write("ir/long.h", "\n" * 251)
        self.write("ir/fits.h", "\n" * 250)
        self.write("ir/long.cpp", "\n" * 601)
        self.write("ir/fits.cpp", "\n" * 600)
        self.assertEqual(
            self.problems("budgets"),
            ["ir/long.cpp:601: 601 lines, budget 600", "ir/long.h:251: 251 lines, budget 250"],
        )

    def test_long_functions_are_found(self):
        block = "  if (a) {\n    b();\n  }\n"
        self.write("ir/fits.cpp", "int f(int a,\n      int b) {\n" + block * 25 + "}\n\nint g() {\n" + block * 26 + "}\n")
        self.write("ir/long.cpp", "namespace a {\n\nint f() {\n" + block * 26 + "  g();\n}\n\n}  // namespace a\n")
        self.write("ir/long.h", "class A {\n  int f() {\n" + "    g();\n" * 79 + "  }\n};\n")
        self.assertEqual(
            self.problems("functions"),
            ["ir/long.cpp:3: a function of 81 lines, budget 80", "ir/long.h:2: a function of 81 lines, budget 80"],
        )

    def test_cases_for_all_other_nodes_are_found(self):
        self.write(
            "ir/a.cpp",
            "match(s, [&](const Let& l) { f(g(l)); },\n      [](const Stmt&) {});\n"
            "match(s, [&](const Let& l) { f(l); }, [&](const Stmt& s) { out.push_back(rebuild(&s)); });\n"
            "match(s, [](const Let&) { return 1; }, [](const OneOf<If, For> auto&) { return 0; });\n"
            "for_each_stmt(b, [&](const Stmt&) { ++n; });\n",
        )
        self.assertEqual(
            self.problems("cases"), ["ir/a.cpp:2: a case for all other nodes; name them, as in `OneOf<Let, Store>`"]
        )

    def test_headers_are_guarded(self):
        self.write("ir/a.h", "int a;\n")
        self.write("ir/b.h", "#pragma once\nusing namespace std;\n")
        self.assertEqual(self.problems("headers"), ["ir/a.h:1: no #pragma once", "ir/b.h:2: using namespace std"])

    def test_diagnostics_without_a_test_are_found(self):
        table = 'MATCHA_DIAGNOSTIC({}, "{}", "x")\n'
        self.write(
            "ir/support/diagnostics.def",
            table.format("ArgType", "arg-type") + table.format("ArgCount", "arg-count") + table.format("Arg", "arg"),
        )
        self.write("tests/errors/fail_a.mt", "# expected-error@+1 {{message [arg-type]}}\n")
        self.write("tests/unit/a.cpp", "EXPECT_EQ(id, DiagId::ArgCount);\n")
        self.assertEqual(
            self.problems("diagnostics"),
            ["ir/support/diagnostics.def:3: no test mentions `[arg]` or DiagId::Arg"],
        )

    def test_broken_links_are_found(self):
        self.write(
            "README.md",
            "# The tool\n[a](docs/a.md) [b](docs/b.md) [c](#the-tool) [d](#none) [e](https://x.org/y)\n"
            "```\n[f](none.md)\n```\n`[g](none.md)`\n",
        )
        self.write("docs/a.md", "[up](../README.md#the-tool) [wrong](../README.md#tool)\n")
        self.assertEqual(
            self.problems("links"),
            [
                "README.md:2: broken link docs/b.md",
                "README.md:2: no heading for #none",
                "docs/a.md:1: no heading for ../README.md#tool",
            ],
        )

    def test_strange_entries_at_the_top_are_found(self):
        for path in ("README.md", "ir/a.h", ".gitignore", ".ci/run", "notes.txt", "utils/a.h"):
            self.write(path, "")
        self.assertEqual(
            self.problems("layout"),
            ["notes.txt:1: has no place at the top of the checkout", "utils:1: has no place at the top of the checkout"],
        )

    def test_large_files_are_found(self):
        self.write("docs/large.md", "x" * (lint.FILE_BYTES + 1))
        for number in range(4):
            self.write(f"examples/graphs/{number}.gz", "x" * 800_000)
        found = self.problems("sizes")
        self.assertEqual(len(found), 2)
        self.assertIn("docs/large.md", found[0])
        self.assertIn("3200000 bytes of bundled data", found[1])

    def test_leftovers_are_found(self):
        word = "TO" + "DO"
        self.write("ir/a.cpp", f"int a;  // {word}: later\nint {word}S;\n")
        self.write("scripts/demo", f"# {word}\n")
        self.assertEqual(self.problems("leftovers"), [f"ir/a.cpp:1: {word}", f"scripts/demo:1: {word}"])

    def test_untidy_text_is_found(self):
        self.write("ir/a.cpp", "int a; \n\tint b;")
        self.write("CHANGES.md", "<" * 7 + " HEAD\n- one\n" + ">" * 7 + " other\n")
        self.assertEqual(
            self.problems("text"),
            [
                "CHANGES.md:1: both sides of a merge",
                "CHANGES.md:3: both sides of a merge",
                "ir/a.cpp:1: no line break at the end",
                "ir/a.cpp:1: space at the end of the line",
                "ir/a.cpp:2: tab",
            ],
        )

    def test_changed_text_is_read_for_its_words(self):
        def git(*command):
            subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a", *command], check=True,
                           capture_output=True)

        self.write("ir/a.h", "/// Whoever reads old text.\nint a;\n")
        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", "a")
        self.write("ir/a.h", "/// Whoever reads old text.\nint a;\nint b;  ///< What is not told: nobody asks.\n")
        long = "word " * 20
        self.write("api/c.h", "#pragma once\n/* A text\n * that somebody frees. */\n")
        self.write("ir/b.py", 'def f():\n    """A text.\n\n    It is told."""\n    return """\ntold\n"""\n')
        self.write("docs/a.md", f"# A\n\nShort. {long}\n{long}end.\n\n- {long}\n- {long}\n\n```\n{long} {long} end\n```\n")
        git("add", ".")
        with unittest.mock.patch.object(lint, "WORDS_SINCE", "HEAD"):
            self.assertEqual(
                self.problems("words"),
                ["api/c.h:3: `somebody`: name the noun, use the field's word",
                 "docs/a.md:3: a sentence of 41 words, at most 40",
                 "ir/a.h:3: `What is`: name the noun, use the field's word",
                 "ir/b.py:4: `told`: name the noun, use the field's word"],
            )

    def test_every_documented_rule_is_registered(self):
        tests = pathlib.Path(lint.__file__).parents[1]
        table = (tests / "README.md").read_text(encoding="utf-8").split("## Lint")[1]
        documented = re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
        registered = re.search(r"set\(rules ([^)]*)\)", (tests / "lint/CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertEqual(sorted(documented), sorted(lint.RULES))
        self.assertEqual(sorted(documented), sorted(registered.group(1).split()))

    def test_build_folders_are_not_read(self):
        self.write("build-x/a.h", "int a;\n")
        self.write(".git/a.h", "int a;\n")
        self.assertEqual(self.problems("headers"), [])


if __name__ == "__main__":
    unittest.main()
