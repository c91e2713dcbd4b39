"""A ``SessionStore`` of the Claude Agent SDK: resume a transcript on any machine.

Needs ``baton-client[claude]``. One session per transcript, including its subagents. An entry with a
``uuid`` is stored once, however often it is mirrored. See docs/guides/python-adapters.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

try:
    from claude_agent_sdk import fold_session_summary
except ImportError as error:
    raise ImportError("baton.claude needs: pip install 'baton-client[claude]'") from error

from ._async_baton import AsyncBaton
from ._baton import Baton
from ._effects import Flow
from ._journal import Entry, Journals

if TYPE_CHECKING:
    from claude_agent_sdk import (
        SessionKey,
        SessionListSubkeysKey,
        SessionStoreEntry,
        SessionStoreListEntry,
        SessionSummaryEntry,
    )

LINE = "claude.line"
REMOVED = "claude.removed"
MAIN = ""


@dataclass
class _Transcript:
    """The fold of a transcript's journal: its lines by subpath; the main subpath is ""."""

    lines: dict[str, list[Any]] = field(default_factory=dict)
    known: dict[str, set[str]] = field(default_factory=dict)
    changed_at: int = 0
    summary: Any = None


class BatonSessionStore:
    """Stores transcripts. Pass a ``Baton`` or an ``AsyncBaton``.

    >>> from baton import Baton
    >>> store = BatonSessionStore(baton=Baton.connect(url))
    >>> import asyncio
    >>> asyncio.run(store.load({"project_key": "p", "session_id": "s"})) is None
    True
    """

    def __init__(self, *, baton: Baton | AsyncBaton, namespace: str = "claude") -> None:
        self._transcripts = Journals(baton, namespace, (LINE, REMOVED), _Transcript, _fold)

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Mirrors a batch of lines."""
        if entries:
            await self._transcripts.arun(self._append(key, entries))

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """All lines of a transcript, or None if there is none."""
        return await self._transcripts.arun(self._load(key))

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        found = await self._transcripts.arun(self._of_project(project_key))
        return [
            {"session_id": id, "mtime": transcript.changed_at} for id, transcript in found.items()
        ]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        found = await self._transcripts.arun(self._of_project(project_key))
        return [transcript.summary for transcript in found.values()]

    async def delete(self, key: SessionKey) -> None:
        """Removes a transcript with its subagents, or only the subagent that the key names."""
        await self._transcripts.arun(self._delete(key))

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        transcript = await self._transcripts.arun(self._transcripts.read(_id_of(key)))
        return [] if transcript is None else sorted(set(transcript.lines) - {MAIN})

    def _append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> Flow[None]:
        id, subpath = _id_of(key), key.get("subpath") or MAIN
        transcript = yield from self._transcripts.read(id)
        known = set() if transcript is None else transcript.known.get(subpath, set())
        fresh = [entry for entry in entries if entry.get("uuid") not in known]
        if not fresh:
            return
        lines = [
            Entry(LINE, {"key": {**key, "subpath": subpath}, "line": entry}) for entry in fresh
        ]
        yield from self._transcripts.append(id, lines)

    def _load(self, key: SessionKey) -> Flow[list[Any] | None]:
        transcript = yield from self._transcripts.read(_id_of(key))
        lines = None if transcript is None else transcript.lines.get(key.get("subpath") or MAIN)
        # A copy, so that callers cannot change the state.
        return None if lines is None else json.loads(json.dumps(lines))

    def _of_project(self, project_key: str) -> Flow[dict[str, _Transcript]]:
        found = {}
        for id in (yield from self._transcripts.ids()):
            project, session_id = _key_of(id)
            if project != project_key:
                continue
            transcript = yield from self._transcripts.read(id)
            if transcript is not None and transcript.summary is not None:
                found[session_id] = transcript
        return found

    def _delete(self, key: SessionKey) -> Flow[None]:
        subpath = key.get("subpath")
        id = _id_of(key)
        if not subpath:
            yield from self._transcripts.delete(id)
            return
        transcript = yield from self._transcripts.read(id)
        if transcript is not None and subpath in transcript.lines:
            yield from self._transcripts.append(id, [Entry(REMOVED, {"subpath": subpath})])


def _id_of(key: Any) -> str:
    return f"{quote(key['project_key'], safe='')}/{quote(key['session_id'], safe='')}"


def _key_of(id: str) -> tuple[str, str]:
    project, _, session_id = id.partition("/")
    return unquote(project), unquote(session_id)


def _fold(transcript: _Transcript, entry: Entry) -> None:
    if entry.kind == REMOVED:
        transcript.lines.pop(entry.value["subpath"], None)
        transcript.known.pop(entry.value["subpath"], None)
        return
    key, line = entry.value["key"], entry.value["line"]
    subpath = key["subpath"]
    known = transcript.known.setdefault(subpath, set())
    uuid = line.get("uuid")
    if uuid is not None:
        # Two mirrors of one transcript may both have appended it.
        if uuid in known:
            return
        known.add(uuid)
    transcript.lines.setdefault(subpath, []).append(line)
    if subpath != MAIN:
        return
    transcript.changed_at = int(entry.at)
    main = {"project_key": key["project_key"], "session_id": key["session_id"]}
    folded = fold_session_summary(transcript.summary, main, [line])  # type: ignore[arg-type]
    transcript.summary = {**folded, "mtime": transcript.changed_at}


__all__ = ["BatonSessionStore"]
