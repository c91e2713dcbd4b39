"""The example of a receiver, run unchanged, with a server that posts to it."""

from __future__ import annotations

import base64
import json
import secrets
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from conftest import start_script, stop_script

from baton import Baton, unwrap

EXAMPLE = Path(__file__).parents[2] / "examples" / "receiver.py"
SECRET = f"whsec_{base64.b64encode(secrets.token_bytes(24)).decode()}"


@pytest.fixture
def receiver() -> Iterator[tuple[str, IO[str]]]:
    running = subprocess.Popen(
        [sys.executable, str(EXAMPLE), SECRET], stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    yield running.stdout.readline().split()[-1], running.stdout
    running.terminate()
    running.wait(timeout=10)
    running.stdout.close()


def test_prints_each_notice_once_and_refuses_what_is_not_signed(
    receiver: tuple[str, IO[str]],
) -> None:
    address, said = receiver
    host = address.removeprefix("http://").rstrip("/")
    with tempfile.TemporaryDirectory(prefix="baton-python-") as data:
        started, url = start_script(
            "scripts/serve.ts", "--port", "0", "--data", data, env={"WEBHOOK_ALLOW": host}
        )
        try:
            with Baton.connect(url) as baton:
                session = baton.create(title="Claim")
                made = session.add_endpoint(address, ["session.submitted"], secret=SECRET)
                assert [one["id"] for one in session.endpoints()] == [made["endpoint"]["id"]]
                unwrap(session.submit())
                assert said.readline() == f"session.submitted {session.id}\n"
                delivered = session.deliveries(made["endpoint"]["id"])
                assert [one["seq"] for one in delivered] == [session.get()["version"]]
                session.replay_deliveries(made["endpoint"]["id"], delivery=delivered[0]["id"])
                session.change_endpoint(made["endpoint"]["id"], notices=["session.finalized"])
                unwrap(session.finalize())
                # The first one is delivered again too, and is printed once.
                assert said.readline() == f"session.finalized {session.id}\n"
                session.rotate_endpoint(made["endpoint"]["id"])
                session.remove_endpoint(made["endpoint"]["id"])
        finally:
            stop_script(started)
    forged = json.dumps({"type": "session.submitted", "data": {}}).encode()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(address, forged, method="POST"))
    assert refused.value.code == 401
    refused.value.close()
