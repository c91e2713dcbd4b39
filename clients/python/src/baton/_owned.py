"""What an owner's key opens, without I/O: sessions, listed, and opened by either name."""

from __future__ import annotations

import json
from typing import Any

from ._effects import Flow, Request
from ._exchange import Means, exchange
from ._line import headers_for
from .errors import StoreError, WireError
from .results import Answer

# What is saved opens nothing any more: its rights ended, or the session itself is over.
_SHUT = frozenset({"token_invalid", "expired", "gone"})
_NONE = frozenset({"not_found", "expired", "gone"})


def ask(means: Means, method: str, url: str, body: Any = None) -> Flow[Answer]:
    """A request with the owner's key as bearer."""
    if means.key is None:
        raise StoreError("This needs an owner's key: give `key`, or set BATON_KEY.")
    sent = None if body is None else json.dumps(body).encode()
    request = Request(method, url, headers_for(means.key, sent is not None), sent)
    answer = yield from exchange(means, request, is_pending=False)
    return answer


def is_shut(error: WireError) -> bool:
    return error.code in _SHUT


def is_none(answer: Answer) -> bool:
    """There is no living session of this name."""
    return not answer.is_ok and answer.body["code"] in _NONE
