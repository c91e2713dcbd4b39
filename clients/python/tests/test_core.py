"""The core without I/O: the effects it yields, and how it handles each response."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from baton import RetryOptions, TransportError, WireError
from baton._effects import (
    Effect,
    Emit,
    Flow,
    Lost,
    ReadStream,
    Reply,
    Request,
    Send,
    Sleep,
)
from baton._feed import follow
from baton._owned import request_with_key
from baton._session_core import SessionCore
from baton._sse import SseParser
from baton._token_line import TokenLine, WriteRequest, to_json
from baton._transport import ClientConfig, backoff_ms, send_with_retry
from baton.stores import SavedSession

CONFIG = ClientConfig(
    RetryOptions(base_ms=100, max_ms=1_000, jitter=0, attempts=4), lambda: 0, lambda: 0.5
)
REQUEST = Request("GET", "http://x.test/sessions/rtok_secret", {})


def drive(flow: Flow[Any], answers: list[Any]) -> tuple[list[Effect], Any]:
    """Sends these responses to the flow; every other effect gets None."""
    asked: list[Effect] = []
    value: Any = None
    try:
        while True:
            effect = flow.send(value)
            asked.append(effect)
            value = answers.pop(0) if isinstance(effect, Send) else None
    except StopIteration as end:
        return asked, end.value


def reply(status: int, body: object, **headers: str) -> Reply:
    return Reply(status, headers, json.dumps(body).encode())


LATER = {"code": "rate_limited", "title": "t", "detail": "d", "status": 429, "retryAfterMs": 700}


def test_a_lost_answer_is_followed_by_the_identical_request_after_a_doubled_wait() -> None:
    cut = Reply(200, {}, b'{"session": {')
    answers = [Lost("reset"), cut, reply(200, {"a": 1})]
    asked, answer = drive(send_with_retry(CONFIG, REQUEST, is_pending=True), answers)
    assert [one for one in asked if isinstance(one, Sleep)] == [Sleep(100), Sleep(200)]
    assert all(one.request is REQUEST for one in asked if isinstance(one, Send))
    assert (answer.body, answer.attempts) == ({"a": 1}, 3)


def test_the_server_says_how_long_to_wait_and_so_may_a_proxy_between() -> None:
    proxy = Reply(503, {"retry-after": "3"}, b"<html>")
    asked, _ = drive(
        send_with_retry(CONFIG, REQUEST, is_pending=True),
        [reply(429, LATER), proxy, reply(200, {})],
    )
    assert [one for one in asked if isinstance(one, Sleep)] == [Sleep(700), Sleep(3_000)]


def test_attempts_run_out_as_an_error_that_shows_no_token() -> None:
    with pytest.raises(TransportError) as failed:
        drive(send_with_retry(CONFIG, REQUEST, is_pending=True), [Lost("reset")] * 4)
    assert (failed.value.attempts, failed.value.is_pending) == (4, True)
    assert "rtok_" not in str(failed.value)
    _, answer = drive(send_with_retry(CONFIG, REQUEST, is_pending=True), [reply(429, LATER)] * 4)
    assert not answer.is_ok


def test_a_server_that_cannot_be_reached_at_all_is_told_soon() -> None:
    clock = [0.0]
    config = ClientConfig(RetryOptions(jitter=0), lambda: clock[0], lambda: 0.5)

    def attempts_of(outcomes: list[Lost]) -> int:
        clock[0] = 0.0
        flow = send_with_retry(config, REQUEST, is_pending=True)
        effect = next(flow)
        try:
            while True:
                if isinstance(effect, Sleep):
                    clock[0] += effect.ms
                    effect = next(flow)
                else:
                    effect = flow.send(outcomes.pop(0))
        except TransportError as failed:
            return failed.attempts

    unreached = Lost("refused", is_connection_error=True)
    assert attempts_of([unreached] * 8) == 5
    assert clock[0] <= 5_000
    # Once something may have arrived, all attempts are used.
    assert attempts_of([Lost("reset"), *[unreached] * 7]) == 8


def test_a_redirect_is_not_followed_and_not_believed() -> None:
    moved = Reply(302, {"location": "http://elsewhere.test"}, b"")
    with pytest.raises(TransportError):
        drive(send_with_retry(CONFIG, REQUEST, is_pending=False), [moved] * 4)


@pytest.mark.parametrize(
    ("attempt", "random_value", "wait"),
    [(1, 0.5, 250), (2, 0.5, 500), (9, 0.5, 10_000), (1, 0.0, 225)],
)
def test_backoff_doubles_up_to_its_maximum(attempt: int, random_value: float, wait: int) -> None:
    assert backoff_ms(RetryOptions(), attempt, random_value) == wait


def test_a_write_is_saved_with_its_token_and_key_before_it_is_sent() -> None:
    line = TokenLine("work", SavedSession("http://x.test", "ses_1", "rtok_1"), CONFIG)
    session = {"id": "ses_1", "title": None, "state": "draft"}
    answer = reply(200, {"session": session, "resumeToken": "rtok_2"})
    asked, _ = drive(line.write(WriteRequest("setFields", "PATCH", "", {"fields": {}})), [answer])

    kinds = [type(one).__name__ for one in asked]
    assert kinds == ["Acquire", "Load", "Save", "Send", "Save", "Release"]
    before, sent, after = asked[2], asked[3], asked[4]
    assert isinstance(sent, Send)
    pending = before.saved.pending  # type: ignore[union-attr]
    assert pending is not None
    assert sent.request.headers["Idempotency-Key"] == pending.key
    assert sent.request.headers["Authorization"] == "Bearer rtok_1"
    assert (after.saved.pending, after.saved.token) == (None, "rtok_2")  # type: ignore[union-attr]


def test_a_write_that_stays_unanswered_stays_saved_and_lets_go() -> None:
    line = TokenLine("work", SavedSession("http://x.test", "ses_1", "rtok_1"), CONFIG)
    with pytest.raises(WireError):
        drive(line.write(WriteRequest("submit", "POST", "/submit", {})), [reply(429, LATER)] * 4)
    assert line.saved.pending is not None and line.saved.pending.operation == "submit"


@pytest.mark.parametrize("wrong", [{"a": float("nan")}, {"a": b"bytes"}, {"a": "\ud800"}])
def test_what_is_not_json_is_refused_before_anything_is_saved(wrong: Any) -> None:
    with pytest.raises(TypeError, match="cannot be sent as JSON"):
        to_json(wrong)
    with pytest.raises(TypeError, match="cannot be sent as JSON"):
        next(
            request_with_key(replace(CONFIG, key="bkey"), "PUT", "http://x.test/templates/t", wrong)
        )


def test_server_sent_events_are_whole_however_the_stream_is_cut() -> None:
    text = 'id: 7\r\nevent: a.b\r\ndata: {"x": "ü\u2028"}\r\n\r\n: hi\n\ndata: 1\ndata: 2\n\n'
    whole = SseParser().push(text.encode())
    for size in (1, 2, 3, 7):
        parser, pieces = SseParser(), text.encode()
        cut = [pieces[at : at + size] for at in range(0, len(pieces), size)]
        assert [event for piece in cut for event in parser.push(piece)] == whole
    assert [(event.id, event.event) for event in whole] == [("7", "a.b"), (None, "message")]
    assert whole[1].data == "1\n2"


def follow_over(outage_ms: float, retry: RetryOptions, given_ms: float | None = None) -> Any:
    """The first event of a server that is gone for this long, or the error; and when."""
    clock = [0.0]
    config = ClientConfig(retry, lambda: clock[0], lambda: 0.5)
    line = TokenLine("work", SavedSession("http://x.test", "ses_1", "rtok_1"), config)
    flow = follow(line, 2, (), False, None, given_ms)
    effect = next(flow)
    try:
        while not isinstance(effect, Emit):
            if isinstance(effect, Sleep):
                clock[0] += effect.ms
                effect = next(flow)
            elif isinstance(effect, ReadStream):
                effect = flow.send(b'id: 3\ndata: {"seq": 3, "payload": {}}\n\n')
            else:
                is_gone = clock[0] < outage_ms
                effect = flow.send(Lost("refused", True) if is_gone else Reply(200, {}, b""))
    except TransportError as failed:
        return failed, clock[0]
    return effect.item, clock[0]


MINUTE_MS = 60_000


def test_a_follower_goes_on_for_15_minutes_without_a_connection_and_no_longer() -> None:
    event, _ = follow_over(14 * MINUTE_MS, RetryOptions())
    assert event["seq"] == 3
    failed, elapsed_ms = follow_over(16 * MINUTE_MS, RetryOptions())
    assert isinstance(failed, TransportError)
    assert 15 * MINUTE_MS <= elapsed_ms < 15.5 * MINUTE_MS


def test_a_follower_goes_on_for_as_long_as_the_call_or_else_the_client_says() -> None:
    day_ms = 24 * 60 * MINUTE_MS
    event, elapsed_ms = follow_over(day_ms, RetryOptions(outage_ms=math.inf))
    assert event["seq"] == 3 and elapsed_ms >= day_ms
    failed, elapsed_ms = follow_over(day_ms, RetryOptions(outage_ms=math.inf), MINUTE_MS)
    assert isinstance(failed, TransportError) and elapsed_ms < 1.5 * MINUTE_MS


def test_a_wait_ends_with_its_time_also_while_nobody_answers() -> None:
    clock = [0.0]
    config = ClientConfig(RetryOptions(), lambda: clock[0], lambda: 0.5)
    core = SessionCore(TokenLine("work", SavedSession("http://x.test", "ses_1", "rtok_1"), config))
    flow = core.wait_for(["work.step"], None, 2, 10 * MINUTE_MS)
    effect: Any = next(flow)
    with pytest.raises(StopIteration) as ended:
        while True:
            if isinstance(effect, Sleep):
                clock[0] += effect.ms
                effect = next(flow)
            else:
                effect = flow.send(Lost("refused", True))
    assert ended.value.value is None
    assert 10 * MINUTE_MS <= clock[0] < 10.5 * MINUTE_MS
