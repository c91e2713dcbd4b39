"""The effects of the core, as data. A flow yields an effect and is sent its outcome.

A flow is a generator: it yields what to do next and receives the result. It never opens a socket, a
file or a timer itself, so that the blocking client, the asyncio client and tests drive the same
code.
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
    """A complete response."""

    status: int
    headers: dict[str, str]
    content: bytes


@dataclass(frozen=True)
class Lost:
    """There was no complete response, and why."""

    reason: str
    # There was no connection, so that nothing of the request has arrived.
    is_connection_error: bool = False


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
    """Locks a saved session, also between processes."""

    name: str


@dataclass(frozen=True)
class Release:
    name: str


@dataclass(frozen=True)
class UseSignal:
    """Whether the caller's signal can end the following effects."""

    signal: bool


@dataclass(frozen=True)
class Perform:
    """Calls a function of the user, and awaits the result if needed."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...] = field(default=())


@dataclass(frozen=True)
class OpenStream:
    """Opens a response for reading in chunks; the outcome is a Reply (without content) or Lost."""

    request: Request


@dataclass(frozen=True)
class ReadStream:
    """The next bytes of the open response; None at its end, Lost if it broke."""


@dataclass(frozen=True)
class Emit:
    """One item for the iterator."""

    item: Any


Effect = Union[
    Send,
    Sleep,
    Load,
    Save,
    Remove,
    Acquire,
    Release,
    UseSignal,
    Perform,
    OpenStream,
    ReadStream,
    Emit,
]
Flow: TypeAlias = Generator[Effect, Any, T]
