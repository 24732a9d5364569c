"""The ids of a graph that are not int64: text, or beyond 64 bits; and labels of its edges."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Union

from matcha import _library


class EdgeLabels(dict[int, int]):
    """Positions among `names` of the labels of edges that occurred, by their codes."""

    def __init__(self, graph: Any) -> None:
        super().__init__()
        self._graph = graph  # A handle.
        self.names: list[Union[str, int]] = []  #: Words, and numbers as ints, in the order in which they were met.

    def __missing__(self, code: int) -> int:
        name: Union[str, int] = code
        if code < 0:
            lib = _library.opened()
            buffer = ctypes.create_string_buffer(lib.matcha_graph_label(self._graph, code, None, 0) + 1)
            length = lib.matcha_graph_label(self._graph, code, buffer, len(buffer))
            name = buffer.raw[:length].decode("utf-8", "surrogateescape")
            # Without words, labels below 0 are numbers.
            name = code if name == str(code) else name
        place = self[code] = len(self.names)
        self.names.append(name)
        return place


def names_of(graph: Any) -> Optional[list[Union[str, int]]]:
    """The ids by position; none if the ids are int64. Bytes that are not UTF-8 are decoded as by `os.fsdecode`."""
    lib = _library.opened()
    if lib.matcha_graph_id_kind(graph) != _library.NAME:
        return None
    names: list[Union[str, int]] = []
    buffer = ctypes.create_string_buffer(256)
    while True:
        length = lib.matcha_graph_name(graph, len(names), buffer, len(buffer))
        if length == 0:
            break
        if length >= len(buffer):
            buffer = ctypes.create_string_buffer(2 * length)
            continue
        names.append(buffer.raw[:length].decode("utf-8", "surrogateescape"))
    # Numbers are names of the library only if one of them is beyond int64; else the ids are intended as text.
    beyond = any(len(str(name)) >= 19 for name in names) and all(str(name).isdecimal() for name in names)
    return [int(name) for name in names] if beyond and max(map(int, names)) >= 2**63 else names
