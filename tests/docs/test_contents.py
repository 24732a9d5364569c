#!/usr/bin/env python3
"""Every page of docs/ and stdlib/ is in the contents of the site, which only builds where Sphinx is. The tests that
docs/promises.md and tests/wishes.md name exist."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def missing_tests(name, least):
    """Names of tests on a page that its files do not have: `tests/FILE::NAME`, with a dot between class or suite and test."""
    named = re.findall(r"`(tests/[^`]+)::([^`]+)`", (ROOT / name).read_text(encoding="utf-8"))
    problems = [] if len(named) > least else [f"{name}: {len(named)} tests found"]
    for file, test in named:
        path = ROOT / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if not all(re.search(rf"\b{part}\b", text) for part in test.split(".")):
            problems.append(f"{name}: there is no {file}::{test}")
    return problems


def main():
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    trees = re.findall(r"```\{toctree\}\n(.*?)```", index, re.S)
    listed = {(ROOT / "docs" / (line.strip() + ".md")).resolve() for tree in trees for line in tree.splitlines()
              if line.strip() and not line.startswith(":")}
    pages = [page.resolve() for folder in ("docs", "stdlib") for page in sorted((ROOT / folder).glob("*.md"))
             if page.name != "index.md" and page != ROOT / "docs/README.md"]
    problems = [f"docs/index.md: {page.relative_to(ROOT)} is in none of its toctrees" for page in pages if page not in listed]
    problems += [f"docs/index.md: there is no {page.relative_to(ROOT)}" for page in sorted(listed) if not page.exists()]
    if len(listed) < 20:
        problems.append(f"docs/index.md: {len(listed)} pages found")
    problems += missing_tests("docs/promises.md", 40) + missing_tests("tests/wishes.md", 30)
    print("\n".join(problems) if problems else f"{len(pages)} pages")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
