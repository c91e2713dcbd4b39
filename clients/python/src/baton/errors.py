"""The errors of this package, all of them ``BatonError``.

The server refused, the server could not be reached, another process holds the saved session, or the
caller ended the wait. A conflict is a value (``baton.Conflict``) and becomes an error only through
``unwrap``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Conflict
    from .wire import Problem


class BatonError(Exception):
    """The base class of everything that this package raises."""


class WireError(BatonError):
    """The server refused the request. Nothing was changed."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem['title']}: {problem['detail']}")
        self.problem = problem
        self.code: str = problem["code"]
        self.status: int = problem["status"]


class SessionEndedError(WireError):
    """The session has ended, so that nothing more can be done with it.

    It was finalized, rejected or cancelled (``problem["from"]`` has the state), it expired, or it
    was deleted. This error is also raised if only the access has expired. ``open`` with
    ``on_ended="fresh"`` creates a new session instead.
    """


_TERMINAL = frozenset({"finalized", "rejected", "cancelled", "expired"})


def error_from_problem(problem: Problem) -> WireError:
    """The error for a problem that the server returned."""
    code = problem["code"]
    if code == "illegal_transition":
        is_ended = problem.get("from") in _TERMINAL
    else:
        # A template can be gone too; such a problem names no session.
        is_ended = code == "expired" or (code == "gone" and "sessionId" in problem)
    return SessionEndedError(problem) if is_ended else WireError(problem)


class TransportError(BatonError):
    """There was no usable response after all attempts.

    If ``is_pending`` is true, the request may have been done. It stays saved: repeating the call,
    or ``settle()``, finds out without doing it twice.
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
    """Another writer changed the session. Raised only by ``unwrap``."""

    def __init__(self, conflict: Conflict) -> None:
        version = conflict.current["version"]
        super().__init__(f"The session moved on to version {version}. Nothing was changed.")
        self.conflict = conflict


class Aborted(BatonError):
    """The caller's ``AbortSignal`` ended this wait. A request that was already sent stays saved."""
