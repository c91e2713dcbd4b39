"""Asks a person one question, once, however often the program is restarted.

What is known is in the session: the link that carries the question, and an event once the link was
sent. Without I/O.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._effects import Acquire, Flow, Perform, Release
from ._event_history import read_history
from ._session_core import SessionCore, quoted
from .errors import SessionEndedError
from .results import LinkMade
from .wire import Event, Handoff

END_EVENTS = ("handoff.answered", "handoff.declined", "handoff.expired")
# Appended once the link was sent to the person.
SENT_EVENT = "person.asked"
_HISTORY_EVENTS = (*END_EVENTS, "handoff.reissued", SENT_EVENT)


@dataclass(frozen=True)
class _QuestionLink:
    id: str
    events: list[Event]
    # The seq up to which the log was read.
    head: int


def ask_person(
    core: SessionCore,
    body: dict[str, Any],
    send: Callable[[LinkMade], Any],
    timeout_ms: float | None,
    outage_ms: float | None,
) -> Flow[Event | None]:
    """The event that ended the question; None if the time is over or the session ended first."""
    # Locked, so that two processes that share the store do not create two links.
    lock_name = f"{core.line.name} asks"
    yield Acquire(lock_name)
    try:
        link_state = yield from _find_or_create_link(core, body, send)
    finally:
        yield Release(lock_name)
    end_event = _find_end_event(link_state)
    if end_event is None:
        end_event = yield from core.wait_for(
            END_EVENTS,
            lambda event: _belongs_to(event, link_state.id),
            link_state.head,
            timeout_ms,
            outage_ms,
        )
    seen = 0 if core.resumed is None else core.resumed.head
    if end_event is not None and end_event["seq"] > seen:
        yield from _catch_up(core)
    return end_event


def _find_or_create_link(
    core: SessionCore, body: dict[str, Any], send: Callable[[LinkMade], Any]
) -> Flow[_QuestionLink]:
    events, head = yield from read_history(core, _HISTORY_EVENTS)
    listed: list[Handoff] = (yield from core.read("/handoffs"))["handoffs"]
    found = [handoff for handoff in listed if _matches_question(handoff, body["question"])]
    if found and _is_sent(found[-1], events):
        return _QuestionLink(found[-1]["id"], events, head)
    if found:
        path = f"/handoffs/{quoted(found[-1]['id'])}/reissue"
        reissue_body = {"ttlMs": body["ttlMs"]} if "ttlMs" in body else {}
        response = yield from core.write("reissue", "POST", path, reissue_body)
    else:
        response = yield from core.write("handoff", "POST", "/handoffs", {"to": "human", **body})
    link = response["handoff"]
    yield Perform(send, (LinkMade(link, link["url"], link["code"], link["qrUrl"]),))
    sent_event = {"type": SENT_EVENT, "payload": {"handoffId": link["id"]}}
    yield from core.append({"events": [sent_event]})
    return _QuestionLink(link["id"], [], head)


def _matches_question(handoff: Handoff, question: str) -> bool:
    return (
        handoff["to"] == "human" and handoff.get("question") == question and not handoff["revoked"]
    )


def _is_sent(handoff: Handoff, events: list[Event]) -> bool:
    if handoff.get("openedAt") is not None or handoff.get("declinedAt") is not None:
        return True
    return any(
        event["type"] == SENT_EVENT and _belongs_to(event, handoff["id"]) for event in events
    )


def _belongs_to(event: Event, handoff_id: str) -> bool:
    return event["payload"].get("handoffId") == handoff_id


def _find_end_event(link_state: _QuestionLink) -> Event | None:
    """A link that was reissued after its end is open again."""
    link_events = [
        event
        for event in link_state.events
        if event["type"] != SENT_EVENT and _belongs_to(event, link_state.id)
    ]
    return (
        link_events[-1] if link_events and link_events[-1]["type"] != "handoff.reissued" else None
    )


def _catch_up(core: SessionCore) -> Flow[None]:
    """The answer changed the session's version, so a write without a resume would be a conflict."""
    try:
        yield from core.resume({})
    except SessionEndedError:
        yield from core.get()
