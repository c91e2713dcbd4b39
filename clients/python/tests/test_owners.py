"""With an owner's key: sessions listed, opened by id, and found by the owner's own name."""

from __future__ import annotations

import uuid

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
    page = baton.sessions.list(label="team:blue", state=["draft"])
    assert [one["id"] for one in page["sessions"]] == [made.id]
    assert baton.sessions.list(external_id="listed-1")["sessions"][0]["title"] == "Listed"
    opened = connect(key=KEY).sessions.open(made.id, scopes=["fill"])
    unwrap(opened.set_fields({"a": 1}))
    assert made.get()["fields"] == {"a": 1}
    made.purge()
    with pytest.raises(StoreError, match="key"):
        connect().sessions.list()
