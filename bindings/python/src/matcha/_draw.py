"""Pictures of small patterns for notebooks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Sequence

from matcha._table import escaped

if TYPE_CHECKING:
    from matcha._patterns import Motifs

_SIZE = 72.0
_RADIUS = 4.0


def pattern_svg(edges: Sequence[tuple[int, int]], title: str) -> str:
    """Vertices on a circle, in the colour of the text around it."""
    count = 1 + max((end for edge in edges for end in edge), default=0)
    middle, way = _SIZE / 2, _SIZE / 2 - 2 * _RADIUS

    def place(vertex: int) -> tuple[float, float]:
        angle = 2 * math.pi * vertex / count - math.pi / 2 + (math.pi / count if count % 2 == 0 else 0)
        return middle + way * math.cos(angle), middle + way * math.sin(angle)

    lines = []
    for one, other in edges:
        (x1, y1), (x2, y2) = place(one), place(other)
        lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor"/>')
    for vertex in range(count):
        x, y = place(vertex)
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="currentColor"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE:.0f}" height="{_SIZE:.0f}" role="img">'
        f"<title>{escaped(title)}</title>{''.join(lines)}</svg>"
    )


def motifs_html(found: Motifs) -> str:
    """A picture, a name and a number for each pattern."""
    cells = "".join(
        '<div style="display:inline-block; text-align:center; margin:0.5em; vertical-align:top">'
        f"{pattern_svg(found.edges.get(name, []), name)}<br/><small>{escaped(name)}</small><br/>{number:,}</div>"
        for name, number in found.items()
    )
    return f"<div>{cells}</div>"
