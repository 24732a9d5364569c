"""Errors, one class for each exit code of the command line."""

from __future__ import annotations

import re
from typing import Any, Optional

from matcha._hints import in_keywords


class Diagnostic(str):
    """One message as text, with its further lines, and its parts."""

    _HEAD = re.compile(r"(?:(?P<file>[^\n]*?):(?P<line>\d+)(?::(?P<column>\d+))?: )?error: (?P<message>[^\n]*)")

    def _part(self, name: str) -> Optional[str]:
        found = self._HEAD.match(self)
        return found.group(name) if found else None

    @property
    def file(self) -> Optional[str]:
        """The file, or None without a place."""
        return self._part("file")

    @property
    def line(self) -> Optional[int]:
        """The line, from 1 on."""
        line = self._part("line")
        return int(line) if line else None

    @property
    def column(self) -> Optional[int]:
        """The column, from 1 on."""
        column = self._part("column")
        return int(column) if column else None

    @property
    def message(self) -> str:
        """The message without its place."""
        message = self._part("message")
        return str(self) if message is None else message

    @property
    def hint(self) -> Optional[str]:
        """The hint, if there is one."""
        found = re.search(r"^ *hint: (.*)$", self, re.M)
        return found.group(1) if found else None


class Error(Exception):
    """Any error of Matcha. The text is that of the command line, with the place and a caret.

    `diagnostics` has the errors of the text one by one, `status` the exit code of the command line.
    """

    def __init__(self, text: str, status: int = 4) -> None:
        super().__init__(text.rstrip("\n"))
        self.status = status

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The messages, each with its further lines."""
        found: list[str] = []
        for line in str(self).split("\n"):
            if "error: " in line or not found:
                found.append(line)
            else:
                found[-1] += "\n" + line
        return [Diagnostic(text) for text in found]

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ProgramError(Error):
    """An error in a program or a pattern."""


class UsageError(Error, ValueError):
    """A wrong option, or an unbound parameter."""


class InputError(Error, OSError):
    """An unreadable or malformed file."""


class RunError(Error, RuntimeError):
    """A failure of the run, or a bug of Matcha."""


class ResourceError(Error, MemoryError):
    """Memory or a limit is exhausted."""


class Timeout(Error, TimeoutError):
    """The option `timeout` ended a run.

    `partial` is the answer for the part of the work that was done, or None; `done` of `total` outermost iterations
    were finished.
    """

    def __init__(self, text: str, status: int = 124, partial: Any = None, done: int = 0, total: int = 0) -> None:
        super().__init__(text, status)
        self.partial = partial
        self.done = done
        self.total = total


class CopyWarning(UserWarning):
    """An input had to be converted, which took a copy of it."""


_CLASSES: dict[int, type[Error]] = {
    1: ProgramError,
    2: UsageError,
    3: InputError,
    4: RunError,
    5: ResourceError,
    124: Timeout,
}


def error_of(status: int, text: str, **facts: Any) -> BaseException:
    """The exception for a status of the library."""
    if status == 130:
        return KeyboardInterrupt()
    made = _CLASSES.get(status, RunError)
    said = "`timeout` ended the run" if status == 124 else f"the run ended with the code {status}"
    return made(in_keywords(text) or f"error: {said}", status, **facts)
