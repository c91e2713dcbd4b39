"""A session, with every operation of the API as a method.

Methods only call the core.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from ._ask_person import ask_person
from ._async_driver import AsyncDriver
from ._async_iteration import AsyncChunks, AsyncEvents
from ._contention import CONFLICT_TIMEOUT_MS
from ._export import export
from ._feed import follow, query_of
from ._session_core import UNSET, SessionCore, Unset, quoted, without_none, without_unset
from .abort import AbortSignal
from .awaiting import AsyncWork
from .results import (
    Appended,
    Conflict,
    Forked,
    HandoffMade,
    LinkMade,
    Resumed,
    Settled,
    WriteResult,
)
from .resumption import Progress, RunOptions, RunOutcome, classify_error, run_with_resume
from .stores import SavedSession
from .wire import (
    ActorClaim,
    AuditPage,
    Checkpoint,
    Decision,
    Delivery,
    EndpointAdded,
    EndpointChanged,
    EndpointRotated,
    Event,
    EventsPage,
    Handoff,
    Job,
    NextStep,
    NoticeEndpoint,
    PauseAnswer,
    PrivateValue,
    Proof,
    Resumable,
    Scope,
    Trimmed,
    UploadAnswer,
    Validation,
)
from .wire import Session as SessionView

T = TypeVar("T")
Fields = Mapping[str, Any]
Signal = AbortSignal | None
OnConflict = Literal["return", "merge"]


class AsyncSession:
    """A session, with the newest token of one participant.

    The client saves each write before it sends it, and sends writes sequentially. The keyword
    ``signal`` of every call ends its waits; ``if_match`` writes only if that is the current
    version.
    """

    def __init__(self, core: SessionCore, driver: AsyncDriver) -> None:
        self._core = core
        self._driver = driver

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def id(self) -> str:
        return self._core.id

    @property
    def name(self) -> str:
        """The name under which it is saved."""
        return self._core.line.name

    @property
    def url(self) -> str:
        return self._core.line.saved.url

    @property
    def token(self) -> str:
        """The newest token. Anyone who has it can act as this participant."""
        return self._core.line.token

    @property
    def state(self) -> SessionView:
        """The session as last seen; ``get()`` reads it again."""
        state = self._core.state
        if state is None:
            raise LookupError("The session was not read yet: call get() first.")
        return state

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as last seen."""
        return self.state["fields"]

    @property
    def resumed(self) -> Resumed | None:
        """The result of the last resume, with the events since the one before."""
        return self._core.resumed

    @property
    def recovered(self) -> Settled | None:
        """The request that an earlier process left unanswered and this one finished."""
        return self._core.recovered

    @property
    def saved(self) -> SavedSession:
        return self._core.line.saved

    async def get(self, *, signal: Signal = None) -> SessionView:
        """Reads the session as it is now."""
        return await self._driver.run(self._core.get(), signal)

    async def settle(self, *, signal: Signal = None) -> Settled | None:
        """Finishes a request that got no response, after a TransportError or an abort."""
        return await self._driver.run(self._core.settle(), signal)

    # Resuming

    async def resume(
        self,
        *,
        last_event_seq: int | None = None,
        actor: ActorClaim | None = None,
        auto: bool | None = None,
        on_invalid: Literal["fail", "fresh"] | None = None,
        signal: Signal = None,
    ) -> Resumed:
        """Resumes the session: invalidates earlier tokens, and returns the events since.

        >>> (await session.resume(last_event_seq=0)).events[0]["type"]
        'session.created'
        """
        body = without_none(
            lastEventSeq=last_event_seq, actor=actor, auto=auto, onInvalid=on_invalid
        )
        return await self._driver.run(self._core.resume(body), signal)

    async def resumable(
        self,
        *,
        last_event_seq: int | None = None,
        auto: bool | None = None,
        signal: Signal = None,
    ) -> Resumable:
        """Checks whether a resume would succeed, and how many events were missed."""
        query = query_of({"lastEventSeq": last_event_seq, "auto": auto})
        resumable: Resumable = await self._read(f"/resumable{query}", signal)
        return resumable

    # The document

    async def set(
        self,
        fields: Fields | None = None,
        *,
        confidence: float | Mapping[str, float] | None = None,
        title: str | Unset | None = UNSET,
        next_step: NextStep | Unset | None = UNSET,
        labels: Mapping[str, str] | None = None,
        if_match: int | None = None,
        on_conflict: OnConflict = "return",
        conflict_timeout_ms: float = CONFLICT_TIMEOUT_MS,
        signal: Signal = None,
    ) -> WriteResult:
        """Sets fields, title and next step. ``None`` as a field's value removes the field.

        With ``on_conflict="merge"`` the write is retried after a conflict, as long as other writers
        changed none of the fields that it sets, for 30 s (``conflict_timeout_ms``).

        >>> (await session.set({"name": "Ada"}, title="Visa form")).ok
        True
        """
        body = without_none(fields=fields, confidence=confidence, labels=labels)
        body.update(without_unset(title=title, nextStep=next_step))
        merge_ms = conflict_timeout_ms if on_conflict == "merge" else None
        return await self._driver.run(self._core.set(body, if_match, merge_ms), signal)

    async def set_fields(
        self,
        fields: Fields,
        *,
        if_match: int | None = None,
        on_conflict: OnConflict = "return",
        conflict_timeout_ms: float = CONFLICT_TIMEOUT_MS,
        signal: Signal = None,
    ) -> WriteResult:
        """Sets fields. A conflict is a value: check ``ok``, or use ``unwrap``.

        >>> result = await session.set_fields({"name": "Ada"})
        >>> result.session["fields"]["name"] if result.ok else result.missed
        'Ada'
        """
        return await self.set(
            fields,
            if_match=if_match,
            on_conflict=on_conflict,
            conflict_timeout_ms=conflict_timeout_ms,
            signal=signal,
        )

    async def update(
        self,
        change: Callable[[SessionView], Mapping[str, Any] | None],
        *,
        attempts: int | None = None,
        conflict_timeout_ms: float = CONFLICT_TIMEOUT_MS,
        signal: Signal = None,
    ) -> WriteResult | None:
        """Applies a change to the current state, and again whenever another writer was faster.

        ``change`` receives the session and returns the body of the write, or None if there is
        nothing to do. It is retried for 30 s (``conflict_timeout_ms``), and at most ``attempts``
        times if that is given.

        >>> def count(current):
        ...     return {"fields": {"count": current["fields"].get("count", 0) + 1}}
        >>> (await session.update(count)).session["fields"]["count"]
        1
        """
        return await self._driver.run(
            self._core.update(change, attempts, conflict_timeout_ms), signal
        )

    async def validate(self, fields: Fields | None = None, *, signal: Signal = None) -> Validation:
        """Validates the document with these fields, and changes nothing."""
        flow = self._core.read("/validate", method="POST", body={"fields": fields or {}})
        validation: Validation = await self._driver.run(flow, signal)
        return validation

    async def request_input(
        self,
        *,
        note: str | None = None,
        ask: Sequence[str] | None = None,
        show: Sequence[str] | None = None,
        question: str | None = None,
        submit_label: str | None = None,
        fields: Sequence[str] | None = None,
        remind_after_ms: int | None = None,
        if_match: int | None = None,
        signal: Signal = None,
    ) -> WriteResult:
        """Requests input: the session waits for an answer.

        >>> (await session.request_input(question="Which day?")).session["state"]
        'awaiting_input'
        """
        body = without_none(note=note, ask=ask, show=show, question=question)
        body.update(
            without_none(submitLabel=submit_label, fields=fields, remindAfterMs=remind_after_ms)
        )
        return await self._write_or_conflict(
            "requestInput", "POST", "/request-input", body, if_match, signal
        )

    # Review and end

    async def submit(self, *, if_match: int | None = None, signal: Signal = None) -> WriteResult:
        """Submits the document, which is validated against its schema."""
        return await self._write_or_conflict("submit", "POST", "/submit", {}, if_match, signal)

    async def approve(
        self, *, comment: str | None = None, if_match: int | None = None, signal: Signal = None
    ) -> WriteResult:
        """Approves what was submitted."""
        body = without_none(comment=comment)
        return await self._write_or_conflict("approve", "POST", "/approve", body, if_match, signal)

    async def reject(
        self, *, reason: str | None = None, if_match: int | None = None, signal: Signal = None
    ) -> WriteResult:
        """Rejects what was submitted; the session ends."""
        body = without_none(reason=reason)
        return await self._write_or_conflict("reject", "POST", "/reject", body, if_match, signal)

    async def request_changes(
        self,
        *,
        comment: str | None = None,
        fields: Mapping[str, str] | None = None,
        if_match: int | None = None,
        signal: Signal = None,
    ) -> WriteResult:
        """Returns what was submitted for changes, with a comment and comments on fields."""
        body = without_none(comment=comment, fields=fields)
        path = "/request-changes"
        return await self._write_or_conflict("requestChanges", "POST", path, body, if_match, signal)

    async def finalize(
        self, *, reason: str | None = None, if_match: int | None = None, signal: Signal = None
    ) -> WriteResult:
        """Ends the session successfully."""
        body = without_none(reason=reason)
        return await self._write_or_conflict(
            "finalize", "POST", "/finalize", body, if_match, signal
        )

    async def cancel(
        self, *, reason: str | None = None, if_match: int | None = None, signal: Signal = None
    ) -> WriteResult:
        """Ends the session as cancelled."""
        body = without_none(reason=reason)
        return await self._write_or_conflict("cancel", "POST", "/cancel", body, if_match, signal)

    async def pause(self, *, reason: str | None = None, signal: Signal = None) -> PauseAnswer:
        """Stops automatic resumes; people and agents can still act."""
        body = without_none(reason=reason)
        paused: PauseAnswer = await self._write("pause", "POST", "/pause", body, signal)
        return paused

    async def unpause(self, *, reason: str | None = None, signal: Signal = None) -> PauseAnswer:
        """Allows automatic resumes again."""
        body = without_none(reason=reason)
        unpaused: PauseAnswer = await self._write("unpause", "POST", "/unpause", body, signal)
        return unpaused

    async def extend(self, ttl_ms: int, *, signal: Signal = None) -> SessionView:
        """Sets the expiry of the session to this long from now."""
        body = {"ttlMs": ttl_ms}
        answer = await self._write("extend", "POST", "/extend", body, signal)
        return _session(answer)

    async def purge(self, *, signal: Signal = None) -> dict[str, Any] | None:
        """Deletes the session permanently, and what is saved of it.

        Returns the certificate, or None if the session was already gone.
        """
        return await self._driver.run(self._core.purge(), signal)

    # The log

    async def append(
        self,
        type: str,
        payload: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        signal: Signal = None,
    ) -> Appended:
        """Appends one event. Spends no token.

        A payload that is too large for an event is stored separately and restored on reading.
        ``key`` is for callers that must be able to repeat this append after a crash themselves.

        >>> appended = await session.append("work.step", {"step": 1})
        >>> appended.first == appended.last == appended.head
        True
        """
        return await self.append_all([event_of(type, payload)], key=key, signal=signal)

    async def append_all(
        self,
        events: Sequence[Mapping[str, Any]],
        *,
        key: str | None = None,
        signal: Signal = None,
    ) -> Appended:
        """Appends events ``{"type": …, "payload": …}`` in this order, all or none.

        >>> steps = [{"type": "work.step", "payload": {"step": step}} for step in (1, 2)]
        >>> appended = await session.append_all(steps)
        >>> appended.last - appended.first
        1
        """
        return await self._driver.run(self._core.append({"events": list(events)}, key), signal)

    async def append_at(
        self,
        expected_head: int,
        events: Sequence[Mapping[str, Any]],
        *,
        signal: Signal = None,
    ) -> Appended | Conflict:
        """Appends only if the log still ends at ``expected_head``.

        >>> head = session.state["head"]
        >>> (await session.append_at(head, [{"type": "work.step"}])).ok
        True
        >>> (await session.append_at(head, [{"type": "work.step"}])).ok
        False
        """
        body = {"events": list(events), "expectedHead": expected_head}
        return await self._driver.run(self._core.append_at(body), signal)

    async def page(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        types: Sequence[str] = (),
        wait_ms: int | None = None,
        signal: Signal = None,
    ) -> EventsPage:
        """One page of the log. If there is no event, ``wait_ms`` waits this long for the next one.

        >>> [event["type"] for event in (await session.page(after=0))["events"]]
        ['session.created', 'token.issued']
        """
        return await self._driver.run(self._core.page(after, limit, types, wait_ms), signal)

    def events(
        self,
        *,
        after: int | None = None,
        types: Sequence[str] = (),
        until_replayed: bool = False,
        on_replayed: Callable[[int], Any] | None = None,
        outage_ms: float | None = None,
        signal: Signal = None,
    ) -> AsyncEvents:
        """Every event after ``after``, each once, and then new events live.

        Continues across broken connections. The iteration ends with the session, or with
        ``until_replayed`` once all existing events were returned. ``job.*`` is a whole namespace.
        ``outage_ms`` is how long to go on without a connection, instead of that of the client's
        ``RetryOptions``, which is 15 minutes; ``math.inf`` goes on until the signal ends it.

        >>> async for event in session.events(after=0, until_replayed=True):
        ...     print(event["seq"], event["type"])
        1 session.created
        2 token.issued
        """
        flow = follow(self._core.line, after, types, until_replayed, on_replayed, outage_ms)
        return AsyncEvents(self._driver, flow, signal)

    async def wait_for(
        self,
        *types: str,
        where: Callable[[Event], bool] | None = None,
        after: int | None = None,
        timeout_ms: float | None = None,
        outage_ms: float | None = None,
        signal: Signal = None,
    ) -> Event | None:
        """Waits for the first event of these types after ``after``; default:

        after the last seen state.

        None if the time is up, or if the session has ended. ``outage_ms`` is how long to go on
        without a connection, as for ``events``.

        >>> await session.wait_for("session.submitted", timeout_ms=10) is None
        True
        """
        flow = self._core.wait_for(types, where, after, timeout_ms, outage_ms)
        return await self._driver.run(flow, signal)

    async def audit(
        self,
        *,
        types: Sequence[str] = (),
        actor_kind: Literal["agent", "human", "system"] | None = None,
        actor_id: str | None = None,
        outcome: Literal["success", "failure", "skipped", "pending"] | None = None,
        after: str | None = None,
        before: str | None = None,
        cursor: int | None = None,
        limit: int | None = None,
        signal: Signal = None,
    ) -> AuditPage:
        """The log filtered by type, actor, outcome and time."""
        query = {
            "type": ",".join(types),
            "actorKind": actor_kind,
            "actorId": actor_id,
            "outcome": outcome,
            "after": after,
            "before": before,
            "cursor": cursor,
            "limit": limit,
        }
        page: AuditPage = await self._read(f"/audit{query_of(query)}", signal)
        return page

    # Evidence

    async def proof(self, *, seq: int | None = None, signal: Signal = None) -> Proof:
        """A signed head of the log, or of any ``seq`` in it.

        >>> (await session.proof())["seq"] == session.state["head"]
        True
        """
        found: Proof = (await self._read(f"/proof{query_of({'seq': seq})}", signal))["proof"]
        return found

    async def receipt(self, *, signal: Signal = None) -> dict[str, Any]:
        """A signed receipt: who filled in what, and who approved it."""
        found: dict[str, Any] = (await self._read("/receipt", signal))["receipt"]
        return found

    def export(self, *, files: bool = False, signal: Signal = None) -> AsyncChunks:
        """The whole log with its chain, as ``baton verify`` reads it; ``files`` adds the files.

        Returned in chunks, because a log may be larger than memory.

        >>> text = b"".join([piece async for piece in session.export()])
        >>> text.count(b'"commit"') > 0
        True
        """
        return AsyncChunks(self._driver, export(self._core.line, files), signal)

    # Participants

    async def handoff(
        self,
        scopes: Sequence[Scope],
        *,
        actor: ActorClaim | None = None,
        note: str | None = None,
        ttl_ms: int | None = None,
        ask: Sequence[str] | None = None,
        show: Sequence[str] | None = None,
        events: Mapping[str, Sequence[str]] | None = None,
        bind: Mapping[str, Any] | None = None,
        notify: Sequence[str] | None = None,
        remind_after_ms: int | None = None,
        signal: Signal = None,
    ) -> HandoffMade:
        """Creates a participant for another agent; pass its token to that agent.

        ``ask`` names the only fields it may write, ``show`` those it may only see, and
        ``events`` the types of events that it may ``append`` and ``read``. ``notify`` names
        endpoints that are notified of it.

        >>> made = await session.handoff(["fill"], actor={"id": "agent-b"})
        >>> made.participant_token.startswith("rtok_")
        True
        """
        body = without_none(scopes=list(scopes), actor=actor, note=note, ttlMs=ttl_ms, bind=bind)
        body.update(without_none(notify=notify, remindAfterMs=remind_after_ms))
        body.update(without_none(ask=ask, show=show, events=events))
        made = await self._write("handoff", "POST", "/handoffs", {"to": "agent", **body}, signal)
        return HandoffMade(made["handoff"], made["participantToken"])

    async def handoff_to_person(
        self,
        scopes: Sequence[Scope],
        *,
        actor: ActorClaim | None = None,
        note: str | None = None,
        ttl_ms: int | None = None,
        single_use: bool | None = None,
        takeover: bool | None = None,
        ask: Sequence[str] | None = None,
        show: Sequence[str] | None = None,
        question: str | None = None,
        submit_label: str | None = None,
        show_title: bool | None = None,
        bind: Mapping[str, Any] | None = None,
        notify: Sequence[str] | None = None,
        remind_after_ms: int | None = None,
        signal: Signal = None,
    ) -> LinkMade:
        """Creates a short link for a person. Anyone who has the address can open it.

        ``notify`` names endpoints that the link is sent to.

        >>> made = await session.handoff_to_person(["fill"], note="Which day?")
        >>> "/h/" in made.url
        True
        """
        body = without_none(scopes=list(scopes), actor=actor, note=note, ttlMs=ttl_ms, bind=bind)
        body.update(without_none(notify=notify, remindAfterMs=remind_after_ms))
        body.update(without_none(singleUse=single_use, takeover=takeover, showTitle=show_title))
        body.update(without_none(ask=ask, show=show, question=question, submitLabel=submit_label))
        made = await self._write("handoff", "POST", "/handoffs", {"to": "human", **body}, signal)
        link = made["handoff"]
        return LinkMade(link, link["url"], link["code"], link["qrUrl"])

    async def ask_person(
        self,
        question: str,
        *,
        send: Callable[[LinkMade], Any],
        scopes: Sequence[Scope] = ("fill",),
        actor: ActorClaim | None = None,
        note: str | None = None,
        ttl_ms: int | None = None,
        single_use: bool | None = None,
        takeover: bool | None = None,
        ask: Sequence[str] | None = None,
        show: Sequence[str] | None = None,
        submit_label: str | None = None,
        show_title: bool | None = None,
        bind: Mapping[str, Any] | None = None,
        notify: Sequence[str] | None = None,
        remind_after_ms: int | None = None,
        timeout_ms: float | None = None,
        outage_ms: float | None = None,
        signal: Signal = None,
    ) -> Event | None:
        """Asks a person once, and waits for the answer.

        The program may be killed and restarted at any moment: the same question in the same session
        is found again, and ``send`` is called once. If the process is killed before the log has the
        event that it was sent, the next process calls ``send`` again with a new address for the
        same link.

        Returns the event that ended the question (``handoff.answered``, ``handoff.declined`` or
        ``handoff.expired``), with the session resumed so that you can write. None if ``timeout_ms``
        is over or the session has ended; after a timeout the same call continues to wait.

        >>> sent = []
        >>> await session.ask_person("Which day?", send=sent.append, timeout_ms=10) is None
        True
        >>> await session.ask_person("Which day?", send=sent.append, timeout_ms=10) is None
        True
        >>> len(sent)
        1
        """
        body = without_none(scopes=list(scopes), actor=actor, note=note, ttlMs=ttl_ms, bind=bind)
        body.update(without_none(notify=notify, remindAfterMs=remind_after_ms))
        body.update(without_none(singleUse=single_use, takeover=takeover, showTitle=show_title))
        body.update(without_none(ask=ask, show=show, question=question, submitLabel=submit_label))
        flow = ask_person(self._core, body, send, timeout_ms, outage_ms)
        return await self._driver.run(flow, signal)

    async def reissue(
        self, handoff_id: str, *, ttl_ms: int | None = None, signal: Signal = None
    ) -> LinkMade:
        """Creates a new code for a person's link; the old code stops working."""
        path = f"/handoffs/{quoted(handoff_id)}/reissue"
        made = await self._write("reissue", "POST", path, without_none(ttlMs=ttl_ms), signal)
        link = made["handoff"]
        return LinkMade(link, link["url"], link["code"], link["qrUrl"])

    async def handoffs(self, *, signal: Signal = None) -> list[Handoff]:
        """The handoffs that were created so far."""
        answer = await self._read("/handoffs", signal)
        found: list[Handoff] = answer["handoffs"]
        return found

    async def revoke_handoff(self, handoff_id: str, *, signal: Signal = None) -> SessionView:
        """Revokes the participant of a handoff, and those that it created."""
        path = f"/handoffs/{quoted(handoff_id)}"
        return _session(await self._write("revokeHandoff", "DELETE", path, None, signal))

    async def revoke(self, participant: str, *, signal: Signal = None) -> SessionView:
        """Revokes a participant, and those that it created."""
        body = {"participant": participant}
        return _session(await self._write("revoke", "POST", "/revoke", body, signal))

    async def revoke_others(self, *, signal: Signal = None) -> SessionView:
        """Revokes every participant except this one."""
        return _session(await self._write("revoke", "POST", "/revoke", {"others": True}, signal))

    # Stops, checkpoints, forks

    async def report(
        self,
        reason: str,
        *,
        attempt: int | None = None,
        retry_after_ms: int | None = None,
        retry_after: str | int | None = None,
        usage: Mapping[str, Any] | None = None,
        exit_code: int | None = None,
        evidence: str | None = None,
        confidence: float | None = None,
        signal: Signal = None,
    ) -> Decision:
        """Reports why the work stopped, and returns the server's decision. Spends no token.

        >>> (await session.report("context_exhausted"))["strategy"]
        'new_session'
        """
        body = without_none(
            reason=reason, attempt=attempt, retryAfterMs=retry_after_ms, usage=usage
        )
        body.update(without_none(retryAfter=retry_after, exitCode=exit_code, evidence=evidence))
        body.update(without_none(confidence=confidence))
        answer = await self._write("reportStop", "POST", "/stops", body, signal)
        decision: Decision = answer["decision"]
        return decision

    async def run_with_resume(
        self,
        work: AsyncWork[AsyncSession, T],
        *,
        classify: Callable[[BaseException], dict[str, Any]] = classify_error,
        on_progress: Callable[[Progress], Any] | None = None,
        while_paused: Literal["wait", "stop"] = "wait",
        pause_poll_ms: int = 20_000,
        signal: Signal = None,
    ) -> RunOutcome[AsyncSession, T]:
        """Runs ``work`` and follows the server's decisions: wait and resume, fork, or stop.

        >>> async def work(context):
        ...     return f"done in attempt {context.attempt}"
        >>> (await session.run_with_resume(work)).value
        'done in attempt 1'
        """
        options = RunOptions(classify, on_progress, while_paused, pause_poll_ms, signal)
        flow = run_with_resume(self._core, work, self._wrap, options)
        return await self._driver.run(flow, signal)

    async def checkpoint(
        self, *, name: str | None = None, pinned: bool | None = None, signal: Signal = None
    ) -> Checkpoint:
        """Saves a verified copy of the current document.

        >>> (await session.checkpoint(name="before"))["name"]
        'before'
        """
        body = without_none(name=name, pinned=pinned)
        answer = await self._write("checkpoint", "POST", "/checkpoints", body, signal)
        return _checkpoint(answer)

    async def checkpoints(self, *, signal: Signal = None) -> list[Checkpoint]:
        """All checkpoints."""
        answer = await self._read("/checkpoints", signal)
        found: list[Checkpoint] = answer["checkpoints"]
        return found

    async def get_checkpoint(self, checkpoint_id: str, *, signal: Signal = None) -> dict[str, Any]:
        """A checkpoint with its ``document``."""
        answer = await self._read(f"/checkpoints/{quoted(checkpoint_id)}", signal)
        found: dict[str, Any] = answer["checkpoint"]
        return found

    async def pin_checkpoint(
        self, checkpoint_id: str, pinned: bool = True, *, signal: Signal = None
    ) -> Checkpoint:
        """Pins a checkpoint, so that it is not removed automatically."""
        path = f"/checkpoints/{quoted(checkpoint_id)}"
        body = {"pinned": pinned}
        return _checkpoint(await self._write("pinCheckpoint", "PATCH", path, body, signal))

    async def private(self, field: str, *, signal: Signal = None) -> PrivateValue:
        """The value of a private field, which is shown as a hash everywhere else."""
        answer = await self._read(f"/private/{quoted(field)}", signal)
        found: PrivateValue = answer["private"]
        return found

    async def erase_private(self, field: str, *, signal: Signal = None) -> SessionView:
        """Deletes the value of a private field permanently; its hash stays."""
        path = f"/private/{quoted(field)}"
        return _session(await self._write("erasePrivate", "DELETE", path, None, signal))

    async def delete_checkpoint(self, checkpoint_id: str, *, signal: Signal = None) -> None:
        """Removes a checkpoint."""
        path = f"/checkpoints/{quoted(checkpoint_id)}"
        await self._write("deleteCheckpoint", "DELETE", path, None, signal)

    async def restore_checkpoint(
        self, checkpoint_id: str, *, if_match: int | None = None, signal: Signal = None
    ) -> WriteResult:
        """Restores the document from a checkpoint."""
        path = f"/checkpoints/{quoted(checkpoint_id)}/restore"
        return await self._write_or_conflict("restore", "POST", path, {}, if_match, signal)

    async def trim(self, checkpoint_id: str, *, signal: Signal = None) -> Trimmed:
        """Removes appended events below a checkpoint; events of the server stay."""
        body = {"checkpoint": checkpoint_id}
        trimmed: Trimmed = await self._write("trim", "POST", "/trim", body, signal)
        return trimmed

    async def fork(
        self,
        *,
        from_checkpoint: str | None = None,
        reason: str | None = None,
        finalize_parent: bool | None = None,
        template: str | None = None,
        succeed: bool = False,
        if_match: int | None = None,
        signal: Signal = None,
    ) -> Forked[AsyncSession] | Conflict:
        """Creates a new session from this one, or from one of its checkpoints.

        With ``succeed``, opening this session's saved name from now on opens the child.

        >>> forked = unwrap(await session.fork(reason="fresh start"))
        >>> forked.child.state["parent"]["sessionId"] == session.id
        True
        """
        body = {"from": from_checkpoint} if from_checkpoint is not None else {}
        body.update(without_none(reason=reason, finalizeParent=finalize_parent, template=template))
        forked = await self._driver.run(self._core.fork(body, succeed, if_match), signal)
        if isinstance(forked, Conflict):
            return forked
        return Forked(forked.session, self._wrap(forked.child), forked.prompt)

    async def lineage(self, *, signal: Signal = None) -> list[dict[str, Any]]:
        """The lineage of forks that this session belongs to."""
        answer = await self._read("/lineage", signal)
        found: list[dict[str, Any]] = answer["lineage"]
        return found

    # Jobs, for the session that submits them

    async def submit_job(
        self,
        agent: str,
        input: Any = None,
        *,
        max_runtime_ms: int | None = None,
        close_policy: Literal["keep", "cancel"] | None = None,
        signal: Signal = None,
    ) -> Job:
        """Submits a job to an agent. Spends no token.

        >>> (await session.submit_job("speller", {"text": "a b"}))["status"]
        'pending'
        """
        body = without_none(agent=agent, input=input, maxRuntimeMs=max_runtime_ms)
        body.update(without_none(closePolicy=close_policy))
        return _job(await self._write("submitJob", "POST", "/jobs", body, signal))

    async def jobs(self, *, signal: Signal = None) -> list[Job]:
        """The jobs of the session."""
        found: list[Job] = []
        cursor: int | None = 0
        while cursor is not None:
            answer = await self._read(f"/jobs?limit=1000&cursor={cursor}", signal)
            found += answer["jobs"]
            cursor = answer["nextCursor"]
        return found

    async def job(self, job_id: str, *, signal: Signal = None) -> Job:
        """One job, with its result once it has one."""
        return _job(await self._read(f"/jobs/{quoted(job_id)}", signal))

    async def cancel_job(
        self, job_id: str, *, reason: str | None = None, signal: Signal = None
    ) -> Job:
        """Requests the cancellation of a job."""
        path = f"/jobs/{quoted(job_id)}/cancel"
        return _job(
            await self._write("cancelJob", "POST", path, without_none(reason=reason), signal)
        )

    # Files

    async def upload(
        self,
        data: bytes,
        *,
        name: str,
        type: str,
        field: str | None = None,
        signal: Signal = None,
    ) -> UploadAnswer:
        """Uploads a file: announces, sends and confirms it. ``field`` is the field that shows it.

        >>> sent = await session.upload(b"hello", name="hello.txt", type="text/plain")
        >>> await session.download(sent["upload"]["id"])
        b'hello'
        """
        announced = without_none(name=name, type=type, size=len(data), field=field)
        uploaded: UploadAnswer = await self._driver.run(self._core.upload(data, announced), signal)
        return uploaded

    async def request_upload(
        self,
        *,
        name: str,
        type: str,
        size: int,
        field: str | None = None,
        sha256: str | None = None,
        signal: Signal = None,
    ) -> UploadAnswer:
        """Announces a file that is sent later or by someone else."""
        body = without_none(name=name, type=type, size=size, field=field, sha256=sha256)
        answer: UploadAnswer = await self._write("requestUpload", "POST", "/uploads", body, signal)
        return answer

    async def send_upload(
        self, upload_id: str, data: bytes, type: str, *, signal: Signal = None
    ) -> None:
        """Sends the bytes of an announced file; may be repeated until it is confirmed."""
        path = f"/uploads/{quoted(upload_id)}"
        await self._driver.run(self._core.line.send_file(path, data, type), signal)

    async def confirm_upload(self, upload_id: str, *, signal: Signal = None) -> UploadAnswer:
        """Confirms that the file is complete; its field then shows it."""
        path = f"/uploads/{quoted(upload_id)}/confirm"
        answer: UploadAnswer = await self._write("confirmUpload", "POST", path, {}, signal)
        return answer

    async def download(self, upload_id: str, *, signal: Signal = None) -> bytes:
        """The bytes of a confirmed file."""
        flow = self._core.read(f"/uploads/{quoted(upload_id)}", raw=True)
        content: bytes = await self._driver.run(flow, signal)
        return content

    async def put_blob(self, data: bytes, *, signal: Signal = None) -> str:
        """Stores large content once under its SHA-256, for events to refer to.

        >>> name = await session.put_blob(b"a long transcript")
        >>> await session.get_blob(name)
        b'a long transcript'
        """
        return await self._driver.run(self._core.put_blob(data), signal)

    async def get_blob(self, sha256: str, *, signal: Signal = None) -> bytes:
        """Reads what ``put_blob`` stored."""
        return await self._driver.run(self._core.get_blob(sha256), signal)

    # Endpoints

    async def add_endpoint(
        self,
        url: str,
        notices: Sequence[str],
        *,
        format: Literal["standard", "slack", "discord", "ntfy"] | None = None,
        labels: Mapping[str, str] | None = None,
        secret: str | None = None,
        signal: Signal = None,
    ) -> EndpointAdded:
        """Registers an address that notices are posted to. Its secret is returned only here.

        ``baton.webhooks.verify`` verifies the notices that arrive there.
        """
        body = without_none(
            url=url, notices=list(notices), format=format, labels=labels, secret=secret
        )
        added: EndpointAdded = await self._write("addEndpoint", "POST", "/endpoints", body, signal)
        return added

    async def endpoints(self, *, signal: Signal = None) -> list[NoticeEndpoint]:
        """The endpoints of this session."""
        found: list[NoticeEndpoint] = (await self._read("/endpoints", signal))["endpoints"]
        return found

    async def change_endpoint(
        self,
        endpoint_id: str,
        *,
        url: str | None = None,
        notices: Sequence[str] | None = None,
        format: Literal["standard", "slack", "discord", "ntfy"] | None = None,
        labels: Mapping[str, str] | None = None,
        status: Literal["active"] | None = None,
        signal: Signal = None,
    ) -> EndpointChanged:
        """Changes what is given. ``status="active"`` ends a suspension."""
        path = f"/endpoints/{quoted(endpoint_id)}"
        body = without_none(url=url, notices=notices, format=format, labels=labels, status=status)
        return cast(
            EndpointChanged, await self._write("changeEndpoint", "PATCH", path, body, signal)
        )

    async def replay_deliveries(
        self,
        endpoint_id: str,
        *,
        since: str | None = None,
        delivery: str | None = None,
        signal: Signal = None,
    ) -> None:
        """Sends deliveries again: one, or all since a time."""
        path = f"/endpoints/{quoted(endpoint_id)}/replay"
        body = without_none(since=since, delivery=delivery)
        await self._write("replayDeliveries", "POST", path, body, signal)

    async def rotate_endpoint(self, endpoint_id: str, *, signal: Signal = None) -> EndpointRotated:
        """Creates a new secret; for a while deliveries are signed with both."""
        path = f"/endpoints/{quoted(endpoint_id)}/rotate"
        rotated: EndpointRotated = await self._write("rotateEndpoint", "POST", path, {}, signal)
        return rotated

    async def deliveries(self, endpoint_id: str, *, signal: Signal = None) -> list[Delivery]:
        """The deliveries of an endpoint, newest first."""
        path = f"/endpoints/{quoted(endpoint_id)}/deliveries"
        found: list[Delivery] = (await self._read(path, signal))["deliveries"]
        return found

    async def remove_endpoint(self, endpoint_id: str, *, signal: Signal = None) -> None:
        """Removes the endpoint; nothing more is posted to it."""
        path = f"/endpoints/{quoted(endpoint_id)}"
        await self._write("removeEndpoint", "DELETE", path, None, signal)

    async def remove_upload(self, upload_id: str, *, signal: Signal = None) -> SessionView:
        """Removes a file and its bytes."""
        path = f"/uploads/{quoted(upload_id)}"
        return _session(await self._write("removeUpload", "DELETE", path, None, signal))

    def _wrap(self, core: SessionCore) -> AsyncSession:
        return self if core is self._core else AsyncSession(core, self._driver)

    async def _read(self, path: str, signal: Signal) -> Any:
        return await self._driver.run(self._core.read(path), signal)

    async def _write(
        self, operation: str, method: str, path: str, body: Any, signal: Signal
    ) -> Any:
        return await self._driver.run(self._core.write(operation, method, path, body), signal)

    async def _write_or_conflict(
        self,
        operation: str,
        method: str,
        path: str,
        body: Any,
        if_match: int | None,
        signal: Signal,
    ) -> WriteResult:
        flow = self._core.write_or_conflict(operation, method, path, body, if_match)
        return await self._driver.run(flow, signal)


def event_of(type: str, payload: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"type": type} if payload is None else {"type": type, "payload": payload}


def _session(answer: Any) -> SessionView:
    session: SessionView = answer["session"]
    return session


def _checkpoint(answer: Any) -> Checkpoint:
    checkpoint: Checkpoint = answer["checkpoint"]
    return checkpoint


def _job(answer: Any) -> Job:
    job: Job = answer["job"]
    return job
