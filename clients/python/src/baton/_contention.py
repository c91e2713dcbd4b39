"""Retries of a write that lost against other writers: after jittered waits, limited by time."""

from __future__ import annotations

import math
from dataclasses import replace

from ._effects import Flow, Sleep
from ._transport import ClientConfig
from .results import Conflict, WriteResult

# How long an update and a merge retry while other writers are always faster.
CONFLICT_TIMEOUT_MS = 30_000
# Short at first, because a writer that waits while others do not loses again.
_FIRST_WAIT_MS = 10
_MAX_WAIT_MS = 500
# 2 to this power exceeds the longest wait.
_DOUBLINGS = 10


class ContentionBackoff:
    """The waits between the attempts of one write."""

    def __init__(self, config: ClientConfig, timeout_ms: float) -> None:
        self._config = config
        self._deadline = config.now() + timeout_ms
        self._waits = 0

    def wait(self) -> Flow[bool]:
        """Waits for the next attempt; False if the time is up."""
        left = self._deadline - self._config.now()
        if left <= 0:
            return False
        longest = min(_FIRST_WAIT_MS * 2 ** min(self._waits, _DOUBLINGS), _MAX_WAIT_MS)
        self._waits += 1
        yield Sleep(min(math.ceil(longest * self._config.random()), left))
        return True


def as_version_conflict(result: WriteResult) -> WriteResult:
    """The client set this If-Match itself, so the caller sees a plain version conflict."""
    return replace(result, code="version_conflict") if isinstance(result, Conflict) else result
