"""The Python client as a player of client scripts (test/client-scripts).

Reads steps from standard input, one per line, and prints their outcomes in the format that the
players of all languages use: ``python player.py [asyncio]``. The blocking client plays unless
``asyncio`` is given. The first step, and one between two scripts, is ``begin``: it has the address
of the server, the folder of saved sessions, and the bug to inject, or null.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
from in_loop import InLoop

from baton import (
    AsyncBaton,
    Baton,
    Conflict,
    FileTokenStore,
    LinkMade,
    RetryOptions,
    SavedSession,
    StopError,
    WireError,
    WorkContext,
    unwrap,
)

IS_ASYNC = "asyncio" in sys.argv[1:]


class BuggyStore(FileTokenStore):
    """Bugs to inject; the scripts must find each of them."""

    def __init__(self, folder: str, bug: str | None) -> None:
        super().__init__(folder)
        self._bug = bug

    def save(self, name: str, saved: SavedSession) -> None:
        if self._bug == "forgets-pending":
            saved = replace(saved, pending=None)
        before = self.load(name) if self._bug == "keeps-token" else None
        if before is not None and before.token is not None:
            saved = replace(saved, token=before.token)
        super().save(name, saved)

    def try_lock(self, name: str) -> bool:
        return True if self._bug == "no-lock" else super().try_lock(name)


def spoil(request: httpx.Request, bug: str | None) -> None:
    if bug == "fresh-key" and "Idempotency-Key" in request.headers:
        request.headers["Idempotency-Key"] = uuid.uuid4().hex
    if bug == "no-if-match":
        request.headers.pop("If-Match", None)


class Spoiled(httpx.HTTPTransport):
    def __init__(self, bug: str | None) -> None:
        super().__init__()
        self._bug = bug

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        spoil(request, self._bug)
        return super().handle_request(request)


class AsyncSpoiled(httpx.AsyncHTTPTransport):
    def __init__(self, bug: str | None) -> None:
        super().__init__()
        self._bug = bug

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        spoil(request, self._bug)
        return await super().handle_async_request(request)


LOOP = asyncio.new_event_loop()
RETRY = RetryOptions(base_ms=2, max_ms=20, attempts=6)


def connect(url: str, folder: str, bug: str | None) -> Any:
    store = BuggyStore(folder, bug)
    if IS_ASYNC:
        transport = AsyncSpoiled(bug)
        opened = AsyncBaton.connect(url, store=store, retry=RETRY, transport=transport)
        return InLoop(opened, LOOP)
    return Baton.connect(url, store=store, retry=RETRY, transport=Spoiled(bug))


class Player:
    """One method for each step of the scripts."""

    def __init__(self) -> None:
        self.baton: Any = None
        self.session: Any = None
        self.folder = ""

    def begin(self, url: str, folder: str, bug: str | None) -> None:
        if self.baton is not None:
            self.baton.__exit__(None, None, None)
        self.baton = connect(url, folder, bug)
        self.session = None
        self.folder = folder

    def _taken(self, session: Any) -> dict[str, Any]:
        self.session = session
        recovered, resumed = session.recovered, session.resumed
        try:
            fields = session.fields
        except LookupError:
            fields = None
        return {
            "id": session.id,
            "fields": fields,
            "recovered": None if recovered is None else recovered.operation,
            "resumed": None if resumed is None else [one["type"] for one in resumed.events],
        }

    def open(
        self, name: str, input: dict[str, Any] | None = None, onEnded: str | None = None
    ) -> Any:
        return self._taken(self.baton.open(name, on_ended=onEnded, **(input or {})))

    def create(self, name: str, input: dict[str, Any] | None = None) -> Any:
        return self._taken(self.baton.create(save_as=name, **(input or {})))

    def resume(
        self, saved: str, input: dict[str, Any] | None = None, name: str | None = None
    ) -> Any:
        options = {"last_event_seq": (input or {}).get("lastEventSeq")}
        return self._taken(self.baton.resume(saved, save_as=name, **options))

    def attach(self, saved: str, name: str | None = None) -> Any:
        return self._taken(self.baton.attach(saved, save_as=name))

    def get(self) -> Any:
        session = self.session.get()
        return {"fields": session["fields"], "state": session["state"]}

    def set(
        self, fields: dict[str, Any], ifMatch: int | None = None, onConflict: str = "return"
    ) -> Any:
        result = self.session.set_fields(fields, if_match=ifMatch, on_conflict=onConflict)
        return written(result)

    def count(self, field: str) -> Any:
        def change(now: Any) -> dict[str, Any]:
            return {"fields": {field: now["fields"].get(field, 0) + 1}}

        return written(self.session.update(change))

    def append(self, events: list[dict[str, Any]], key: str | None = None) -> Any:
        appended = self.session.append_all(events, key=key)
        return {"first": appended.first, "last": appended.last}

    def appendAt(self, head: int, events: list[dict[str, Any]]) -> Any:
        return {"ok": self.session.append_at(head, events).ok}

    def appendLong(self, text: str, times: int) -> Any:
        appended = self.session.append("work.long", {"text": text * times})
        return {"first": appended.first}

    def readLong(self, after: int) -> Any:
        events = self.session.page(after=after, types=["work.long"])["events"]
        texts = [event["payload"]["text"] for event in events]
        return [{"start": text[:3], "length": len(text)} for text in texts]

    def events(self, after: int, types: list[str] | None = None) -> Any:
        found = self.session.events(after=after, types=types or (), until_replayed=True)
        return [seen(event) for event in found]

    def follow(self, after: int, count: int) -> Any:
        found: list[Any] = []
        for event in self.session.events(after=after):
            found.append(seen(event))
            if len(found) == count:
                break
        return found

    def waitFor(self, type: str, after: int, timeoutMs: int | None = None) -> Any:
        event = self.session.wait_for(type, after=after, timeout_ms=timeoutMs)
        return None if event is None else seen(event)

    def askPerson(self, question: str, timeoutMs: int | None = None) -> Any:
        sent: list[str] = []

        def send(link: LinkMade) -> None:
            sent.append(link.code)

        event = self.session.ask_person(question, send=send, timeout_ms=timeoutMs)
        ended = None if event is None else event["type"]
        return {"ended": ended, "sent": len(sent), "code": sent[0] if sent else None}

    def page(self, after: int, limit: int | None = None) -> Any:
        page = self.session.page(after=after, limit=limit)
        return {"events": [seen(event) for event in page["events"]], "more": page["more"]}

    def handoff(self, scopes: list[str]) -> Any:
        return {"token": self.session.handoff(scopes).participant_token}

    def submit(self) -> Any:
        return written(self.session.submit())

    def finalize(self) -> Any:
        return written(self.session.finalize())

    def cancel(self) -> Any:
        return written(self.session.cancel())

    def settle(self) -> Any:
        settled = self.session.settle()
        if settled is None:
            return None
        return {"operation": settled.operation, "isDone": settled.is_done}

    def checkpoint(self, name: str) -> Any:
        return {"id": self.session.checkpoint(name=name)["id"]}

    def restore(self, checkpoint: str) -> Any:
        return written(self.session.restore_checkpoint(checkpoint))

    def fork(self, reason: str, succeed: bool = False) -> Any:
        forked: Any = unwrap(self.session.fork(reason=reason, succeed=succeed))
        return {"child": forked.child.id}

    def report(self, reason: str) -> Any:
        return {"strategy": self.session.report(reason)["strategy"]}

    def run(self, plan: list[str | None]) -> Any:
        kinds: list[str] = []
        reasons = list(plan)

        def work(context: WorkContext[Any]) -> None:
            reason = reasons.pop(0)
            if reason is not None:
                raise StopError(reason)

        def notice(progress: Any) -> None:
            kinds.append(progress.kind)

        outcome = self.session.run_with_resume(work, on_progress=notice)
        return {"outcome": outcome.outcome, "attempt": outcome.attempt, "kinds": kinds}

    def upload(self, text: str, name: str, field: str) -> Any:
        data = text.encode()
        sent = self.session.upload(data, name=name, type="text/plain", field=field)
        return {"size": sent["upload"]["size"], "status": sent["upload"]["status"]}

    def submitJob(self, agent: str, input: Any = None) -> Any:
        return {"status": self.session.submit_job(agent, input)["status"]}

    def purge(self) -> None:
        self.session.purge()

    def saved(self) -> Any:
        return {"names": FileTokenStore(self.folder).list()}


def seen(event: Any) -> dict[str, Any]:
    return {name: event[name] for name in ("seq", "type", "payload")}


def written(result: Any) -> Any:
    if result is None:
        return None
    if isinstance(result, Conflict):
        return {
            "ok": False,
            "code": result.code,
            "fields": result.current["fields"],
            "missed": [event["type"] for event in result.missed],
            "more": result.more,
        }
    proven = None if result.proof is None else result.proof["seq"]
    after = result.session
    return {"ok": True, "state": after["state"], "fields": after["fields"], "proven": proven}


def play(player: Player, line: str) -> dict[str, Any]:
    asked = json.loads(line)
    step: Callable[..., Any] = getattr(player, asked.pop("do"))
    try:
        return {"value": step(**asked)}
    except Exception as error:
        code = {"code": error.code} if isinstance(error, WireError) else {}
        return {"error": {"error": type(error).__name__, **code}}


def main() -> None:
    player = Player()
    for line in sys.stdin:
        print(json.dumps(play(player, line)), flush=True)


if __name__ == "__main__":
    main()
