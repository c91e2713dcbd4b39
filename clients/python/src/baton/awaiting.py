"""The work of users: a function, or an awaitable one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from .resumption import WorkContext

S = TypeVar("S")
T = TypeVar("T")

Work = Callable[[WorkContext[S]], T]
AsyncWork = Callable[[WorkContext[S]], Awaitable[T]]
