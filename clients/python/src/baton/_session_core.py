"""A session without I/O: the last state seen and a line of tokens.

The order of calls is the order in the log.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast
from urllib.parse import quote

from ._contention import ContentionBackoff, as_version_conflict
from ._effects import Flow
from ._feed import query_of
from ._large_content import pack_events, unpack_events
from ._merge import is_disjoint
from ._token_line import FILE_TIMEOUT_MS, TokenLine, WriteRequest
from .errors import StoreError, TransportError, WireError
from .results import Appended, Conflict, Forked, Resumed, Settled, WriteResult, Written
from .stores import SavedSession
from .wire import Event, EventsPage
from .wire import Session as SessionView

TERMINAL = frozenset({"finalized", "rejected", "cancelled", "expired"})
# Below the timeouts of proxies and the server's limit.
LONG_POLL_MS = 25_000


class Unset:
    """Marks an argument that was not given, if None means null."""


UNSET = Unset()


def without_none(**values: Any) -> dict[str, Any]:
    """A body of the arguments that are not None, named as on the wire."""
    return {name: value for name, value in values.items() if value is not None}


def without_unset(**values: Any) -> dict[str, Any]:
    """A body of the arguments that are set; None is sent as null."""
    return {name: value for name, value in values.items() if not isinstance(value, Unset)}


def quoted(part: str) -> str:
    return quote(part, safe="")


class SessionCore:
    """Flows of one session. Each returns what the public method of its name returns."""

    def __init__(self, line: TokenLine, recovered: Settled | None = None) -> None:
        self.line = line
        self.state: SessionView | None = None
        self.resumed: Resumed | None = None
        self.recovered = recovered
        if recovered is not None:
            self._update_state(recovered.answer.body)

    @property
    def id(self) -> str:
        if self.line.saved.session_id is None:
            raise StoreError("The id of this session is not known yet.")
        return self.line.saved.session_id

    def read(self, path: str, **options: Any) -> Flow[Any]:
        answer = yield from self.line.read(path, **options)
        self._update_state(answer.body)
        return answer.body

    def get(self) -> Flow[SessionView]:
        body = yield from self.read("")
        session: SessionView = body["session"]
        return session

    def settle(self) -> Flow[Settled | None]:
        settled = yield from self.line.settle()
        if settled is not None:
            self._update_state(settled.answer.body)
        return settled

    def write(
        self,
        operation: str,
        method: str,
        path: str,
        body: Any,
        *,
        if_match: int | None = None,
        key: str | None = None,
        is_succession: bool = False,
        prepare: Callable[[], Flow[Any]] | None = None,
    ) -> Flow[Any]:
        request = WriteRequest(operation, method, path, body, if_match, key, is_succession)
        answer = yield from self.line.write(request, prepare)
        self._update_state(answer.body)
        return answer.body

    def write_or_conflict(
        self, operation: str, method: str, path: str, body: Any, if_match: int | None
    ) -> Flow[WriteResult]:
        """A write that changes the version; returns a conflict if another writer was faster."""
        try:
            answer = yield from self.write(operation, method, path, body, if_match=if_match)
        except WireError as error:
            return self._conflict_or_raise(error)
        return Written(answer["session"], answer.get("proof"))

    def set(
        self, body: dict[str, Any], if_match: int | None, merge_ms: float | None
    ) -> Flow[WriteResult]:
        """Retries for at most ``merge_ms`` if other writers changed something else."""
        contention = ContentionBackoff(self.line.config, merge_ms or 0)
        base = self.state
        result = yield from self.write_or_conflict("setFields", "PATCH", "", body, if_match)
        while merge_ms is not None and isinstance(result, Conflict):
            if not is_disjoint(body, base, result) or not (yield from contention.wait()):
                break
            base = result.current
            result = yield from self.write_or_conflict(
                "setFields", "PATCH", "", body, base["version"]
            )
        return as_version_conflict(result) if if_match is None else result

    def update(
        self,
        change: Callable[[SessionView], Mapping[str, Any] | None],
        attempts: int | None,
        timeout_ms: float,
    ) -> Flow[WriteResult | None]:
        contention = ContentionBackoff(self.line.config, timeout_ms)
        current = self.state
        if current is None:
            current = yield from self.get()
        attempt = 0
        while True:
            attempt += 1
            body = change(current)
            if body is None:
                return None
            result = yield from self.write_or_conflict(
                "setFields", "PATCH", "", dict(body), current["version"]
            )
            if isinstance(result, Written):
                return result
            is_last = attempts is not None and attempt >= attempts
            if is_last or not (yield from contention.wait()):
                return as_version_conflict(result)
            current = result.current

    def resume(self, body: dict[str, Any]) -> Flow[Resumed]:
        answer = yield from self.write("resume", "POST", "/resume", body)
        events = yield from unpack_events(self.line, answer["events"])
        self.resumed = Resumed(
            outcome=answer["outcome"],
            events=events,
            head=answer["head"],
            more=answer["more"],
            warning=answer.get("warning"),
        )
        return self.resumed

    def append(self, body: dict[str, Any], key: str | None = None) -> Flow[Appended]:
        def prepare() -> Flow[dict[str, Any]]:
            return {**body, "events": (yield from pack_events(self.line, body["events"]))}

        answer = yield from self.write("append", "POST", "/events", body, key=key, prepare=prepare)
        return Appended(answer["first"], answer["last"], answer["head"])

    def append_at(self, body: dict[str, Any]) -> Flow[Appended | Conflict]:
        try:
            return (yield from self.append(body))
        except WireError as error:
            return self._conflict_or_raise(error)

    def page(
        self,
        after: int | None,
        limit: int | None,
        types: Sequence[str],
        wait_ms: int | None,
        outage_ms: float | None = None,
    ) -> Flow[EventsPage]:
        query = {"after": after, "limit": limit, "type": ",".join(types), "waitMs": wait_ms}
        answer = yield from self.line.read(
            f"/events{query_of(query)}", extra_ms=wait_ms or 0, outage_ms=outage_ms
        )
        page: EventsPage = answer.body
        events = yield from unpack_events(self.line, page["events"])
        return cast(EventsPage, {**page, "events": events})

    def wait_for(
        self,
        types: Sequence[str],
        where: Callable[[Event], bool] | None,
        after: int | None,
        timeout_ms: float | None,
        outage_ms: float | None = None,
    ) -> Flow[Event | None]:
        if after is None:
            current = self.state
            if current is None:
                current = yield from self.get()
            after = current["head"]
        now = self.line.config.now
        outage_limit_ms = self.line.config.retry.outage_ms if outage_ms is None else outage_ms
        deadline = math.inf if timeout_ms is None else now() + timeout_ms
        while True:
            left = max(0, deadline - now())
            wait_ms = int(min(left, LONG_POLL_MS))
            try:
                page = yield from self.page(after, None, types, wait_ms, min(left, outage_limit_ms))
                has_ended = not page["more"] and (
                    yield from self._has_ended(page, left, outage_limit_ms)
                )
            except TransportError:
                if now() >= deadline:
                    return None
                raise
            for event in page["events"]:
                if where is None or where(event):
                    return event
            after = page["nextAfter"]
            if page["more"] or page["events"]:
                continue
            if has_ended or now() >= deadline:
                return None

    def _has_ended(self, page: EventsPage, left: float, outage_limit_ms: float) -> Flow[bool]:
        """Whether the session has ended and all its events were read."""
        if page["events"] or left <= 0:
            return False
        answer = yield from self.line.read("", outage_ms=min(left, outage_limit_ms))
        self._update_state(answer.body)
        session: SessionView = answer.body["session"]
        return session["state"] in TERMINAL and session["head"] <= page["nextAfter"]

    def purge(self) -> Flow[dict[str, Any] | None]:
        certificate: dict[str, Any] | None = None
        try:
            answer = yield from self.write("purge", "DELETE", "", None)
            certificate = (answer or {}).get("certificate")
        except WireError as error:
            if error.code != "gone":
                raise
        yield from self.line.forget()
        return certificate

    def fork(
        self, body: dict[str, Any], succeed: bool, if_match: int | None
    ) -> Flow[Forked[SessionCore] | Conflict]:
        try:
            answer = yield from self.write(
                "fork", "POST", "/fork", body, if_match=if_match, is_succession=succeed
            )
        except WireError as error:
            return self._conflict_or_raise(error)
        child: SessionView | None = answer["child"]
        url, token = self.line.saved.url, answer["childToken"]
        if child is None:
            line = TokenLine(
                f"{self.line.name}-fork", SavedSession(url, token=token), self.line.config
            )
        else:
            prompt = answer["prompt"] if succeed else None
            saved = SavedSession(url, child["id"], token, None, child["title"], child["state"])
            saved = replace(saved, prompt=prompt)
            line = TokenLine(child["id"], saved, self.line.config)
        core = SessionCore(line)
        core.state = child
        return Forked(answer["session"], core, answer["prompt"])

    def upload(self, data: bytes, announced: dict[str, Any]) -> Flow[Any]:
        created = yield from self.write("requestUpload", "POST", "/uploads", announced)
        path = f"/uploads/{quoted(created['upload']['id'])}"
        yield from self.line.send_file(path, data, announced["type"])
        return (yield from self.write("confirmUpload", "POST", f"{path}/confirm", {}))

    def put_blob(self, data: bytes) -> Flow[str]:
        """Stores large content under its hash; the same content once."""
        sha256 = hashlib.sha256(data).hexdigest()
        yield from self.line.send_file(f"/blobs/{sha256}", data, "application/octet-stream")
        return sha256

    def get_blob(self, sha256: str) -> Flow[bytes]:
        answer = yield from self.line.read(
            f"/blobs/{quoted(sha256)}", extra_ms=FILE_TIMEOUT_MS, raw=True
        )
        content: bytes = answer.body
        if hashlib.sha256(content).hexdigest() != sha256:
            raise StoreError("The received content does not match its hash.")
        return content

    def _conflict_or_raise(self, error: WireError) -> Conflict:
        problem = error.problem
        # These two codes are sent only to a token that may view, so the session is complete.
        current = cast("SessionView | None", problem.get("current"))
        if error.code not in ("version_conflict", "precondition_failed") or current is None:
            raise error
        self.state = current
        missed, more = problem.get("missed", []), problem.get("more", False)
        return Conflict(error.code, current, missed, more)

    def _update_state(self, body: Any) -> None:
        if isinstance(body, dict) and "session" in body:
            self.state = body["session"]
