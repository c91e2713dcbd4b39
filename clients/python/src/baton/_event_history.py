"""Reads events that a process must know after a crash. Without I/O."""

from __future__ import annotations

from collections.abc import Sequence

from ._effects import Flow
from ._session_core import SessionCore
from .errors import WireError
from .wire import Event


def read_history(core: SessionCore, types: Sequence[str]) -> Flow[tuple[list[Event], int]]:
    """The events of these types that the log still has, and the seq up to which it was read."""
    events: list[Event] = []
    after = 0
    while True:
        try:
            page = yield from core.page(after, None, types, None)
        except WireError as error:
            floor = error.problem.get("floor")
            if floor is None or floor <= after:
                raise
            after = floor
            continue
        events += page["events"]
        after = page["nextAfter"]
        if not page["more"]:
            return events, after
