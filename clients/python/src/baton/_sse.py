"""Server-sent events out of a stream of bytes, however it is cut into pieces."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerSentEvent:
    id: str | None
    event: str
    data: str


class SseParser:
    """Feed it bytes; it gives the events that are whole, and keeps what is cut for the next."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def push(self, piece: bytes) -> list[ServerSentEvent]:
        text = self._rest + self._decoder.decode(piece)
        # A carriage return at the very end may be half of a line's end.
        half = "\r" if text.endswith("\r") else ""
        # Not splitlines, which breaks at characters that JSON leaves as they are.
        lines = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop() + half
        found = [self._take(line) for line in lines]
        return [event for event in found if event is not None]

    def _take(self, line: str) -> ServerSentEvent | None:
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
