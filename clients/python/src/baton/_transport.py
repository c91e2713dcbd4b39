"""Sends one request until it has a response.

Retries with identical bytes after a lost, truncated or late response, after the time that the
server asks for, or by backoff. Never interprets a response.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from ._effects import Flow, Lost, Reply, Request, Send, Sleep
from .errors import TransportError, error_from_problem
from .results import Answer


@dataclass(frozen=True)
class RetryOptions:
    """How often, and after which waits, a request without a response is retried."""

    # The first wait; doubled each time.
    base_ms: float = 250
    max_ms: float = 10_000
    # A fraction of the wait, from 0 to 1.
    jitter: float = 0.1
    attempts: int = 8
    # The timeout of one attempt.
    timeout_ms: float = 30_000
    # How long to retry while the server cannot be reached at all, so that nothing was sent. With
    # math.inf only attempts limits it.
    unreachable_ms: float = 5_000
    # How long calls that follow or wait for events go on without a connection, counted from the
    # first failure. math.inf goes on until the signal ends it.
    outage_ms: float = 15 * 60 * 1000


@dataclass(frozen=True)
class ClientConfig:
    """What the core uses instead of its own clock and random numbers."""

    retry: RetryOptions
    # Milliseconds since 1970.
    now: Callable[[], float]
    # From 0 (included) to 1 (excluded).
    random: Callable[[], float]
    # An owner's key, for creating sessions. Never saved.
    key: str | None = field(default=None, repr=False)


# Codes of refusals after which the same request may succeed later.
RETRYABLE_CODES = frozenset({"rate_limited", "overloaded", "busy", "internal"})


def send_with_retry(
    config: ClientConfig,
    request: Request,
    *,
    is_pending: bool,
    extra_ms: float = 0,
    raw: bool = False,
    outage_ms: float | None = None,
) -> Flow[Answer]:
    """Sends until there is a complete response that is not retryable, or attempts run out.

    Calls that wait pass ``outage_ms``: how long to go on without a response, however many attempts.
    """
    retry = config.retry
    started_at, was_reached = config.now(), False
    attempts = 0
    failed_at: float | None = None
    while True:
        attempts += 1
        outcome: Reply | Lost = yield Send(request, retry.timeout_ms + extra_ms)
        wait_ms: float | None = None
        failed_at = config.now() if failed_at is None else failed_at
        if outage_ms is None:
            is_last = attempts >= retry.attempts
        else:
            is_last = config.now() - failed_at >= outage_ms
        if isinstance(outcome, Reply):
            answer = read_response(outcome, attempts, raw=raw)
            if answer is not None:
                if is_last or not is_retryable(answer):
                    return answer
                was_reached = True
                yield Sleep(_retry_delay_ms(answer, attempts, config))
                continue
            was_reached = True
            wait_ms = _retry_after_ms(outcome.headers.get("retry-after"), config.now())
            reason = (
                f"The response (status {outcome.status}) is not a complete response from Baton."
            )
        else:
            was_reached = was_reached or not outcome.is_connection_error
            reason = f"No response from {origin_of(request.url)}: {outcome.reason}"
        if wait_ms is None:
            wait_ms = backoff_ms(retry, attempts, config.random())
        elapsed_ms = config.now() - started_at + wait_ms
        is_too_long = outage_ms is None and not was_reached and elapsed_ms > retry.unreachable_ms
        if is_last or is_too_long:
            raise TransportError(reason, attempts, is_pending)
        yield Sleep(wait_ms)


def require_success(answer: Answer) -> Answer:
    """Returns the response, or raises its refusal as an error."""
    if answer.is_ok:
        return answer
    raise error_from_problem(answer.body)


def is_retryable(answer: Answer) -> bool:
    return not answer.is_ok and answer.body["code"] in RETRYABLE_CODES


def _retry_delay_ms(answer: Answer, attempts: int, config: ClientConfig) -> float:
    requested_ms = answer.body.get("retryAfterMs")
    if requested_ms is None:
        return backoff_ms(config.retry, attempts, config.random())
    # Never earlier than requested; the jitter only adds.
    return math.ceil(float(requested_ms) * (1 + config.retry.jitter * config.random()))


def backoff_ms(retry: RetryOptions, attempt: int, random_value: float) -> float:
    """min(base · 2^(n-1), max), plus or minus the jitter, never above max."""
    # A follower may retry for days: beyond this the power does not fit a float.
    wait = min(retry.base_ms * 2.0 ** min(attempt - 1, 60), retry.max_ms)
    return min(round(wait * (1 + retry.jitter * (2 * random_value - 1))), retry.max_ms)


def read_response(reply: Reply, attempts: int, *, raw: bool = False) -> Answer | None:
    """None for an incomplete body: the request may have been done, and counts as lost."""
    is_replayed = reply.headers.get("idempotent-replayed") == "true"
    is_ok = 200 <= reply.status < 300
    if reply.status in (204, 304):
        return Answer(reply.status, True, is_replayed, None, attempts)
    if is_ok and raw:
        return Answer(reply.status, True, is_replayed, reply.content, attempts)
    body = parse_object(reply.content)
    if body is None or not (is_ok or isinstance(body.get("code"), str)):
        return None
    return Answer(reply.status, is_ok, is_replayed, body, attempts)


def parse_object(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _retry_after_ms(value: str | None, now: float) -> float | None:
    """Seconds or an HTTP date, as proxies may send it."""
    if value is None:
        return None
    if value.isascii() and value.isdecimal() and len(value) <= 9:
        return int(value) * 1000
    try:
        return max(0, parsedate_to_datetime(value).timestamp() * 1000 - now)
    except ValueError:
        return None


def origin_of(url: str) -> str:
    """Paths may contain a token, so messages do not contain them."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
