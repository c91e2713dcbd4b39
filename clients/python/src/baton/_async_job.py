"""A job for its executor."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ._async_driver import AsyncDriver
from ._async_session import Signal
from ._executor import report
from ._session_core import without_none
from ._transport import ClientConfig
from .wire import Claimed, Job, Reported


class AsyncClaimedJob:
    """A claimed job. Every report renews the lease.

    As a context manager it reports an exception of the block as the job's error, so that the
    submitter is notified at once and not when the lease ends.
    """

    def __init__(
        self, claimed: Claimed, url: str, config: ClientConfig, driver: AsyncDriver
    ) -> None:
        self._claimed = claimed
        self._url = url
        self._config = config
        self._driver = driver
        self.is_ended = False
        # Set by each report: whether the submitter requested the cancellation.
        self.cancel_requested = False

    @property
    def job(self) -> Job:
        return self._claimed["job"]

    @property
    def id(self) -> str:
        return self.job["id"]

    @property
    def input(self) -> Any:
        return self._claimed["input"]

    @property
    def lease_ms(self) -> int:
        """Report within this time, or the job goes to another executor."""
        return self._claimed["leaseMs"]

    async def event(
        self, kind: str, body: Mapping[str, Any] | None = None, *, signal: Signal = None
    ) -> Reported:
        """Adds one event to the job's stream, such as ``log`` or ``progress``."""
        return await self._report(
            "events", {"events": [without_none(kind=kind, body=body)]}, signal
        )

    async def heartbeat(self, *, signal: Signal = None) -> Reported:
        """Renews the lease without other data."""
        return await self._report("heartbeat", {}, signal)

    async def result(
        self, result: Any = None, *, summary: str | None = None, signal: Signal = None
    ) -> None:
        """Ends the job with its result."""
        body = {"result": result, **without_none(summary=summary)}
        await self._report("result", body, signal)
        self.is_ended = True

    async def error(
        self, code: str, message: str = "", *, retryable: bool = False, signal: Signal = None
    ) -> None:
        """Ends the job as failed; with ``retryable`` it may be submitted again."""
        body = {"code": code, "message": message, "retryable": retryable}
        await self._report("error", body, signal)
        self.is_ended = True

    async def __aenter__(self) -> AsyncClaimedJob:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception) and not self.is_ended:
            # Only the name of the error, because its text may be confidential.
            await self.error("INTERNAL_ERROR", type(error).__name__, retryable=True)

    async def _report(self, what: str, body: dict[str, Any], signal: Signal) -> Reported:
        flow = report(self._config, self._url, self._claimed["jobToken"], what, body)
        reported = await self._driver.run(flow, signal)
        self.cancel_requested = reported["cancelRequested"]
        return reported
