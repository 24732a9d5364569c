"""Each option of the table works on each surface, or is refused with the sentence of the table:
`test_options.py MATCHA LIBRARY`; with `--write` it also writes the files that are made from the table."""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/options.md"
KEYWORDS = ROOT / "bindings/python/src/matcha/_options.py"
GRAPH = "tests/graphs/random-20-seed2.txt"
COUNT = {"pattern": "triangle"}
# Values of options that take any text.
TEXTS = {
    "simd": "scalar", "labels": ",,", "share": "0/2", "vertex-id": "17 ann", "disable-pass": "fuse", "passes": "cpu", "within": "1%", "confidence": "99%",
}
# Options that need another one.
WITH = {"limit": {"matches": True}, "certain": {"within": "1%"}, "confidence": {"within": "1%"}, "seed": {"within": "1%"}}
OWN_VERBS = {"graph": ["graph", "info"]}


def printed(matcha, *words):
    return subprocess.run([matcha, *words], check=True, text=True, capture_output=True).stdout


def sample(row):
    """A value that the option takes, as JSON has it."""
    takes = row["takes"]
    if takes == "word":
        return {"device": "cpu", "engine": "program"}.get(row["name"], row["values"][0])
    if takes == "object":
        return {}
    if takes == "text":
        return TEXTS.get(row["name"], "x")
    return {"flag": True, "bytes": "8G", "seconds": 60, "time": "90s", "wait": "50ms"}.get(takes, max(1, row["least"]))


def as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def wrong(row):
    """A value that the option does not take, and the hint; nothing for options that take any text."""
    if row["takes"] == "word":
        return row["values"][-1] + "x", f"did you mean `{row['values'][-1]}`?" if len(row["values"][-1]) > 2 else "it takes"
    hints = {"flag": "`true` or `false`", "number": "whole number", "seconds": "seconds from 0 on", "mib": "MiB",
             "devices": "number of GPUs"}  # fmt: skip
    return ("no", hints[row["takes"]]) if row["takes"] in hints else None


def rows_of(table, surface):
    """The row of each name for a surface: the one that the surface takes, else the first."""
    rows = {}
    for row in table:
        if row["name"] not in rows or (row[surface] and not rows[row["name"]][surface]):
            rows[row["name"]] = row
    return rows


USUAL = ("induced", "embeddings", "match", "algorithm", "device", "threads", "timeout")  # Named by `count` and `match`.
# Other functions, or none, take these.
INSIDE = ("matches", "per", "query", "vertex_id", "entry", "file", "param", "share", "limit", "within", "confidence", "certain", "seed")
TYPES = {"flag": "bool", "number": "int", "seconds": "float", "mib": "float", "devices": 'Union[int, Literal["all"]]', "text": "str"}


def type_of(row):
    found = TYPES.get(row["takes"])
    if row["values"]:
        return "Literal[" + ", ".join(value if value.isdigit() else f'"{value}"' for value in row["values"]) + "]"
    return "Union[int, str]" if row["shown"] == "COLUMN" else f"Union[{found}, Sequence[{found}]]" if row["repeats"] else found


def keywords_page(table):
    """The module of Python with the names and types of options."""
    rows = {row["name"].replace("-", "_"): row for row in table if row["library"]}
    of_patterns = {name for name, row in rows.items() if row["step"] in ("program", "pattern", "run")} - set(INSIDE)
    of_programs = {name for name, row in rows.items() if row["step"] == "program"} - set(INSIDE)
    shared = (of_patterns & of_programs) - set(USUAL)

    def members(names):
        return "".join(f"    {name}: Optional[{type_of(row)}]\n" for name, row in rows.items() if name in names)

    return f'''"""Options as keywords: written by tests/api/test_options.py from the table that `matcha doc options --json` prints."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, TypedDict, Union


class SharedOptions(TypedDict, total=False):
    """Keywords of patterns and of programs."""

{members(shared)}

class MoreOptions(SharedOptions, total=False):
    """Keywords of patterns beside those that `count` and `match` name."""

    label: Any
    edge_label: Any
{members(of_patterns - shared - set(USUAL))}

class PatternOptions(MoreOptions, total=False):
    """All keywords of patterns and their runs."""

{members(set(USUAL))}

class ProgramOptions(SharedOptions, total=False):
    """Keywords of programs beside `entry`."""

{members(of_programs - shared)}

# The step that reads an option.
STEPS = {{
{"".join(f'    "{name}": "{row["step"]}",' + chr(10) for name, row in rows.items())}}}
'''


def check_python(path, table):
    os.environ["MATCHA_LIBRARY"] = path
    sys.path.insert(0, str(KEYWORDS.parents[1]))
    import matcha
    from matcha import _library

    def error_of(work):
        try:
            work()
        except matcha.UsageError as error:
            return str(error)
        return ""

    for name, row in rows_of(table, "library").items():
        keyword = name.replace("-", "_")
        said = error_of(lambda: _library.options({keyword: sample(row)}))
        assert said == ("" if row["library"] else f"error: {row['refusal'].replace(name, keyword, 1)}"), (row, said)
        if row["library"] and wrong(row):
            said = error_of(lambda: _library.options({keyword: wrong(row)[0]}))
            assert f"option `{keyword}` does not take `{wrong(row)[0]}`" in said and wrong(row)[1] in said, (row, said)
    triangle = matcha.Graph([0, 1, 2], [1, 2, 0])
    for name, row in rows_of(table, "library").items():
        keyword = name.replace("-", "_")
        if keyword in INSIDE or not row["library"] or name in ("edge-label", "label"):
            continue
        said = error_of(lambda: matcha.count(triangle, "triangle", **{keyword: sample(row)}))
        assert bool(said) == (row["step"] in ("graph", "stream")), (row, said)


def check_command_line(matcha, table):
    for verb in sorted({verb for row in table for verb in row["verbs"]}):
        text = printed(matcha, *OWN_VERBS.get(verb, [verb]), "--help-all")
        shown = set(re.findall(r"^ +(?:-\w, ?)?--([a-z][a-z-]*)", text, re.M))
        missing = {row["name"] for row in table if verb in row["verbs"]} - shown
        assert not missing, f"`matcha {verb}` has no {missing}"
    # All that a pattern and its run take together.
    together = {row["name"]: row for row in table if "run" in row["verbs"] and row["requests"]}
    words = [f"--{name}" if row["takes"] == "flag" else f"--{name}={sample(row)}" for name, row in together.items()
             if name not in ("entry", "per", "limit", "embeddings", "gpus")]  # fmt: skip
    count = printed(matcha, "run", "--pattern", "triangle", GRAPH, "--device=cpu")
    assert printed(matcha, "run", "--pattern", "triangle", GRAPH, *words).replace(" (exact)", "") == count, words
    known = {row["name"] for row in table if row["verbs"]}
    for row in table:
        if row["name"] in known:
            continue
        failed = subprocess.run([matcha, "run", f"--{row['name']}=x"], text=True, capture_output=True, check=False)
        said = row["refusal"].replace("`", "`--", 1)
        assert failed.returncode == 2 and f"error: {said}\n" in failed.stderr, (row, failed.stderr)


def check_requests(matcha, table):
    rows = rows_of(table, "requests")
    asked, checks = [], []

    def ask(options, check, subject=None):
        asked.append({"id": len(asked), **(subject or COUNT), "options": options})
        checks.append(check)

    def is_refused(said):
        return lambda answer: answer["code"] == 2 and answer["errors"][0]["message"] == said

    def is_wrong(name, hint):
        return lambda answer: (answer["code"] == 2 and answer["errors"][0]["message"].startswith(f"option `{name}` does not")
                               and hint in answer["errors"][0]["hint"])  # fmt: skip

    subjects = {"query": {"pattern": "MATCH (a)--(b) RETURN count(*)"}, "per": {"pattern": "motif:3"},
                "entry": {"program": "def x(G: Graph) -> int:\n    return 7\n\ndef y(G: Graph) -> int:\n    return 8\n"}}  # fmt: skip
    for name, row in rows.items():
        if not row["requests"]:
            ask({name: "x"}, is_refused(row["refusal"]))
            continue
        given = {name: sample(row), **WITH.get(name, {})}
        # A query looks for arcs, and the graph of the test has edges (tests/cli/test_serve.py has queries that are answered).
        runs = (lambda answer: "has arcs" in answer["errors"][0]["message"]) if name == "query" else lambda answer: answer["code"] == 0
        ask(given, runs, subjects.get(name))
        if wrong(row):
            ask({name: wrong(row)[0]}, is_wrong(name, wrong(row)[1]))
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    done = subprocess.run([matcha, "serve", GRAPH, "--device", "cpu"], input=lines, text=True, capture_output=True, check=True)
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines()[1:])}
    for at, (request, check) in enumerate(zip(asked, checks)):
        assert check(answers[at]), (request, answers[at])
    results = {next(iter(one["options"])): answers[at].get("result") for at, one in enumerate(asked)}
    count = answers[asked.index(next(one for one in asked if "order" in one["options"]))]["result"]
    assert count > 0 and results["embeddings"] is None, results  # The last question about it was a wrong one.
    for at, one in enumerate(asked):
        name = next(iter(one["options"]))
        if answers[at]["code"] == 0 and one.get("pattern") == "triangle" and name not in ("embeddings", "matches", "limit", "match"):
            assert answers[at]["result"] == count, (one, answers[at])


def check_library(path, table):
    library = ctypes.CDLL(path)
    library.matcha_options_new.restype = ctypes.c_void_p
    library.matcha_options_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    library.matcha_error_text.restype = ctypes.c_char_p
    library.matcha_error_text.argtypes = [ctypes.c_void_p]
    options = library.matcha_options_new()

    def error_of(name, value):
        error = ctypes.c_void_p()
        library.matcha_options_set(options, name.encode(), value.encode(), ctypes.byref(error))
        return library.matcha_error_text(error).decode() if error else ""

    assert "there is no option" in error_of("no-such-option", "x")
    for name, row in rows_of(table, "library").items():
        said = error_of(name, as_text(sample(row)))
        if not row["library"]:
            assert said == f"error: {row['refusal']}\n", (row, said)
            continue
        assert not said, (row, said)
        if wrong(row):
            said = error_of(name, wrong(row)[0])
            assert f"option `{name}` does not take `{wrong(row)[0]}`" in said and wrong(row)[1] in said, (row, said)


def main():
    matcha, path = [word for word in sys.argv[1:] if word != "--write"][:2]
    table = json.loads(printed(matcha, "doc", "options", "--json"))["options"]
    assert len(table) > 70, len(table)
    made = {PAGE: printed(matcha, "doc", "options"), KEYWORDS: keywords_page(table)}
    for file, text in made.items():
        if "--write" in sys.argv:
            file.write_text(text, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == text, f"{file.name} is not that of the table: test_options.py --write"
    check_command_line(matcha, table)
    check_requests(matcha, table)
    check_library(path, table)
    check_python(path, table)
    print("ok")


main()
