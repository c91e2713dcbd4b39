"""Results of calls other than the dictionaries of the wire (``baton.wire``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, Union

from .errors import ConflictError
from .wire import Event, Handoff, Proof, Session

T = TypeVar("T")


@dataclass(frozen=True)
class Written:
    """The write was done; ``session`` is the session after it.

    ``submit``, ``approve`` and ``finalize`` have the ``proof`` of the log that includes this write,
    if the server signs.
    """

    session: Session
    proof: Proof | None = None
    ok: Literal[True] = True


@dataclass(frozen=True)
class Conflict:
    """Another writer changed the session. Nothing was written, and the token is not spent.

    ``current`` is the session as it is now, ``missed`` has the first events that the writer has not
    seen, and ``more`` is true if there are further ones.
    """

    code: str
    current: Session
    missed: list[Event]
    more: bool
    ok: Literal[False] = False


@dataclass(frozen=True)
class Appended:
    """The seqs of the appended events."""

    first: int
    last: int
    head: int
    ok: Literal[True] = True


@dataclass(frozen=True)
class Forked(Generic[T]):
    """The session after the fork, the new session, and a prompt for continuing in it."""

    session: Session
    child: T
    prompt: str
    ok: Literal[True] = True


@dataclass(frozen=True)
class HandoffMade:
    """A new participant. Pass its first token to the next agent; it is not saved here."""

    handoff: Handoff
    participant_token: str = field(repr=False)


@dataclass(frozen=True)
class LinkMade:
    """A link for a person. Anyone who has the address can open it."""

    handoff: Handoff
    # The link to send to the person, its code for typing or dictating, and its QR code as SVG.
    url: str = field(repr=False)
    code: str = field(repr=False)
    qr_url: str = field(repr=False)


WriteResult = Union[Written, Conflict]


def unwrap(result: T | Conflict) -> T:
    """Returns the result; a conflict is raised as ``ConflictError``."""
    if isinstance(result, Conflict):
        raise ConflictError(result)
    return result


@dataclass(frozen=True)
class Resumed:
    """The result of a resume, with the events since the last one seen."""

    outcome: Literal["resumed", "fresh"]
    events: list[Event]
    head: int
    more: bool
    warning: dict[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """A complete response of the server; ``is_ok`` is false for a refusal."""

    status: int
    is_ok: bool
    is_replayed: bool
    body: Any
    attempts: int = 1


@dataclass(frozen=True)
class Settled:
    """The result of a request that an earlier process or a failed call had left pending."""

    operation: str
    is_done: bool
    answer: Answer
