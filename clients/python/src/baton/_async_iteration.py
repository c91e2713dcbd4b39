"""Iterations over the items of a flow, on asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, TypeVar

import httpx

from . import _effects as fx
from ._async_driver import AsyncDriver, abortable
from ._driver import lost_by, reply_of
from .abort import AbortSignal
from .wire import Event

T = TypeVar("T")


class AsyncIteration(AsyncIterator[T]):
    """Items as they arrive.

    Close it, or use it in an ``async with`` block, to close the connection.
    """

    def __init__(
        self, driver: AsyncDriver, flow: fx.Flow[None], signal: AbortSignal | None
    ) -> None:
        self._driver = driver
        self._flow = flow
        self._signal = signal
        self._response: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None
        self._has_ended = False

    def __aiter__(self) -> AsyncIteration[T]:
        return self

    async def __anext__(self) -> T:
        if self._has_ended:
            raise StopAsyncIteration
        try:
            effect = next(self._flow)
            while not isinstance(effect, fx.Emit):
                try:
                    outcome = await self._perform(effect)
                except BaseException as error:
                    effect = self._flow.throw(error)
                else:
                    effect = self._flow.send(outcome)
            item: T = effect.item
            return item
        except StopIteration:
            await self.aclose()
            raise StopAsyncIteration from None
        except BaseException:
            await self.aclose()
            raise

    async def _perform(self, effect: fx.Effect) -> Any:
        if isinstance(effect, fx.OpenStream):
            await self._release()
            opened = await abortable(self._driver.open_stream(effect.request), self._signal)
            if isinstance(opened, fx.Lost):
                return opened
            self._response, self._pieces = opened, opened.aiter_bytes()
            content = b"" if opened.status_code == 200 else await _read_all(opened)
            return reply_of(opened, content)
        if isinstance(effect, fx.ReadStream):
            return await abortable(self._read(), self._signal)
        return await self._driver.perform(effect, self._signal)

    async def _read(self) -> bytes | fx.Lost | None:
        if self._pieces is None:
            return None
        try:
            return await self._pieces.__anext__()
        except StopAsyncIteration:
            return None
        except (httpx.HTTPError, httpx.StreamError) as error:
            return lost_by(error)

    async def _release(self) -> None:
        response, self._response, self._pieces = self._response, None, None
        if response is not None:
            await response.aclose()

    async def aclose(self) -> None:
        self._has_ended = True
        await self._release()
        self._flow.close()

    async def __aenter__(self) -> AsyncIteration[T]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class AsyncEvents(AsyncIteration[Event]):
    """Events as they arrive."""


class AsyncChunks(AsyncIteration[bytes]):
    """Bytes as they arrive."""


async def _read_all(response: httpx.Response) -> bytes:
    try:
        return await response.aread()
    except httpx.HTTPError:
        return b""
