"""Iterations over the items of a flow: one item per step."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any, TypeVar

from . import _effects as fx
from ._driver import Driver, ResponseStream, interruptibly
from .abort import AbortSignal
from .wire import Event

T = TypeVar("T")


class Iteration(Iterator[T]):
    """Items as they arrive. Close it, or use it in a ``with`` block, to close the connection."""

    def __init__(self, driver: Driver, flow: fx.Flow[None], signal: AbortSignal | None) -> None:
        self._driver = driver
        self._flow = flow
        self._signal = signal
        self._stream: ResponseStream | None = None
        self._has_ended = False

    def __iter__(self) -> Iteration[T]:
        return self

    def __next__(self) -> T:
        if self._has_ended:
            raise StopIteration
        try:
            effect = next(self._flow)
            while not isinstance(effect, fx.Emit):
                try:
                    outcome = self._perform(effect)
                except BaseException as error:
                    effect = self._flow.throw(error)
                else:
                    effect = self._flow.send(outcome)
            item: T = effect.item
            return item
        except BaseException:
            # Including the end of the flow, which is a StopIteration too.
            self.close()
            raise

    def _perform(self, effect: fx.Effect) -> Any:
        if isinstance(effect, fx.OpenStream):
            self._release()
            opened = self._driver.open_stream(effect.request, self._signal)
            if isinstance(opened, fx.Lost):
                return opened
            self._stream = opened
            return opened.reply()
        if isinstance(effect, fx.ReadStream):
            stream = self._stream
            if stream is None:
                return None
            try:
                return interruptibly(stream.read, self._signal, lambda _: stream.close())
            except BaseException:
                # The thread that still reads it closes it.
                self._stream = None
                raise
        return self._driver.perform(effect, self._signal)

    def _release(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        self._has_ended = True
        self._release()
        self._flow.close()

    def __enter__(self) -> Iteration[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Events(Iteration[Event]):
    """Events as they arrive."""


class Chunks(Iteration[bytes]):
    """Bytes as they arrive."""
