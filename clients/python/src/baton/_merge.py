"""Whether two writes can stand side by side: nobody else changed what this one sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._line import to_json
from .results import Conflict
from .wire import Event, Session


def is_disjoint(given: Mapping[str, Any], base: Session | None, conflict: Conflict) -> bool:
    """``base`` is the session as the writer saw it; without it only the missed events tell."""
    names = list(given.get("fields") or {})
    others = {field for event in conflict.missed for field in _changed_by(event)}
    if any(name in others for name in names):
        return False
    if base is None:
        return not conflict.more and "title" not in given and "nextStep" not in given
    current = conflict.current
    return (
        all(_is_same(base["fields"].get(name), current["fields"].get(name)) for name in names)
        and ("title" not in given or base["title"] == current["title"])
        and ("nextStep" not in given or _is_same(base["nextStep"], current["nextStep"]))
    )


def _is_same(one: Any, other: Any) -> bool:
    """As JSON, where 1 is not true; where only the order of keys differs, nothing is merged."""
    return to_json(one) == to_json(other)


def _changed_by(event: Event) -> list[str]:
    if event["type"] != "fields.updated":
        return []
    return [change["field"] for change in event["payload"]["changes"]]
