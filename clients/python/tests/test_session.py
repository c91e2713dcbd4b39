"""Every method against a real server, by both clients."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from conftest import Connect

from baton import (
    Aborted,
    AbortSignal,
    Baton,
    Conflict,
    ConflictError,
    FileTokenStore,
    MemoryTokenStore,
    Progress,
    Session,
    StopError,
    StoreError,
    WireError,
    WorkContext,
    unwrap,
)

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def test_is_filled_checked_reviewed_and_finalized(baton: Baton) -> None:
    session = baton.create(title="Form", schema=SCHEMA, review={"approvals": 1})
    assert session.state["missingFields"] == ["name"]
    assert session.validate({"name": "Ada"})["valid"] is True
    with pytest.raises(WireError) as refused:
        session.set_fields({"name": 7})
    assert refused.value.code == "invalid_fields"
    assert session.request_input(note="a name, please").ok
    assert unwrap(session.set({"name": "Ada"}, title="The form")).session["title"] == "The form"
    assert unwrap(session.set(title=None)).session["title"] is None
    made = session.handoff(["review"])
    assert [one["id"] for one in session.handoffs()] == [made.handoff["id"]]
    unwrap(session.submit())

    reviewer = baton.resume(made.participant_token, actor={"id": "reviewer"})
    unwrap(reviewer.request_changes(comment="more", fields={"name": "whole name"}))
    unwrap(session.set_fields({"name": "Ada Lovelace"}, if_match=session.get()["version"]))
    unwrap(session.submit())
    unwrap(reviewer.approve(comment="good", if_match=reviewer.get()["version"]))
    done = unwrap(session.finalize(reason="done", if_match=session.get()["version"]))

    assert done.session["state"] == "finalized"
    audited = session.audit(types=["review.*"], limit=10)["events"]
    assert {event["type"].split(".")[0] for event in audited} == {"review"}


def test_is_rejected_paused_extended_revoked_and_purged(baton: Baton) -> None:
    session = baton.create(review={})
    made = session.handoff(["review"], note="look")
    assert session.pause(reason="wait")["already"] is False
    assert session.pause()["already"] is True
    assert session.resumable(auto=True).get("reason") == "paused"
    session.unpause()
    assert session.extend(3_600_000)["expiresAt"] > session.state["createdAt"]
    unwrap(session.set_fields({"a": 1}))
    unwrap(session.submit())
    unwrap(baton.resume(made.participant_token).reject(reason="no"))
    assert session.get()["state"] == "rejected"

    other = baton.create(save_as="other")
    first, second, third = (other.handoff(["view"]) for _ in range(3))
    other.revoke_handoff(first.handoff["id"])
    other.revoke(second.handoff["participant"])
    other.revoke_others()
    for gone in (first, second, third):
        with pytest.raises(WireError) as refused:
            baton.attach(gone.participant_token)
        assert refused.value.code == "token_invalid"
    unwrap(other.cancel())
    other.purge()
    with pytest.raises(StoreError):
        baton.attach("other")


def test_keeps_checkpoints_restores_trims_and_forks(baton: Baton) -> None:
    session = baton.create(fields={"a": 1})
    kept = session.checkpoint(name="before")
    assert session.get_checkpoint(kept["id"])["document"]["fields"] == {"a": 1}
    assert session.pin_checkpoint(kept["id"])["pinned"] is True
    unwrap(session.set_fields({"a": 2}))
    unwrap(session.restore_checkpoint(kept["id"]))
    assert session.fields == {"a": 1}
    assert session.trim(kept["id"])["trimmed"] in (True, False)
    session.delete_checkpoint(session.checkpoint()["id"])
    assert kept["id"] in [one["id"] for one in session.checkpoints()]

    forked = unwrap(session.fork(reason="fresh", template="Go on at {step}"))

    assert forked.prompt == "Go on at 1"
    assert forked.child.state["parent"]["sessionId"] == session.id  # type: ignore[index]
    unwrap(forked.child.set_fields({"b": 2}))
    assert [one["sessionId"] for one in forked.child.lineage()] == [session.id, forked.child.id]
    # Its token was saved with it, so that another client finds it.
    assert baton.attach(forked.child.id).token == forked.child.token


def two_hands(baton: Baton) -> tuple[Session, Session]:
    first = baton.create(fields={"count": 0})
    return first, baton.attach(first.handoff(["fill"]).participant_token)


def test_disjoint_writes_are_merged_where_that_is_asked_for(baton: Baton) -> None:
    first, second = two_hands(baton)
    unwrap(second.set({"theirs": 1}, title="Theirs"))

    merged = unwrap(first.set_fields({"mine": 1}, on_conflict="merge"))

    assert merged.session["fields"] == {"count": 0, "theirs": 1, "mine": 1}
    unwrap(second.set_fields({"count": 1}, on_conflict="merge"))
    refused = first.set_fields({"count": 2}, on_conflict="merge")
    assert isinstance(refused, Conflict)
    assert refused.current["fields"]["count"] == 1
    unwrap(second.set(title="Again"))
    assert isinstance(first.set(title="Mine", on_conflict="merge"), Conflict)


def test_a_proof_a_receipt_and_the_whole_log_are_read(baton: Baton) -> None:
    session = baton.create(fields={"a": 1})
    session.append("work.step", {"step": 1})
    unwrap(session.submit())
    head = session.state["head"]
    assert session.proof(seq=3)["seq"] == 3
    proof = session.proof()
    assert (proof["sessionId"], proof["seq"]) == (session.id, head)
    assert session.receipt()["sessionId"] == session.id
    lines = [json.loads(line) for line in b"".join(session.export()).splitlines()]
    commits = [line["commit"] for line in lines if "commit" in line]
    seqs = [event["seq"] for commit in commits for event in commit["events"]]
    assert seqs == list(range(1, head + 1))
    baton.attach(session.token, save_as="the same").purge()
    with pytest.raises(WireError) as gone:
        list(session.export())
    assert gone.value.code == "gone"


def test_a_conflict_is_a_value_and_the_write_can_be_sent_over_it(baton: Baton) -> None:
    first, second = two_hands(baton)
    unwrap(second.set_fields({"count": 1}))

    result = first.set_fields({"mine": True})

    assert isinstance(result, Conflict)
    assert not result.ok
    assert result.current["fields"] == {"count": 1}
    assert "fields.updated" in [event["type"] for event in result.missed]
    with pytest.raises(ConflictError):
        unwrap(result)
    assert first.set_fields({"mine": True}, if_match=result.current["version"]).ok


def test_update_makes_the_change_again_and_may_find_nothing_to_do(baton: Baton) -> None:
    first, second = two_hands(baton)
    for session in (first, second, first, second):
        session.update(lambda now: {"fields": {"count": now["fields"]["count"] + 1}})
    assert first.get()["fields"]["count"] == 4
    assert first.update(lambda now: None) is None


def test_an_append_at_a_head_that_moved_is_a_conflict(baton: Baton) -> None:
    session = baton.create()
    head = session.state["head"]
    assert session.append_at(head, [{"type": "a.b"}]).ok
    assert isinstance(session.append_at(head, [{"type": "a.b"}]), Conflict)
    again = [session.append("a.c", key="k" * 24) for _ in range(2)]
    assert again[0] == again[1]


def test_events_come_once_over_a_resume_of_ones_own_until_the_end(baton: Baton) -> None:
    session = baton.create()
    session.append_all([{"type": "a.b", "payload": {"n": n}} for n in range(40)])
    heads: list[int] = []
    seen = []
    for event in session.events(after=0, on_replayed=heads.append):
        seen.append(event)
        if len(seen) == 30:
            # Ends the connection as superseded; the iteration continues with the next token.
            session.resume()
        if event["type"] == "token.issued" and len(seen) > 30:
            session.append("a.b", {"n": 40})
            unwrap(session.cancel())
    assert seen == session.page(after=0, limit=1_000)["events"]
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    assert len(heads) == 1


def test_events_end_with_the_error_when_the_right_to_read_does(baton: Baton) -> None:
    session = baton.create()
    viewer = baton.attach(session.handoff(["view"]).participant_token)
    events = viewer.events(after=0)
    next(iter(events))
    session.revoke_others()
    with pytest.raises(WireError) as ended:
        for _ in events:
            pass
    assert ended.value.code == "token_invalid"


def test_a_wait_is_ended_by_an_event_its_time_the_session_or_the_signal(baton: Baton) -> None:
    session = baton.create()
    session.append("a.b", {"n": 1})
    session.append("a.b", {"n": 2})
    found = session.wait_for("a.*", where=lambda event: event["payload"]["n"] == 2)
    assert found is not None and found["payload"] == {"n": 2}
    assert session.wait_for("c.d", timeout_ms=50) is None

    signal = AbortSignal()
    threading.Timer(0.3, signal.abort, ["enough"]).start()
    with pytest.raises(Aborted, match="enough"):
        session.wait_for("c.d", signal=signal)
    with pytest.raises(Aborted):
        next(iter(session.events(after=session.get()["head"], signal=signal)))
    with pytest.raises(Aborted):
        session.append("a.c", signal=signal)
    unwrap(session.cancel())
    assert session.wait_for("c.d") is None


def test_files_are_sent_shown_fetched_and_removed(baton: Baton) -> None:
    session = baton.create()
    data = bytes(range(256)) * 100
    sent = session.upload(data, name="photo.png", type="image/png", field="photo")
    assert session.fields["photo"]["size"] == len(data)
    assert session.download(sent["upload"]["id"]) == data
    session.remove_upload(sent["upload"]["id"])
    asked = session.request_upload(name="a.txt", type="text/plain", size=2)
    session.send_upload(asked["upload"]["id"], b"hi", "text/plain")
    assert session.confirm_upload(asked["upload"]["id"])["upload"]["status"] == "confirmed"


def test_jobs_are_given_claimed_reported_failed_and_cancelled(baton: Baton) -> None:
    session = baton.create()
    agent = f"agent-{session.id[4:12].lower().replace('_', 'x')}"
    given = session.submit_job(agent, {"text": "a b"})
    with baton.claim(agent, wait_ms=10_000, lease_ms=10_000) as job:  # type: ignore[union-attr]
        assert (job.id, job.input) == (given["id"], {"text": "a b"})
        job.event("log", {"level": "info", "message": "a"})
        job.heartbeat()
        job.result({"words": 2}, summary="spelled")
    ended = session.job(given["id"])
    assert (ended["status"], ended.get("result")) == ("success", {"words": 2})

    failing = session.submit_job(agent)
    with pytest.raises(KeyError), baton.claim(agent, wait_ms=10_000):  # type: ignore[union-attr]
        raise KeyError("secret")
    failed = session.job(failing["id"])
    assert failed["status"] == "error"
    assert "secret" not in str(failed)
    assert session.cancel_job(session.submit_job(agent)["id"])["status"] == "cancelled"
    assert len(session.jobs()) == 3


def test_jobs_are_listed_whole_however_many_answers_their_results_fill(baton: Baton) -> None:
    session = baton.create()
    agent = f"agent-{session.id[4:12].lower().replace('_', 'x')}"
    for _ in range(6):
        session.submit_job(agent)
        with baton.claim(agent, wait_ms=10_000) as job:  # type: ignore[union-attr]
            job.result("x" * 262_000)
    assert len({job["id"] for job in session.jobs()}) == 6


def test_a_saved_name_leads_to_the_fork_that_took_over(baton: Baton) -> None:
    session = baton.create(save_as="line")
    child = unwrap(session.fork(succeed=True)).child
    assert baton.attach("line").id == child.id


def test_a_fork_s_prompt_is_given_again_where_the_process_was_killed(connect: Connect) -> None:
    store = MemoryTokenStore()
    prompts: list[str | None] = []

    def work(context: Any) -> None:
        prompts.append(context.prompt)
        if context.prompt is None:
            raise StopError("context_exhausted")
        if len(prompts) == 2:
            raise SystemExit("killed")

    with pytest.raises(SystemExit):
        connect(store=store).open("work").run_with_resume(work)
    again = connect(store=store).open("work").run_with_resume(work)
    assert again.outcome == "success"
    assert prompts[0] is None and prompts[1] is not None
    assert prompts[2] == prompts[1]


def test_begins_fresh_where_that_was_asked_for_and_says_so(baton: Baton) -> None:
    session = baton.create()
    token, first = session.token, session.id
    session.purge()
    with pytest.raises(WireError) as gone:
        baton.resume(token)
    assert gone.value.code == "gone"
    fresh = baton.resume(token, on_invalid="fresh")
    assert fresh.resumed is not None and fresh.resumed.outcome == "fresh"
    assert fresh.id != first


def test_run_with_resume_waits_forks_and_tells_success(connect: Connect) -> None:
    policy: Any = {"baseMs": 20, "maxMs": 40, "jitter": 0, "maxAttempts": 3}
    baton = connect()
    session = baton.create(policy=policy, next_step={"step": 4, "description": "the rest"})
    plan = ["rate_limit", "crash", "context_exhausted", None]
    told: list[Progress] = []
    seen: list[tuple[int, bool]] = []

    def work(context: WorkContext[Session]) -> str:
        seen.append((context.attempt, context.is_resumed))
        reason = plan[len(seen) - 1]
        if reason is not None:
            raise StopError(reason)
        return context.prompt or ""

    outcome = session.run_with_resume(work, on_progress=told.append)

    assert outcome.outcome == "success"
    assert "step 4: the rest" in (outcome.value or "")
    assert outcome.session.state["parent"]["sessionId"] == session.id  # type: ignore[index]
    assert seen == [(1, False), (2, True), (3, True), (1, False)]
    kinds = " ".join(progress.kind for progress in told)
    assert kinds == (
        "started stopped delayed started stopped delayed started stopped forked started success"
    )


def test_run_with_resume_tells_failure_and_the_users_exit(baton: Baton) -> None:
    policy: Any = {"baseMs": 20, "maxMs": 40, "jitter": 0, "maxAttempts": 2}

    def broken(context: WorkContext[Session]) -> None:
        raise ValueError("broken")

    failed = baton.create(policy=policy).run_with_resume(broken)
    assert (failed.outcome, failed.attempt) == ("failure", 2)
    assert failed.stop is not None and failed.stop["reason"] == "crash"

    signal = AbortSignal()
    slow: Any = {"baseMs": 60_000, "maxMs": 60_000}

    def aborted(progress: Progress) -> None:
        if progress.kind == "delayed":
            signal.abort()

    ended = baton.create(policy=slow).run_with_resume(broken, on_progress=aborted, signal=signal)
    assert ended.outcome == "failure"
    assert ended.stop is not None and ended.stop["reason"] == "user_exit"


def test_run_with_resume_is_held_by_a_pause(connect: Connect) -> None:
    policy: Any = {"baseMs": 20, "maxMs": 40}
    session = connect().create(policy=policy)
    owner = session.handoff(["own"]).participant_token
    session.pause()
    told: list[str] = []

    def work(context: WorkContext[Session]) -> int:
        if context.attempt == 1:
            raise StopError("network")
        return context.attempt

    skipped = session.run_with_resume(work, while_paused="stop")
    assert skipped.outcome == "skipped"

    def unpause() -> None:
        with Baton.connect(session.url) as other:
            other.attach(owner).unpause()

    def notice(progress: Progress) -> None:
        told.append(progress.kind)
        if progress.kind == "skipped":
            threading.Timer(0.2, unpause).start()

    outcome = session.run_with_resume(work, on_progress=notice)
    assert (outcome.outcome, outcome.value) == ("success", 2)
    assert "skipped" in told


def test_two_clients_of_one_folder_share_the_line(connect: Connect, tmp_path: Any) -> None:
    one = connect(store=FileTokenStore(tmp_path)).create(save_as="shared")
    other = connect(store=FileTokenStore(tmp_path)).attach("shared")
    for n in range(5):
        assert one.set_fields({f"a{n}": n}).ok
        assert other.set_fields({f"b{n}": n}).ok
    other.resume()
    assert len(one.get()["fields"]) == 10
