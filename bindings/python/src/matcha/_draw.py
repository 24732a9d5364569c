"""Pictures of patterns for notebooks: the library draws them, as the command line does."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from matcha._program import Pattern
from matcha._table import escaped

if TYPE_CHECKING:
    from matcha._patterns import Motifs


def picture(pattern: Pattern, title: str, height: str = "auto") -> str:
    """The picture as an image, so that its style is its own."""
    data = base64.b64encode(pattern.emit("svg").encode()).decode()
    return f'<img alt="{escaped(title)}" style="height:{height}" src="data:image/svg+xml;base64,{data}"/>'


def motifs_html(found: Motifs) -> str:
    """A picture, a name and a number for each pattern."""
    cells = "".join(
        '<div style="display:inline-block; text-align:center; margin:0.5em; vertical-align:top">'
        f"{picture(Pattern(found.patterns[name]), name, '7em')}<br/><small>{escaped(name)}</small><br/>{number:,}</div>"
        for name, number in found.items()
    )
    return f"<div>{cells}</div>"
