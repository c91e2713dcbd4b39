"""Stores a session's newest token and its pending request.

The request is saved before it is sent, so that the next process can finish it after a crash. A
store holds valid tokens: protect it like passwords. The format is that of the TypeScript client, so
both can share a folder.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

from .errors import StoreError

FORMAT = 1


@dataclass(frozen=True)
class PendingRequest:
    """A request that was or was about to be sent, and whose response is not known yet."""

    operation: str
    method: str
    path: str
    # The body as text, so that a repeated request has identical bytes.
    body: str | None
    key: str
    if_match: int | None
    token: str | None
    # A fork after which the work continues in the child.
    is_succession: bool


@dataclass(frozen=True)
class SavedSession:
    """Everything that must outlive the process."""

    url: str
    # None until the response to the create is known.
    session_id: str | None = None
    token: str | None = None
    pending: PendingRequest | None = None
    title: str | None = None
    state: str | None = None
    # The name under which the work continues after a fork.
    successor: str | None = None
    # For a session that continues the work after a fork: how to continue, as a prompt for a model.
    prompt: str | None = None
    saved_at: str = ""

    def to_text(self) -> str:
        wire: dict[str, Any] = {"format": FORMAT}
        wire.update({_camel(name): value for name, value in asdict(self).items()})
        if self.pending is not None:
            pending = asdict(self.pending)
            wire["pending"] = {_camel(name): value for name, value in pending.items()}
        return json.dumps(wire, ensure_ascii=False)

    @staticmethod
    def from_text(text: str, name: str) -> SavedSession:
        try:
            wire = json.loads(text)
            if wire["format"] != FORMAT or not isinstance(wire["url"], str):
                raise ValueError
            pending = wire["pending"]
            return SavedSession(
                url=wire["url"],
                session_id=wire["sessionId"],
                token=wire["token"],
                pending=None if pending is None else _pending_of(pending),
                title=wire["title"],
                state=wire["state"],
                successor=wire["successor"],
                prompt=wire.get("prompt"),
                saved_at=wire["savedAt"],
            )
        except (ValueError, KeyError, TypeError):
            # Without the text, which may contain a token.
            message = f'The value saved as "{name}" is not a session of Baton.'
            raise StoreError(message) from None


def _pending_of(wire: dict[str, Any]) -> PendingRequest:
    return PendingRequest(
        operation=wire["operation"],
        method=wire["method"],
        path=wire["path"],
        body=wire["body"],
        key=wire["key"],
        if_match=wire["ifMatch"],
        token=wire["token"],
        is_succession=wire["isSuccession"],
    )


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


class TokenStore(ABC):
    """Six methods; implement them for a database.

    They may block: ``AsyncBaton`` calls them in worker threads.
    """

    # How long to wait while another process works on the same session.
    lock_wait_ms: float = 60_000

    @abstractmethod
    def load(self, name: str) -> SavedSession | None: ...

    @abstractmethod
    def save(self, name: str, saved: SavedSession) -> None:
        """Must return only after the text would survive kill -9."""

    @abstractmethod
    def remove(self, name: str) -> None: ...

    @abstractmethod
    def list(self) -> list[str]: ...

    @abstractmethod
    def try_lock(self, name: str) -> bool:
        """Locks the name; False if another user of this store holds it."""

    @abstractmethod
    def unlock(self, name: str) -> None: ...


class MemoryTokenStore(TokenStore):
    """Keeps sessions in memory until the process ends. The default."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: set[str] = set()
        self._saved: dict[str, SavedSession] = {}

    def load(self, name: str) -> SavedSession | None:
        return self._saved.get(name)

    def save(self, name: str, saved: SavedSession) -> None:
        self._saved[name] = saved

    def remove(self, name: str) -> None:
        self._saved.pop(name, None)

    def list(self) -> list[str]:
        return sorted(self._saved)

    def try_lock(self, name: str) -> bool:
        with self._guard:
            if name in self._held:
                return False
            self._held.add(name)
            return True

    def unlock(self, name: str) -> None:
        with self._guard:
            self._held.discard(name)
