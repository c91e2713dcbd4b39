"""A participant's line of tokens, as one client holds it.

Each write takes the newest token, is saved with it and a random key before it is sent, and is
followed by saving the next. Strictly one after another, also between processes that share a store.
Whoever comes after a crash first finishes what is pending.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from ._effects import Acquire, Flow, Load, Release, Remove, Request, Save
from ._exchange import Means, accepted, exchange, is_later
from .errors import StoreError, refusal_of
from .results import Answer, Settled
from .stores import PendingRequest, SavedSession

# A large file on a slow line takes its time.
FILE_TIME_MS = 10 * 60 * 1000


@dataclass(frozen=True)
class Intent:
    """A request that changes something, before it has a token and a key."""

    operation: str
    method: str
    path: str
    body: Any = None
    if_match: int | None = None
    # Only where the caller has to find it again itself; else a random one is drawn.
    key: str | None = None
    is_succession: bool = False


CREATE_PATH = "/sessions"


def random_key() -> str:
    return secrets.token_hex(24)


def to_json(body: Any) -> str:
    """As compact as JSON.stringify, so that a request left by one client is known by the other."""
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except (ValueError, TypeError) as error:
        raise TypeError(f"This cannot be sent as JSON: {error}") from error
    return text


def headers_for(token: str | None, has_body: bool) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if has_body:
        headers["Content-Type"] = "application/json"
    return headers


class Line:
    """One saved session and the requests that go through it."""

    def __init__(self, name: str, saved: SavedSession, means: Means) -> None:
        self.name = name
        self.saved = saved
        self.means = means

    @property
    def token(self) -> str:
        if self.saved.token is None:
            raise StoreError(f'"{self.name}" has no token yet.')
        return self.saved.token

    @property
    def ref(self) -> str:
        """What stands for the session in a path: its id where known, the token only until then."""
        return self.saved.session_id or self.token

    def begin(self, body: Any, ended: SavedSession | None = None) -> Flow[Answer | None]:
        """Creates the session, in place of an ended one where that is given.

        None where another process has begun it under this name.
        """
        yield Acquire(self.name)
        try:
            earlier: SavedSession | None = yield Load(self.name)
            intent = Intent("create", "POST", CREATE_PATH, body)
            is_replaced = ended is not None and _leads_to(earlier) == _leads_to(ended)
            if earlier is None or is_replaced:
                return accepted((yield from self._send(intent)))
            self.saved = earlier
            if earlier.pending is None or not is_same(earlier.pending, intent, to_json(body)):
                return None
            # The same create again, after one that got no answer, is that one.
            return accepted((yield from self._deliver(earlier.pending)))
        finally:
            yield Release(self.name)

    def adopt(self, asking: Flow[Answer]) -> Flow[Answer | None]:
        """Takes over a session that `asking` gives. None where one is saved under this name."""
        yield Acquire(self.name)
        try:
            earlier: SavedSession | None = yield Load(self.name)
            if earlier is not None:
                self.saved = earlier
                return None
            answer = accepted((yield from asking))
            body = answer.body
            yield from self._save(token=body["resumeToken"], **_shown(body["session"]))
            return answer
        finally:
            yield Release(self.name)

    def write(self, intent: Intent, prepare: Callable[[], Flow[Any]] | None = None) -> Flow[Answer]:
        """Sends a request that changes something; refusals are raised, conflicts among them.

        ``prepare`` gives the body once it is this write's turn: a write that first has to send its
        content must not be overtaken by the next.
        """
        yield Acquire(self.name)
        try:
            yield from self.reload()
            left = self.saved.pending
            settled = None if left is None else (yield from self._deliver(left))
            if prepare is not None:
                intent = replace(intent, body=(yield from prepare()))
            if left is not None and settled is not None:
                body = None if intent.body is None else to_json(intent.body)
                # The same call again, after one that got no answer, is that call, not a second one.
                if is_same(left, intent, body):
                    return accepted(settled)
            return accepted((yield from self._send(intent)))
        finally:
            yield Release(self.name)

    def settle(self) -> Flow[Settled | None]:
        """Finishes what is pending, if anything is."""
        yield Acquire(self.name)
        try:
            yield from self.reload()
            pending = self.saved.pending
            if pending is None:
                return None
            answer = yield from self._deliver(pending)
            return Settled(pending.operation, answer.is_ok, answer)
        finally:
            yield Release(self.name)

    def read(
        self,
        path: str,
        *,
        method: str = "GET",
        body: Any = None,
        extra_ms: float = 0,
        raw: bool = False,
        outage_ms: float | None = None,
    ) -> Flow[Answer]:
        """A request that changes nothing: not saved, and open to any token of the line."""
        token = self.token
        sent = None if body is None else to_json(body)
        answer = yield from self._ask(path, token, method, sent, extra_ms, raw, outage_ms)
        if (yield from self._is_behind(answer, token)):
            answer = yield from self._ask(path, self.token, method, sent, extra_ms, raw, outage_ms)
        accepted(answer)
        if self.saved.session_id is None and isinstance(answer.body, dict):
            # From then on the token need not stand in a path, where it might be logged.
            yield from self._keep(_shown(answer.body.get("session")))
        return answer

    def send_file(self, path: str, data: bytes, media_type: str) -> Flow[Answer]:
        """A file's bytes. Repeating is harmless until it is confirmed."""
        token = self.token
        answer = yield from self._put(path, token, data, media_type)
        if (yield from self._is_behind(answer, token)):
            answer = yield from self._put(path, self.token, data, media_type)
        return accepted(answer)

    def _put(self, path: str, token: str, data: bytes, media_type: str) -> Flow[Answer]:
        headers = {**headers_for(token, False), "Content-Type": media_type}
        request = Request("PUT", f"{self.saved.url}/sessions/{self.ref}{path}", headers, data)
        answer = yield from exchange(self.means, request, is_pending=False, extra_ms=FILE_TIME_MS)
        return answer

    def _is_behind(self, answer: Answer, token: str) -> Flow[bool]:
        """Did another process that shares the store spend this token, and save the next?"""
        if answer.is_ok or answer.body["code"] != "token_superseded":
            return False
        yield from self.reload()
        return self.token != token

    def catch_up(self) -> Flow[None]:
        """Reloads once nobody writes any more: also what a write under way is about to save."""
        yield Acquire(self.name)
        try:
            yield from self.reload()
        finally:
            yield Release(self.name)

    def reload(self) -> Flow[None]:
        """Takes over what another process saved under this name."""
        found: SavedSession | None = yield Load(self.name)
        if found is not None:
            self.saved = found

    def forget(self) -> Flow[None]:
        yield Remove(self.name)

    def _keep(self, changes: dict[str, Any]) -> Flow[None]:
        yield Acquire(self.name)
        try:
            yield from self.reload()
            yield from self._save(**changes)
        finally:
            yield Release(self.name)

    def _ask(
        self,
        path: str,
        token: str,
        method: str,
        sent: str | None,
        extra_ms: float,
        raw: bool,
        outage_ms: float | None,
    ) -> Flow[Answer]:
        request = Request(
            method,
            f"{self.saved.url}/sessions/{self.ref}{path}",
            headers_for(token, sent is not None),
            None if sent is None else sent.encode(),
        )
        answer = yield from exchange(
            self.means,
            request,
            is_pending=False,
            extra_ms=extra_ms,
            raw=raw,
            outage_ms=outage_ms,
        )
        return answer

    def _send(self, intent: Intent) -> Flow[Answer]:
        """Under the lock, with nothing pending: saved first, then sent."""
        is_create = intent.path == CREATE_PATH
        pending = PendingRequest(
            operation=intent.operation,
            method=intent.method,
            path=intent.path if is_create else f"/sessions/{self.ref}{intent.path}",
            body=None if intent.body is None else to_json(intent.body),
            key=intent.key or random_key(),
            if_match=intent.if_match,
            token=self.saved.token,
            is_succession=intent.is_succession,
        )
        yield from self._save(pending=pending)
        answer = yield from self._deliver(pending)
        return answer

    def _deliver(self, pending: PendingRequest) -> Flow[Answer]:
        headers = headers_for(pending.token, pending.body is not None)
        headers["Idempotency-Key"] = pending.key
        if pending.if_match is not None:
            headers["If-Match"] = f'"{pending.if_match}"'
        if self.means.key is not None and pending.operation == "create":
            headers["Authorization"] = f"Bearer {self.means.key}"
        elif self.means.key is not None and pending.operation == "resume":
            # A resume may begin a session too, where it is told to.
            headers["Baton-Key"] = self.means.key
        body = None if pending.body is None else pending.body.encode()
        request = Request(pending.method, self.saved.url + pending.path, headers, body)
        answer = yield from exchange(self.means, request, is_pending=True)
        # Still "later" after all attempts: an earlier one may have been done, so it stays pending.
        if is_later(answer):
            raise refusal_of(answer.body)
        yield from self._conclude(answer, pending)
        return answer

    def _conclude(self, answer: Answer, pending: PendingRequest) -> Flow[None]:
        if not answer.is_ok or answer.body is None:
            yield from self._save(pending=None)
            # Nothing was begun, so there is nothing to remember.
            if self.saved.token is None:
                yield from self.forget()
            return
        body: dict[str, Any] = answer.body
        child = body.get("child")
        changes = _shown(body.get("session"))
        if child is not None and "childToken" in body:
            # Before the fork counts as answered, or a crash in between would lose the only token.
            prompt = body.get("prompt") if pending.is_succession else None
            shown = _shown(child)
            kept = SavedSession(self.saved.url, token=body["childToken"], prompt=prompt, **shown)
            yield Save(child["id"], kept)
            if pending.is_succession:
                changes["successor"] = child["id"]
        if "resumeToken" in body:
            changes["token"] = body["resumeToken"]
        yield from self._save(pending=None, **changes)

    def _save(self, **changes: Any) -> Flow[None]:
        now = datetime.fromtimestamp(self.means.now() / 1000, timezone.utc)
        saved_at = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        saved = replace(self.saved, **changes, saved_at=saved_at)
        yield Save(self.name, saved)
        self.saved = saved


def _leads_to(saved: SavedSession | None) -> str | None:
    """The session that is found by what is saved under a name."""
    return None if saved is None else saved.successor or saved.session_id


def _shown(session: dict[str, Any] | None) -> dict[str, Any]:
    """What is saved of a session as the server shows it."""
    if session is None:
        return {}
    return {
        "session_id": session["id"],
        "title": session.get("title"),
        "state": session.get("state"),
    }


def is_same(pending: PendingRequest, intent: Intent, body: str | None) -> bool:
    return (
        pending.operation == intent.operation
        and pending.body == body
        and pending.path.endswith(intent.path)
        and pending.if_match == intent.if_match
        and intent.key in (None, pending.key)
    )
