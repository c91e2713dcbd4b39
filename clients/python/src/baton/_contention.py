"""How long a write that loses against others is sent again: after jittered waits, by time."""

from __future__ import annotations

import math
from dataclasses import replace

from ._effects import Flow, Sleep
from ._exchange import Means
from .results import Conflict, WriteResult

# How long an update and a merge go on where others are always faster.
CONFLICT_TIMEOUT_MS = 30_000
# Short at first: one who waits while others do not loses again.
_FIRST_WAIT_MS = 10
_LONGEST_WAIT_MS = 500
# 2 to this power is more than the longest wait.
_DOUBLINGS = 10


class Contention:
    """The waits of one write."""

    def __init__(self, means: Means, timeout_ms: float) -> None:
        self._means = means
        self._until = means.now() + timeout_ms
        self._waits = 0

    def wait(self) -> Flow[bool]:
        """Waits for the next attempt; False where the time is over."""
        left = self._until - self._means.now()
        if left <= 0:
            return False
        longest = min(_FIRST_WAIT_MS * 2 ** min(self._waits, _DOUBLINGS), _LONGEST_WAIT_MS)
        self._waits += 1
        yield Sleep(min(math.ceil(longest * self._means.random()), left))
        return True


def as_version_conflict(result: WriteResult) -> WriteResult:
    """The client's own If-Match is no condition of the caller: to that one the version moved on."""
    return replace(result, code="version_conflict") if isinstance(result, Conflict) else result
