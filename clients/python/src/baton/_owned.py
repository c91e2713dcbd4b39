"""What an owner's key opens, without I/O: sessions, listed, and opened by either name."""

from __future__ import annotations

from typing import Any

from ._effects import Emit, Flow, Request
from ._exchange import Means, accepted, exchange
from ._feed import query_of
from ._line import headers_for, to_json
from .errors import StoreError, WireError
from .results import Answer
from .wire import SessionChanges, SessionList

# How long a question for changes waits on the server: below what proxies cut.
WAIT_MS = 25_000
# What is saved opens nothing any more: its rights ended, or the session itself is over.
_SHUT = frozenset({"token_invalid", "expired", "gone"})
_NONE = frozenset({"not_found", "expired", "gone"})


def ask(
    means: Means,
    method: str,
    url: str,
    body: Any = None,
    extra_ms: float = 0,
    outage_ms: float | None = None,
) -> Flow[Answer]:
    """A request with the owner's key as bearer."""
    if means.key is None:
        raise StoreError("This needs an owner's key: give `key`, or set BATON_KEY.")
    sent = None if body is None else to_json(body).encode()
    request = Request(method, url, headers_for(means.key, sent is not None), sent)
    answer = yield from exchange(
        means, request, is_pending=False, extra_ms=extra_ms, outage_ms=outage_ms
    )
    return answer


def page(means: Means, url: str, query: dict[str, Any], cursor: str | None) -> Flow[SessionList]:
    """One page of the owner's sessions."""
    asked = f"{url}/sessions{query_of({**query, 'cursor': cursor})}"
    found: SessionList = accepted((yield from ask(means, "GET", asked))).body
    return found


def every(means: Means, url: str, query: dict[str, Any]) -> Flow[None]:
    """Emits the owner's sessions, page after page."""
    cursor = None
    while True:
        found = yield from page(means, url, query, cursor)
        for session in found["sessions"]:
            yield Emit(session)
        cursor = found["nextCursor"]
        if cursor is None:
            return


def changes(means: Means, url: str, after: int) -> Flow[None]:
    """Emits each change of the list after a number, without end."""
    while True:
        asked = f"{url}/sessions/changes{query_of({'after': after, 'waitMs': WAIT_MS})}"
        asking = ask(means, "GET", asked, extra_ms=WAIT_MS, outage_ms=means.retry.outage_ms)
        answer = accepted((yield from asking))
        found: SessionChanges = answer.body
        for change in found["changes"]:
            yield Emit(change)
        after = found["nextAfter"]


def is_shut(error: WireError) -> bool:
    return error.code in _SHUT


def is_none(answer: Answer) -> bool:
    """There is no living session of this name."""
    return not answer.is_ok and answer.body["code"] in _NONE
