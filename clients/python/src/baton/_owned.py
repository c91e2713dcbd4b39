"""Requests with an owner's key, without I/O: lists sessions and opens them."""

from __future__ import annotations

from typing import Any

from ._effects import Emit, Flow, Request
from ._feed import query_of
from ._token_line import headers_for, to_json
from ._transport import ClientConfig, require_success, send_with_retry
from .errors import StoreError, WireError
from .results import Answer
from .wire import SessionChanges, SessionList

# How long a request for changes waits on the server: below the timeouts of proxies.
WAIT_MS = 25_000
# The saved token no longer works: the access ended, or the session itself.
_ACCESS_LOST = frozenset({"token_invalid", "expired", "gone"})
_NOT_FOUND = frozenset({"not_found", "expired", "gone"})


def request_with_key(
    config: ClientConfig,
    method: str,
    url: str,
    body: Any = None,
    extra_ms: float = 0,
    outage_ms: float | None = None,
) -> Flow[Answer]:
    """A request with the owner's key as bearer."""
    if config.key is None:
        raise StoreError("This needs an owner's key: give `key`, or set BATON_KEY.")
    sent = None if body is None else to_json(body).encode()
    request = Request(method, url, headers_for(config.key, sent is not None), sent)
    answer = yield from send_with_retry(
        config, request, is_pending=False, extra_ms=extra_ms, outage_ms=outage_ms
    )
    return answer


def page(
    config: ClientConfig, url: str, query: dict[str, Any], cursor: str | None
) -> Flow[SessionList]:
    """One page of the owner's sessions."""
    address = f"{url}/sessions{query_of({**query, 'cursor': cursor})}"
    found: SessionList = require_success((yield from request_with_key(config, "GET", address))).body
    return found


def list_all(config: ClientConfig, url: str, query: dict[str, Any]) -> Flow[None]:
    """Emits the owner's sessions, page by page."""
    cursor = None
    while True:
        found = yield from page(config, url, query, cursor)
        for session in found["sessions"]:
            yield Emit(session)
        cursor = found["nextCursor"]
        if cursor is None:
            return


def changes(config: ClientConfig, url: str, after: int) -> Flow[None]:
    """Emits each change of the list after a number, without end."""
    while True:
        address = f"{url}/sessions/changes{query_of({'after': after, 'waitMs': WAIT_MS})}"
        response_flow = request_with_key(
            config, "GET", address, extra_ms=WAIT_MS, outage_ms=config.retry.outage_ms
        )
        answer = require_success((yield from response_flow))
        found: SessionChanges = answer.body
        for change in found["changes"]:
            yield Emit(change)
        after = found["nextAfter"]


def is_access_lost(error: WireError) -> bool:
    return error.code in _ACCESS_LOST


def is_not_found(answer: Answer) -> bool:
    """There is no open session of this id."""
    return not answer.is_ok and answer.body["code"] in _NOT_FOUND
