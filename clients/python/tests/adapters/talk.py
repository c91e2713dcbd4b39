"""Prints each turn once, however often it is killed, because it reads where it stopped."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from agents import Agent, RunConfig, Runner
from fake_model import Scripted

from baton import AsyncBaton, FileTokenStore
from baton.openai_agents import BatonSession


async def talk(url: str, folder: str, turns: int) -> None:
    baton = AsyncBaton.connect(url, store=FileTokenStore(folder))
    session = BatonSession("talk", baton=baton)
    agent = Agent(name="echo", model=Scripted())
    print("ready", flush=True)
    while True:
        items: list[Any] = await session.get_items()
        said = [item for item in items if str(item.get("content", "")).startswith("turn ")]
        if len(said) == turns and len(items) >= 2 * turns:
            return
        is_answered = not items or items[-1].get("role") == "assistant"
        if not is_answered:
            # Killed between the question and its answer: the question is removed and asked again.
            await session.pop_item()
            continue
        config = RunConfig(tracing_disabled=True)
        await Runner.run(agent, f"turn {len(said)}", session=session, run_config=config)


asyncio.run(talk(sys.argv[1], sys.argv[2], int(sys.argv[3])))
