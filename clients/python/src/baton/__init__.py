"""Baton keeps a piece of work alive between the agents and people who work on it.

``Baton`` blocks, ``AsyncBaton`` is for asyncio; both drive the same core.
See docs/guides/python.md.
"""

from ._async_baton import AsyncBaton
from ._async_iteration import AsyncChunks, AsyncEvents
from ._async_job import AsyncClaimedJob
from ._async_session import AsyncSession
from ._baton import Baton
from ._iteration import Chunks, Events
from ._job import ClaimedJob
from ._session import Session
from ._transport import RetryOptions
from .abort import AbortSignal
from .clocks import AsyncClock, AsyncSystemClock, Clock, SystemClock
from .errors import (
    Aborted,
    BatonError,
    ConflictError,
    SessionEndedError,
    StoreBusyError,
    StoreError,
    TransportError,
    WireError,
)
from .file_store import FileTokenStore
from .results import (
    Answer,
    Appended,
    Conflict,
    Forked,
    HandoffMade,
    LinkMade,
    Resumed,
    Settled,
    WriteResult,
    Written,
    unwrap,
)
from .resumption import Progress, RunOutcome, StopError, WorkContext, classify_error
from .stores import MemoryTokenStore, PendingRequest, SavedSession, TokenStore
from .wire import Event as LogEvent
from .wire import Session as SessionView

__version__ = "0.1.0"

__all__ = [
    "AbortSignal",
    "Aborted",
    "Answer",
    "Appended",
    "AsyncBaton",
    "AsyncChunks",
    "AsyncClaimedJob",
    "AsyncClock",
    "AsyncEvents",
    "AsyncSession",
    "AsyncSystemClock",
    "Baton",
    "BatonError",
    "Chunks",
    "ClaimedJob",
    "Clock",
    "Conflict",
    "ConflictError",
    "Events",
    "FileTokenStore",
    "Forked",
    "HandoffMade",
    "LinkMade",
    "LogEvent",
    "MemoryTokenStore",
    "PendingRequest",
    "Progress",
    "Resumed",
    "RetryOptions",
    "RunOutcome",
    "SavedSession",
    "Session",
    "SessionEndedError",
    "SessionView",
    "Settled",
    "StopError",
    "StoreBusyError",
    "StoreError",
    "SystemClock",
    "TokenStore",
    "TransportError",
    "WireError",
    "WorkContext",
    "WriteResult",
    "Written",
    "classify_error",
    "unwrap",
]
