#!/usr/bin/env python3
"""Rules on the source tree that no compiler checks. `lint.py [--root DIR] RULE...`; no rule means all of them.

Each rule is a function from a Tree to a list of messages `path:line: what is wrong`.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Allowed includes between folders (DESIGN section 5). Folders that are not listed are free.
ALLOWED = {
    "ir": {"ir"},
    "runtime": {"runtime"},
    "frontend": {"frontend", "ir"},
    "passes": {"passes", "ir"},
    "codegen": {"codegen", "ir", "runtime"},
    "question": {"question", "ir"},
    "planner": {"planner", "question", "frontend", "ir", "codegen", "runtime"},
    "engines": {"engines", "question", "codegen", "ir", "runtime"},
    "session": {"session", "engines", "planner", "question", "frontend", "ir", "passes", "codegen", "runtime"},
    "incremental": {"incremental", "session", "engines", "planner", "question", "frontend", "ir", "passes", "codegen", "runtime"},
    "lsp": {"lsp", "session", "frontend", "ir"},
    "server": {"server", "session", "planner", "question", "frontend", "ir", "codegen", "runtime"},
    "api": {"api", "incremental", "session", "engines", "planner", "question", "frontend", "ir", "passes", "codegen", "runtime"},
}
# The reference interpreter shares nothing with the other back ends, because they are compared with it.
REFERENCE = "codegen/interp/"
FOLDERS = set(ALLOWED) | {"tools", "tests", "bench"}
# The files that may see a library of a kind, as prefixes of paths. frontend/syntax/ is the inside of the parser.
ANTLR_USERS = ("frontend/parse", "frontend/syntax/", "tests/")
LLVM_USERS = ("codegen/llvm/", "session/version", "tools/", "tests/", "bench/")

# The allowed entries at the top of the checkout, besides dotfiles.
TOP_FOLDERS = FOLDERS | {"bindings", "docs", "editors", "examples", "grammar", "packaging", "scripts", "stdlib", ".ci"}
TOP_FILES = {"CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "Dockerfile", "LICENSE", "README.md"}

SOURCE_LINES = 600
HEADER_LINES = 250
FUNCTION_LINES = 80
# Files over their budget, each with the reason. Empty is the goal.
OVER_BUDGET = {}

FILE_BYTES = 1_500_000
DATA_BYTES = 3_000_000
DATA_SUFFIXES = (".gz", ".zst", ".mtg", ".txt", ".el", ".mtx", ".graph", ".bin", ".png", ".svg", ".xz")

CODE_SUFFIXES = (".h", ".cpp", ".def", ".inc", ".cu", ".cuh", ".g4")
TEXT_SUFFIXES = CODE_SUFFIXES + (".md", ".py", ".mt", ".mtir", ".cmake", ".txt", ".json", ".sh", "")
CLANG_FORMAT_MAJOR = 14

# The rule `words` looks at lines that changed since this commit. Older text is reviewed by hand.
WORDS_SINCE = "d0c435c9"
WORDS_OF_A_SENTENCE = 40
# Pronouns where the reader needs a noun, and words that the field does not use.
DIALECT = re.compile(
    r"\b(whoever|whose turn|nobody|somebody|anew|sooner|told|unheard|owed|in vain|at hand|so many|so much|of somebody|no value of"
    r"|who (has|have|had|takes?|waits?|asks?|knows?)|what (is|are|was|were|has|they|it|nobody) )", re.IGNORECASE)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Written in two parts so that this file keeps its own rule.
LEFTOVER = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
DIAGNOSTIC = re.compile(r'^MATCHA_DIAGNOSTIC\((\w+),\s*"([^"]+)"')
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
CATCH_ALL = re.compile(r"\[&?\]\(const (?:ir::)?(?:Stmt|Expr)&(?: \w+)?\)(?: -> [^{]*)? \{([^}]*)\}")
HEADING = re.compile(r"^#+\s+(.*?)\s*#*\s*$")


class Tree:
    """The files of a checkout, without build folders and hidden ones; `.ci` counts."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = []
        for folder, names, files in os.walk(self.root):
            top = pathlib.Path(folder) == self.root
            names[:] = sorted(
                name
                for name in names
                if name not in ("__pycache__", "node_modules") and not (top and name.startswith("build"))
                and (name == ".ci" or not name.startswith("."))
            )
            for name in sorted(files):
                path = pathlib.Path(folder, name)
                if not path.is_symlink():
                    self.files.append(path.relative_to(self.root).as_posix())

    def lines(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace").splitlines()

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def size(self, path):
        return (self.root / path).stat().st_size

    def with_suffix(self, *suffixes):
        return [path for path in self.files if path.endswith(suffixes)]


def check_includes(tree):
    """Folders see only the folders below them; ANTLR and LLVM stay where they belong."""
    problems = []
    for path in tree.with_suffix(".h", ".cpp", ".inc"):
        folder = path.split("/")[0]
        for number, line in enumerate(tree.lines(path), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            quote, target = found.groups()
            place = f"{path}:{number}"
            if "antlr4" in target and not path.startswith(ANTLR_USERS):
                problems.append(f"{place}: ANTLR is seen only by frontend/parse")
            if target.startswith(("llvm/", "llvm-c/")) and not path.startswith(LLVM_USERS):
                problems.append(f"{place}: LLVM is seen only by codegen/llvm")
            if target.startswith(("llvm/", "antlr4")) and quote == '"':
                continue
            back_ends = path.startswith("codegen/") and target.startswith("codegen/")
            if back_ends and path.startswith(REFERENCE) != target.startswith(REFERENCE):
                if target.count("/") > 1:
                    problems.append(f"{place}: {REFERENCE} and the other back ends do not include each other")
            first = target.split("/")[0]
            if first in ALLOWED and folder in ALLOWED and first not in ALLOWED[folder]:
                problems.append(f"{place}: {folder}/ may not include {first}/")
            if first in FOLDERS - set(ALLOWED) and folder in ALLOWED:
                problems.append(f"{place}: {folder}/ may not include {first}/")
            if quote == "<":
                continue
            if first in FOLDERS:
                if not (tree.root / target).exists():
                    problems.append(f"{place}: there is no {target}")
            elif ".." in target.split("/") or (tree.root / path).parent.joinpath(target).exists():
                problems.append(f"{place}: includes are relative to the root")
    return problems


def check_antlr_headers(tree):
    """No ANTLR type appears in a header that another folder or stage can include."""
    problems = []
    for path in tree.with_suffix(".h"):
        if path.startswith("frontend/syntax/"):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if "antlr4" in line.split("//")[0]:
                problems.append(f"{path}:{number}: a header names ANTLR")
    return problems


def check_budgets(tree):
    """Files stay short enough to read in one go."""
    problems = []
    for path in tree.with_suffix(".cpp", ".h"):
        budget = HEADER_LINES if path.endswith(".h") else SOURCE_LINES
        count = len(tree.lines(path))
        if count > budget and path not in OVER_BUDGET:
            problems.append(f"{path}:{count}: {count} lines, budget {budget}")
        if count <= budget and path in OVER_BUDGET:
            problems.append(f"{path}:1: is within its budget again; drop it from OVER_BUDGET")
    return problems


def check_functions(tree):
    """Functions fit on two screens. Reads the layout that clang-format gives: a body ends where its first line began."""
    problems = []
    for path in tree.with_suffix(".cpp", ".h"):
        starts = {"": 0, "  ": 0}
        for number, line in enumerate(tree.lines(path), 1):
            indent = line[: len(line) - len(line.lstrip())]
            if not line.strip() or indent not in starts:
                continue
            if line != indent + "}":
                starts[indent] = number
            elif number - starts[indent] + 1 > FUNCTION_LINES:
                length = number - starts[indent] + 1
                problems.append(f"{path}:{starts[indent]}: a function of {length} lines, budget {FUNCTION_LINES}")
    return problems


def arguments(text, start):
    """The arguments of a call, of which `start` is behind the opening parenthesis."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:]


def check_cases(tree):
    """A `match` over nodes names those that it does nothing for, so that one that is added does not compile. A pass may
    rebuild the statements that it leaves alone."""
    problems = []
    for path in tree.with_suffix(".cpp", ".h"):
        if path == "ir/match.h":
            continue
        text = tree.text(path)
        for call in re.finditer(r"\bmatch\(", text):
            cases = arguments(text, call.end())
            for found in CATCH_ALL.finditer(cases):
                if "rebuild(" not in found.group(1):
                    number = text.count("\n", 0, call.end() + found.start()) + 1
                    problems.append(f"{path}:{number}: a case for all other nodes; name them, as in `OneOf<Let, Store>`")
    return problems


def check_pragma_once(tree):
    """Headers are guarded, and no file opens namespace std."""
    problems = []
    for path in tree.with_suffix(".h"):
        if "#pragma once" not in tree.text(path):
            problems.append(f"{path}:1: no #pragma once")
    for path in tree.with_suffix(".h", ".cpp"):
        for number, line in enumerate(tree.lines(path), 1):
            if re.match(r"\s*using namespace std\b", line):
                problems.append(f"{path}:{number}: using namespace std")
    return problems


def check_diagnostics(tree):
    """Every diagnostic has a test that names its `[id]` or its `DiagId::Name`."""
    table = "ir/support/diagnostics.def"
    if table not in tree.files:
        return [f"{table}:1: is missing"]
    tests = [path for path in tree.files if path.startswith("tests/") and not path.startswith("tests/lint/")]
    texts = "\n".join(
        tree.text(path) for path in tests if path.endswith((".mt", ".mtir", ".cpp", ".h", ".py", ".expected", ".run"))
    )
    problems = []
    for number, line in enumerate(tree.lines(table), 1):
        found = DIAGNOSTIC.match(line)
        if not found:
            continue
        name, text = found.groups()
        if f"[{text}]" not in texts and not re.search(rf"DiagId::{name}\b", texts):
            problems.append(f"{table}:{number}: no test mentions `[{text}]` or DiagId::{name}")
    return problems


def anchors(text):
    """The anchors of the headings of a Markdown text, as GitHub makes them."""
    names = set()
    for line in without_fences(text):
        found = HEADING.match(line)
        if found:
            slug = re.sub(r"[^\w\- ]", "", found.group(1).lower()).replace(" ", "-")
            names.add(slug)
    return names


def without_fences(text):
    """The lines of a Markdown text, those inside fenced code made empty."""
    inside = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        yield "" if inside or fence else line
        inside = inside != fence


def check_links(tree):
    """Relative links of the documents lead somewhere."""
    problems = []
    for path in tree.with_suffix(".md"):
        for number, line in enumerate(without_fences(tree.text(path)), 1):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                to = (tree.root / path).parent / file if file else tree.root / path
                if not to.exists():
                    problems.append(f"{path}:{number}: broken link {target}")
                elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text(encoding="utf-8")):
                    problems.append(f"{path}:{number}: no heading for {target}")
    return problems


def check_sizes(tree):
    """A clone stays small."""
    problems = [f"{path}:1: {tree.size(path)} bytes, limit {FILE_BYTES}" for path in tree.files
                if tree.size(path) > FILE_BYTES]
    data = [path for path in tree.files
            if path.endswith(DATA_SUFFIXES) and not path.endswith("CMakeLists.txt")]
    total = sum(tree.size(path) for path in data)
    if total > DATA_BYTES:
        problems.append(f"examples:1: {total} bytes of bundled data, limit {DATA_BYTES}")
    return problems


def check_layout(tree):
    """The top of the checkout holds the folders of the design and nothing else."""
    tops = sorted({path.split("/")[0] for path in tree.files if path.split("/")[0] not in TOP_FOLDERS})
    return [f"{top}:1: has no place at the top of the checkout" for top in tops
            if top not in TOP_FILES and not (top.startswith(".") and (tree.root / top).is_file())]


def check_leftovers(tree):
    """No remarks about later work in the source: issues are for that."""
    problems = []
    for path in tree.files:
        if not path.endswith(TEXT_SUFFIXES[:-1]) and "." in path.split("/")[-1]:
            continue
        for number, line in enumerate(tree.lines(path), 1):
            found = LEFTOVER.search(line)
            if found:
                problems.append(f"{path}:{number}: {found.group(1)}")
    return problems


def check_text(tree):
    """No tabs, no spaces at line ends, no marks of a merge, a line break at the end of the file. Test inputs may be as bad as they like."""
    problems = []
    for path in tree.with_suffix(".h", ".cpp", ".def", ".py", ".cmake", ".md", "CMakeLists.txt", ".mt", ".g4"):
        if path.startswith(("tests/errors/", "tests/fuzz/")) and path.endswith(".mt"):
            continue
        text = tree.text(path)
        if text and not text.endswith("\n"):
            problems.append(f"{path}:1: no line break at the end")
        for number, line in enumerate(text.splitlines(), 1):
            if "\t" in line:
                problems.append(f"{path}:{number}: tab")
            if line != line.rstrip():
                problems.append(f"{path}:{number}: space at the end of the line")
            if line.startswith(("<" * 7 + " ", ">" * 7 + " ")):
                problems.append(f"{path}:{number}: both sides of a merge")
    return problems


def check_format(tree):
    """clang-format agrees, where the version that the project uses is installed; says so when it is not."""
    tool = shutil.which(f"clang-format-{CLANG_FORMAT_MAJOR}") or shutil.which("clang-format")
    if tool:
        version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
        if f"version {CLANG_FORMAT_MAJOR}." not in version:
            tool = None
    if not tool:
        print(f"[SKIP] format: clang-format {CLANG_FORMAT_MAJOR} is not installed")
        return []
    problems = []
    paths = tree.with_suffix(".h", ".cpp")
    if paths:
        done = subprocess.run([tool, "--dry-run", "--Werror"] + paths, cwd=tree.root, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            wrong = sorted(set(re.findall(r"^([^:\n]+:\d+):\d+: error", done.stderr, re.MULTILINE)))
            problems += [f"{place}: not as clang-format writes it" for place in wrong]
    return problems


def changed_lines(tree, commit):
    """The numbers of the lines that were added or changed since a commit, by file; None without the history."""
    command = ["git", "-C", str(tree.root), "diff", "--unified=0", "--no-color", "--no-ext-diff", commit]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0:
        return None
    changed, path = {}, ""
    for line in done.stdout.splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        found = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if found:
            first, count = int(found.group(1)), int(found.group(2) or 1)
            changed.setdefault(path, set()).update(range(first, first + count))
    return changed


def docstring_lines(lines):
    """The text of each line of a Python file that is part of a docstring, by its number."""
    found, is_inside, before = {}, False, ":"
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not is_inside and re.match(r'[rR]?"""', text) and before.endswith(":"):
            is_inside, text = True, text[text.index('"""') + 3:]
        elif not is_inside:
            before = text or before
            continue
        is_inside = '"""' not in text
        found[number] = text.split('"""')[0]
        before = "" if not is_inside else before
    return found


def prose(path, lines):
    """Paragraphs of a document, or blocks of comments of a source: lists of (number, text)."""
    block = []
    docstrings = docstring_lines(lines) if path.endswith(".py") else {}
    for number, line in enumerate(lines, 1):
        if path.endswith(".md"):
            text = re.sub(r"`[^`]*`", "`x`", line.strip())
            starts = text.startswith(("- ", "* ", "#")) or re.match(r"\d+\. ", text)
            if text.startswith("|") or line.startswith("    "):
                text = ""
        elif number in docstrings:
            text = re.sub(r"`[^`]*`", "`x`", docstrings[number].strip())
            starts = number - 1 not in docstrings
            if text.startswith((">>>", "...", "usage:")):
                text = ""
        else:
            found = re.match(r"\s*(?:///?<?|#)\s(.*)$", line) or re.search(r"\s///?<?\s(.*)$", line)
            found = found or (re.match(r"(?:/| )\*\s(.*?)(?:\*/)?$", line) if path.endswith(".h") else None)
            text = re.sub(r"`[^`]*`", "`x`", found.group(1)) if found else ""
            starts = not line.lstrip().startswith(("//", "#", "/*", "*"))
        if block and (not text or starts):
            yield block
            block = []
        if text:
            block.append((number, text))
    if block:
        yield block


def check_words(tree):
    """Changed comments and documents use nouns and the field's words, in sentences that are read once."""
    changed = changed_lines(tree, WORDS_SINCE)
    if changed is None:
        print(f"[SKIP] words: the history does not reach back to {WORDS_SINCE}")
        return []
    problems = []
    for path in tree.with_suffix(".h", ".cpp", ".def", ".md", ".py", ".mt", ".cmake", "CMakeLists.txt"):
        if path not in changed or path.startswith(("tests/lint/", "tests/fuzz/")):
            continue
        lines = tree.lines(path)
        for block in prose(path, list(without_fences("\n".join(lines))) if path.endswith(".md") else lines):
            words = []
            for number, text in block:
                if number in changed[path] and DIALECT.search(text):
                    problems.append(f"{path}:{number}: `{DIALECT.search(text).group(0).strip()}`: name the noun, use the field's word")
                for word in text.split():
                    words.append((number, word))
                    if re.search(r"[.:;?!|]\W*$", word):
                        problems += long_sentence(path, words, changed[path])
                        words = []
            problems += long_sentence(path, words, changed[path])
    return problems


def long_sentence(path, words, changed):
    """The message about a sentence that changed and is too long, as a list."""
    if len(words) <= WORDS_OF_A_SENTENCE or not any(number in changed for number, _ in words):
        return []
    return [f"{path}:{words[0][0]}: a sentence of {len(words)} words, at most {WORDS_OF_A_SENTENCE}"]


RULES = {
    "includes": check_includes,
    "antlr-headers": check_antlr_headers,
    "budgets": check_budgets,
    "functions": check_functions,
    "cases": check_cases,
    "headers": check_pragma_once,
    "diagnostics": check_diagnostics,
    "layout": check_layout,
    "links": check_links,
    "sizes": check_sizes,
    "leftovers": check_leftovers,
    "text": check_text,
    "words": check_words,
    "format": check_format,
}


def main(argv):
    parser = argparse.ArgumentParser(description="rules on the source tree")
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], help="checkout")
    parser.add_argument("rules", nargs="*", metavar="RULE", help=", ".join(RULES))
    options = parser.parse_args(argv)
    unknown = set(options.rules) - set(RULES)
    if unknown:
        parser.error(f"no rule {', '.join(sorted(unknown))}; there are {', '.join(RULES)}")
    tree = Tree(options.root)
    problems = []
    for rule in options.rules or RULES:
        problems += [f"{problem} [{rule}]" for problem in RULES[rule](tree)]
    print("\n".join(problems) if problems else f"{len(tree.files)} files are clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
