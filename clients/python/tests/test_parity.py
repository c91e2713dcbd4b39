"""Parity with the methods of the TypeScript client and with the server's request members."""

from __future__ import annotations

import inspect
import re
from typing import Any, get_type_hints

import pytest
from conftest import ROOT

import baton
from baton import wire
from baton._endpoints import Endpoints
from baton._owned_sessions import OwnedSessions, SessionListing
from baton._templates import Templates

METHOD = re.compile(r"^  (?:async |static |get )?([a-z]\w*)(?:<[^(]*>)?\(", re.MULTILINE)
# What only TypeScript has, and why.
ELSEWHERE = {
    "session": "types fields by a schema; Python's are dictionaries",
    "has_key": "for adapters; Python's hold the means themselves",
    "pages": "page(cursor) and the iteration do",
    "lease": "needs renewals in the background, which the drivers do not have yet",
    "once": "needs a lease",
}


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)


@pytest.mark.parametrize(
    ("file", "classes"),
    [
        ("session.ts", (baton.Session,)),
        ("baton.ts", (baton.Baton,)),
        ("sessions.ts", (OwnedSessions, SessionListing)),
        ("templates.ts", (Templates,)),
    ],
)
def test_every_method_of_the_typescript_client_is_there(
    file: str, classes: tuple[type, ...]
) -> None:
    source = (ROOT / "src" / "client" / file).read_text("utf-8")
    names = {snake(name) for name in METHOD.findall(source)} - {"constructor"}
    assert len(names) > 2
    missing = [
        name
        for name in names
        if name not in ELSEWHERE and not any(hasattr(one, name) for one in classes)
    ]
    assert missing == []


Session = baton.Session


@pytest.mark.parametrize(
    ("method", "body", "otherwise"),
    [
        (baton.Baton.create, wire.CreateSession, {}),
        (baton.Baton.open, wire.CreateSession, {}),
        (Session.resume, wire.Resume, {}),
        (Session.set, wire.SetFields1Value, {}),
        (Session.request_input, wire.RequestInput, {}),
        (Session.handoff, wire.CreateHandoff1Value, {"to"}),
        (Session.handoff_to_person, wire.CreateHandoff2Value, {"to"}),
        (Session.ask_person, wire.CreateHandoff2Value, {"to"}),
        (Session.reissue, wire.Reissue, {}),
        (Session.report, wire.StopReport, {}),
        (Session.checkpoint, wire.TakeCheckpoint, {}),
        (Session.fork, wire.Fork, {"from"}),
        (Session.submit_job, wire.SubmitJob, {}),
        (Session.request_upload, wire.RequestUpload, {}),
        (Session.add_endpoint, wire.AddEndpoint, {}),
        (Session.change_endpoint, wire.ChangeEndpoint, {}),
        (Endpoints.add, wire.AddEndpoint, {}),
        (Endpoints.change, wire.ChangeEndpoint, {}),
        (OwnedSessions.open, wire.OpenSession, {}),
        (baton.Baton.claim, wire.Claim, {}),
    ],
)
def test_every_member_that_the_server_takes_can_be_given(
    method: Any, body: Any, otherwise: set[str]
) -> None:
    """``otherwise``: members that the method sets itself, or names differently."""
    members = {snake(name) for name in get_type_hints(body)} - set(otherwise)
    assert members - set(inspect.signature(method).parameters) == set()


def test_requests_and_followers_are_as_patient_as_those_of_the_typescript_client() -> None:
    source = (ROOT / "src" / "client" / "transport.ts").read_text("utf-8")
    block = source.split("DEFAULT_RETRY: RetryOptions = {")[1].split("}")[0]
    found = re.findall(r"(\w+): ([\d_. *]+),", block)
    defaults = {snake(name): eval(value) for name, value in found}
    assert len(defaults) == 7
    assert defaults == vars(baton.RetryOptions())


@pytest.mark.parametrize(
    ("file", "interface", "method"),
    [
        ("event-feed.ts", "FollowOptions", Session.events),
        ("wait-for.ts", "WaitOptions", Session.wait_for),
        ("ask-person.ts", "AskOptions", Session.ask_person),
        ("inputs.ts", "OpenOptions", baton.Baton.open),
        ("inputs.ts", "FindOptions", baton.Baton.find),
    ],
)
def test_every_option_of_the_typescript_client_is_there(
    file: str, interface: str, method: Any
) -> None:
    source = (ROOT / "src" / "client" / file).read_text("utf-8")
    block = re.split(rf"interface {interface}\b", source)[1].split("\n}")[0]
    names = {snake(name) for name in re.findall(r"^  readonly (\w+)\??:", block, re.MULTILINE)}
    assert names
    # In Python, events use only server-sent events.
    assert names - {"transport"} - set(inspect.signature(method).parameters) == set()
