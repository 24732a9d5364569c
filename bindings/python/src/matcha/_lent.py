"""Arrays that the library borrows for any length of time.

It says that it is done from any of its threads, maybe while Python ends, when no Python may run. So it posts a semaphore
of the C library, and Python looks at these.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

_SIZE = 64  # Of `sem_t`, rounded up.


@functools.lru_cache(maxsize=None)
def _functions() -> tuple[Any, Any, int]:
    system = ctypes.CDLL(None)
    system.sem_init.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
    system.sem_trywait.argtypes = [ctypes.c_void_p]
    return system.sem_init, system.sem_trywait, ctypes.cast(system.sem_post, ctypes.c_void_p).value or 0


class Lent:
    """An object kept alive until `release(user)` is called in C."""

    _all: dict[int, Lent] = {}

    def __init__(self, owner: Any) -> None:
        self.collect()
        make, _, self.release = _functions()
        self._owner = owner
        self._semaphore = ctypes.create_string_buffer(_SIZE)
        self.user = ctypes.addressof(self._semaphore)
        make(self.user, 0, 0)
        self._all[self.user] = self

    def forget(self) -> None:
        """Takes the object back if the library did not borrow it."""
        self._all.pop(self.user, None)

    @classmethod
    def collect(cls) -> int:
        """Drops returned objects; returns the number of borrowed ones. Called whenever another one is lent."""
        is_back = _functions()[1]
        for one in list(cls._all.values()):
            if is_back(one.user) == 0:
                one.forget()
        return len(cls._all)
