"""Automatic resumption: run the work, tell the server why it stopped, and do what it decides.

Knows no policy of its own; waits end with the signal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from ._effects import Flow, Heed, Perform, Sleep
from ._session_core import SessionCore, given
from ._story import read_story
from .abort import AbortSignal
from .errors import Aborted, TransportError, WireError
from .results import unwrap
from .wire import Decision, StopReport

S = TypeVar("S")
T = TypeVar("T")


class StopError(Exception):
    """Raised by work that knows why it stops.

    ``raise StopError("rate_limit", retry_after="30")`` says when to try again, too.
    """

    def __init__(self, reason: str, *, evidence: str | None = None, **more: Any) -> None:
        super().__init__(evidence or reason)
        names = {"retry_after": "retryAfter", "retry_after_ms": "retryAfterMs"}
        names["exit_code"] = "exitCode"
        rest = {names.get(name, name): value for name, value in more.items()}
        self.stop: dict[str, Any] = {"reason": reason, **given(evidence=evidence, **rest)}


@dataclass(frozen=True)
class WorkContext(Generic[S]):
    """What the work is given. After a fork, ``session`` is the child."""

    session: S
    # From 1; starts again in a new session.
    attempt: int
    # How the work goes on, where it goes on in a new session.
    prompt: str | None
    is_resumed: bool
    signal: AbortSignal | None


@dataclass(frozen=True)
class Progress:
    """What is going on, as it happens."""

    kind: Literal["started", "stopped", "delayed", "skipped", "forked", "success", "failure"]
    attempt: int
    stop: StopReport | None = None
    wait_ms: int | None = None
    resume_at: str | None = None
    prompt: str | None = None
    why: str | None = None


@dataclass(frozen=True)
class RunOutcome(Generic[S, T]):
    """How it ended: ``value`` where it was a success, ``error`` and ``decision`` where not."""

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
    # Saved with the child: an earlier process may not have lived to use it.
    prompt = core.line.saved.prompt
    attempt, is_resumed = 1, False
    decision = yield from _left_decision(core)
    while True:
        session = wrap(core)
        try:
            if decision is None:
                yield from _tell(options, Progress("started", attempt))
                context = WorkContext(session, attempt, prompt, is_resumed, signal)
                try:
                    value = yield Perform(work, (context,))
                except (Exception, KeyboardInterrupt) as raised:
                    error: BaseException = raised
                else:
                    # A first attempt that succeeds was never stopped. After a resume it shows that
                    # the resume did not fail, which the server's breaker counts.
                    if is_resumed:
                        yield from _report(core, {"reason": "completed", "attempt": attempt})
                    yield from _tell(options, Progress("success", attempt))
                    return RunOutcome("success", attempt, session, value)
                is_exit = isinstance(error, KeyboardInterrupt) or _is_aborted(error, signal)
                why = {"reason": "user_exit"} if is_exit else options.classify(error)
                stop: Any = {**why, "attempt": attempt}
                yield from _tell(options, Progress("stopped", attempt, stop=stop))
                decision = yield from _report(core, stop)
                if isinstance(error, KeyboardInterrupt):
                    raise error
                while decision["strategy"] == "none":
                    is_held = _is_resumable(stop) and (yield from core.get())["paused"]
                    if not is_held or options.while_paused == "stop":
                        outcome: Literal["skipped", "failure"] = "skipped" if is_held else "failure"
                        yield from _tell(options, Progress(outcome, attempt, why=decision["why"]))
                        return RunOutcome(outcome, attempt, session, None, error, stop, decision)
                    yield from _tell(options, Progress("skipped", attempt, why=decision["why"]))
                    yield from _until_unpaused(core, options)
                    decision = yield from _report(core, stop)
                if decision["strategy"] == "new_session":
                    forked = unwrap((yield from core.fork({"reason": stop["reason"]}, True, None)))
                    core, prompt, attempt, is_resumed = forked.child, forked.prompt, 1, False
                    decision = None
                    yield from _tell(options, Progress("forked", attempt, prompt=prompt))
                    continue
            attempt = decision["attempt"] or attempt + 1
            delayed = Progress(
                "delayed",
                attempt,
                wait_ms=decision["waitMs"],
                resume_at=decision["resumeAt"],
                why=decision["why"],
            )
            yield from _tell(options, delayed)
            yield Sleep(decision["waitMs"])
            yield from _resume_when_allowed(core, attempt, options)
        except Aborted as aborted:
            # Somebody ended the wait: that is told like any other end.
            ended: Any = {"reason": "user_exit", "attempt": attempt}
            yield from _tell(options, Progress("stopped", attempt, stop=ended))
            final = yield from _report(core, ended)
            yield from _tell(options, Progress("failure", attempt, why=final["why"]))
            return RunOutcome("failure", attempt, session, None, aborted, ended, final)
        is_resumed, decision = True, None


def _left_decision(core: SessionCore) -> Flow[Decision | None]:
    """A wait that an earlier process was told and did not live to end.

    The last stop put it off, and no resume of a machine followed. With what is left of the time.
    """
    story, _ = yield from read_story(core, ("stop.reported", "token.accessed"))
    told = [one for one in story if one["type"] == "stop.reported" or one["payload"].get("auto")]
    if not told or told[-1]["type"] != "stop.reported":
        return None
    payload: Any = told[-1]["payload"]
    decision: Decision = payload["decision"]
    if decision["strategy"] != "same_session" or decision["resumeAt"] is None:
        return None
    due = datetime.fromisoformat(decision["resumeAt"].replace("Z", "+00:00")).timestamp() * 1000
    left = min(decision["waitMs"], math.ceil(due - core.line.means.now()))
    return {**decision, "waitMs": max(0, left)}


def _tell(options: RunOptions, progress: Progress) -> Flow[None]:
    if options.on_progress is not None:
        yield Perform(options.on_progress, (progress,))


def _report(core: SessionCore, stop: dict[str, Any]) -> Flow[Decision]:
    """Without the signal: that the work was ended is to be told, too."""
    yield Heed(False)
    answer = yield from core.write("reportStop", "POST", "/stops", stop)
    yield Heed(True)
    decision: Decision = answer["decision"]
    return decision


def _is_resumable(stop: dict[str, Any]) -> bool:
    return stop["reason"] not in ("user_exit", "completed", "unknown")


def _resume_when_allowed(core: SessionCore, attempt: int, options: RunOptions) -> Flow[None]:
    """A pause that came during the wait holds the resume back, not the wait."""
    while True:
        try:
            yield from core.resume({"auto": True})
            return
        except WireError as error:
            if error.code != "paused":
                raise
        yield from _tell(options, Progress("skipped", attempt, why="the session is paused"))
        yield from _until_unpaused(core, options)


def _until_unpaused(core: SessionCore, options: RunOptions) -> Flow[None]:
    """Waits for the news of it, and looks again even if none comes."""
    while True:
        session = yield from core.get()
        if not session["paused"]:
            return
        wait_ms = min(options.pause_poll_ms, 60_000)
        yield from core.page(session["head"], None, ["session.unpaused"], wait_ms)


def _is_aborted(error: BaseException, signal: AbortSignal | None) -> bool:
    return isinstance(error, Aborted) or (signal is not None and signal.aborted)


# Of httpx and of model SDKs, which this package does not import.
_NETWORK_ERRORS = ("APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError")


def classify_error(error: BaseException) -> dict[str, Any]:
    """By what errors of HTTP clients and model SDKs carry. What it cannot tell is a crash."""
    if isinstance(error, StopError):
        return error.stop
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    status = status or getattr(error, "status", None)
    headers = getattr(response, "headers", None) or {}
    name, code = type(error).__name__, getattr(error, "code", None)
    evidence = f"{name}: {error}"[:500]
    if status in (429, 529):
        return given(reason="rate_limit", evidence=evidence, retryAfter=headers.get("retry-after"))
    if code == "context_length_exceeded" or status == 413:
        return {"reason": "context_exhausted", "evidence": evidence}
    if isinstance(error, TimeoutError) or "Timeout" in name or status in (408, 504):
        return {"reason": "timeout", "evidence": evidence}
    is_network = isinstance(error, (TransportError, ConnectionError))
    if is_network or name in _NETWORK_ERRORS:
        return {"reason": "network", "evidence": evidence}
    return {"reason": "crash", "evidence": evidence}
