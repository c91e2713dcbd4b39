"""One request until it has an answer.

The identical bytes are sent again after a lost, cut or late response, after as long as the server
asks for, or by backoff. Never decides what an answer means.
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
from .errors import TransportError, refusal_of
from .results import Answer


@dataclass(frozen=True)
class RetryOptions:
    """How often, and after which waits, an unanswered request is sent again."""

    # First wait; doubled each time.
    base_ms: float = 250
    max_ms: float = 10_000
    # A share of the wait, from 0 to 1.
    jitter: float = 0.1
    attempts: int = 8
    # How long one attempt may take.
    timeout_ms: float = 30_000
    # How long to go on while the server cannot be reached at all, so that nothing was sent.
    # math.inf waits for as many attempts as for anything else.
    unreachable_ms: float = 5_000
    # How long whoever follows events or waits for one goes on without a connection, counted from
    # the first failure. math.inf goes on until the signal ends it.
    outage_ms: float = 15 * 60 * 1000


@dataclass(frozen=True)
class Means:
    """What the core is given instead of a clock and chance of its own."""

    retry: RetryOptions
    # Milliseconds since 1970.
    now: Callable[[], float]
    # From 0 (included) to 1 (excluded).
    random: Callable[[], float]
    # An owner's key, for beginning sessions. Never saved.
    key: str | None = field(default=None, repr=False)


# Refusals that mean "later": the same request may then succeed.
LATER = frozenset({"rate_limited", "overloaded", "busy", "internal"})


def exchange(
    means: Means,
    request: Request,
    *,
    is_pending: bool,
    extra_ms: float = 0,
    raw: bool = False,
    outage_ms: float | None = None,
) -> Flow[Answer]:
    """Sends until there is a whole answer that does not say "later", or attempts run out.

    Whoever waits gives ``outage_ms``: how long to go on without one, however many attempts.
    """
    retry = means.retry
    began, was_reached = means.now(), False
    attempts = 0
    failed_at: float | None = None
    while True:
        attempts += 1
        outcome: Reply | Lost = yield Send(request, retry.timeout_ms + extra_ms)
        wait_ms: float | None = None
        failed_at = means.now() if failed_at is None else failed_at
        if outage_ms is None:
            is_last = attempts >= retry.attempts
        else:
            is_last = means.now() - failed_at >= outage_ms
        if isinstance(outcome, Reply):
            answer = read_answer(outcome, attempts, raw=raw)
            if answer is not None:
                if is_last or not is_later(answer):
                    return answer
                was_reached = True
                yield Sleep(_wait_after(answer, attempts, means))
                continue
            was_reached = True
            wait_ms = _retry_after_ms(outcome.headers.get("retry-after"), means.now())
            reason = (
                f"The response (status {outcome.status}) is not a complete response from Baton."
            )
        else:
            was_reached = was_reached or not outcome.is_unreached
            reason = f"No response from {origin_of(request.url)}: {outcome.reason}"
        if wait_ms is None:
            wait_ms = backoff_ms(retry, attempts, means.random())
        passed_ms = means.now() - began + wait_ms
        is_too_long = outage_ms is None and not was_reached and passed_ms > retry.unreachable_ms
        if is_last or is_too_long:
            raise TransportError(reason, attempts, is_pending)
        yield Sleep(wait_ms)


def accepted(answer: Answer) -> Answer:
    """The answer, or what it refuses as an error."""
    if answer.is_ok:
        return answer
    raise refusal_of(answer.body)


def is_later(answer: Answer) -> bool:
    return not answer.is_ok and answer.body["code"] in LATER


def _wait_after(answer: Answer, attempts: int, means: Means) -> float:
    asked = answer.body.get("retryAfterMs")
    if asked is None:
        return backoff_ms(means.retry, attempts, means.random())
    # Never earlier than asked for; jitter only adds.
    return math.ceil(float(asked) * (1 + means.retry.jitter * means.random()))


def backoff_ms(retry: RetryOptions, attempt: int, dice: float) -> float:
    """min(base · 2^(n-1), max), plus or minus the jitter, never above max."""
    # A follower may try for days: beyond this the power does not fit a float.
    wait = min(retry.base_ms * 2.0 ** min(attempt - 1, 60), retry.max_ms)
    return min(round(wait * (1 + retry.jitter * (2 * dice - 1))), retry.max_ms)


def read_answer(reply: Reply, attempts: int, *, raw: bool = False) -> Answer | None:
    """None for a body that is not whole: the request may have been done, and counts as lost."""
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
    """Seconds or an HTTP date, as proxies in between may send it."""
    if value is None:
        return None
    if value.isascii() and value.isdecimal() and len(value) <= 9:
        return int(value) * 1000
    try:
        return max(0, parsedate_to_datetime(value).timestamp() * 1000 - now)
    except ValueError:
        return None


def origin_of(url: str) -> str:
    """Paths may hold a token and stay out of messages."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
