"""Payloads that are too large for an event are stored separately and restored on reading."""

from __future__ import annotations

import json
from typing import Any

import httpx

from baton import Baton, Session


def as_it_stands(session: Session, type: str) -> dict[str, Any]:
    """The payload of the event on the server."""
    url = f"{session.url}/sessions/{session.id}/events?after=0&type={type}"
    answer = httpx.get(url, headers={"Authorization": f"Bearer {session.token}"}).json()
    payload: dict[str, Any] = answer["events"][0]["payload"]
    return payload


def test_what_is_too_large_or_too_deep_is_kept_apart_and_joined_again(baton: Baton) -> None:
    session = baton.create()
    deep: Any = "deep"
    for _ in range(40):
        deep = [deep]
    large = {"text": "ä" * 300_000}
    literal = {"$blob": {"size": 1, "parts": []}}
    session.append("work.large", large)
    session.append("work.deep", {"deep": deep})
    session.append("work.literal", literal)
    many = [{"type": "work.part", "payload": {"text": "x" * 20_000}} for _ in range(60)]
    session.append_all([*many, {"type": "work.bare"}])

    payloads = [event["payload"] for event in session.page(after=2)["events"]]

    assert payloads[:3] == [large, {"deep": deep}, literal]
    assert payloads[3:] == [*(one["payload"] for one in many), {}]
    assert list(as_it_stands(session, "work.large")) == ["$blob"]
    told = session.events(after=0, types=["work.large"], until_replayed=True)
    assert [event["payload"] for event in told] == [large]
    resumed = session.resume(last_event_seq=0).events
    assert [one["payload"] for one in resumed if one["type"] == "work.deep"] == [{"deep": deep}]


def test_joins_what_came_in_several_parts(baton: Baton) -> None:
    session = baton.create()
    payload = {"text": "ä" * 300_000}
    text = json.dumps(payload, ensure_ascii=False).encode()
    parts = [session.put_blob(half) for half in (text[:200_000], text[200_000:])]
    for type, mark in (
        ("work.said", {"size": len(text), "parts": parts}),
        ("work.small", "not of a client"),
    ):
        body = {"events": [{"type": type, "payload": {"$blob": mark}}]}
        url = f"{session.url}/sessions/{session.id}/events"
        httpx.post(url, json=body, headers={"Authorization": f"Bearer {session.token}"})

    page = session.page(after=0, types=["work.*"])

    assert [event["payload"] for event in page["events"]] == [
        payload,
        {"$blob": "not of a client"},
    ]
