"""The whole log on its way in, piece by piece: it may be larger than memory. Without I/O."""

from __future__ import annotations

from typing import cast

from ._effects import Emit, Flow, Lost, OpenStream, ReadStream, Reply, Request
from ._exchange import origin_of, parse_object
from ._line import Line
from .errors import TransportError, refusal_of
from .wire import Problem


def export(line: Line, files: bool) -> Flow[None]:
    """Emits the bytes as they come; raises where they end before their time."""
    url = f"{line.saved.url}/sessions/{line.ref}/export{'?files=true' if files else ''}"
    token = line.token
    reply = yield from _opened(url, token)
    problem = None if reply.status == 200 else parse_object(reply.content)
    if problem is not None and problem.get("code") == "token_superseded":
        # Another process that shares the store may have saved the next one.
        yield from line.catch_up()
        if line.token != token:
            reply = yield from _opened(url, line.token)
            problem = None if reply.status == 200 else parse_object(reply.content)
    if reply.status != 200:
        if problem is None or "code" not in problem:
            raise TransportError(f"Status {reply.status} from {origin_of(url)}.", 1, False)
        raise refusal_of(cast(Problem, problem))
    while True:
        piece: bytes | Lost | None = yield ReadStream()
        if isinstance(piece, Lost):
            raise TransportError(f"The export broke off: {piece.reason}", 1, False)
        if piece is None:
            return
        yield Emit(piece)


def _opened(url: str, token: str) -> Flow[Reply]:
    request = Request("GET", url, {"Authorization": f"Bearer {token}"})
    reply: Reply | Lost = yield OpenStream(request)
    if isinstance(reply, Lost):
        raise TransportError(f"No response from {origin_of(url)}: {reply.reason}", 1, False)
    return reply
