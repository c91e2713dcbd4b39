"""Where notices of all sessions of an owner are posted.

Written from _async_endpoints.py by tools/write_blocking.py. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import quote

from ._driver import Driver
from ._session import Signal
from ._beginnings import Beginnings
from ._exchange import accepted
from ._feed import query_of
from ._owned import ask
from ._session_core import given, quoted
from .wire import NoticeEndpoint, OwnerDeliveries, OwnerEndpointWithSecret

Format = Literal["standard", "slack", "discord", "ntfy"]
# Named here, because a method is called "list".
_Endpoints = list[NoticeEndpoint]


class Endpoints:
    """``baton.endpoints``: needs an owner's key with the right ``manage``."""

    def __init__(self, begin: Beginnings, driver: Driver) -> None:
        self._begin = begin
        self._driver = driver

    def add(
        self,
        url: str,
        notices: Sequence[str],
        *,
        format: Format | None = None,
        labels: Mapping[str, str] | None = None,
        secret: str | None = None,
        signal: Signal = None,
    ) -> OwnerEndpointWithSecret:
        """Registers an address. Its secret is shown this once.

        With ``labels`` only notices of sessions that have them are posted there. The request is
        sent once: after a TransportError look at ``list`` before you add it again.
        """
        body = given(url=url, notices=list(notices), format=format, labels=labels, secret=secret)
        added: OwnerEndpointWithSecret = self._ask("POST", "", body, signal, is_once=True)
        return added

    def list(self, *, signal: Signal = None) -> _Endpoints:
        """The owner's endpoints, oldest first."""
        found: _Endpoints = (self._ask("GET", "", None, signal))["endpoints"]
        return found

    def get(self, endpoint_id: str, *, signal: Signal = None) -> NoticeEndpoint:
        """One endpoint."""
        return self._one("GET", endpoint_id, None, signal)

    def change(
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
        """Changes what is given. ``status="active"`` begins anew after a suspension."""
        body = given(url=url, notices=notices, format=format, labels=labels, status=status)
        return self._one("PATCH", endpoint_id, body, signal)

    def remove(self, endpoint_id: str, *, signal: Signal = None) -> NoticeEndpoint:
        """Nothing more is posted there."""
        return self._one("DELETE", endpoint_id, None, signal)

    def rotate(self, endpoint_id: str, *, signal: Signal = None) -> OwnerEndpointWithSecret:
        """A new secret; the old one signs too for a day. The request is sent once."""
        path = f"/{quoted(endpoint_id)}/rotate"
        rotated: OwnerEndpointWithSecret = self._ask("POST", path, {}, signal, is_once=True)
        return rotated

    def deliveries(
        self,
        endpoint_id: str,
        *,
        limit: int | None = None,
        cursor: int | None = None,
        signal: Signal = None,
    ) -> OwnerDeliveries:
        """What was posted there, or will be, the newest first; ``nextCursor`` leads to the next."""
        path = f"/{quoted(endpoint_id)}/deliveries{query_of({'limit': limit, 'cursor': cursor})}"
        found: OwnerDeliveries = self._ask("GET", path, None, signal)
        return found

    def replay(
        self,
        endpoint_id: str,
        *,
        since: str | None = None,
        delivery: str | None = None,
        signal: Signal = None,
    ) -> NoticeEndpoint:
        """Posts again what was made since a time, or one delivery."""
        body = given(since=since, delivery=delivery)
        return self._one("POST", f"{endpoint_id}/replay", body, signal)

    def _one(self, method: str, path: str, body: Any, signal: Signal) -> NoticeEndpoint:
        answer = self._ask(method, f"/{quote(path)}", body, signal)
        found: NoticeEndpoint = answer["endpoint"]
        return found

    def _ask(
        self, method: str, path: str, body: Any, signal: Signal, is_once: bool = False
    ) -> Any:
        url = f"{self._begin.url}/endpoints{path}"
        means = self._begin.means
        if is_once:
            # Done a second time it would do something else.
            means = replace(means, retry=replace(means.retry, attempts=1))
        flow = ask(means, method, url, body)
        return accepted(self._driver.run(flow, signal)).body
