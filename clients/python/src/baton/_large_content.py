"""What the TypeScript SDK keeps apart as too large for an event, joined again on reading.

Its events carry ``{"$blob": {"size", "parts"}}`` instead of their payload: the SHA-256 of each
part, in their order.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, cast

from ._effects import Flow
from ._line import FILE_TIME_MS, Line
from .errors import StoreError, WireError
from .wire import Event

_MARK = "$blob"
_HASH = re.compile(r"[0-9a-f]{64}")


def unpack_events(line: Line, events: list[Event]) -> Flow[list[Event]]:
    """The events as they were appended."""
    whole: list[Event] = []
    for event in events:
        whole.append((yield from unpack_event(line, event)))
    return whole


def unpack_event(line: Line, event: Event) -> Flow[Event]:
    """The event as it was appended; as it is where its content cannot be had any more."""
    content = _content_in(event["payload"])
    if content is None:
        return event
    size, parts = content
    pieces: list[bytes] = []
    for part in parts:
        try:
            answer = yield from line.read(f"/blobs/{part}", extra_ms=FILE_TIME_MS, raw=True)
        except WireError as error:
            if error.code == "not_found":
                return event
            raise
        piece: bytes = answer.body
        if hashlib.sha256(piece).hexdigest() != part:
            raise StoreError("A blob came back with other content than its hash names.")
        pieces.append(piece)
    text = b"".join(pieces)
    if len(text) != size:
        raise StoreError(f"The content has {len(text)} bytes and not {size}.")
    return cast(Event, {**event, "payload": json.loads(text)})


def _content_in(payload: Any) -> tuple[int, list[str]] | None:
    content = payload.get(_MARK) if isinstance(payload, dict) and len(payload) == 1 else None
    if not isinstance(content, dict) or not isinstance(content.get("size"), int):
        return None
    parts = content.get("parts")
    if not isinstance(parts, list):
        return None
    is_named = all(isinstance(part, str) and _HASH.fullmatch(part) for part in parts)
    return (content["size"], parts) if is_named else None
