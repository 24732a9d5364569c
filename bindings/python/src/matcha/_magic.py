"""`%load_ext matcha`: cells of programs and patterns in IPython and Jupyter."""

from __future__ import annotations

import ast
import shlex
from typing import Any, Optional

from matcha._graph import Graph
from matcha._patterns import match
from matcha._program import Program


def cell(namespace: dict[str, Any], line: str, text: Optional[str]) -> Any:
    """Runs `%%matcha GRAPH [NAME=VALUE …]`, or `%matcha GRAPH PATTERN [NAME=VALUE …]` in one line.

    A cell with `def` is a program: its result is that of the cell. Else it is a pattern, and the result its matches.
    GRAPH is a variable; NAME is a parameter of the program, or an option such as `timeout`.
    """
    words = shlex.split(line)
    if not words:
        raise ValueError("%%matcha takes the variable of a graph: %%matcha g")
    if text is None:
        if len(words) < 2:
            raise ValueError("%matcha takes the variable of a graph and a pattern: %matcha g triangle")
        text = words.pop(1)
    graph = namespace.get(words[0])
    if not isinstance(graph, Graph):
        raise ValueError(f"`{words[0]}` is no variable with a matcha.Graph")
    values = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"`{word}` is not NAME=VALUE")
        values[name] = _value(name, value, namespace)
    if any(part.startswith(("def ", "from ")) for part in text.splitlines()):
        entry = values.pop("entry", None)
        return Program(text, entry=entry)(graph, **values)
    return match(graph, text.strip(), **values)


# Options whose values are words, and no variables: `induced=vertex`.
_WORDS = ("algorithm", "device", "engine", "entry", "induced", "match", "order", "search", "simd", "stack", "steal", "tier")


def _value(name: str, text: str, namespace: dict[str, Any]) -> Any:
    if text in namespace and name not in _WORDS:
        return namespace[text]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def load(shell: Any) -> None:
    """Makes `%%matcha` and `%matcha` known to an IPython shell."""

    def magic(line: str, cell_text: Optional[str] = None) -> Any:
        return cell(shell.user_ns, line, cell_text)

    magic.__doc__ = cell.__doc__
    shell.register_magic_function(magic, "line_cell", "matcha")
