"""Jobs for their executor, without I/O.

A job is claimed with an agent's key and reported with its own token.
"""

from __future__ import annotations

from typing import Any

from ._effects import Flow, Request
from ._session_core import quoted
from ._token_line import headers_for, random_key, to_json
from ._transport import ClientConfig, require_success, send_with_retry
from .wire import Claimed, Reported


def claim(
    config: ClientConfig, url: str, agent: str, key: str | None, body: dict[str, Any]
) -> Flow[Claimed | None]:
    """Waits for a job of this agent.

    If the response is lost, the job is available again after its lease.
    """
    headers = headers_for(key or config.key, True)
    request = Request(
        "POST", f"{url}/agents/{quoted(agent)}/claim", headers, to_json(body).encode()
    )
    response_flow = send_with_retry(
        config, request, is_pending=False, extra_ms=body.get("waitMs", 0)
    )
    answer = require_success((yield from response_flow))
    claimed: Claimed | None = answer.body
    return claimed


def report(
    config: ClientConfig, url: str, token: str, kind: str, body: dict[str, Any]
) -> Flow[Reported]:
    """Applied once, however often it is sent."""
    headers = {**headers_for(token, True), "Idempotency-Key": random_key()}
    request = Request("POST", f"{url}/jobs/{kind}", headers, to_json(body).encode())
    answer = require_success((yield from send_with_retry(config, request, is_pending=False)))
    reported: Reported = answer.body
    return reported
