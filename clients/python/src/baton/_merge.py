"""Decides whether two writes are compatible: no other writer changed what this one sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._token_line import to_json
from .results import Conflict
from .wire import Event, Session


def is_disjoint(changes: Mapping[str, Any], base: Session | None, conflict: Conflict) -> bool:
    """``base`` is the session as the writer saw it; without it only the missed events count."""
    names = list(changes.get("fields") or {})
    others = {field for event in conflict.missed for field in _changed_fields(event)}
    if any(name in others for name in names):
        return False
    if base is None:
        return not conflict.more and "title" not in changes and "nextStep" not in changes
    current = conflict.current
    return (
        all(_is_equal(base["fields"].get(name), current["fields"].get(name)) for name in names)
        and ("title" not in changes or base["title"] == current["title"])
        and ("nextStep" not in changes or _is_equal(base["nextStep"], current["nextStep"]))
    )


def _is_equal(one: Any, other: Any) -> bool:
    """Compared as JSON, in which 1 is not true.

    If only the order of keys differs, nothing is merged.
    """
    return to_json(one) == to_json(other)


def _changed_fields(event: Event) -> list[str]:
    if event["type"] != "fields.updated":
        return []
    return [change["field"] for change in event["payload"]["changes"]]
