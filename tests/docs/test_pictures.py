#!/usr/bin/env python3
"""The pictures of the documents are those that Matcha draws, and each is shown on a page. `--update` draws them."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/pictures"
# Pictures of patterns that have no name; `clique-4.svg` is of `clique:4`.
DRAWN = {
    "directed-triangle": "0->1,1->2,2->0",
    "feed-forward": "0->1,1->2,0->2",
    "labelled": "0:0-1:1-2:2-0,0-3:3",
    "edge-labels": "0->1=card,1->0=wire,1->2=wire",
    "non-edge": "0-1,1-2,0~2,1-3",
}
# Plots, which bench/measured draws.
PLOTS = {"measured"}


def wanted():
    """The names of the pictures that pages show."""
    shown = set()
    for page in (ROOT / "docs").glob("*.md"):
        shown |= set(re.findall(r"\(pictures/([a-z0-9-]+)\.svg\)", page.read_text(encoding="utf-8")))
    return sorted(shown)


def draw(matcha, name):
    pattern = DRAWN.get(name, re.sub(r"-(\d+)$", r":\1", name))
    done = subprocess.run([matcha, "pattern", pattern, "--svg", "-"], capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name}: {done.stderr.decode()}")
    return done.stdout.decode()


def main(argv):
    parser = argparse.ArgumentParser(description="pictures of the documents")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("matcha", type=pathlib.Path)
    options = parser.parse_args(argv)
    problems = []
    names = wanted()
    if len(names) < 10:
        problems.append(f"the pages show {len(names)} pictures only")
    if options.update:
        FOLDER.mkdir(exist_ok=True)
    for name in (one for one in names if one not in PLOTS):
        file, picture = FOLDER / f"{name}.svg", draw(options.matcha.resolve(), name)
        if options.update:
            file.write_text(picture, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != picture:
            problems.append(f"docs/pictures/{name}.svg is not what Matcha draws; `cmake --build build --target update-docs`")
    for file in sorted(FOLDER.glob("*")):
        if file.stem not in names:
            problems.append(f"docs/pictures/{file.name} is on no page")
    print("\n".join(problems) if problems else f"{len(names)} pictures")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
