"""Time as a dependency, so that tests need not wait."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Protocol

from .abort import AbortSignal


class Clock(Protocol):
    """For ``Baton``."""

    def now(self) -> float:
        """Milliseconds since 1970."""
        ...

    def sleep(self, ms: float, signal: AbortSignal | None) -> None:
        """Returns early if the signal fires; the caller then checks it."""
        ...


class AsyncClock(Protocol):
    """For ``AsyncBaton``. Cancelling its task ends a sleep."""

    def now(self) -> float: ...

    async def sleep(self, ms: float) -> None: ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time() * 1000

    def sleep(self, ms: float, signal: AbortSignal | None) -> None:
        if signal is None:
            time.sleep(ms / 1000)
            return
        woken = threading.Event()
        release = signal.subscribe(woken.set)
        woken.wait(ms / 1000)
        release()


class AsyncSystemClock:
    """The clock of this machine, for asyncio."""

    def now(self) -> float:
        return time.time() * 1000

    async def sleep(self, ms: float) -> None:
        await asyncio.sleep(ms / 1000)
