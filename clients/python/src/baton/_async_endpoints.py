"""The owner's webhook endpoints, which receive notices of all the owner's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import quote

from ._async_driver import AsyncDriver
from ._async_session import Signal
from ._feed import query_of
from ._owned import request_with_key
from ._session_core import quoted, without_none
from ._session_opener import SessionOpener
from ._transport import require_success
from .wire import NoticeEndpoint, OwnerDeliveries, OwnerEndpointWithSecret

Format = Literal["standard", "slack", "discord", "ntfy"]
# Defined here, because a method is called "list".
_Endpoints = list[NoticeEndpoint]


class AsyncEndpoints:
    """``baton.endpoints``: needs an owner's key with the right ``manage``."""

    def __init__(self, opener: SessionOpener, driver: AsyncDriver) -> None:
        self._opener = opener
        self._driver = driver

    async def add(
        self,
        url: str,
        notices: Sequence[str],
        *,
        format: Format | None = None,
        labels: Mapping[str, str] | None = None,
        secret: str | None = None,
        signal: Signal = None,
    ) -> OwnerEndpointWithSecret:
        """Registers an address. Its secret is returned only here.

        With ``labels`` only notices of sessions that have them are posted there. The request is
        sent once: after a TransportError check ``list`` before you add it again.
        """
        body = without_none(
            url=url, notices=list(notices), format=format, labels=labels, secret=secret
        )
        added: OwnerEndpointWithSecret = await self._request("POST", "", body, signal, is_once=True)
        return added

    async def list(self, *, signal: Signal = None) -> _Endpoints:
        """The owner's endpoints, oldest first."""
        found: _Endpoints = (await self._request("GET", "", None, signal))["endpoints"]
        return found

    async def get(self, endpoint_id: str, *, signal: Signal = None) -> NoticeEndpoint:
        """One endpoint."""
        return await self._request_endpoint("GET", endpoint_id, None, signal)

    async def change(
        self,
        endpoint_id: str,
        *,
        url: str | None = None,
        notices: Sequence[str] | None = None,
        format: Format | None = None,
        labels: Mapping[str, str] | None = None,
        status: Literal["active"] | None = None,
        signal: Signal = None,
    ) -> NoticeEndpoint:
        """Changes what is given. ``status="active"`` ends a suspension."""
        body = without_none(url=url, notices=notices, format=format, labels=labels, status=status)
        return await self._request_endpoint("PATCH", endpoint_id, body, signal)

    async def remove(self, endpoint_id: str, *, signal: Signal = None) -> NoticeEndpoint:
        """Removes the endpoint; nothing more is posted to it."""
        return await self._request_endpoint("DELETE", endpoint_id, None, signal)

    async def rotate(self, endpoint_id: str, *, signal: Signal = None) -> OwnerEndpointWithSecret:
        """Creates a new secret; for one day deliveries are signed with both.

        The request is sent once.
        """
        path = f"/{quoted(endpoint_id)}/rotate"
        rotated: OwnerEndpointWithSecret = await self._request(
            "POST", path, {}, signal, is_once=True
        )
        return rotated

    async def deliveries(
        self,
        endpoint_id: str,
        *,
        limit: int | None = None,
        cursor: int | None = None,
        signal: Signal = None,
    ) -> OwnerDeliveries:
        """The deliveries of an endpoint, newest first; ``nextCursor`` is for the next page."""
        path = f"/{quoted(endpoint_id)}/deliveries{query_of({'limit': limit, 'cursor': cursor})}"
        found: OwnerDeliveries = await self._request("GET", path, None, signal)
        return found

    async def replay(
        self,
        endpoint_id: str,
        *,
        since: str | None = None,
        delivery: str | None = None,
        signal: Signal = None,
    ) -> NoticeEndpoint:
        """Sends deliveries again: one, or all since a time."""
        body = without_none(since=since, delivery=delivery)
        return await self._request_endpoint("POST", f"{endpoint_id}/replay", body, signal)

    async def _request_endpoint(
        self, method: str, path: str, body: Any, signal: Signal
    ) -> NoticeEndpoint:
        answer = await self._request(method, f"/{quote(path)}", body, signal)
        found: NoticeEndpoint = answer["endpoint"]
        return found

    async def _request(
        self, method: str, path: str, body: Any, signal: Signal, is_once: bool = False
    ) -> Any:
        url = f"{self._opener.url}/endpoints{path}"
        config = self._opener.config
        if is_once:
            # Not retried, because a second request would have another effect.
            config = replace(config, retry=replace(config.retry, attempts=1))
        flow = request_with_key(config, method, url, body)
        return require_success(await self._driver.run(flow, signal)).body
