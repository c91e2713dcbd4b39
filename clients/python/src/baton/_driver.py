"""Performs the effects of flows, blocking the caller's thread. Decides nothing."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import httpx

from . import _effects as fx
from ._feed import SILENCE_MS
from .abort import AbortSignal
from .clocks import Clock
from .errors import StoreBusyError
from .stores import TokenStore

T = TypeVar("T")
LOCK_POLL_S = 0.015


class Driver:
    """One HTTP client, one store, one clock."""

    def __init__(self, store: TokenStore, clock: Clock, http: httpx.Client) -> None:
        self.store = store
        self.clock = clock
        self._http = http
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def close(self) -> None:
        self._http.close()

    def run(self, flow: fx.Flow[T], signal: AbortSignal | None = None) -> T:
        """Drives a flow to its end."""
        active_signal = signal
        try:
            effect = next(flow)
            while True:
                if isinstance(effect, fx.UseSignal):
                    active_signal = signal if effect.signal else None
                try:
                    outcome = self.perform(effect, active_signal)
                except BaseException as error:
                    # Passed to the flow, which releases its locks.
                    effect = flow.throw(error)
                else:
                    effect = flow.send(outcome)
        except StopIteration as end:
            result: T = end.value
            return result

    def perform(self, effect: fx.Effect, signal: AbortSignal | None) -> Any:
        match effect:
            case fx.Send(request, limit_ms):
                return interruptibly(lambda: self._send(request, limit_ms), signal)
            case fx.Sleep(ms):
                _check(signal)
                self.clock.sleep(ms, signal)
                return _check(signal)
            case fx.Load(name):
                return self.store.load(name)
            case fx.Save(name, saved):
                return self.store.save(name, saved)
            case fx.Remove(name):
                return self.store.remove(name)
            case fx.Acquire(name):
                return self._acquire(name, signal)
            case fx.Release(name):
                self.store.unlock(name)
                return self._lock_of(name).release()
            case fx.Perform(call, arguments):
                return call(*arguments)
            case fx.UseSignal():
                return None
            case _:
                raise TypeError(f"Only an iteration does this: {effect}")

    def open_stream(
        self, request: fx.Request, signal: AbortSignal | None
    ) -> ResponseStream | fx.Lost:
        def opened() -> ResponseStream | fx.Lost:
            timeout = httpx.Timeout(SILENCE_MS / 1000)
            built = self._http.build_request(
                request.method, request.url, headers=request.headers, timeout=timeout
            )
            try:
                return ResponseStream(self._http.send(built, stream=True))
            except httpx.HTTPError as error:
                return lost_by(error)

        return interruptibly(opened, signal, lambda left: left.close())

    def _send(self, request: fx.Request, limit_ms: float) -> fx.Reply | fx.Lost:
        deadline = time.monotonic() + limit_ms / 1000
        timeout = httpx.Timeout(limit_ms / 1000)
        try:
            with self._http.stream(
                request.method,
                request.url,
                headers=request.headers,
                content=request.body,
                timeout=timeout,
            ) as response:
                pieces = []
                for piece in response.iter_bytes():
                    pieces.append(piece)
                    if time.monotonic() > deadline:
                        return fx.Lost(f"no whole answer within {limit_ms:.0f} ms")
                return reply_of(response, b"".join(pieces))
        except httpx.HTTPError as error:
            return lost_by(error)

    def _lock_of(self, name: str) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(name, threading.Lock())

    def _acquire(self, name: str, signal: AbortSignal | None) -> None:
        """Locks among the threads of this client first, then among processes."""
        lock = self._lock_of(name)
        while not lock.acquire(timeout=0.05 if signal is not None else -1):
            _check(signal)
        try:
            deadline = time.monotonic() + self.store.lock_wait_ms / 1000
            while not self.store.try_lock(name):
                _check(signal)
                if time.monotonic() >= deadline:
                    raise StoreBusyError(busy_text(name, self.store.lock_wait_ms))
                time.sleep(LOCK_POLL_S)
        except BaseException:
            lock.release()
            raise


class ResponseStream:
    """A response that is read in chunks."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._pieces = response.iter_bytes()

    def reply(self) -> fx.Reply:
        is_refused = self._response.status_code != 200
        try:
            content = self._response.read() if is_refused else b""
        except httpx.HTTPError:
            content = b""
        return reply_of(self._response, content)

    def read(self) -> bytes | fx.Lost | None:
        try:
            return next(self._pieces, None)
        except (httpx.HTTPError, httpx.StreamError) as error:
            return lost_by(error)

    def close(self) -> None:
        self._response.close()


def interruptibly(
    call: Callable[[], T],
    signal: AbortSignal | None,
    clean_up: Callable[[Any], None] | None = None,
) -> T:
    """Runs a blocking call so that the signal can end the wait.

    A blocked read cannot be ended from another thread, so with a signal it runs in its own thread.
    A result after an abort is dropped: its request stays saved.
    """
    _check(signal)
    if signal is None:
        return call()
    done = threading.Event()
    outcome: list[T] = []
    failure: list[BaseException] = []
    lock = threading.Lock()
    is_dropped = False

    def work() -> None:
        try:
            result = call()
        except BaseException as error:
            failure.append(error)
        else:
            with lock:
                if not is_dropped:
                    outcome.append(result)
                elif clean_up is not None and not isinstance(result, fx.Lost):
                    clean_up(result)
        done.set()

    release = signal.subscribe(done.set)
    threading.Thread(target=work, daemon=True, name="baton-request").start()
    done.wait()
    release()
    with lock:
        if outcome:
            return outcome[0]
        is_dropped = True
    if failure:
        raise failure[0]
    signal.throw_if_aborted()
    raise AssertionError("neither done nor aborted")


def _check(signal: AbortSignal | None) -> None:
    if signal is not None:
        signal.throw_if_aborted()


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """One for all clients of the process, because loading the certificates is slow."""
    return httpx.create_ssl_context()


def reply_of(response: httpx.Response, content: bytes) -> fx.Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return fx.Reply(response.status_code, headers, content)


def lost_by(error: Exception) -> fx.Lost:
    is_connection_error = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout))
    return fx.Lost(str(error) or type(error).__name__, is_connection_error)


def busy_text(name: str, wait_ms: float) -> str:
    return f'Somebody else works on "{name}" and did not finish in {wait_ms:.0f} ms.'
