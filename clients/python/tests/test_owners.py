"""With an owner's key: sessions listed, opened by id, and found by the external id."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from conftest import KEY, Connect

from baton import MemoryTokenStore, StoreError, WireError, unwrap


def test_finds_one_session_by_external_id_from_any_store(connect: Connect) -> None:
    first = connect(key=KEY).open("claim", title="Claim", external_id="claim-1")
    unwrap(first.set_fields({"a": 1}))
    other = connect(key=KEY).open("claim", external_id="claim-1")
    assert other.id == first.id
    assert other.fields == {"a": 1}
    found = connect(key=KEY).find("claim", external_id="claim-1")
    assert found is not None
    assert found.id == first.id
    assert connect(key=KEY).find("claim", external_id="none") is None
    first.purge()


def test_find_names_the_actor_and_ignores_what_has_ended(connect: Connect) -> None:
    name = f"claim-{uuid.uuid4()}"
    store = MemoryTokenStore()
    first = connect(key=KEY, store=store).open("claim", external_id=name)
    finder = connect(key=KEY)
    found = finder.find("claim", external_id=name, actor={"id": "finder"})
    assert found is not None
    opened = found.get()["participants"][-1]
    assert opened["actor"]["id"] == "finder"
    assert opened["scopes"] == ["view", "append", "fill", "handoff", "own"]
    other = connect(key=KEY).open("claim", external_id=name, actor={"id": "opener"})
    assert other.state["participants"][-1]["actor"]["id"] == "opener"
    unwrap(first.cancel())
    baton = connect(key=KEY, store=store)
    ended = baton.find("claim", external_id=name)
    assert ended is not None
    assert ended.id == first.id
    assert baton.find("claim", on_ended="ignore") is None
    assert baton.find("claim", external_id=name, on_ended="ignore") is None
    fresh = connect(key=KEY).open("claim", external_id=name, on_ended="fresh")
    again = baton.find("claim", external_id=name, on_ended="ignore")
    assert again is not None
    assert again.id == fresh.id
    fresh.purge()


def test_opens_it_again_where_what_is_saved_opens_nothing(connect: Connect) -> None:
    name = f"claim-{uuid.uuid4()}"
    first = connect(key=KEY).open("claim", external_id=name)
    store = MemoryTokenStore()
    mine = connect(key=KEY, store=store).open("claim", external_id=name)
    first.revoke(mine.state["participants"][-1]["id"])
    again = connect(key=KEY, store=store).open("claim", external_id=name)
    assert again.id == first.id
    unwrap(again.cancel())
    with pytest.raises(WireError) as ended:
        connect(key=KEY).open("claim", external_id=name)
    assert ended.value.status == 410
    fresh = connect(key=KEY).open("claim", external_id=name, on_ended="fresh")
    assert fresh.id != first.id
    certificate = fresh.purge()
    assert certificate is not None
    assert certificate["sessionId"] == fresh.id
    assert certificate["purged"] is True


def test_lists_and_opens_by_id(connect: Connect) -> None:
    baton = connect(key=KEY)
    made = baton.create(title="Listed", labels={"team": "blue"}, external_id="listed-1")
    other = baton.create(title="Listed too", labels={"team": "blue"})
    listing = baton.sessions.list(label="team:blue", state=["draft"], limit=1)
    assert [one["id"] for one in listing] == [other.id, made.id]
    page = listing.page()
    assert [one["id"] for one in page["sessions"]] == [other.id]
    assert [one["id"] for one in listing.page(page["nextCursor"])["sessions"]] == [made.id]
    (found,) = baton.sessions.list(external_id="listed-1", created_after="2020-01-01T00:00:00Z")
    assert found["title"] == "Listed"
    assert list(baton.sessions.list(external_id="listed-1", state="submitted")) == []
    other.purge()
    opened = connect(key=KEY).sessions.open(made.id, scopes=["fill"])
    unwrap(opened.set_fields({"a": 1}))
    assert made.get()["fields"] == {"a": 1}
    made.purge()
    with pytest.raises(StoreError, match="key"):
        list(connect().sessions.list())


def test_follows_the_list_of_sessions(connect: Connect) -> None:
    baton = connect(key=KEY)
    made = baton.create(title="Followed")
    seen: list[Any] = []
    with baton.sessions.changes() as changes:
        for change in changes:
            if change["session"]["id"] != made.id:
                continue
            seen.append(change)
            if "removed" in change:
                break
            made.purge()
    assert seen[0]["session"]["title"] == "Followed"


def test_templates_have_versions_that_sessions_begin_from(connect: Connect) -> None:
    baton = connect(key=KEY)
    name = f"claim-{uuid.uuid4()}"
    baton.templates.put(name, {"title": "Claim", "labels": {"kind": "claim"}})
    second = baton.templates.put(name, {"title": "Claim, second form"})
    assert second["version"] == 2
    assert baton.templates.get(f"{name}@1")["definition"].get("title") == "Claim"
    assert name in [one["name"] for one in baton.templates.list()]
    begun = baton.create(template=f"{name}@1")
    assert begun.state["title"] == "Claim"
    assert begun.state.get("template") == {"name": name, "version": 1}
    baton.templates.retire(name)
    with pytest.raises(WireError):
        baton.create(template=name)
    begun.purge()


def test_endpoints_of_the_owner_are_added_changed_and_removed(connect: Connect) -> None:
    endpoints = connect(key=KEY).endpoints
    added = endpoints.add("https://example.com/hook", ["session.submitted"], labels={"a": "b"})
    assert added["secret"].startswith("whsec_")
    id = added["endpoint"]["id"]
    assert endpoints.get(id)["origin"] == "https://example.com"
    assert endpoints.change(id, notices=["job.ended"])["notices"] == ["job.ended"]
    assert endpoints.rotate(id)["secret"] != added["secret"]
    assert endpoints.deliveries(id, limit=1) == {"deliveries": [], "nextCursor": None}
    assert endpoints.replay(id, since="2026-01-01T00:00:00Z")["id"] == id
    endpoints.remove(id)
    assert id not in [one["id"] for one in endpoints.list()]
