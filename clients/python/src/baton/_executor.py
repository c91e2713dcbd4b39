"""Jobs as their executor sees them, without I/O.

Claimed with an agent's key, reported with the job's own token.
"""

from __future__ import annotations

from typing import Any

from ._effects import Flow, Request
from ._exchange import Means, accepted, exchange
from ._line import headers_for, random_key, to_json
from ._session_core import quoted
from .wire import Claimed, Reported


def claim(
    means: Means, url: str, agent: str, key: str | None, body: dict[str, Any]
) -> Flow[Claimed | None]:
    """Waits for a job of this agent. A claim whose answer was lost comes back with its lease."""
    headers = headers_for(key or means.key, True)
    request = Request(
        "POST", f"{url}/agents/{quoted(agent)}/claim", headers, to_json(body).encode()
    )
    sent = exchange(means, request, is_pending=False, extra_ms=body.get("waitMs", 0))
    answer = accepted((yield from sent))
    claimed: Claimed | None = answer.body
    return claimed


def report(means: Means, url: str, token: str, what: str, body: dict[str, Any]) -> Flow[Reported]:
    """Written once, however often it is sent."""
    headers = {**headers_for(token, True), "Idempotency-Key": random_key()}
    request = Request("POST", f"{url}/jobs/{what}", headers, to_json(body).encode())
    answer = accepted((yield from exchange(means, request, is_pending=False)))
    reported: Reported = answer.body
    return reported
