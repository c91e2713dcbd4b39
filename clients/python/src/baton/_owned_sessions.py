"""The owner's sessions. Needs the owner's key.

Written from _async_owned.py by tools/write_blocking.py. Do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ._driver import Driver
from ._iteration import Iteration
from ._session import Session, Signal
from ._owned import changes, list_all, page
from ._session_core import quoted, without_none
from ._session_opener import SessionOpener
from .wire import ActorClaim, ListedSession, Scope, SessionChange, SessionList


class SessionListing:
    """Sessions, read page by page during iteration.

    ``for`` returns all of them; ``page`` returns one page with its counts.
    """

    def __init__(
        self, opener: SessionOpener, driver: Driver, query: dict[str, Any], signal: Signal
    ) -> None:
        self._opener = opener
        self._driver = driver
        self._query = query
        self._signal = signal

    def __iter__(self) -> Iteration[ListedSession]:
        flow = list_all(self._opener.config, self._opener.url, self._query)
        return Iteration(self._driver, flow, self._signal)

    def page(self, cursor: str | None = None) -> SessionList:
        """The first page, or the one at a ``nextCursor``; ``counts`` are of all sessions."""
        flow = page(self._opener.config, self._opener.url, self._query, cursor)
        return self._driver.run(flow, self._signal)


class OwnedSessions:
    """``baton.sessions``: needs an owner's key."""

    def __init__(self, opener: SessionOpener, driver: Driver) -> None:
        self._opener = opener
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
        """The owner's sessions, newest first. Sends no request until the iteration starts.

        ``label`` is ``name:value``, ``q`` finds words of title, label values and external id, and
        ``limit`` is the size of a page.
        """
        states = state if isinstance(state, str) else ",".join(state)
        query = without_none(
            state=states, waiting=waiting, label=label, externalId=external_id, q=q
        )
        query.update(without_none(waitingLongerThanMs=waiting_longer_than_ms, limit=limit))
        query.update(without_none(createdAfter=created_after, createdBefore=created_before))
        query.update(without_none(changedAfter=changed_after, changedBefore=changed_before))
        return SessionListing(self._opener, self._driver, query, signal)

    def changes(self, *, after: int = 0, signal: Signal = None) -> Iteration[SessionChange]:
        """Every change of the list after a number, then new changes live, without end.

        Use it in a ``with`` block, or end its wait with ``signal``.
        """
        flow = changes(self._opener.config, self._opener.url, after)
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
        body = without_none(
            scopes=None if scopes is None else list(scopes), actor=actor, ttlMs=ttl_ms
        )
        flow = self._opener.open_by_id(quoted(session_id), body, save_as or session_id)
        return Session(self._driver.run(flow, signal), self._driver)
