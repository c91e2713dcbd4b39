"""Writes that lose against other writers, with a clock that only the test moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from baton import Aborted, AbortSignal, Baton, Conflict, MemoryTokenStore, Session
from baton.stores import SavedSession


class FakeClock:
    def __init__(self) -> None:
        self.at = 1_000_000.0

    def now(self) -> float:
        return self.at

    def sleep(self, ms: float, signal: AbortSignal | None) -> None:
        self.at += ms


class Others:
    """Writes ``theirs`` first, this many times."""

    def __init__(self, losses: float) -> None:
        self.losses = losses
        self.version = 1
        self.sent = 0
        self.on_sent: Callable[[], None] = lambda: None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"session": self.view({"theirs": 0})})
        self.sent += 1
        self.version += 1
        self.on_sent()
        if self.sent > self.losses:
            return httpx.Response(200, json={"session": self.view({"mine": 1})})
        has_condition = "If-Match" in request.headers
        status = 412 if has_condition else 409
        code = "precondition_failed" if has_condition else "version_conflict"
        problem = {"title": "t", "detail": "d", "status": status, "code": code, "missed": []}
        current = self.view({"theirs": self.version})
        return httpx.Response(status, json={**problem, "more": False, "current": current})

    def view(self, fields: dict[str, Any]) -> dict[str, Any]:
        shown = {"id": "ses_1", "title": None, "state": "draft", "nextStep": None}
        return {**shown, "version": self.version, "fields": fields}


def contended(losses: float) -> tuple[Session, Others, FakeClock]:
    others, clock, store = Others(losses), FakeClock(), MemoryTokenStore()
    store.save("work", SavedSession("http://b.test", "ses_1", "rtok_1"))
    baton = Baton.connect(
        "http://b.test",
        store=store,
        clock=clock,
        random=lambda: 0.5,
        transport=httpx.MockTransport(others),
    )
    session = baton.attach("work")
    session.get()
    return session, others, clock


def test_is_merged_and_computed_again_as_long_as_nobody_touched_the_same() -> None:
    session, others, _ = contended(40)
    assert session.set_fields({"mine": 1}, on_conflict="merge").ok
    assert others.sent == 41

    session, others, _ = contended(40)
    result = session.update(lambda current: {"fields": {"mine": current["version"]}})
    assert result is not None and result.ok
    assert others.sent == 41


def test_is_given_up_after_30_s_as_a_conflict_of_versions() -> None:
    session, _, clock = contended(float("inf"))
    began = clock.at
    merged = session.set_fields({"mine": 1}, on_conflict="merge")
    assert isinstance(merged, Conflict) and merged.code == "version_conflict"
    assert clock.at - began == 30_000
    updated = session.update(lambda _: {"fields": {"mine": 1}})
    assert isinstance(updated, Conflict) and updated.code == "version_conflict"
    assert clock.at - began == 60_000


def test_is_given_up_when_the_caller_says() -> None:
    session, others, clock = contended(float("inf"))
    began = clock.at
    session.set_fields({"mine": 1}, on_conflict="merge", conflict_timeout_ms=100)
    session.update(lambda _: {"fields": {"mine": 1}}, conflict_timeout_ms=100)
    assert clock.at - began == 200
    others.sent = 0
    session.update(lambda _: {"fields": {"mine": 1}}, attempts=3)
    assert others.sent == 3
    refused = session.set_fields({"theirs": 1}, on_conflict="merge", if_match=1)
    assert isinstance(refused, Conflict) and refused.code == "precondition_failed"


def test_ends_with_the_signal() -> None:
    session, others, _ = contended(float("inf"))
    signal = AbortSignal()
    others.on_sent = lambda: signal.abort("enough") if others.sent > 20 else None
    with pytest.raises(Aborted, match="enough"):
        session.set_fields({"mine": 1}, on_conflict="merge", signal=signal)
    assert others.sent == 21
