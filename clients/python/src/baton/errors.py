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


class SessionEndedError(WireError):
    """The session is over, so that nothing more can be done with it.

    It was finalized, rejected or cancelled (``problem["from"]`` says which), it expired, or it was
    deleted. An access that has expired counts as well. ``open`` with ``on_ended="fresh"`` begins a
    new session instead.
    """


_TERMINAL = frozenset({"finalized", "rejected", "cancelled", "expired"})


def refusal_of(problem: Problem) -> WireError:
    """The error for a refusal."""
    code = problem["code"]
    if code == "illegal_transition":
        is_ended = problem.get("from") in _TERMINAL
    else:
        # A template can be gone too; that refusal is of no session.
        is_ended = code == "expired" or (code == "gone" and "sessionId" in problem)
    return SessionEndedError(problem) if is_ended else WireError(problem)


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
