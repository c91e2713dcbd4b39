"""What the core asks of the world, as data. A flow yields one of these and is sent its outcome.

A flow is a generator: it says what to do next and takes the answer. It never opens a socket, a file
or a timer itself, so the blocking client, the asyncio client and tests drive the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, Union

from .stores import SavedSession

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Reply:
    """A whole response."""

    status: int
    headers: dict[str, str]
    content: bytes


@dataclass(frozen=True)
class Lost:
    """No whole response came, and why."""

    reason: str
    # There was no connection, so nothing of the request has arrived.
    is_unreached: bool = False


@dataclass(frozen=True)
class Send:
    """Sends one request once; the outcome is a Reply or Lost."""

    request: Request
    limit_ms: float


@dataclass(frozen=True)
class Sleep:
    ms: float


@dataclass(frozen=True)
class Load:
    name: str


@dataclass(frozen=True)
class Save:
    name: str
    saved: SavedSession


@dataclass(frozen=True)
class Remove:
    name: str


@dataclass(frozen=True)
class Acquire:
    """Takes one's turn at a saved session, also between processes."""

    name: str


@dataclass(frozen=True)
class Release:
    name: str


@dataclass(frozen=True)
class Heed:
    """Whether the caller's signal may end what follows."""

    signal: bool


@dataclass(frozen=True)
class Perform:
    """Calls what the user gave, and awaits it where it is to be awaited."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...] = field(default=())


@dataclass(frozen=True)
class OpenStream:
    """Opens a response to be read in pieces; the outcome is a Reply (without content) or Lost."""

    request: Request


@dataclass(frozen=True)
class ReadStream:
    """The next bytes of the open response; None when it ended, Lost when it broke."""


@dataclass(frozen=True)
class Emit:
    """One item for whoever iterates."""

    item: Any


Effect = Union[
    Send,
    Sleep,
    Load,
    Save,
    Remove,
    Acquire,
    Release,
    Heed,
    Perform,
    OpenStream,
    ReadStream,
    Emit,
]
Flow: TypeAlias = Generator[Effect, Any, T]
