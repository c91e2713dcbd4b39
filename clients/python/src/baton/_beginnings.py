"""How one comes by a session, without I/O: created, or taken up again from what is saved."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from ._effects import Flow, Load, Remove, Save
from ._exchange import Means
from ._line import Line, random_key
from ._owned import ask, is_none, is_shut
from ._session_core import SessionCore
from .errors import StoreError, WireError
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
        self, name: str, body: dict[str, Any], named: dict[str, Any] | None = None
    ) -> Flow[SessionCore]:
        """`named` has the owner's name for the session; without a key it is of no use."""
        if named is not None and self.means.key is not None:
            return (yield from self._open_named(name, {**named, "create": body}))
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

    def _open_named(self, name: str, wanted: dict[str, Any]) -> Flow[SessionCore]:
        if (yield Load(name)) is not None:
            try:
                core = yield from self._take(name, None)
                yield from core.resume({})
                return core
            except WireError as error:
                # What was saved no longer opens it; the key does.
                if not is_shut(error):
                    raise
                yield Remove(name)
        asking = ask(self.means, "POST", f"{self.url}/sessions/open", wanted)
        return (yield from self._adopted(name, asking))

    def find(self, name: str, external_id: str | None) -> Flow[SessionCore | None]:
        """What is saved under this name, or what the owner knows by the other; begins nothing."""
        if (yield Load(name)) is not None:
            return (yield from self._take(name, None))
        if external_id is None or self.means.key is None:
            return None
        body = {"externalId": external_id}
        answer = yield from ask(self.means, "POST", f"{self.url}/sessions/open", body)
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


def _given(answer: Answer) -> Flow[Answer]:
    yield from ()
    return answer


def _random_name() -> str:
    return f"session-{random_key()[:12]}"
