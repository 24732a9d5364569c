"""Messages of the library, which name options of the command line, with the keywords of Python instead."""

from __future__ import annotations

import re

from matcha._options import STEPS

_FLAGS = {
    "certain", "directed", "eager", "edge_labels", "embeddings", "keep_loops", "no_literals", "recompute", "strict",
    "unlabelled", "unlabelled_edges",
}  # fmt: skip
_OTHER_NAMES = {"graph_sql": "sql", "labels_out": "labels"}
_OPTION = r"--[a-z][a-z-]*(?:[ =](?!--|(?:and|in|or|was)\b)[\w.:{}-]+(?:=[\w{}.\"'-]+)?)?"
# Options one after the other; a command for a shell, which keeps them.
_FOUND = re.compile(rf"(?P<command>\bmatcha [a-z]+ .*)|(?<![^\s`(])(?P<options>{_OPTION}(?: {_OPTION})*)")


def in_keywords(text: str) -> str:
    """The text, whose lines with an error or a hint have keywords instead of options."""
    return "\n".join(_line(line, text) if re.match(r".*error: |\s*hint: ", line) else line for line in text.split("\n"))


def _line(line: str, text: str) -> str:
    line = line.replace(", or add --format", "")  # `save` goes by the name of the file.
    of_query = "`$" in text

    def replaced(found: re.Match[str]) -> str:
        if found["command"]:
            return found["command"]
        before = line[: found.start()]
        is_left_out = re.search(r"\b(leave|without)\b[^;:]*$", before) is not None
        keywords = ", ".join(_keyword(one, is_left_out, of_query) for one in re.findall(_OPTION, found["options"]))
        is_quoted = before.count("`") % 2 == 1 or keywords.startswith("--")
        return keywords if is_quoted else f"`{keywords}`"

    return _FOUND.sub(replaced, line)


def _keyword(option: str, is_left_out: bool, of_query: bool) -> str:
    parts = re.fullmatch(r"--([a-z-]+)(?:[ =](.*))?", option)
    assert parts
    name, value = parts[1].replace("-", "_"), parts[2]
    if name not in STEPS and name not in _OTHER_NAMES:
        return option
    name = _OTHER_NAMES.get(name, name)
    if name == "param" and value:
        key, _, given = value.partition("=")
        return f'params={{"{key}": {given}}}' if of_query and given else value
    if name in _FLAGS:
        return (name if is_left_out else f"{name}=True") + (f" {value}" if value else "")
    if value is None:
        return name
    return f"{name}={value}" if re.fullmatch(r"[A-Z]+|\d+(\.\d+)?", value) else f'{name}="{value}"'
