"""The sessions of an owner, for whoever has a key of it.

Written from _async_owned.py by tools/write_blocking.py. Do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ._driver import Driver
from ._iteration import Iteration
from ._session import Session, Signal
from ._beginnings import Beginnings
from ._owned import changes, every, page
from ._session_core import given, quoted
from .wire import ActorClaim, ListedSession, Scope, SessionChange, SessionList


class SessionListing:
    """Sessions, read page by page as they are gone through.

    ``for`` gives them all; ``page`` gives one page with its counts.
    """

    def __init__(
        self, begin: Beginnings, driver: Driver, query: dict[str, Any], signal: Signal
    ) -> None:
        self._begin = begin
        self._driver = driver
        self._query = query
        self._signal = signal

    def __iter__(self) -> Iteration[ListedSession]:
        flow = every(self._begin.means, self._begin.url, self._query)
        return Iteration(self._driver, flow, self._signal)

    def page(self, cursor: str | None = None) -> SessionList:
        """The first page, or the one after a ``nextCursor``; with ``counts`` over all sessions."""
        flow = page(self._begin.means, self._begin.url, self._query, cursor)
        return self._driver.run(flow, self._signal)


class OwnedSessions:
    """``baton.sessions``: needs an owner's key."""

    def __init__(self, begin: Beginnings, driver: Driver) -> None:
        self._begin = begin
        self._driver = driver

    def list(
        self,
        *,
        state: str | Sequence[str] = (),
        waiting: Literal["review", "person", "job", "time", "agent"] | None = None,
        waiting_longer_than_ms: int | None = None,
        label: str | None = None,
        external_id: str | None = None,
        q: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        changed_after: str | None = None,
        changed_before: str | None = None,
        limit: int | None = None,
        signal: Signal = None,
    ) -> SessionListing:
        """The owner's sessions, newest first. Asks nothing until it is gone through.

        ``label`` is ``name:value``, ``q`` finds words of title, label values and external id, and
        ``limit`` is the size of a page.
        """
        states = state if isinstance(state, str) else ",".join(state)
        query = given(state=states, waiting=waiting, label=label, externalId=external_id, q=q)
        query.update(given(waitingLongerThanMs=waiting_longer_than_ms, limit=limit))
        query.update(given(createdAfter=created_after, createdBefore=created_before))
        query.update(given(changedAfter=changed_after, changedBefore=changed_before))
        return SessionListing(self._begin, self._driver, query, signal)

    def changes(self, *, after: int = 0, signal: Signal = None) -> Iteration[SessionChange]:
        """Every change of the list after a number, then each as it comes, without end.

        Leave it in a ``with`` block, or end its wait with ``signal``.
        """
        flow = changes(self._begin.means, self._begin.url, after)
        return Iteration(self._driver, flow, signal)

    def open(
        self,
        session_id: str,
        *,
        scopes: Sequence[Scope] | None = None,
        actor: ActorClaim | None = None,
        ttl_ms: int | None = None,
        save_as: str | None = None,
        signal: Signal = None,
    ) -> Session:
        """Opens a session of the owner by its id, as a new participant, and saves its token."""
        body = given(scopes=None if scopes is None else list(scopes), actor=actor, ttlMs=ttl_ms)
        flow = self._begin.open_by_id(quoted(session_id), body, save_as or session_id)
        return Session(self._driver.run(flow, signal), self._driver)
