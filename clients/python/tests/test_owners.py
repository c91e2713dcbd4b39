"""With an owner's key: sessions listed, opened by id, and found by the owner's own name."""

from __future__ import annotations

import hashlib
import json
import tempfile
import uuid
from collections.abc import Iterator

import pytest
from conftest import Connect, start_script, stop_script

from baton import MemoryTokenStore, StoreError, WireError, unwrap

KEY = f"bkey_{'k' * 43}"


@pytest.fixture(scope="module")
def owned() -> Iterator[str]:
    """A server that lists the owner `acme`."""
    key = {"name": "ci", "keyHash": hashlib.sha256(KEY.encode()).hexdigest()}
    rights = ["create", "read", "open", "manage"]
    owners = json.dumps([{"name": "acme", "keys": [{**key, "rights": rights}]}])
    with tempfile.TemporaryDirectory(prefix="baton-python-") as data:
        started, url = start_script(
            "scripts/serve.ts", "--port", "0", "--data", data, env={"OWNERS": owners}
        )
        yield url
        stop_script(started)


def test_finds_one_session_by_external_id_from_any_store(connect: Connect, owned: str) -> None:
    first = connect(owned, key=KEY).open("claim", title="Claim", external_id="claim-1")
    unwrap(first.set_fields({"a": 1}))
    other = connect(owned, key=KEY).open("claim", external_id="claim-1")
    assert other.id == first.id
    assert other.fields == {"a": 1}
    found = connect(owned, key=KEY).find("claim", external_id="claim-1")
    assert found is not None
    assert found.id == first.id
    assert connect(owned, key=KEY).find("claim", external_id="none") is None
    first.purge()


def test_opens_it_again_where_what_is_saved_opens_nothing(connect: Connect, owned: str) -> None:
    name = f"claim-{uuid.uuid4()}"
    first = connect(owned, key=KEY).open("claim", external_id=name)
    store = MemoryTokenStore()
    mine = connect(owned, key=KEY, store=store).open("claim", external_id=name)
    first.revoke(mine.state["participants"][-1]["id"])
    again = connect(owned, key=KEY, store=store).open("claim", external_id=name)
    assert again.id == first.id
    unwrap(again.cancel())
    with pytest.raises(WireError) as ended:
        connect(owned, key=KEY).open("claim", external_id=name)
    assert ended.value.status == 410
    fresh = connect(owned, key=KEY).open("claim", external_id=name, on_ended="fresh")
    assert fresh.id != first.id
    certificate = fresh.purge()
    assert certificate is not None
    assert certificate["sessionId"] == fresh.id
    assert certificate["purged"] is True


def test_lists_and_opens_by_id(connect: Connect, owned: str) -> None:
    baton = connect(owned, key=KEY)
    made = baton.create(title="Listed", labels={"team": "blue"}, external_id="listed-1")
    page = baton.sessions.list(label="team:blue", state=["draft"])
    assert [one["id"] for one in page["sessions"]] == [made.id]
    assert baton.sessions.list(external_id="listed-1")["sessions"][0]["title"] == "Listed"
    opened = connect(owned, key=KEY).sessions.open(made.id, scopes=["fill"])
    unwrap(opened.set_fields({"a": 1}))
    assert made.get()["fields"] == {"a": 1}
    made.purge()
    with pytest.raises(StoreError, match="key"):
        connect(owned).sessions.list()
