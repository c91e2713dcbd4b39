"""A session as a journal: entries that an adapter appends and folds into its state.

Contains only flows, so that the blocking and the asyncio client drive the same adapters. Every
process reads the entries of all processes, in the order of the log. An entry that is too large for
an event is stored as a blob, and the event has its hash.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from ._async_baton import AsyncBaton
from ._baton import Baton
from ._effects import Flow, Perform
from ._session_core import SessionCore
from ._token_line import to_json
from .errors import StoreError, WireError
from .results import Conflict
from .wire import Event

T = TypeVar("T")
Fold = TypeVar("Fold")

# Half of the limit of an event, and well below that of a request.
INLINE_BYTES = 128 * 1024
BATCH_BYTES = 768 * 1024
BATCH_EVENTS = 500
PAGE = 1_000
# State of a framework lives as long as it is used.
IDLE_TTL_MS = 90 * 24 * 60 * 60 * 1000
_ENDED = frozenset({"gone", "expired"})
_NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BLOB = "$blob"


@dataclass(frozen=True)
class Entry:
    """An entry of an adapter: its kind, and a JSON object."""

    kind: str
    value: dict[str, Any]
    # When the server stored it, in milliseconds since 1970. 0 before that.
    at: float = 0
    seq: int = 0


@dataclass
class Journal(Generic[Fold]):
    """One session, and the fold of its entries that were read."""

    name: str
    state: Fold
    core: SessionCore | None = None
    cursor: int = 0


class Journals(Generic[Fold]):
    """All journals of one adapter: one session per id, named ``namespace/id``."""

    def __init__(
        self,
        baton: Baton | AsyncBaton,
        namespace: str,
        kinds: Sequence[str],
        empty: Callable[[], Fold],
        fold: Callable[[Fold, Entry], None],
    ) -> None:
        if _NAMESPACE.fullmatch(namespace) is None:
            raise ValueError(
                "A namespace has 1 to 64 letters, digits, dots, dashes and underscores,"
                f" and begins with a letter or digit, unlike {namespace!r}."
            )
        self._baton = baton
        self._namespace = namespace
        self._kinds = tuple(kinds)
        self._empty = empty
        self._fold = fold
        # Held while a fold is read, because another thread may be changing it.
        self.lock = threading.RLock()
        self._open: dict[str, Journal[Fold]] = {}

    def run(self, flow: Flow[T]) -> T:
        """Blocks until the flow has ended."""
        if isinstance(self._baton, AsyncBaton):
            flow.close()
            raise TypeError(
                "An AsyncBaton cannot be used by a blocking call."
                " Give this adapter a Baton, or call its asynchronous methods."
            )
        return self._baton._driver.run(flow)

    async def arun(self, flow: Flow[T]) -> T:
        if isinstance(self._baton, AsyncBaton):
            return await self._baton._driver.run(flow)
        return await asyncio.to_thread(self._baton._driver.run, flow)

    def ids(self) -> Flow[list[str]]:
        """The ids of all journals that this store knows."""
        prefix = f"{self._namespace}/"
        names: list[str] = yield Perform(self._baton.store.list)
        return [name[len(prefix) :] for name in names if name.startswith(prefix)]

    def read(self, id: str) -> Flow[Fold | None]:
        """The current state of the journal; None if there is none."""
        journal = self._journal(id)
        if not (yield from self._attach(journal)):
            return None
        try:
            yield from self._catch_up(journal)
        except WireError as error:
            if error.code not in _ENDED:
                raise
            yield from self._forget(journal)
            return None
        return journal.state

    def append(
        self, id: str, entries: Sequence[Entry], *, expected_head: int | None = None
    ) -> Flow[bool]:
        """False if the log is no longer at ``expected_head``; then nothing was appended."""
        journal = self._journal(id)
        while True:
            if not (yield from self._attach(journal)):
                yield from self._create(journal)
            try:
                return (yield from self._append(journal, entries, expected_head))
            except WireError as error:
                # It ended or was deleted elsewhere: the id gets a new session.
                if error.code not in _ENDED or expected_head is not None:
                    raise
                yield from self._forget(journal)

    def delete(self, id: str) -> Flow[None]:
        """Deletes the session with everything in it."""
        journal = self._journal(id)
        if not (yield from self._attach(journal)):
            return
        try:
            yield from _core_of(journal).purge()
        except WireError as error:
            if error.code not in _ENDED:
                raise
        yield from self._forget(journal)

    def head(self, id: str) -> int:
        """The seq up to which the journal was read."""
        return self._journal(id).cursor

    def _journal(self, id: str) -> Journal[Fold]:
        name = f"{self._namespace}/{id}"
        return self._open.setdefault(name, Journal(name, self._empty()))

    def _attach(self, journal: Journal[Fold]) -> Flow[bool]:
        if journal.core is not None:
            return True
        try:
            journal.core = yield from self._baton._opener.attach(journal.name, None)
        except StoreError:
            return False
        return True

    def _create(self, journal: Journal[Fold]) -> Flow[None]:
        body = {
            "title": journal.name[:200],
            "actor": {"id": self._namespace},
            "idleTtlMs": IDLE_TTL_MS,
        }
        opener = self._baton._opener
        try:
            journal.core = yield from opener.create(body, journal.name)
        except StoreError:
            # Another process or thread was faster. Not resumed, so that its tokens stay valid.
            journal.core = yield from opener.attach(journal.name, None)

    def _forget(self, journal: Journal[Fold]) -> Flow[None]:
        if journal.core is not None:
            yield from journal.core.line.forget()
        journal.core, journal.cursor, journal.state = None, 0, self._empty()

    def _catch_up(self, journal: Journal[Fold]) -> Flow[None]:
        core = _core_of(journal)
        after = journal.cursor
        while True:
            page = yield from core.page(after, PAGE, self._kinds, None)
            read = []
            for event in page["events"]:
                read.append((yield from _unpack(core, event)))
            after = page["nextAfter"]
            self._fold_entries(journal, read, after)
            if not page["more"]:
                return

    def _fold_entries(self, journal: Journal[Fold], read: list[Entry], upto: int) -> None:
        # Concurrent reads of the same journal: each entry is folded once, by the first of them.
        with self.lock:
            for entry in read:
                if entry.seq > journal.cursor:
                    self._fold(journal.state, entry)
                    journal.cursor = entry.seq
            journal.cursor = max(journal.cursor, upto)

    def _append(
        self, journal: Journal[Fold], entries: Sequence[Entry], expected_head: int | None
    ) -> Flow[bool]:
        core = _core_of(journal)
        events = []
        for entry in entries:
            events.append((yield from _pack(core, entry)))
        for batch in _batches(events):
            body: dict[str, Any] = {"events": batch}
            if expected_head is None:
                yield from core.append(body)
                continue
            appended = yield from core.append_at({**body, "expectedHead": expected_head})
            if isinstance(appended, Conflict):
                return False
            expected_head = appended.last
        return True


def _core_of(journal: Journal[Any]) -> SessionCore:
    if journal.core is None:
        raise StoreError(f'"{journal.name}" is not open.')
    return journal.core


def _pack(core: SessionCore, entry: Entry) -> Flow[dict[str, Any]]:
    text = to_json(entry.value).encode()
    if len(text) <= INLINE_BYTES:
        return {"type": entry.kind, "payload": entry.value}
    sha256 = yield from core.put_blob(text)
    return {"type": entry.kind, "payload": {_BLOB: sha256, "size": len(text)}}


def _unpack(core: SessionCore, event: Event) -> Flow[Entry]:
    value: dict[str, Any] = event["payload"]
    if _BLOB in value:
        value = json.loads((yield from core.get_blob(value[_BLOB])))
    at = datetime.fromisoformat(event["at"].replace("Z", "+00:00")).timestamp() * 1000
    return Entry(event["type"], value, round(at), event["seq"])


def _batches(events: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Splits events by the limits of a request, in order, so that the last event stays last."""
    batch: list[dict[str, Any]] = []
    size = 0
    for event in events:
        length = len(to_json(event).encode())
        if batch and (size + length > BATCH_BYTES or len(batch) >= BATCH_EVENTS):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += length
    if batch:
        yield batch
