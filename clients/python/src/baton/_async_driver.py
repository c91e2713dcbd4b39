"""Performs the effects of flows on asyncio. Decides nothing."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from . import _effects as fx
from ._driver import LOCK_POLL_S, busy_text, lost_by, reply_of
from ._feed import SILENCE_MS
from .abort import AbortSignal
from .clocks import AsyncClock
from .errors import StoreBusyError
from .stores import TokenStore

T = TypeVar("T")


class AsyncDriver:
    """One HTTP client, one store, one clock."""

    def __init__(self, store: TokenStore, clock: AsyncClock, http: httpx.AsyncClient) -> None:
        self.store = store
        self.clock = clock
        self._http = http
        self._locks: dict[str, asyncio.Lock] = {}

    async def aclose(self) -> None:
        await self._http.aclose()

    async def run(self, flow: fx.Flow[T], signal: AbortSignal | None = None) -> T:
        """Drives a flow to its end."""
        active_signal = signal
        try:
            effect = next(flow)
            while True:
                if isinstance(effect, fx.UseSignal):
                    active_signal = signal if effect.signal else None
                try:
                    outcome = await self.perform(effect, active_signal)
                except BaseException as error:
                    # Passed to the flow, which releases its locks; also a cancellation.
                    effect = flow.throw(error)
                else:
                    effect = flow.send(outcome)
        except StopIteration as end:
            result: T = end.value
            return result

    async def perform(self, effect: fx.Effect, signal: AbortSignal | None) -> Any:
        match effect:
            case fx.Send(request, limit_ms):
                return await abortable(self._send(request, limit_ms), signal)
            case fx.Sleep(ms):
                return await abortable(self.clock.sleep(ms), signal)
            case fx.Load(name):
                return await in_thread(lambda: self.store.load(name))
            case fx.Save(name, saved):
                return await in_thread(lambda: self.store.save(name, saved))
            case fx.Remove(name):
                return await in_thread(lambda: self.store.remove(name))
            case fx.Acquire(name):
                return await abortable(self._acquire(name), signal)
            case fx.Release(name):
                try:
                    await in_thread(lambda: self.store.unlock(name))
                finally:
                    self._locks[name].release()
                return None
            case fx.Perform(call, arguments):
                result = call(*arguments)
                return await result if inspect.isawaitable(result) else result
            case fx.UseSignal():
                return None
            case _:
                raise TypeError(f"Only an iteration does this: {effect}")

    async def open_stream(self, request: fx.Request) -> httpx.Response | fx.Lost:
        built = self._http.build_request(
            request.method,
            request.url,
            headers=request.headers,
            timeout=httpx.Timeout(SILENCE_MS / 1000),
        )
        try:
            return await self._http.send(built, stream=True)
        except httpx.HTTPError as error:
            return lost_by(error)

    async def _send(self, request: fx.Request, limit_ms: float) -> fx.Reply | fx.Lost:
        sent = self._http.request(
            request.method,
            request.url,
            headers=request.headers,
            content=request.body,
            timeout=None,
        )
        try:
            response = await asyncio.wait_for(sent, limit_ms / 1000)
            return reply_of(response, response.content)
        except httpx.HTTPError as error:
            return lost_by(error)
        except asyncio.TimeoutError:
            return fx.Lost(f"no response within {limit_ms:.0f} ms")

    async def _acquire(self, name: str) -> None:
        """Locks among the tasks of this client, in the order of calls; then among processes."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        await lock.acquire()
        try:
            deadline = time.monotonic() + self.store.lock_wait_ms / 1000
            while not await self._try_lock(name):
                if time.monotonic() >= deadline:
                    raise StoreBusyError(busy_text(name, self.store.lock_wait_ms))
                await asyncio.sleep(LOCK_POLL_S)
        except BaseException:
            lock.release()
            raise

    async def _try_lock(self, name: str) -> bool:
        def undo(is_paused: bool) -> None:
            # Cancelled while the thread took the lock: nothing else would release it.
            if is_paused:
                self.store.unlock(name)

        return await in_thread(lambda: self.store.try_lock(name), undo)


async def in_thread(call: Callable[[], T], undo: Callable[[T], None] | None = None) -> T:
    """Calls the store, which may block. Waits for the call to end, even if cancelled."""
    running = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        if undo is not None and running.exception() is None:
            undo(running.result())
        raise


async def abortable(work: Awaitable[T], signal: AbortSignal | None) -> T:
    """Cancels the work when the signal fires, and raises Aborted."""
    if signal is None:
        return await work
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        loop.call_soon_threadsafe(task.cancel)

    release = signal.subscribe(cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if task.cancelled():
            signal.throw_if_aborted()
        task.cancel()
        raise
    finally:
        release()
