"""One question to a person, asked once however often the program is killed and started again.

The session holds what is known: the link that carries the question, and an event once it was sent.
Without I/O.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._effects import Acquire, Flow, Perform, Release
from ._session_core import SessionCore, quoted
from ._story import read_story
from .errors import SessionEndedError
from .results import LinkMade
from .wire import Event, Handoff

ENDINGS = ("handoff.answered", "handoff.declined", "handoff.expired")
# Noted once the link is with the person.
SENT = "person.asked"
_STORY = (*ENDINGS, "handoff.reissued", SENT)


@dataclass(frozen=True)
class _Asked:
    id: str
    story: list[Event]
    # Up to where the story was read.
    head: int


def ask_person(
    core: SessionCore,
    body: dict[str, Any],
    send: Callable[[LinkMade], Any],
    timeout_ms: float | None,
    outage_ms: float | None,
) -> Flow[Event | None]:
    """How the question ended; None where the time is over or the session ended first."""
    # One after another, so that two processes that share the store do not make two links.
    turn = f"{core.line.name} asks"
    yield Acquire(turn)
    try:
        asked = yield from _find_or_ask(core, body, send)
    finally:
        yield Release(turn)
    ending = _ending_of(asked)
    if ending is None:
        ending = yield from core.wait_for(
            ENDINGS, lambda event: _is_of(event, asked.id), asked.head, timeout_ms, outage_ms
        )
    seen = 0 if core.resumed is None else core.resumed.head
    if ending is not None and ending["seq"] > seen:
        yield from _catch_up(core)
    return ending


def _find_or_ask(
    core: SessionCore, body: dict[str, Any], send: Callable[[LinkMade], Any]
) -> Flow[_Asked]:
    story, head = yield from read_story(core, _STORY)
    listed: list[Handoff] = (yield from core.read("/handoffs"))["handoffs"]
    found = [one for one in listed if _is_this(one, body["question"])]
    if found and _is_sent(found[-1], story):
        return _Asked(found[-1]["id"], story, head)
    if found:
        path = f"/handoffs/{quoted(found[-1]['id'])}/reissue"
        again = {"ttlMs": body["ttlMs"]} if "ttlMs" in body else {}
        made = yield from core.write("reissue", "POST", path, again)
    else:
        made = yield from core.write("handoff", "POST", "/handoffs", {"to": "human", **body})
    link = made["handoff"]
    yield Perform(send, (LinkMade(link, link["url"], link["code"], link["qrUrl"]),))
    noted = {"type": SENT, "payload": {"handoffId": link["id"]}}
    yield from core.append({"events": [noted]})
    return _Asked(link["id"], [], head)


def _is_this(one: Handoff, question: str) -> bool:
    return one["to"] == "human" and one.get("question") == question and not one["revoked"]


def _is_sent(one: Handoff, story: list[Event]) -> bool:
    if one.get("openedAt") is not None or one.get("declinedAt") is not None:
        return True
    return any(event["type"] == SENT and _is_of(event, one["id"]) for event in story)


def _is_of(event: Event, handoff_id: str) -> bool:
    return event["payload"].get("handoffId") == handoff_id


def _ending_of(asked: _Asked) -> Event | None:
    """A link that was issued anew after its end is open again."""
    own = [one for one in asked.story if one["type"] != SENT and _is_of(one, asked.id)]
    return own[-1] if own and own[-1]["type"] != "handoff.reissued" else None


def _catch_up(core: SessionCore) -> Flow[None]:
    """The answer moved the session on: a write over what was not seen would be a conflict."""
    try:
        yield from core.resume({})
    except SessionEndedError:
        yield from core.get()
