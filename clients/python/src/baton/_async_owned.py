"""The sessions of an owner, for whoever has a key of it."""

from __future__ import annotations

from collections.abc import Sequence

from ._async_driver import AsyncDriver
from ._async_session import AsyncSession, Signal
from ._beginnings import Beginnings
from ._exchange import accepted
from ._feed import query_of
from ._owned import ask
from ._session_core import given, quoted
from .wire import ActorClaim, Scope, SessionList


class AsyncOwnedSessions:
    """``baton.sessions``: needs an owner's key."""

    def __init__(self, begin: Beginnings, driver: AsyncDriver) -> None:
        self._begin = begin
        self._driver = driver

    async def list(
        self,
        *,
        state: Sequence[str] = (),
        waiting: str | None = None,
        label: str | None = None,
        external_id: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        signal: Signal = None,
    ) -> SessionList:
        """The owner's sessions, newest first, one page at a time: ``nextCursor`` leads to the next.

        ``label`` is ``name:value``; ``q`` finds words of title, label values and external id.
        """
        query = given(waiting=waiting, label=label, externalId=external_id, q=q)
        query.update(given(limit=limit, cursor=cursor, state=",".join(state)))
        url = f"{self._begin.url}/sessions{query_of(query)}"
        answer = await self._driver.run(ask(self._begin.means, "GET", url), signal)
        page: SessionList = accepted(answer).body
        return page

    async def open(
        self,
        session_id: str,
        *,
        scopes: Sequence[Scope] | None = None,
        actor: ActorClaim | None = None,
        ttl_ms: int | None = None,
        save_as: str | None = None,
        signal: Signal = None,
    ) -> AsyncSession:
        """Opens a session of the owner by its id, as a new participant, and saves its token."""
        body = given(scopes=None if scopes is None else list(scopes), actor=actor, ttlMs=ttl_ms)
        flow = self._begin.open_by_id(quoted(session_id), body, save_as or session_id)
        return AsyncSession(await self._driver.run(flow, signal), self._driver)
