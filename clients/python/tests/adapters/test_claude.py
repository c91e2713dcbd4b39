"""The session store against the Claude Agent SDK's own contracts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk.testing import run_session_store_conformance

from baton import AsyncBaton, Baton, FileTokenStore
from baton.claude import BatonSessionStore

KEY: Any = {"project_key": "-home-ada-visa", "session_id": "s1"}
CONNECT: dict[str, Callable[[str], Any]] = {
    "blocking": lambda url: Baton.connect(url),
    "asyncio": lambda url: AsyncBaton.connect(url),
}


def line(uuid: str, **members: Any) -> Any:
    return {"type": "user", "uuid": uuid, **members}


@pytest.mark.parametrize("kind", CONNECT)
def test_the_fourteen_contracts_hold(kind: str, server: str) -> None:
    asyncio.run(
        run_session_store_conformance(lambda: BatonSessionStore(baton=CONNECT[kind](server)))
    )


def test_a_line_is_kept_once_however_often_it_is_mirrored(server: str, tmp_path: Path) -> None:
    async def play() -> None:
        stores = [
            BatonSessionStore(baton=Baton.connect(server, store=FileTokenStore(tmp_path)))
            for _ in range(2)
        ]
        batch = [line("a", n=1), line("b", n=2)]
        await stores[0].append(KEY, batch)
        await asyncio.gather(*(store.append(KEY, [*batch, line("c", n=3)]) for store in stores))
        for store in stores:
            assert await store.load(KEY) == [line("a", n=1), line("b", n=2), line("c", n=3)]

    asyncio.run(play())


def test_a_transcript_is_resumed_from_another_machine(server: str, tmp_path: Path) -> None:
    async def play() -> None:
        here = BatonSessionStore(baton=Baton.connect(server, store=FileTokenStore(tmp_path)))
        large = line("large", text="y" * 3_000_000)
        await here.append(KEY, [line("a"), large])
        subagent: Any = {**KEY, "subpath": "subagents/agent-1"}
        await here.append(subagent, [line("s")])
        there = BatonSessionStore(baton=AsyncBaton.connect(server, store=FileTokenStore(tmp_path)))
        assert await there.load(KEY) == [line("a"), large]
        assert await there.list_subkeys(KEY) == ["subagents/agent-1"]
        await there.delete(KEY)
        assert await here.load(KEY) is None

    asyncio.run(play())
