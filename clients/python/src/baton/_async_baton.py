"""Where it begins: a server's address, a store, and sessions made or taken up again."""

from __future__ import annotations

import os
import random as chance
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Literal

import httpx

from ._async_driver import AsyncDriver
from ._async_endpoints import AsyncEndpoints
from ._async_job import AsyncClaimedJob
from ._async_owned import AsyncOwnedSessions
from ._async_session import AsyncSession, Fields, Signal
from ._async_templates import AsyncTemplates
from ._beginnings import Beginnings, clean_url
from ._driver import tls
from ._exchange import Means, RetryOptions
from ._executor import claim
from ._session_core import given
from .clocks import AsyncClock, AsyncSystemClock
from .stores import MemoryTokenStore, SavedSession, TokenStore
from .wire import ActorClaim, NextStep, Policy

Jurisdiction = Literal["eu", "us", "fedramp", "fedramp-high"]
LocationHint = Literal[
    "wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"
]


class AsyncBaton:
    """One server and one store of saved sessions."""

    def __init__(self, url: str, driver: AsyncDriver, means: Means) -> None:
        self.url = url
        self._driver = driver
        self._means = means
        self._begin = Beginnings(url, means)

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        store: TokenStore | None = None,
        key: str | None = None,
        retry: RetryOptions | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: AsyncClock | None = None,
        random: Callable[[], float] = chance.random,
    ) -> AsyncBaton:
        """Asks nothing yet: the first request does.

        ``store`` keeps tokens, in memory unless given. ``key`` is an owner's key, from the
        environment variable ``BATON_KEY`` unless given; it is sent to this server only and never
        saved. ``transport`` goes to httpx.
        """
        used = clock or AsyncSystemClock()
        means = Means(
            retry or RetryOptions(), used.now, random, key or os.environ.get("BATON_KEY") or None
        )
        verify = tls() if transport is None else True
        http = httpx.AsyncClient(transport=transport, verify=verify, follow_redirects=False)
        return cls(clean_url(url), AsyncDriver(store or MemoryTokenStore(), used, http), means)

    @property
    def store(self) -> TokenStore:
        return self._driver.store

    @property
    def sessions(self) -> AsyncOwnedSessions:
        """The owner's sessions, to list, to follow and to open by id; needs a key."""
        return AsyncOwnedSessions(self._begin, self._driver)

    @property
    def templates(self) -> AsyncTemplates:
        """The owner's templates, which sessions begin from; needs a key."""
        return AsyncTemplates(self._begin, self._driver)

    @property
    def endpoints(self) -> AsyncEndpoints:
        """Addresses that notices of all the owner's sessions are posted to; needs a key."""
        return AsyncEndpoints(self._begin, self._driver)

    async def aclose(self) -> None:
        """Lets go of connections. Saved sessions stay saved."""
        await self._driver.aclose()

    async def __aenter__(self) -> AsyncBaton:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def open(
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
    ) -> AsyncSession:
        """Resumes what is saved under this name, or creates it: one session, whoever asks.

        The one line for work that may crash. What a killed process had left unanswered is finished
        first. However many processes open the same name of one store, there is one session. With an
        owner's key and ``external_id`` there is one however many machines ask, and it is found
        again without anything saved. Where the session has ended, ``SessionEndedError`` is raised;
        with ``on_ended="fresh"`` a new session takes the name. ``resume=False`` takes it up without
        a resume, so that others who hold the same tokens go on.

        >>> first = await baton.open("visa", title="Visa form")
        >>> (await baton.open("visa")).id == first.id
        True
        """
        body = _creation(
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
        flow = self._begin.open(name, body, external_id, on_ended, resume)
        return self._wrap(await self._driver.run(flow, signal))

    async def find(
        self,
        name: str,
        *,
        external_id: str | None = None,
        actor: ActorClaim | None = None,
        on_ended: Literal["return", "ignore"] | None = None,
        signal: Signal = None,
    ) -> AsyncSession | None:
        """What is saved under this name, without a resume; None where there is none.

        With an owner's key also by ``external_id``, where nothing is saved: then it is opened for
        ``actor`` with all scopes except ``review``. A session that has ended is returned too; with
        ``on_ended="ignore"`` it is as if there was none. Begins nothing.

        >>> await baton.find("nothing") is None
        True
        """
        wanted = given(externalId=external_id, actor=actor)
        flow = self._begin.find(name, wanted, on_ended == "ignore")
        core = await self._driver.run(flow, signal)
        return None if core is None else self._wrap(core)

    async def create(
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
    ) -> AsyncSession:
        """Begins a session and saves it, under a random name unless ``save_as`` gives one.

        >>> session = await baton.create(title="Visa form", fields={"name": "Ada"})
        >>> session.state["state"], session.fields
        ('draft', {'name': 'Ada'})
        """
        body = _creation(
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
        body.update(given(externalId=external_id))
        return self._wrap(await self._driver.run(self._begin.create(body, save_as), signal))

    async def resume(
        self,
        saved: str | SavedSession,
        *,
        last_event_seq: int | None = None,
        actor: ActorClaim | None = None,
        auto: bool | None = None,
        on_invalid: Literal["fail", "fresh"] | None = None,
        save_as: str | None = None,
        signal: Signal = None,
    ) -> AsyncSession:
        """Takes a session up by the name it is saved under, by what was saved, or by a token.

        Finishes what was pending, then resumes; ``session.resumed`` has the events since.

        >>> second = await baton.resume(session.token, save_as="second")
        >>> second.resumed.outcome
        'resumed'
        """
        body = given(lastEventSeq=last_event_seq, actor=actor, auto=auto, onInvalid=on_invalid)
        return self._wrap(await self._driver.run(self._begin.resume(saved, body, save_as), signal))

    async def attach(
        self, saved: str | SavedSession, *, save_as: str | None = None, signal: Signal = None
    ) -> AsyncSession:
        """As resume, but without one: earlier tokens stay good, and nothing is written."""
        return self._wrap(await self._driver.run(self._begin.attach(saved, save_as), signal))

    async def claim(
        self,
        agent: str,
        *,
        wait_ms: int | None = None,
        lease_ms: int | None = None,
        key: str | None = None,
        signal: Signal = None,
    ) -> AsyncClaimedJob | None:
        """Takes the next job of an agent, as its executor; None where none comes in time.

        >>> given_job = await session.submit_job("word-counter", {"text": "a b"})
        >>> job = await baton.claim("word-counter", wait_ms=10_000)
        >>> async with job:
        ...     await job.result({"words": 2})
        >>> (await session.job(given_job["id"]))["status"]
        'success'
        """
        body = given(waitMs=wait_ms, leaseMs=lease_ms)
        flow = claim(self._means, self.url, agent, key, body)
        claimed = await self._driver.run(flow, signal)
        if claimed is None:
            return None
        return AsyncClaimedJob(claimed, self.url, self._means, self._driver)

    def _wrap(self, core: Any) -> AsyncSession:
        return AsyncSession(core, self._driver)


def _creation(
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
    body = given(title=title, actor=actor, schema=schema, fields=fields, confidence=confidence)
    body.update(given(ttlMs=ttl_ms, idleTtlMs=idle_ttl_ms, review=review, nextStep=next_step))
    body.update(given(policy=policy, bind=bind, labels=labels, template=template))
    body.update(given(jurisdiction=jurisdiction, locationHint=location_hint))
    return body
