"""The plan of a program or a pattern on a graph, drawn in notebooks."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Optional, Union

from matcha import _library
from matcha._draw import picture
from matcha._graph import Graph
from matcha._pattern_text import PatternLike
from matcha._patterns import _pattern
from matcha._program import Pattern, Program
from matcha._table import escaped

_STYLE = "text-align:left; padding:0.1em 0.6em; white-space:pre"


class Explanation:
    """The plan of a pattern or a program on a graph, with the cost of each step. `print` shows it; a notebook draws it."""

    def __init__(self, found: dict[str, Any], pattern: Optional[Pattern]) -> None:
        self.facts = found  #: The object `matcha.plan/1` of docs/api.md.
        self.pattern = pattern  #: None: a program.

    @property
    def answer(self) -> Optional[str]:
        """The result of the run as text; None if it was stopped before."""
        return self.facts.get("answer")

    @property
    def program(self) -> str:
        """The text of the program; for a pattern, of the program that finds it."""
        return str(self.facts["program"])

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of the program that runs, with their costs; `depth` is the nesting level."""
        found: list[dict[str, Any]] = self.facts["steps"]
        return found

    @property
    def engine(self) -> str:
        """The engine: a word of `engine=`, such as `program`."""
        return str(self.facts["engine"])

    @property
    def engines(self) -> list[dict[str, Any]]:
        """Every engine, the best first, with its expected time, or with the reason why it cannot answer."""
        found: list[dict[str, Any]] = self.facts["engines"]
        return found

    def _offers(self) -> list[tuple[str, str, str]]:
        rows = []
        for one in self.engines:
            cost = f"{one['ns'] / 1e6:,.3g} ms" if "ns" in one else ""
            remark = one.get("refused", "answers" if one.get("chosen") else "")
            rows.append((f"{one['engine']} on {'a GPU' if one['device'] == 'cuda' else 'a CPU'}", cost, remark))
        return rows

    def _title(self) -> str:
        return str(self.facts.get("semantics") or self.facts["signature"])

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = []
        for step in self.steps:
            estimated = f"{step['estimated']:,.3g}" if "estimated" in step else ""
            items = f"{int(step['items']):,}" if "items" in step else ""
            rows.append(("  " * step["depth"] + step["text"], estimated, items))
        return rows

    def __str__(self) -> str:
        lines = [self._title()]
        if self.answer is not None:
            lines.append(f"{self.answer}, in {self.facts['ms']:,} ms")
        width = max(len(name) for name, _, _ in self._offers())
        lines += ["", *(f"{name:<{width}} {cost:>20}  {remark}".rstrip() for name, cost, remark in self._offers())]
        rows = [("step", "estimated", "actual"), *self._rows()]
        width = max(len(text) for text, _, _ in rows)
        lines += ["", *(f"{text:<{width}} {one:>12} {other:>18}".rstrip() for text, one, other in rows)]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<h4>{escaped(self._title())}</h4>"]
        if self.answer is not None:
            parts.append(f"<p><b>{escaped(self.answer)}</b>, in {self.facts['ms']:,} ms ({self.facts['simd']})</p>")
        if "meaning" in self.facts:
            parts.append(f"<p>{escaped(self.facts['meaning'])}</p>")
        if self.pattern is not None:
            parts.append(f"<p>{picture(self.pattern, self._title())}</p>")
        parts.append(_table(("step", "estimated", "actual"), self._rows()))
        parts.append(_folded("Engines", _table(("engine", "expected", ""), self._offers())))
        plans = [(one["plan"], one["algorithm"], f"{one['ms']:,.3g}") for one in self.facts.get("plans", ())]
        if plans:
            parts.append(_folded("Plans considered", _table(("order | restrictions", "algorithm", "ms"), plans)))
        if self.program:
            parts.append(_folded("Program", f"<pre>{escaped(self.program)}</pre>"))
        passes = [(one["pass"], "changed" if one["changed"] else "nothing", f"{one['ms']:,}")
                  for one in self.facts["passes"]]  # fmt: skip
        parts.append(_folded("Passes", _table(("pass", "program", "ms"), passes)))
        memory = [(one["buffer"], one["capacity"], str(one.get("items", ""))) for one in self.facts["memory"]]
        if memory:
            parts.append(_folded("Memory of each thread", _table(("buffer", "capacity", "items"), memory)))
        return f"<div>{''.join(parts)}</div>"


def _table(heads: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    head = "".join(f'<th style="{_STYLE}">{escaped(one)}</th>' for one in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_STYLE}">{escaped(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{title}</summary>{inside}</details>"


def explain(
    graph: Graph,
    asked: Union[PatternLike, Program],
    *,
    threads: Optional[int] = None,
    timeout: Optional[float] = None,
    params: Optional[dict[str, Any]] = None,
    **options: Any,
) -> Explanation:
    """How a pattern, or a `Program`, runs on the graph: the engines that could answer, and a run on the CPU of the one that
    does. A program is run once more, to count its steps.

    `params` are those of a program; other keywords are options of a pattern. A `Program` has its own options.

    >>> import matcha as mt
    >>> plan = mt.explain(mt.Graph([0, 1, 2], [1, 2, 0]), "triangle")
    >>> plan.answer, max(int(step.get("items", 0)) for step in plan.steps)
    ('1', 3)
    """
    if isinstance(asked, Program) and options:
        raise TypeError(f"`{next(iter(options))}` is given with the program: program(text, {next(iter(options))}=...)")
    program = asked if isinstance(asked, Program) else _pattern(graph, asked, **options)
    chosen = _library.options({"threads": threads, "timeout": timeout})
    text = _library.make_slowly("matcha_explain", "matcha_text_free", program._handle(params or {}).handle,
                                graph._owner.handle, chosen=chosen)  # fmt: skip
    found = json.loads(ctypes.string_at(text.handle.value or 0).decode(errors="replace"))
    return Explanation(found, program if isinstance(program, Pattern) else None)


__all__ = ["Explanation", "explain"]
