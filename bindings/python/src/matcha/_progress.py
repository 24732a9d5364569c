"""Progress of a run, reported to a function or drawn on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Union

_WIDTH = 30
# Shorter runs show nothing.
_FIRST_SECONDS = 0.3


class Bar:
    """With `True` a bar on standard error; with a function, calls of it; with `False` nothing."""

    def __init__(self, progress: Union[bool, Callable[[int, int], None]]) -> None:
        self._progress = progress
        self._start = time.monotonic()
        self._shown = 0

    def __enter__(self) -> Callable[[int, int], None]:
        return self._tell

    def _tell(self, done: int, total: int) -> None:
        if callable(self._progress):
            self._progress(done, total)
        elif self._progress and total and time.monotonic() - self._start >= _FIRST_SECONDS:
            self._draw(done, total)

    def _draw(self, done: int, total: int) -> None:
        share = done / total
        full = int(share * _WIDTH)
        seconds = time.monotonic() - self._start
        left = f", {_time_text(seconds / share - seconds)} left" if share > 0.01 else ""
        text = f"[{'#' * full}{'.' * (_WIDTH - full)}] {100 * share:3.0f}%, {_time_text(seconds)}{left}"
        sys.stderr.write("\r" + text.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(text)

    def __exit__(self, *_: Any) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()


def _time_text(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02} min" if whole < 3600 else f"{whole // 3600}:{whole // 60 % 60:02} h"
