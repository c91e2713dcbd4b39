"""Ends waits from another thread, a signal handler or another task."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .errors import Aborted


class AbortSignal:
    """Ends every wait of the calls that it is passed to, as ``Aborted``.

    >>> signal = AbortSignal()
    >>> signal.abort("enough")
    >>> signal.throw_if_aborted()
    Traceback (most recent call last):
    ...
    baton.errors.Aborted: enough
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._callbacks: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        return self._reason is not None

    def abort(self, reason: str = "The caller ended the wait.") -> None:
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def throw_if_aborted(self) -> None:
        if self._reason is not None:
            raise Aborted(self._reason)

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back once, at the abort; returns a function that unsubscribes."""
        with self._lock:
            if self._reason is None:
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    def _forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
