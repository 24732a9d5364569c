"""Counts within a width."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from matcha._errors import error_of

if TYPE_CHECKING:
    from matcha._graph import Graph
    from matcha._pattern_text import PatternLike

_CONFIDENCE = 0.95


class Estimate:
    """A count and its interval: the true count is from `low` to `high` with a chance of `confidence`.

    `half_width` is a part of `value`. An exact count has a half-width of 0 and a `value` that is an int. `draws` were
    made, of which `hits` found a match.
    """

    def __init__(
        self, value: Union[int, float], half_width: float = 0, draws: int = 0, hits: int = 0, exact: bool = True
    ) -> None:
        self.value = value
        self.low = value - half_width
        self.high = value + half_width
        self.half_width = half_width / value if half_width else 0.0
        self.confidence = 1.0 if exact else _CONFIDENCE
        self.draws, self.hits, self.exact = draws, hits, exact
        self._again: Optional[Callable[[Union[float, str]], Estimate]] = None

    def refine(self, within: Union[float, str]) -> Estimate:
        """An estimate of this half-width, as `estimate` takes it; itself if it is as narrow.

        The draws that were made are a part of it: it is the one that the smaller width gives at once.
        """
        if self._again is None or self.half_width <= _part(within):
            return self
        return self._again(within)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        if not self.exact:
            raise TypeError(f"{self!r} is an estimate, not a whole number: `value`, `low` and `high` are its parts")
        return int(self.value)

    def __repr__(self) -> str:
        if self.exact:
            return f"{self.value} (exact)"
        # Five digits, and decimals below 1e4; the width includes the error of rounding, and is rounded up.
        decimals = max(0, 4 - math.floor(math.log10(max(self.value, 1.0))))
        percent = 100 * (self.half_width + 5e-5)
        digit = 10.0 ** (math.floor(math.log10(percent)) - 1)
        width = math.ceil(percent / digit) * digit
        digits, power = f"{self.value:.4e}".split("e")
        shown = f"{self.value:.{decimals}f}" if decimals else digits.replace(".", "") + "0" * (int(power) - 4)
        return f"{shown} ± {width:.3g}% ({100 * self.confidence:.4g}%)"


def _part(given: Union[float, str]) -> float:
    """`0.01`, `"0.01"` or `"1%"` as a number."""
    text = str(given)
    return round(float(text[:-1]) / 100, 12) if text.endswith("%") else float(text)


def estimate(
    graph: Graph,
    pattern: PatternLike,
    within: Union[float, str] = 0.01,
    *,
    confidence: Union[float, str] = _CONFIDENCE,
    certain: bool = False,
    seed: Optional[int] = None,
    **options: Any,
) -> Estimate:
    """The number of matches, as an interval of a relative half-width, or exactly where that is expected to be as fast.

    `within` is a part, such as `0.01`, or a text, such as `"1%"`. So is `confidence`, the chance that the interval has
    the true count, from `0.5` to `0.999`. With `certain` the interval holds for any draws, by an inequality, and takes
    3 to 6 times as many. The same `seed` gives the same interval. Other keywords are those of
    `count`.

    >>> import matcha as mt
    >>> square = mt.Graph([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])
    >>> mt.estimate(square, "cycle:4")
    1 (exact)
    """
    from matcha._patterns import asked_for

    given = {"confidence": confidence, "certain": certain or None, "seed": seed, **options}
    answer = asked_for(graph, pattern, within=within, **given)
    if not isinstance(answer, (Estimate, int)):
        raise error_of(2, "error: an estimate is of one pattern\n  hint: `count` and `motifs` count several, exactly\n")
    found = answer if isinstance(answer, Estimate) else Estimate(answer)
    if not found.exact:
        found.confidence = _part(confidence)
    found._again = functools.partial(_refined, graph, pattern, given)
    return found


def _refined(graph: Graph, pattern: PatternLike, given: dict[str, Any], width: Union[float, str]) -> Estimate:
    return estimate(graph, pattern, width, **given)


__all__ = ["Estimate", "estimate"]
