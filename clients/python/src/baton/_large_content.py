"""What is too large for an event: kept in parts under their hashes, and joined again on reading.

The event carries ``{"$blob": {"size", "parts"}}`` instead of its payload: the SHA-256 of each part,
in their order. The TypeScript SDK does the same, so that either reads what the other kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ._effects import Flow
from ._line import FILE_TIME_MS, Line, to_json
from .errors import StoreError, WireError
from .wire import Event

_MARK = "$blob"
_HASH = re.compile(r"[0-9a-f]{64}")
# Small enough to be sent again after a broken connection, and large enough to be few.
PART_BYTES = 8 * 1024 * 1024
# A payload above this is kept apart; the server takes up to 256 KiB.
EVENT_BYTES = 192 * 1024
# All payloads of one append; the server takes a body of up to 1 MiB.
APPEND_BYTES = 768 * 1024
# Where an append is too large altogether, payloads above this are kept apart.
SMALL_BYTES = 2 * 1024
# The server takes bodies nested up to 32 deep, the payload's place in it included.
DEPTH = 24


def pack_events(line: Line, events: Sequence[Mapping[str, Any]]) -> Flow[list[Mapping[str, Any]]]:
    """Events as they are sent: what is too large or too deep of them is kept apart first."""
    texts = [to_json(one["payload"]).encode() if "payload" in one else b"" for one in events]
    limit = SMALL_BYTES if sum(map(len, texts)) > APPEND_BYTES else EVENT_BYTES
    packed: list[Mapping[str, Any]] = []
    for event, text in zip(events, texts, strict=True):
        payload = event.get("payload")
        is_marked = isinstance(payload, Mapping) and _MARK in payload
        if text and (is_marked or len(text) > limit or _is_deeper(payload, DEPTH)):
            parts = yield from _keep(line, text)
            packed.append({**event, "payload": {_MARK: {"size": len(text), "parts": parts}}})
        else:
            packed.append(event)
    return packed


def _keep(line: Line, content: bytes) -> Flow[list[str]]:
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
            raise StoreError("The received content does not match its hash.")
        pieces.append(piece)
    text = b"".join(pieces)
    if len(text) != size:
        raise StoreError(f"The content has {len(text)} bytes instead of {size}.")
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
