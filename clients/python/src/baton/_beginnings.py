"""How one comes by a session, without I/O: created, or taken up again from what is saved."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from ._effects import Flow, Load, Remove, Save
from ._exchange import Means
from ._line import Line, random_key
from ._owned import ask, is_none, is_shut
from ._session_core import TERMINAL, SessionCore
from .errors import SessionEndedError, StoreError, WireError, refusal_of
from .results import Answer, Settled
from .stores import SavedSession

_TOKEN = re.compile(r"rtok_[A-Za-z0-9_-]+")


def clean_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"A server's address begins with http:// or https://, not {url!r}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class Beginnings:
    """Flows that end with a session."""

    def __init__(self, url: str, means: Means) -> None:
        self.url = url
        self.means = means

    def create(self, body: dict[str, Any], name: str | None) -> Flow[SessionCore]:
        line = Line(name or _random_name(), SavedSession(self.url), self.means)
        answer = yield from line.begin(body)
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
        """`external_id` is the owner's name for the session; without a key it is of no use."""
        by_key = external_id is not None and self.means.key is not None
        wanted = {"externalId": external_id, "create": body}
        if "actor" in body:
            wanted["actor"] = body["actor"]
        if on_ended is not None:
            wanted["onEnded"] = on_ended
        saved: SavedSession | None = yield Load(name)
        if saved is None:
            begun = yield from self._begin_or_open(name, body, wanted if by_key else None, None)
            if begun is not None:
                return begun
            # Another process was faster: its session is the one.
        try:
            core = yield from self._take(name, None)
            is_new = core.recovered is not None and core.recovered.operation == "create"
            if resume and not is_new:
                yield from core.resume({})
            if resume or on_ended != "fresh" or (yield from core.get())["state"] not in TERMINAL:
                return core
        except WireError as error:
            is_over = isinstance(error, SessionEndedError) and on_ended == "fresh"
            if not is_over and not (by_key and is_shut(error)):
                raise
        # What was saved no longer opens anything: the key does, or a new session takes the name.
        if by_key:
            yield Remove(name)
        begun = yield from self._begin_or_open(name, body, wanted if by_key else None, saved)
        return (yield from self._take(name, None)) if begun is None else begun

    def _begin_or_open(
        self,
        name: str,
        body: dict[str, Any],
        wanted: dict[str, Any] | None,
        ended: SavedSession | None,
    ) -> Flow[SessionCore | None]:
        """None where one is saved under this name meanwhile."""
        if wanted is not None:
            asking = ask(self.means, "POST", f"{self.url}/sessions/open", wanted)
            return (yield from self._adopted(name, asking))
        line = Line(name, SavedSession(self.url), self.means)
        answer = yield from line.begin(body, ended)
        return None if answer is None else SessionCore(line, Settled("create", True, answer))

    def find(
        self, name: str, wanted: dict[str, Any], ignores_ended: bool
    ) -> Flow[SessionCore | None]:
        """What is saved under this name, or what the owner knows by the other; begins nothing."""
        by_key = "externalId" in wanted and self.means.key is not None
        if (yield Load(name)) is not None:
            core = yield from self._take(name, None)
            if not ignores_ended or (yield from _is_living(core)):
                return core
            if by_key:
                yield Remove(name)
        if not by_key:
            return None
        answer = yield from ask(self.means, "POST", f"{self.url}/sessions/open", wanted)
        return None if is_none(answer) else (yield from self._adopted(name, _given(answer)))

    def open_by_id(self, session_id: str, body: dict[str, Any], name: str) -> Flow[SessionCore]:
        """Saved under `name` instead of what was there: each open makes a new participant."""
        yield Remove(name)
        asking = ask(self.means, "POST", f"{self.url}/sessions/{session_id}/open", body)
        return (yield from self._adopted(name, asking))

    def _adopted(self, name: str, asking: Flow[Answer]) -> Flow[SessionCore]:
        line = Line(name, SavedSession(self.url), self.means)
        if (yield from line.adopt(asking)) is None:
            return (yield from self._take(name, None))
        core = SessionCore(line)
        yield from core.get()
        return core

    def resume(
        self, saved: str | SavedSession, body: dict[str, Any], name: str | None
    ) -> Flow[SessionCore]:
        core = yield from self._take(saved, name)
        yield from core.resume(body)
        return core

    def attach(self, saved: str | SavedSession, name: str | None) -> Flow[SessionCore]:
        core = yield from self._take(saved, name)
        # A bare token does not say which session it opens.
        if core.line.saved.session_id is None:
            yield from core.get()
        return core

    def _take(self, saved: str | SavedSession, name: str | None) -> Flow[SessionCore]:
        is_name = isinstance(saved, str) and _TOKEN.fullmatch(saved) is None
        if is_name:
            line = yield from self._named(str(saved))
        else:
            line = yield from self._given(saved, name)
        recovered = yield from line.settle()
        if recovered is not None and recovered.operation == "create" and not recovered.is_done:
            raise refusal_of(recovered.answer.body)
        successor = line.saved.successor
        if successor is not None and is_name:
            return (yield from self._take(successor, None))
        return SessionCore(line, recovered)

    def _named(self, name: str) -> Flow[Line]:
        saved: SavedSession | None = yield Load(name)
        if saved is None:
            raise StoreError(f'There is no session saved as "{name}".')
        return Line(name, saved, self.means)

    def _given(self, given: str | SavedSession, name: str | None) -> Flow[Line]:
        saved = SavedSession(self.url, token=given) if isinstance(given, str) else given
        line = Line(name or saved.session_id or _random_name(), saved, self.means)
        yield Save(line.name, saved)
        return line


def _is_living(core: SessionCore) -> Flow[bool]:
    try:
        return (yield from core.get())["state"] not in TERMINAL
    except WireError as error:
        if is_shut(error):
            return False
        raise


def _given(answer: Answer) -> Flow[Answer]:
    yield from ()
    return answer


def _random_name() -> str:
    return f"session-{random_key()[:12]}"
