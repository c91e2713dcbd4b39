"""The asyncio client driven as a blocking one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any


class InLoop:
    """An asyncio object as a blocking one, so that one test drives both clients."""

    def __init__(self, inner: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.__dict__.update(inner=inner, loop=loop)

    def __getattr__(self, name: str) -> Any:
        return self._own(getattr(self.inner, name))

    def __enter__(self) -> Any:
        return self._own(self.inner.__aenter__())

    def __exit__(self, *error: Any) -> Any:
        return self._own(self.inner.__aexit__(*error))

    def __iter__(self) -> Iterator[Any]:
        items = aiter(self.inner)
        while True:
            try:
                yield self.loop.run_until_complete(anext(items))
            except StopAsyncIteration:
                return

    def _own(self, value: Any) -> Any:
        if inspect.iscoroutine(value):
            return self._own(self.loop.run_until_complete(value))
        if callable(value) and not isinstance(value, type):
            return lambda *args, **options: self._own(value(*args, **options))
        if type(value).__name__ == "Forked":
            return type(value)(value.session, self._own(value.child), value.prompt)
        is_ours = type(value).__name__.startswith("Async")
        return InLoop(value, self.loop) if is_ours else value
