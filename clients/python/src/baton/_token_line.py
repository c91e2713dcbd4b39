"""A participant's line of tokens, as one client holds it.

Each write uses the newest token, is saved with that token and a random key before it is sent, and
then the next token is saved. Writes are strictly sequential, also between processes that share a
store. After a crash, the next process first finishes the pending request.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from ._effects import Acquire, Flow, Load, Release, Remove, Request, Save
from ._transport import ClientConfig, is_retryable, require_success, send_with_retry
from .errors import StoreError, error_from_problem
from .results import Answer, Settled
from .stores import PendingRequest, SavedSession

# A large file on a slow connection takes time.
FILE_TIMEOUT_MS = 10 * 60 * 1000


@dataclass(frozen=True)
class WriteRequest:
    """A request that changes something, before a token and a key are attached."""

    operation: str
    method: str
    path: str
    body: Any = None
    if_match: int | None = None
    # Set only if the caller must be able to repeat the request itself; otherwise a random key is
    # used.
    key: str | None = None
    is_succession: bool = False


CREATE_PATH = "/sessions"


def random_key() -> str:
    return secrets.token_hex(24)


def to_json(body: Any) -> str:
    """As compact as JSON.stringify, so that each client recognizes the other's pending request."""
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


class TokenLine:
    """One saved session and its requests."""

    def __init__(self, name: str, saved: SavedSession, config: ClientConfig) -> None:
        self.name = name
        self.saved = saved
        self.config = config

    @property
    def token(self) -> str:
        if self.saved.token is None:
            raise StoreError(f'"{self.name}" has no token yet.')
        return self.saved.token

    @property
    def ref(self) -> str:
        """The session in a path: its id, or the token while the id is not known."""
        return self.saved.session_id or self.token

    def create(self, body: Any, ended: SavedSession | None = None) -> Flow[Answer | None]:
        """Creates the session, in place of an ended one if that is given.

        None if another process has created one under this name.
        """
        yield Acquire(self.name)
        try:
            earlier: SavedSession | None = yield Load(self.name)
            request = WriteRequest("create", "POST", CREATE_PATH, body)
            replaces_ended = ended is not None and _latest_session_id(
                earlier
            ) == _latest_session_id(ended)
            if earlier is None or replaces_ended:
                return require_success((yield from self._send(request)))
            self.saved = earlier
            if earlier.pending is None or not is_same_request(
                earlier.pending, request, to_json(body)
            ):
                return None
            # Repeating a create that got no response is the same create.
            return require_success((yield from self._send_pending(earlier.pending)))
        finally:
            yield Release(self.name)

    def adopt(self, response_flow: Flow[Answer]) -> Flow[Answer | None]:
        """Saves the session of the response. None if one is already saved under this name."""
        yield Acquire(self.name)
        try:
            earlier: SavedSession | None = yield Load(self.name)
            if earlier is not None:
                self.saved = earlier
                return None
            answer = require_success((yield from response_flow))
            body = answer.body
            yield from self._save(token=body["resumeToken"], **_session_summary(body["session"]))
            return answer
        finally:
            yield Release(self.name)

    def write(
        self, request: WriteRequest, prepare: Callable[[], Flow[Any]] | None = None
    ) -> Flow[Answer]:
        """Sends a request that changes something. Refusals are raised, including conflicts.

        ``prepare`` returns the body once the write has the lock: a write that first has to store
        its content must not be overtaken by the next.
        """
        yield Acquire(self.name)
        try:
            yield from self.reload()
            pending_before = self.saved.pending
            settled = (
                None if pending_before is None else (yield from self._send_pending(pending_before))
            )
            if prepare is not None:
                request = replace(request, body=(yield from prepare()))
            if pending_before is not None and settled is not None:
                body = None if request.body is None else to_json(request.body)
                # Repeating a call that got no response is the same call, not a second one.
                if is_same_request(pending_before, request, body):
                    return require_success(settled)
            return require_success((yield from self._send(request)))
        finally:
            yield Release(self.name)

    def settle(self) -> Flow[Settled | None]:
        """Finishes the pending request, if there is one."""
        yield Acquire(self.name)
        try:
            yield from self.reload()
            pending = self.saved.pending
            if pending is None:
                return None
            answer = yield from self._send_pending(pending)
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
        """A request that changes nothing: it is not saved, and works with any token of the line."""
        token = self.token
        sent = None if body is None else to_json(body)
        answer = yield from self._request(path, token, method, sent, extra_ms, raw, outage_ms)
        if (yield from self._is_superseded(answer, token)):
            answer = yield from self._request(
                path, self.token, method, sent, extra_ms, raw, outage_ms
            )
        require_success(answer)
        if self.saved.session_id is None and isinstance(answer.body, dict):
            # From then on paths contain the id instead of the token, because paths may be logged.
            yield from self._save_under_lock(_session_summary(answer.body.get("session")))
        return answer

    def send_file(self, path: str, data: bytes, media_type: str) -> Flow[Answer]:
        """Uploads a file. Repeating is harmless until it is confirmed."""
        token = self.token
        answer = yield from self._put(path, token, data, media_type)
        if (yield from self._is_superseded(answer, token)):
            answer = yield from self._put(path, self.token, data, media_type)
        return require_success(answer)

    def _put(self, path: str, token: str, data: bytes, media_type: str) -> Flow[Answer]:
        headers = {**headers_for(token, False), "Content-Type": media_type}
        request = Request("PUT", f"{self.saved.url}/sessions/{self.ref}{path}", headers, data)
        answer = yield from send_with_retry(
            self.config, request, is_pending=False, extra_ms=FILE_TIMEOUT_MS
        )
        return answer

    def _is_superseded(self, answer: Answer, token: str) -> Flow[bool]:
        """Whether another process that shares the store spent this token and saved the next."""
        if answer.is_ok or answer.body["code"] != "token_superseded":
            return False
        yield from self.reload()
        return self.token != token

    def catch_up(self) -> Flow[None]:
        """Reloads after all writes, so that it includes what a running write is about to save."""
        yield Acquire(self.name)
        try:
            yield from self.reload()
        finally:
            yield Release(self.name)

    def reload(self) -> Flow[None]:
        """Loads what another process saved under this name."""
        found: SavedSession | None = yield Load(self.name)
        if found is not None:
            self.saved = found

    def forget(self) -> Flow[None]:
        yield Remove(self.name)

    def _save_under_lock(self, changes: dict[str, Any]) -> Flow[None]:
        yield Acquire(self.name)
        try:
            yield from self.reload()
            yield from self._save(**changes)
        finally:
            yield Release(self.name)

    def _request(
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
        answer = yield from send_with_retry(
            self.config,
            request,
            is_pending=False,
            extra_ms=extra_ms,
            raw=raw,
            outage_ms=outage_ms,
        )
        return answer

    def _send(self, request: WriteRequest) -> Flow[Answer]:
        """Called under the lock with nothing pending: saves the request, then sends it."""
        is_create = request.path == CREATE_PATH
        pending = PendingRequest(
            operation=request.operation,
            method=request.method,
            path=request.path if is_create else f"/sessions/{self.ref}{request.path}",
            body=None if request.body is None else to_json(request.body),
            key=request.key or random_key(),
            if_match=request.if_match,
            token=self.saved.token,
            is_succession=request.is_succession,
        )
        yield from self._save(pending=pending)
        answer = yield from self._send_pending(pending)
        return answer

    def _send_pending(self, pending: PendingRequest) -> Flow[Answer]:
        headers = headers_for(pending.token, pending.body is not None)
        headers["Idempotency-Key"] = pending.key
        if pending.if_match is not None:
            headers["If-Match"] = f'"{pending.if_match}"'
        if self.config.key is not None and pending.operation == "create":
            headers["Authorization"] = f"Bearer {self.config.key}"
        elif self.config.key is not None and pending.operation == "resume":
            # A resume can create a session too, if it was asked to.
            headers["Baton-Key"] = self.config.key
        body = None if pending.body is None else pending.body.encode()
        request = Request(pending.method, self.saved.url + pending.path, headers, body)
        answer = yield from send_with_retry(self.config, request, is_pending=True)
        # Still retryable after all attempts: an earlier attempt may have been done, so it stays
        # pending.
        if is_retryable(answer):
            raise error_from_problem(answer.body)
        yield from self._save_result(answer, pending)
        return answer

    def _save_result(self, answer: Answer, pending: PendingRequest) -> Flow[None]:
        if not answer.is_ok or answer.body is None:
            yield from self._save(pending=None)
            # No session was created, so there is nothing to keep.
            if self.saved.token is None:
                yield from self.forget()
            return
        body: dict[str, Any] = answer.body
        child = body.get("child")
        changes = _session_summary(body.get("session"))
        if child is not None and "childToken" in body:
            # Saved before the fork is marked as done; otherwise a crash would lose the child's only
            # token.
            prompt = body.get("prompt") if pending.is_succession else None
            shown = _session_summary(child)
            saved_child = SavedSession(
                self.saved.url, token=body["childToken"], prompt=prompt, **shown
            )
            yield Save(child["id"], saved_child)
            if pending.is_succession:
                changes["successor"] = child["id"]
        if "resumeToken" in body:
            changes["token"] = body["resumeToken"]
        yield from self._save(pending=None, **changes)

    def _save(self, **changes: Any) -> Flow[None]:
        now = datetime.fromtimestamp(self.config.now() / 1000, timezone.utc)
        saved_at = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        saved = replace(self.saved, **changes, saved_at=saved_at)
        yield Save(self.name, saved)
        self.saved = saved


def _latest_session_id(saved: SavedSession | None) -> str | None:
    """The id of the session that the saved name refers to."""
    return None if saved is None else saved.successor or saved.session_id


def _session_summary(session: dict[str, Any] | None) -> dict[str, Any]:
    """The saved members of a session as the server shows it."""
    if session is None:
        return {}
    return {
        "session_id": session["id"],
        "title": session.get("title"),
        "state": session.get("state"),
    }


def is_same_request(pending: PendingRequest, request: WriteRequest, body: str | None) -> bool:
    return (
        pending.operation == request.operation
        and pending.body == body
        and pending.path.endswith(request.path)
        and pending.if_match == request.if_match
        and request.key in (None, pending.key)
    )
