"""A small tree of errors, all of them ``BatonError``.

What the server said, what the way to it did, what another process holds, and what the caller ended.
A conflict is a value (``baton.Conflict``) and becomes an error only through ``unwrap``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Conflict
    from .wire import Problem


class BatonError(Exception):
    """The root: catches everything that this package raises."""


class WireError(BatonError):
    """The server answered, and the answer was no. Nothing was changed."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem['title']}: {problem['detail']}")
        self.problem = problem
        self.code: str = problem["code"]
        self.status: int = problem["status"]


class TransportError(BatonError):
    """No usable answer came, after all attempts.

    Where ``is_pending`` is true, the request may or may not have been done. It stays saved: the
    same call again, or ``settle()``, finds out without doing it twice.
    """

    def __init__(self, message: str, attempts: int, is_pending: bool) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.is_pending = is_pending


class StoreError(BatonError):
    """Nothing is saved under this name, or what is saved cannot be read."""


class StoreBusyError(StoreError):
    """Another process works on the same saved session and did not finish in time."""


class ConflictError(BatonError):
    """Somebody else moved the session on. Raised by ``unwrap`` only."""

    def __init__(self, conflict: Conflict) -> None:
        version = conflict.current["version"]
        super().__init__(f"The session moved on to version {version}. Nothing was changed.")
        self.conflict = conflict


class Aborted(BatonError):
    """The caller's ``AbortSignal`` ended this wait. What was already sent stays saved."""
