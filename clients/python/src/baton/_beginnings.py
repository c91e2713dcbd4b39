"""How one comes by a session, without I/O: created, or taken up again from what is saved."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from ._effects import Flow, Load, Save
from ._exchange import Means
from ._line import Line, random_key
from ._session_core import SessionCore
from .errors import StoreError, WireError
from .results import Settled
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

    def open(self, name: str, body: dict[str, Any]) -> Flow[SessionCore]:
        saved: SavedSession | None = yield Load(name)
        if saved is None:
            line = Line(name, SavedSession(self.url), self.means)
            answer = yield from line.begin(body)
            if answer is not None:
                return SessionCore(line, Settled("create", True, answer))
            # Another process was faster: its session is the one.
        core = yield from self._take(name, None)
        if core.state is None or core.recovered is None or core.recovered.operation != "create":
            yield from core.resume({})
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
            raise WireError(recovered.answer.body)
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


def _random_name() -> str:
    return f"session-{random_key()[:12]}"
