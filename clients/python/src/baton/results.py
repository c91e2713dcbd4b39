"""What calls give back, beside the dictionaries of the wire (``baton.wire``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, Union

from .errors import ConflictError
from .wire import Event, Handoff, Proof, Session

T = TypeVar("T")


@dataclass(frozen=True)
class Written:
    """The write was accepted; ``session`` is the session after it.

    ``submit``, ``approve`` and ``finalize`` give the ``proof`` of the log with this write in it, if
    the server signs.
    """

    session: Session
    proof: Proof | None = None
    ok: Literal[True] = True


@dataclass(frozen=True)
class Conflict:
    """Somebody else moved the session on. Nothing was written, and the token is not spent.

    ``current`` is the session as it is now, ``missed`` the first events that the writer has not
    seen, and ``more`` says whether there are further ones.
    """

    code: str
    current: Session
    missed: list[Event]
    more: bool
    ok: Literal[False] = False


@dataclass(frozen=True)
class Appended:
    """Where in the log the events stand."""

    first: int
    last: int
    head: int
    ok: Literal[True] = True


@dataclass(frozen=True)
class Forked(Generic[T]):
    """The session after the fork, the new session, and a prompt for whoever goes on in it."""

    session: Session
    child: T
    prompt: str
    ok: Literal[True] = True


@dataclass(frozen=True)
class HandoffMade:
    """A new participant. Its first token is for you to give on; it is not kept here."""

    handoff: Handoff
    participant_token: str = field(repr=False)


@dataclass(frozen=True)
class LinkMade:
    """A link for a person. Whoever has the address can open it."""

    handoff: Handoff
    # What to send to the person, its code to type or say, and its QR code as SVG.
    url: str = field(repr=False)
    code: str = field(repr=False)
    qr_url: str = field(repr=False)


WriteResult = Union[Written, Conflict]


def unwrap(result: T | Conflict) -> T:
    """Returns what was accepted; a conflict is raised as ``ConflictError``."""
    if isinstance(result, Conflict):
        raise ConflictError(result)
    return result


@dataclass(frozen=True)
class Resumed:
    """What a resume gave: the events since the last one seen."""

    outcome: Literal["resumed", "fresh"]
    events: list[Event]
    head: int
    more: bool
    warning: dict[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """An answer of the server, whole: ``is_ok`` is false for a refusal."""

    status: int
    is_ok: bool
    is_replayed: bool
    body: Any
    attempts: int = 1


@dataclass(frozen=True)
class Settled:
    """What became of a request that an earlier process, or a failed call, had left open."""

    operation: str
    is_done: bool
    answer: Answer
