"""What can go wrong, one class for each exit code of the command line."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Any error of Matcha. The text is that of the command line, with the place and a caret.

    `diagnostics` has the errors of the text one by one, `status` the exit code of the command line.
    """

    def __init__(self, text: str, status: int = 4) -> None:
        super().__init__(text.rstrip("\n"))
        self.status = status

    @property
    def diagnostics(self) -> list[str]:
        """The messages, each with the lines that belong to it."""
        found: list[str] = []
        for line in str(self).split("\n"):
            if "error: " in line or not found:
                found.append(line)
            else:
                found[-1] += "\n" + line
        return found

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ProgramError(Error):
    """An error in a program or a pattern."""


class UsageError(Error, ValueError):
    """A wrong option, or a parameter that nothing is bound to."""


class InputError(Error, OSError):
    """A file that cannot be read or makes no sense."""


class RunError(Error, RuntimeError):
    """A failure while running, or inside Matcha."""


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
    return made(text or made.__doc__ or "", status, **facts)
