"""Content that is too large for an event: stored in parts, and joined again on reading.

The event has ``{"$blob": {"size", "parts"}}`` instead of its payload: the SHA-256 of each part, in
order. The TypeScript SDK does the same, so that each can read the other's content.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ._effects import Flow
from ._token_line import FILE_TIMEOUT_MS, TokenLine, to_json
from .errors import StoreError, WireError
from .wire import Event

_CONTENT_MEMBER = "$blob"
_HASH = re.compile(r"[0-9a-f]{64}")
# Small enough to be resent after a broken connection, large enough to need few requests.
PART_BYTES = 8 * 1024 * 1024
# A larger payload is stored separately; the server accepts up to 256 KiB.
MAX_EVENT_BYTES = 192 * 1024
# All payloads of one append; the server accepts a body of up to 1 MiB.
MAX_APPEND_BYTES = 768 * 1024
# If an append is too large as a whole, payloads above this size are stored separately.
MAX_SMALL_BYTES = 2 * 1024
# The server accepts bodies nested up to 32 levels, including the levels around the payload.
MAX_DEPTH = 24


def pack_events(
    line: TokenLine, events: Sequence[Mapping[str, Any]]
) -> Flow[list[Mapping[str, Any]]]:
    """Prepares events for sending: payloads that are too large or too deep are stored first."""
    texts = [to_json(one["payload"]).encode() if "payload" in one else b"" for one in events]
    limit = MAX_SMALL_BYTES if sum(map(len, texts)) > MAX_APPEND_BYTES else MAX_EVENT_BYTES
    packed: list[Mapping[str, Any]] = []
    for event, text in zip(events, texts, strict=True):
        payload = event.get("payload")
        is_marked = isinstance(payload, Mapping) and _CONTENT_MEMBER in payload
        if text and (is_marked or len(text) > limit or _is_deeper(payload, MAX_DEPTH)):
            parts = yield from _store_content(line, text)
            packed.append(
                {**event, "payload": {_CONTENT_MEMBER: {"size": len(text), "parts": parts}}}
            )
        else:
            packed.append(event)
    return packed


def _store_content(line: TokenLine, content: bytes) -> Flow[list[str]]:
    parts: list[str] = []
    for at in range(0, len(content), PART_BYTES):
        part = content[at : at + PART_BYTES]
        sha256 = hashlib.sha256(part).hexdigest()
        if sha256 not in parts:
            yield from line.send_file(f"/blobs/{sha256}", part, "application/octet-stream")
        parts.append(sha256)
    return parts


def _is_deeper(value: Any, depth: int) -> bool:
    inner = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, str) or not isinstance(value, (Mapping, list, tuple)):
        return False
    return depth == 0 or any(_is_deeper(one, depth - 1) for one in inner)


def unpack_events(line: TokenLine, events: list[Event]) -> Flow[list[Event]]:
    """The events as they were appended."""
    whole: list[Event] = []
    for event in events:
        whole.append((yield from unpack_event(line, event)))
    return whole


def unpack_event(line: TokenLine, event: Event) -> Flow[Event]:
    """The event as it was appended; unchanged if its content no longer exists."""
    content = _content_in(event["payload"])
    if content is None:
        return event
    size, parts = content
    pieces: list[bytes] = []
    for part in parts:
        try:
            answer = yield from line.read(f"/blobs/{part}", extra_ms=FILE_TIMEOUT_MS, raw=True)
        except WireError as error:
            if error.code == "not_found":
                return event
            raise
        piece: bytes = answer.body
        if hashlib.sha256(piece).hexdigest() != part:
            raise StoreError("The received content does not match its hash.")
        pieces.append(piece)
    text = b"".join(pieces)
    if len(text) != size:
        raise StoreError(f"The content has {len(text)} bytes instead of {size}.")
    return cast(Event, {**event, "payload": json.loads(text)})


def _content_in(payload: Any) -> tuple[int, list[str]] | None:
    content = (
        payload.get(_CONTENT_MEMBER) if isinstance(payload, dict) and len(payload) == 1 else None
    )
    if not isinstance(content, dict) or not isinstance(content.get("size"), int):
        return None
    parts = content.get("parts")
    if not isinstance(parts, list):
        return None
    is_named = all(isinstance(part, str) and _HASH.fullmatch(part) for part in parts)
    return (content["size"], parts) if is_named else None
