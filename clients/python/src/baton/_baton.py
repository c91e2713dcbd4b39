"""The entry point: connects to a server, and creates, opens and resumes sessions.

Written from _async_baton.py by tools/write_blocking.py. Do not edit.
"""

from __future__ import annotations

import os
import random as chance
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Literal

import httpx

from ._driver import Driver
from ._endpoints import Endpoints
from ._job import ClaimedJob
from ._owned_sessions import OwnedSessions
from ._session import Session, Fields, Signal
from ._templates import Templates
from ._driver import tls
from ._executor import claim
from ._session_core import without_none
from ._session_opener import SessionOpener, clean_url
from ._transport import ClientConfig, RetryOptions
from .clocks import Clock, SystemClock
from .stores import MemoryTokenStore, SavedSession, TokenStore
from .wire import ActorClaim, NextStep, Policy

Jurisdiction = Literal["eu", "us", "fedramp", "fedramp-high"]
LocationHint = Literal[
    "wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"
]


class Baton:
    """One server and one store of saved sessions."""

    def __init__(self, url: str, driver: Driver, config: ClientConfig) -> None:
        self.url = url
        self._driver = driver
        self._config = config
        self._opener = SessionOpener(url, config)

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        store: TokenStore | None = None,
        key: str | None = None,
        retry: RetryOptions | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
        random: Callable[[], float] = chance.random,
    ) -> Baton:
        """Sends no request yet.

        ``store`` stores tokens; default: in memory. ``key`` is an owner's key; default: the
        environment variable ``BATON_KEY``. It is sent only to this server and never saved.
        ``transport`` is passed to httpx.
        """
        used_clock = clock or SystemClock()
        config = ClientConfig(
            retry or RetryOptions(),
            used_clock.now,
            random,
            key or os.environ.get("BATON_KEY") or None,
        )
        verify = tls() if transport is None else True
        http = httpx.Client(transport=transport, verify=verify, follow_redirects=False)
        return cls(
            clean_url(url), Driver(store or MemoryTokenStore(), used_clock, http), config
        )

    @property
    def store(self) -> TokenStore:
        return self._driver.store

    @property
    def sessions(self) -> OwnedSessions:
        """The owner's sessions, to list, follow and open by id; needs a key."""
        return OwnedSessions(self._opener, self._driver)

    @property
    def templates(self) -> Templates:
        """The owner's templates, which sessions are created from; needs a key."""
        return Templates(self._opener, self._driver)

    @property
    def endpoints(self) -> Endpoints:
        """Addresses that notices of all the owner's sessions are posted to; needs a key."""
        return Endpoints(self._opener, self._driver)

    def close(self) -> None:
        """Closes connections. Saved sessions stay saved."""
        self._driver.close()

    def __enter__(self) -> Baton:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def open(
        self,
        name: str,
        *,
        title: str | None = None,
        actor: ActorClaim | None = None,
        schema: Mapping[str, Any] | None = None,
        fields: Fields | None = None,
        confidence: float | Mapping[str, float] | None = None,
        ttl_ms: int | None = None,
        idle_ttl_ms: int | None = None,
        review: Mapping[str, Any] | None = None,
        next_step: NextStep | None = None,
        policy: Policy | None = None,
        bind: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        template: str | None = None,
        jurisdiction: Jurisdiction | None = None,
        location_hint: LocationHint | None = None,
        external_id: str | None = None,
        on_ended: Literal["fail", "fresh"] | None = None,
        resume: bool = True,
        signal: Signal = None,
    ) -> Session:
        """Resumes the session saved under this name, or creates it.

        The one call for work that may crash. A request that a killed process left unanswered is
        finished first. However many processes open the same name of one store, there is one
        session. With an owner's key and ``external_id`` there is one session for all machines, and
        it is found again without anything saved. If the session has ended, ``SessionEndedError`` is
        raised; with ``on_ended="fresh"`` a new session takes the name. ``resume=False`` opens it
        without a resume, so that others who hold the same tokens can continue.

        >>> first = baton.open("visa", title="Visa form")
        >>> (baton.open("visa")).id == first.id
        True
        """
        body = _create_body(
            title,
            actor,
            schema,
            fields,
            confidence,
            ttl_ms,
            idle_ttl_ms,
            review,
            next_step,
            policy,
            bind,
            labels,
            template,
            jurisdiction,
            location_hint,
        )
        flow = self._opener.open(name, body, external_id, on_ended, resume)
        return self._wrap(self._driver.run(flow, signal))

    def find(
        self,
        name: str,
        *,
        external_id: str | None = None,
        actor: ActorClaim | None = None,
        on_ended: Literal["return", "ignore"] | None = None,
        signal: Signal = None,
    ) -> Session | None:
        """The session saved under this name, without a resume; None if there is none.

        With an owner's key it is also found by ``external_id`` if nothing is saved: then it is
        opened for ``actor`` with all scopes except ``review``. A session that has ended is returned
        too; ``on_ended="ignore"`` treats it as not found. Creates nothing.

        >>> baton.find("nothing") is None
        True
        """
        query = without_none(externalId=external_id, actor=actor)
        flow = self._opener.find(name, query, on_ended == "ignore")
        core = self._driver.run(flow, signal)
        return None if core is None else self._wrap(core)

    def create(
        self,
        *,
        title: str | None = None,
        actor: ActorClaim | None = None,
        schema: Mapping[str, Any] | None = None,
        fields: Fields | None = None,
        confidence: float | Mapping[str, float] | None = None,
        ttl_ms: int | None = None,
        idle_ttl_ms: int | None = None,
        review: Mapping[str, Any] | None = None,
        next_step: NextStep | None = None,
        policy: Policy | None = None,
        bind: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        template: str | None = None,
        jurisdiction: Jurisdiction | None = None,
        location_hint: LocationHint | None = None,
        external_id: str | None = None,
        save_as: str | None = None,
        signal: Signal = None,
    ) -> Session:
        """Creates a session and saves it under ``save_as``, or under a random name.

        >>> session = baton.create(title="Visa form", fields={"name": "Ada"})
        >>> session.state["state"], session.fields
        ('draft', {'name': 'Ada'})
        """
        body = _create_body(
            title,
            actor,
            schema,
            fields,
            confidence,
            ttl_ms,
            idle_ttl_ms,
            review,
            next_step,
            policy,
            bind,
            labels,
            template,
            jurisdiction,
            location_hint,
        )
        body.update(without_none(externalId=external_id))
        return self._wrap(self._driver.run(self._opener.create(body, save_as), signal))

    def resume(
        self,
        saved: str | SavedSession,
        *,
        last_event_seq: int | None = None,
        actor: ActorClaim | None = None,
        auto: bool | None = None,
        on_invalid: Literal["fail", "fresh"] | None = None,
        save_as: str | None = None,
        signal: Signal = None,
    ) -> Session:
        """Resumes a session by the name it is saved under, by what was saved, or by a token.

        Finishes the pending request first. ``session.resumed`` then has the events since.

        >>> second = baton.resume(session.token, save_as="second")
        >>> second.resumed.outcome
        'resumed'
        """
        body = without_none(
            lastEventSeq=last_event_seq, actor=actor, auto=auto, onInvalid=on_invalid
        )
        return self._wrap(self._driver.run(self._opener.resume(saved, body, save_as), signal))

    def attach(
        self, saved: str | SavedSession, *, save_as: str | None = None, signal: Signal = None
    ) -> Session:
        """Like resume, but writes nothing: earlier tokens stay valid."""
        return self._wrap(self._driver.run(self._opener.attach(saved, save_as), signal))

    def claim(
        self,
        agent: str,
        *,
        wait_ms: int | None = None,
        lease_ms: int | None = None,
        key: str | None = None,
        signal: Signal = None,
    ) -> ClaimedJob | None:
        """Claims the next job of an agent, as its executor; None if none arrives in time.

        >>> given_job = session.submit_job("word-counter", {"text": "a b"})
        >>> job = baton.claim("word-counter", wait_ms=10_000)
        >>> with job:
        ...     job.result({"words": 2})
        >>> (session.job(given_job["id"]))["status"]
        'success'
        """
        body = without_none(waitMs=wait_ms, leaseMs=lease_ms)
        flow = claim(self._config, self.url, agent, key, body)
        claimed = self._driver.run(flow, signal)
        if claimed is None:
            return None
        return ClaimedJob(claimed, self.url, self._config, self._driver)

    def _wrap(self, core: Any) -> Session:
        return Session(core, self._driver)


def _create_body(
    title: str | None,
    actor: ActorClaim | None,
    schema: Mapping[str, Any] | None,
    fields: Fields | None,
    confidence: float | Mapping[str, float] | None,
    ttl_ms: int | None,
    idle_ttl_ms: int | None,
    review: Mapping[str, Any] | None,
    next_step: NextStep | None,
    policy: Policy | None,
    bind: Mapping[str, Any] | None,
    labels: Mapping[str, str] | None,
    template: str | None,
    jurisdiction: Jurisdiction | None,
    location_hint: LocationHint | None,
) -> dict[str, Any]:
    body = without_none(
        title=title, actor=actor, schema=schema, fields=fields, confidence=confidence
    )
    body.update(
        without_none(ttlMs=ttl_ms, idleTtlMs=idle_ttl_ms, review=review, nextStep=next_step)
    )
    body.update(without_none(policy=policy, bind=bind, labels=labels, template=template))
    body.update(without_none(jurisdiction=jurisdiction, locationHint=location_hint))
    return body
