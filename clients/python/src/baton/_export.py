"""The whole log in chunks, because it may be larger than memory. Without I/O."""

from __future__ import annotations

from typing import cast

from ._effects import Emit, Flow, Lost, OpenStream, ReadStream, Reply, Request
from ._token_line import TokenLine
from ._transport import origin_of, parse_object
from .errors import TransportError, error_from_problem
from .wire import Problem


def export(line: TokenLine, files: bool) -> Flow[None]:
    """Emits the bytes as they arrive; raises if they end early."""
    url = f"{line.saved.url}/sessions/{line.ref}/export{'?files=true' if files else ''}"
    token = line.token
    reply = yield from _open_export(url, token)
    problem = None if reply.status == 200 else parse_object(reply.content)
    if problem is not None and problem.get("code") == "token_superseded":
        # Another process that shares the store may have saved the next token.
        yield from line.catch_up()
        if line.token != token:
            reply = yield from _open_export(url, line.token)
            problem = None if reply.status == 200 else parse_object(reply.content)
    if reply.status != 200:
        if problem is None or "code" not in problem:
            raise TransportError(f"Status {reply.status} from {origin_of(url)}.", 1, False)
        raise error_from_problem(cast(Problem, problem))
    while True:
        piece: bytes | Lost | None = yield ReadStream()
        if isinstance(piece, Lost):
            raise TransportError(f"The export broke off: {piece.reason}", 1, False)
        if piece is None:
            return
        yield Emit(piece)


def _open_export(url: str, token: str) -> Flow[Reply]:
    request = Request("GET", url, {"Authorization": f"Bearer {token}"})
    reply: Reply | Lost = yield OpenStream(request)
    if isinstance(reply, Lost):
        raise TransportError(f"No response from {origin_of(url)}: {reply.reason}", 1, False)
    return reply
