#!/usr/bin/env python3
"""Every page of docs/ and stdlib/ is in the contents of the site, which only builds where Sphinx is. The tests that
docs/promises.md names exist."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def missing_tests():
    """Names of tests on the page that its files do not have: `tests/FILE::NAME`, with a dot between class or suite and test."""
    page = (ROOT / "docs/promises.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[^`]+)::([^`]+)`", page)
    problems = [] if len(named) > 40 else [f"docs/promises.md: {len(named)} tests found"]
    for file, name in named:
        path = ROOT / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if not all(re.search(rf"\b{part}\b", text) for part in name.split(".")):
            problems.append(f"docs/promises.md: there is no {file}::{name}")
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
    problems += missing_tests()
    print("\n".join(problems) if problems else f"{len(pages)} pages")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
