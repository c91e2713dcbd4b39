"""Automatic resumption: runs the work, reports its stops, and follows the server's decisions.

Has no policy of its own; the signal ends every wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from ._effects import Flow, Perform, Sleep, UseSignal
from ._event_history import read_history
from ._session_core import SessionCore, without_none
from .abort import AbortSignal
from .errors import Aborted, TransportError, WireError
from .results import unwrap
from .wire import Decision, StopReport

S = TypeVar("S")
T = TypeVar("T")


class StopError(Exception):
    """Raised by work that knows the reason of its stop.

    ``raise StopError("rate_limit", retry_after="30")`` also states when to retry.
    """

    def __init__(self, reason: str, *, evidence: str | None = None, **more: Any) -> None:
        super().__init__(evidence or reason)
        names = {"retry_after": "retryAfter", "retry_after_ms": "retryAfterMs"}
        names["exit_code"] = "exitCode"
        rest = {names.get(name, name): value for name, value in more.items()}
        self.stop: dict[str, Any] = {"reason": reason, **without_none(evidence=evidence, **rest)}


@dataclass(frozen=True)
class WorkContext(Generic[S]):
    """The arguments of the work. After a fork, ``session`` is the child."""

    session: S
    # From 1; counts from 1 again in a new session.
    attempt: int
    # How to continue, as a prompt, if the work continues in a new session.
    prompt: str | None
    is_resumed: bool
    signal: AbortSignal | None


@dataclass(frozen=True)
class Progress:
    """One progress report."""

    kind: Literal["started", "stopped", "delayed", "skipped", "forked", "success", "failure"]
    attempt: int
    stop: StopReport | None = None
    wait_ms: int | None = None
    resume_at: str | None = None
    prompt: str | None = None
    why: str | None = None


@dataclass(frozen=True)
class RunOutcome(Generic[S, T]):
    """The result of a run: ``value`` of a success, otherwise ``error`` and ``decision``."""

    outcome: Literal["success", "failure", "skipped"]
    attempt: int
    session: S
    value: T | None = None
    error: BaseException | None = None
    stop: StopReport | None = None
    decision: Decision | None = None


@dataclass(frozen=True)
class RunOptions:
    classify: Callable[[BaseException], dict[str, Any]]
    on_progress: Callable[[Progress], Any] | None
    while_paused: Literal["wait", "stop"]
    pause_poll_ms: int
    signal: AbortSignal | None


def run_with_resume(
    core: SessionCore,
    work: Callable[[WorkContext[S]], Any],
    wrap: Callable[[SessionCore], S],
    options: RunOptions,
) -> Flow[RunOutcome[S, Any]]:
    signal = options.signal
    # Saved with the child, because an earlier process may have been killed before it used it.
    prompt = core.line.saved.prompt
    attempt, is_resumed = 1, False
    decision = yield from _find_pending_decision(core)
    while True:
        session = wrap(core)
        try:
            if decision is None:
                yield from _notify_progress(options, Progress("started", attempt))
                context = WorkContext(session, attempt, prompt, is_resumed, signal)
                try:
                    value = yield Perform(work, (context,))
                except (Exception, KeyboardInterrupt) as raised:
                    error: BaseException = raised
                else:
                    # A first attempt that succeeds was never stopped. After a resume, the report
                    # shows that the resume did not fail, which the server's circuit breaker counts.
                    if is_resumed:
                        yield from _report(core, {"reason": "completed", "attempt": attempt})
                    yield from _notify_progress(options, Progress("success", attempt))
                    return RunOutcome("success", attempt, session, value)
                is_exit = isinstance(error, KeyboardInterrupt) or _is_aborted(error, signal)
                why = {"reason": "user_exit"} if is_exit else options.classify(error)
                stop: Any = {**why, "attempt": attempt}
                yield from _notify_progress(options, Progress("stopped", attempt, stop=stop))
                decision = yield from _report(core, stop)
                if isinstance(error, KeyboardInterrupt):
                    raise error
                while decision["strategy"] == "none":
                    is_paused = _is_resumable(stop) and (yield from core.get())["paused"]
                    if not is_paused or options.while_paused == "stop":
                        outcome: Literal["skipped", "failure"] = (
                            "skipped" if is_paused else "failure"
                        )
                        yield from _notify_progress(
                            options, Progress(outcome, attempt, why=decision["why"])
                        )
                        return RunOutcome(outcome, attempt, session, None, error, stop, decision)
                    yield from _notify_progress(
                        options, Progress("skipped", attempt, why=decision["why"])
                    )
                    yield from _wait_until_unpaused(core, options)
                    decision = yield from _report(core, stop)
                if decision["strategy"] == "new_session":
                    forked = unwrap((yield from core.fork({"reason": stop["reason"]}, True, None)))
                    core, prompt, attempt, is_resumed = forked.child, forked.prompt, 1, False
                    decision = None
                    yield from _notify_progress(options, Progress("forked", attempt, prompt=prompt))
                    continue
            attempt = decision["attempt"] or attempt + 1
            delayed = Progress(
                "delayed",
                attempt,
                wait_ms=decision["waitMs"],
                resume_at=decision["resumeAt"],
                why=decision["why"],
            )
            yield from _notify_progress(options, delayed)
            yield Sleep(decision["waitMs"])
            yield from _resume_when_allowed(core, attempt, options)
        except Aborted as aborted:
            # The user ended the wait, which is reported like any other stop.
            ended: Any = {"reason": "user_exit", "attempt": attempt}
            yield from _notify_progress(options, Progress("stopped", attempt, stop=ended))
            final = yield from _report(core, ended)
            yield from _notify_progress(options, Progress("failure", attempt, why=final["why"]))
            return RunOutcome("failure", attempt, session, None, aborted, ended, final)
        is_resumed, decision = True, None


def _find_pending_decision(core: SessionCore) -> Flow[Decision | None]:
    """A wait that an earlier process did not finish.

    The last stop was answered with a delay, and no automatic resume has followed. Returns the
    decision with the remaining time.
    """
    events, _ = yield from read_history(core, ("stop.reported", "token.accessed"))
    reports = [
        one for one in events if one["type"] == "stop.reported" or one["payload"].get("auto")
    ]
    if not reports or reports[-1]["type"] != "stop.reported":
        return None
    payload: Any = reports[-1]["payload"]
    decision: Decision = payload["decision"]
    if decision["strategy"] != "same_session" or decision["resumeAt"] is None:
        return None
    due = datetime.fromisoformat(decision["resumeAt"].replace("Z", "+00:00")).timestamp() * 1000
    left = min(decision["waitMs"], math.ceil(due - core.line.config.now()))
    return {**decision, "waitMs": max(0, left)}


def _notify_progress(options: RunOptions, progress: Progress) -> Flow[None]:
    if options.on_progress is not None:
        yield Perform(options.on_progress, (progress,))


def _report(core: SessionCore, stop: dict[str, Any]) -> Flow[Decision]:
    """Without the signal, because the end of the work must be reported too."""
    yield UseSignal(False)
    answer = yield from core.write("reportStop", "POST", "/stops", stop)
    yield UseSignal(True)
    decision: Decision = answer["decision"]
    return decision


def _is_resumable(stop: dict[str, Any]) -> bool:
    return stop["reason"] not in ("user_exit", "completed", "unknown")


def _resume_when_allowed(core: SessionCore, attempt: int, options: RunOptions) -> Flow[None]:
    """A pause that started during the wait delays the resume, not the wait."""
    while True:
        try:
            yield from core.resume({"auto": True})
            return
        except WireError as error:
            if error.code != "paused":
                raise
        yield from _notify_progress(
            options, Progress("skipped", attempt, why="the session is paused")
        )
        yield from _wait_until_unpaused(core, options)


def _wait_until_unpaused(core: SessionCore, options: RunOptions) -> Flow[None]:
    """Waits for the event, and polls in case it is missed."""
    while True:
        session = yield from core.get()
        if not session["paused"]:
            return
        wait_ms = min(options.pause_poll_ms, 60_000)
        yield from core.page(session["head"], None, ["session.unpaused"], wait_ms)


def _is_aborted(error: BaseException, signal: AbortSignal | None) -> bool:
    return isinstance(error, Aborted) or (signal is not None and signal.aborted)


# Errors of httpx and of model SDKs, which this package does not import.
_NETWORK_ERRORS = ("APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError")


def classify_error(error: BaseException) -> dict[str, Any]:
    """Classifies an error by the members that errors of HTTP clients have. Others are crashes."""
    if isinstance(error, StopError):
        return error.stop
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    status = status or getattr(error, "status", None)
    headers = getattr(response, "headers", None) or {}
    name, code = type(error).__name__, getattr(error, "code", None)
    evidence = f"{name}: {error}"[:500]
    if status in (429, 529):
        return without_none(
            reason="rate_limit", evidence=evidence, retryAfter=headers.get("retry-after")
        )
    if code == "context_length_exceeded" or status == 413:
        return {"reason": "context_exhausted", "evidence": evidence}
    if isinstance(error, TimeoutError) or "Timeout" in name or status in (408, 504):
        return {"reason": "timeout", "evidence": evidence}
    is_network = isinstance(error, (TransportError, ConnectionError))
    if is_network or name in _NETWORK_ERRORS:
        return {"reason": "network", "evidence": evidence}
    return {"reason": "crash", "evidence": evidence}
