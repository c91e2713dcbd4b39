"""Follows the log as one gapless iteration over many connections.

Each event is emitted once, in order; events that a broken connection repeated are recognized by
their seq.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from ._effects import Emit, Flow, Lost, OpenStream, Perform, ReadStream, Reply, Request, Sleep
from ._large_content import unpack_event
from ._sse import ServerSentEvent, SseParser
from ._token_line import TokenLine
from ._transport import RETRYABLE_CODES, backoff_ms, parse_object
from .errors import TransportError, error_from_problem
from .wire import Problem

# Longer than three keep-alives of the server: after this the connection is dead even if it was not
# closed.
SILENCE_MS = 50_000


def follow(
    line: TokenLine,
    after: int | None,
    types: Sequence[str],
    until_replayed: bool,
    on_replayed: Callable[[int], Any] | None,
    outage_ms: float | None = None,
) -> Flow[None]:
    """Emits every event after `after`, across broken connections, until the session ends."""
    retry, failures, is_announced = line.config.retry, 0, False
    outage_limit_ms = retry.outage_ms if outage_ms is None else outage_ms
    failed_at: float | None = None
    while True:
        token = line.token
        wait_ms: float | None = None
        request = _request(line, token, after, types)
        reply: Reply | Lost = yield OpenStream(request)
        if isinstance(reply, Reply) and reply.status == 204:
            return
        if isinstance(reply, Reply) and reply.status != 200:
            problem = parse_object(reply.content)
            if problem is not None and isinstance(problem.get("code"), str):
                wait_ms = yield from _handle_refusal(line, token, cast(Problem, problem))
        elif isinstance(reply, Reply):
            parser = SseParser()
            has_ended = False
            while not has_ended:
                piece: bytes | Lost | None = yield ReadStream()
                if not isinstance(piece, bytes):
                    break
                for found in parser.push(piece):
                    if found.event == "end":
                        reason = json.loads(found.data)["reason"]
                        if reason == "ended":
                            return
                        end_problem = _problem_of_end(reason, line.saved.session_id)
                        wait_ms = yield from _handle_refusal(line, token, end_problem)
                        has_ended = True
                        break
                    failures, failed_at = 0, None
                    if found.event == "replay.done":
                        head = int(found.id or 0)
                        after = max(after or 0, head)
                        if not is_announced and on_replayed is not None:
                            yield Perform(on_replayed, (head,))
                        is_announced = True
                        if until_replayed:
                            return
                    else:
                        seq = _seq_of(found)
                        if seq > (after or 0):
                            after = seq
                            event = yield from unpack_event(line, json.loads(found.data))
                            yield Emit(event)
        failures += 1
        failed_at = line.config.now() if failed_at is None else failed_at
        if until_replayed:
            is_too_long = failures >= retry.attempts
        else:
            is_too_long = line.config.now() - failed_at >= outage_limit_ms
        if is_too_long:
            raise TransportError("The event stream cannot be reached.", failures, False)
        backoff = backoff_ms(retry, failures, line.config.random())
        yield Sleep(backoff if wait_ms is None else wait_ms)


def _request(line: TokenLine, token: str, after: int | None, types: Sequence[str]) -> Request:
    query = query_of({"after": after, "type": ",".join(types)})
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {token}"}
    if after is not None:
        # Marks this as a reconnection, to which the server may answer that the session has ended.
        headers["Last-Event-ID"] = str(after)
    return Request("GET", f"{line.saved.url}/sessions/{line.ref}/events{query}", headers)


def query_of(values: dict[str, Any]) -> str:
    """A query string of the values that are set; empty if none is."""
    present = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in values.items()
        if value not in (None, "")
    }
    return f"?{urlencode(present)}" if present else ""


def _seq_of(found: ServerSentEvent) -> int:
    return int(found.id) if found.id is not None else int(json.loads(found.data)["seq"])


def _handle_refusal(line: TokenLine, token: str, problem: Problem) -> Flow[float | None]:
    """How long to wait before reconnecting (None:

    the usual backoff). Raises if that cannot help.
    """
    if problem["code"] in RETRYABLE_CODES:
        return problem.get("retryAfterMs")
    if problem["code"] == "token_superseded":
        # This participant resumed, here or in another process that shares the store. Continue with
        # its token, which may still be on its way.
        yield from line.catch_up()
        if line.token != token:
            return 0
    raise error_from_problem(problem)


_END_PROBLEMS = {
    "superseded": ("token_superseded", 409, "The participant resumed elsewhere"),
    "revoked": ("token_invalid", 403, "The participant was revoked"),
    "expired": ("expired", 410, "The session or this access expired"),
    "gone": ("gone", 410, "The session was deleted permanently"),
}


def _problem_of_end(reason: str, session_id: str | None) -> Problem:
    code, status, title = _END_PROBLEMS.get(reason, ("internal", 500, "The stream ended"))
    problem: dict[str, Any] = {
        "type": f"/docs/errors#{code}",
        "title": title,
        "status": status,
        "detail": "The server ended the event stream.",
        "code": code,
        "retryable": code == "internal",
        "nextActions": [],
    }
    if session_id is not None:
        problem["sessionId"] = session_id
    return cast(Problem, problem)
