"""Payloads that the TypeScript SDK kept apart are read as they were appended."""

from __future__ import annotations

import json

from baton import Baton


def test_joins_the_parts_of_a_payload(baton: Baton) -> None:
    session = baton.create()
    payload = {"text": "ä" * 300_000}
    text = json.dumps(payload, ensure_ascii=False).encode()
    halves = [text[:200_000], text[200_000:]]
    parts = [session.put_blob(half) for half in halves]
    session.append("work.said", {"$blob": {"size": len(text), "parts": parts}})
    session.append("work.small", {"$blob": "not of the SDK"})

    page = session.page(after=0, types=["work.*"])
    assert [event["payload"] for event in page["events"]] == [payload, {"$blob": "not of the SDK"}]
    told = [
        event["payload"]
        for event in session.events(after=0, types=["work.said"], until_replayed=True)
    ]
    assert told == [payload]
    resumed = session.resume(last_event_seq=0).events
    assert [event["payload"] for event in resumed if event["type"] == "work.said"] == [payload]
