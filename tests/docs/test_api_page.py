#!/usr/bin/env python3
"""docs/api.md has every function of the headers of api/ and no other, and its program is the one that the tests run."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    text = "".join((ROOT / "api" / name).read_text(encoding="utf-8") for name in ("matcha.h", "matcha_graph.h", "matcha_query.h", "matcha_stream.h"))
    header = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    declared = set(re.findall(r"\b(matcha_\w+)\s*\(", header))
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    said = set(re.findall(r"\b(matcha_\w+)\s*\(", page))
    named = set(re.findall(r"`(matcha_\w+)`", page))
    problems = [f"docs/api.md: nothing about {name}()" for name in sorted(declared - said - named)]
    problems += [f"docs/api.md: matcha.h has no {name}()" for name in sorted(said - declared)]
    if (ROOT / "tests/api/count.c").read_text(encoding="utf-8") not in page:
        problems.append("docs/api.md: its program is not tests/api/count.c")
    if len(declared) < 20:
        problems.append(f"api/matcha.h: {len(declared)} functions found")
    print("\n".join(problems) if problems else f"{len(declared)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
