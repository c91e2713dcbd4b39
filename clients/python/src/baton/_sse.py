"""Parses server-sent events from a stream of bytes, however it is split."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerSentEvent:
    id: str | None
    event: str
    data: str


class SseParser:
    """Receives bytes and returns complete events; keeps an incomplete rest for the next call."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._remainder = ""
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def push(self, piece: bytes) -> list[ServerSentEvent]:
        text = self._remainder + self._decoder.decode(piece)
        # A carriage return at the very end may be the first half of a line end.
        half = "\r" if text.endswith("\r") else ""
        # Not splitlines, which also splits at characters that JSON does not escape.
        lines = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._remainder = lines.pop() + half
        found = [self._parse_line(line) for line in lines]
        return [event for event in found if event is not None]

    def _parse_line(self, line: str) -> ServerSentEvent | None:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        found = None
        if self._data:
            found = ServerSentEvent(self._id, self._event or "message", "\n".join(self._data))
        self._id, self._event, self._data = None, "", []
        return found
