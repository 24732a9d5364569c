"""Lines of updates whose ids are names of vertices."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matcha._stream import _Changing

_MARKS = {"+": 2, "e": 2, "-": 2, "-e": 2, "v": 1, "-v": 1}
_CELL = re.compile(r'[ \t\r,]*(?:"((?:[^"]|"")*)"(?=[ \t\r,]|$)|([^ \t\r,]+))')


def numbered(line: str, graph: _Changing) -> str:
    """The line with the numbers that the library has for its names; a line without names, or that is no update, as it
    stands."""
    mark = re.match(r"[ \t\r]*([^ \t,;|\r]*)", line)
    ids = _MARKS.get(mark[1]) if mark else None
    if mark is None or ids is None:
        return line
    cells = _cells(line, _separator(line, mark.end()))
    if len(cells) <= ids:
        return line
    if graph.names is None:
        graph.decide_names(not all(map(_is_number, cells[1 : ids + 1])))
    if graph.names is None:
        return line
    for at in range(1, ids + 1):
        if not cells[at]:
            return line
        cells[at] = str(graph.number(graph.named_in(cells[at])))
    rest = ['"' + cell.replace('"', '""') + '"' for cell in cells[ids + 1 :]]
    return " ".join([*cells[: ids + 1], *rest])


def _separator(line: str, at: int) -> str:
    """The character behind the mark, if it certainly separates cells; empty: blanks, tabs and commas do."""
    between = line[at : at + 1]
    if between in (";", "|") or (between in ("\t", ",") and between in line[at + 1 :]):
        return between
    return ""


def _cells(line: str, separator: str) -> list[str]:
    if not separator:
        return [plain or quoted.replace('""', '"') for quoted, plain in _CELL.findall(line)]
    line = line.rstrip(" \t\r" + separator)
    return [cell.strip(" \t\r") for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", cell) is not None


__all__ = ["numbered"]
