"""A ``Session`` of the OpenAI Agents SDK: a conversation that is stored in Baton.

Needs ``baton-client[openai-agents]``. Each change is one entry of the session's log, so that
several processes can use the same conversation. See docs/guides/python-adapters.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._async_baton import AsyncBaton
from ._baton import Baton
from ._effects import Flow
from ._journal import Entry, Journals

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory.session_settings import SessionSettings

ADDED = "openai.added"
POPPED = "openai.popped"
CLEARED = "openai.cleared"


@dataclass
class _History:
    items: list[Any] = field(default_factory=list)


class BatonSession:
    """Stores one conversation. Pass a ``Baton`` or an ``AsyncBaton``.

    >>> from baton import Baton
    >>> session = BatonSession("chat-7", baton=Baton.connect(url))
    >>> import asyncio
    >>> asyncio.run(session.get_items())
    []
    """

    session_settings: SessionSettings | None = None

    def __init__(
        self,
        session_id: str,
        *,
        baton: Baton | AsyncBaton,
        namespace: str = "openai-agents",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._histories = Journals(baton, namespace, (ADDED, POPPED, CLEARED), _History, _fold)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """All items, or the last ``limit`` of them, oldest first."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = await self._histories.arun(self._items())
        return items if limit is None else items[max(0, len(items) - limit) :]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        if items:
            entries = [Entry(ADDED, {"item": item}) for item in items]
            await self._histories.arun(self._histories.append(self.session_id, entries))

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes the newest item and returns it; concurrent calls get different items."""
        return await self._histories.arun(self._pop())

    async def clear_session(self) -> None:
        await self._histories.arun(self._clear())

    def _items(self) -> Flow[list[Any]]:
        history = yield from self._histories.read(self.session_id)
        if history is None:
            return []
        with self._histories.lock:
            return list(history.items)

    def _pop(self) -> Flow[Any]:
        while True:
            items = yield from self._items()
            if not items:
                return None
            head = self._histories.head(self.session_id)
            entry = Entry(POPPED, {})
            if (yield from self._histories.append(self.session_id, [entry], expected_head=head)):
                return items[-1]

    def _clear(self) -> Flow[None]:
        if (yield from self._items()):
            yield from self._histories.append(self.session_id, [Entry(CLEARED, {})])


def _fold(history: _History, entry: Entry) -> None:
    match entry.kind:
        case "openai.added":
            history.items.append(entry.value["item"])
        case "openai.popped":
            if history.items:
                history.items.pop()
        case "openai.cleared":
            history.items.clear()


__all__ = ["BatonSession"]
