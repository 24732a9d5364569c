"""The ids of a graph that are no int64: text, or beyond 64 bits."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Union

from matcha import _library


def names_of(graph: Any) -> Optional[list[Union[str, int]]]:
    """The ids by their places; none if the ids are int64. Bytes that are no UTF-8 come as `os.fsdecode` gives them."""
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
    # Numbers are names of the library only if one of them is beyond int64; else the ids were to be text.
    beyond = any(len(str(name)) >= 19 for name in names) and all(str(name).isdecimal() for name in names)
    return [int(name) for name in names] if beyond and max(map(int, names)) >= 2**63 else names
