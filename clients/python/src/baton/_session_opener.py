"""Creates sessions, and opens them from what is saved. Without I/O."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from ._effects import Flow, Load, Remove, Save
from ._owned import is_access_lost, is_not_found, request_with_key
from ._session_core import TERMINAL, SessionCore
from ._token_line import TokenLine, random_key
from ._transport import ClientConfig
from .errors import SessionEndedError, StoreError, WireError, error_from_problem
from .results import Answer, Settled
from .stores import SavedSession

_TOKEN = re.compile(r"rtok_[A-Za-z0-9_-]+")


def clean_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"A server's address begins with http:// or https://, not {url!r}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class SessionOpener:
    """Flows that return a session."""

    def __init__(self, url: str, config: ClientConfig) -> None:
        self.url = url
        self.config = config

    def create(self, body: dict[str, Any], name: str | None) -> Flow[SessionCore]:
        line = TokenLine(name or _random_name(), SavedSession(self.url), self.config)
        answer = yield from line.create(body)
        if answer is None:
            raise StoreError(f'There is already a session saved as "{line.name}".')
        return SessionCore(line, Settled("create", True, answer))

    def open(
        self,
        name: str,
        body: dict[str, Any],
        external_id: str | None = None,
        on_ended: str | None = None,
        resume: bool = True,
    ) -> Flow[SessionCore]:
        """`external_id` is the owner's own id for the session; it needs a key."""
        uses_key = external_id is not None and self.config.key is not None
        open_body = {"externalId": external_id, "create": body}
        if "actor" in body:
            open_body["actor"] = body["actor"]
        if on_ended is not None:
            open_body["onEnded"] = on_ended
        saved: SavedSession | None = yield Load(name)
        if saved is None:
            created = yield from self._create_or_open(
                name, body, open_body if uses_key else None, None
            )
            if created is not None:
                return created
            # Another process was faster, and its session is used.
        try:
            core = yield from self._open_saved(name, None)
            is_new = core.recovered is not None and core.recovered.operation == "create"
            if resume and not is_new:
                yield from core.resume({})
            if resume or on_ended != "fresh" or (yield from core.get())["state"] not in TERMINAL:
                return core
        except WireError as error:
            has_ended = isinstance(error, SessionEndedError) and on_ended == "fresh"
            if not has_ended and not (uses_key and is_access_lost(error)):
                raise
        # The saved token no longer opens the session. The key opens it, or a new session takes the
        # name.
        if uses_key:
            yield Remove(name)
        created = yield from self._create_or_open(
            name, body, open_body if uses_key else None, saved
        )
        return (yield from self._open_saved(name, None)) if created is None else created

    def _create_or_open(
        self,
        name: str,
        body: dict[str, Any],
        open_body: dict[str, Any] | None,
        ended: SavedSession | None,
    ) -> Flow[SessionCore | None]:
        """None if a session was saved under this name meanwhile."""
        if open_body is not None:
            response_flow = request_with_key(
                self.config, "POST", f"{self.url}/sessions/open", open_body
            )
            return (yield from self._adopt(name, response_flow))
        line = TokenLine(name, SavedSession(self.url), self.config)
        answer = yield from line.create(body, ended)
        return None if answer is None else SessionCore(line, Settled("create", True, answer))

    def find(
        self, name: str, open_body: dict[str, Any], ignores_ended: bool
    ) -> Flow[SessionCore | None]:
        """The session saved under this name or known by the external id. Creates nothing."""
        uses_key = "externalId" in open_body and self.config.key is not None
        if (yield Load(name)) is not None:
            core = yield from self._open_saved(name, None)
            if not ignores_ended or (yield from _is_open(core)):
                return core
            if uses_key:
                yield Remove(name)
        if not uses_key:
            return None
        answer = yield from request_with_key(
            self.config, "POST", f"{self.url}/sessions/open", open_body
        )
        return None if is_not_found(answer) else (yield from self._adopt(name, _as_flow(answer)))

    def open_by_id(self, session_id: str, body: dict[str, Any], name: str) -> Flow[SessionCore]:
        """Replaces what was saved under `name`, because each open creates a new participant."""
        yield Remove(name)
        response_flow = request_with_key(
            self.config, "POST", f"{self.url}/sessions/{session_id}/open", body
        )
        return (yield from self._adopt(name, response_flow))

    def _adopt(self, name: str, response_flow: Flow[Answer]) -> Flow[SessionCore]:
        line = TokenLine(name, SavedSession(self.url), self.config)
        if (yield from line.adopt(response_flow)) is None:
            return (yield from self._open_saved(name, None))
        core = SessionCore(line)
        yield from core.get()
        return core

    def resume(
        self, saved: str | SavedSession, body: dict[str, Any], name: str | None
    ) -> Flow[SessionCore]:
        core = yield from self._open_saved(saved, name)
        yield from core.resume(body)
        return core

    def attach(self, saved: str | SavedSession, name: str | None) -> Flow[SessionCore]:
        core = yield from self._open_saved(saved, name)
        # A token alone does not contain the session's id.
        if core.line.saved.session_id is None:
            yield from core.get()
        return core

    def _open_saved(self, saved: str | SavedSession, name: str | None) -> Flow[SessionCore]:
        is_name = isinstance(saved, str) and _TOKEN.fullmatch(saved) is None
        if is_name:
            line = yield from self._line_from_name(str(saved))
        else:
            line = yield from self._line_from_saved(saved, name)
        recovered = yield from line.settle()
        if recovered is not None and recovered.operation == "create" and not recovered.is_done:
            raise error_from_problem(recovered.answer.body)
        successor = line.saved.successor
        if successor is not None and is_name:
            return (yield from self._open_saved(successor, None))
        return SessionCore(line, recovered)

    def _line_from_name(self, name: str) -> Flow[TokenLine]:
        saved: SavedSession | None = yield Load(name)
        if saved is None:
            raise StoreError(f'There is no session saved as "{name}".')
        return TokenLine(name, saved, self.config)

    def _line_from_saved(
        self, token_or_saved: str | SavedSession, name: str | None
    ) -> Flow[TokenLine]:
        saved = (
            SavedSession(self.url, token=token_or_saved)
            if isinstance(token_or_saved, str)
            else token_or_saved
        )
        line = TokenLine(name or saved.session_id or _random_name(), saved, self.config)
        yield Save(line.name, saved)
        return line


def _is_open(core: SessionCore) -> Flow[bool]:
    try:
        return (yield from core.get())["state"] not in TERMINAL
    except WireError as error:
        if is_access_lost(error):
            return False
        raise


def _as_flow(answer: Answer) -> Flow[Answer]:
    yield from ()
    return answer


def _random_name() -> str:
    return f"session-{random_key()[:12]}"
