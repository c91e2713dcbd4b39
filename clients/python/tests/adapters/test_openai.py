"""The session used by the SDK's own runner, with a model that answers from a script."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from agents import Agent, RunConfig, Runner
from fake_model import Scripted

from baton import AsyncBaton, Baton, FileTokenStore
from baton.openai_agents import BatonSession

WORKER = Path(__file__).parent / "talk.py"
TURNS = 20
KILLS = int(os.environ.get("PYTHON_TALK_KILLS", "6"))


def texts(items: list[Any]) -> list[str]:
    return [
        item["content"] if isinstance(item["content"], str) else item["content"][0]["text"]
        for item in items
    ]


def test_the_runner_goes_on_with_a_conversation_that_another_process_had(
    server: str, tmp_path: Path
) -> None:
    async def say(text: str) -> Any:
        baton = AsyncBaton.connect(server, store=FileTokenStore(tmp_path))
        session = BatonSession("chat", baton=baton)
        agent = Agent(name="echo", model=Scripted())
        config = RunConfig(tracing_disabled=True)
        result = await Runner.run(agent, text, session=session, run_config=config)
        await baton.aclose()
        return result.final_output

    assert asyncio.run(say("one")) == "1 heard: one"
    assert asyncio.run(say("two")) == "3 heard: two"
    kept = BatonSession("chat", baton=Baton.connect(server, store=FileTokenStore(tmp_path)))
    items = asyncio.run(kept.get_items())
    assert texts(items) == ["one", "1 heard: one", "two", "3 heard: two"]
    assert texts(asyncio.run(kept.get_items(limit=1))) == ["3 heard: two"]


def test_two_who_pop_at_once_get_two_different_items(server: str, tmp_path: Path) -> None:
    async def play() -> None:
        sessions = [
            BatonSession("pops", baton=AsyncBaton.connect(server, store=FileTokenStore(tmp_path)))
            for _ in range(2)
        ]
        item: Any = lambda n: {"role": "user", "content": str(n)}  # noqa: E731
        await sessions[0].add_items([item(n) for n in range(8)])
        popped = await asyncio.gather(*(sessions[n % 2].pop_item() for n in range(8)))
        assert sorted(texts(list(popped))) == [str(n) for n in range(8)]
        assert await sessions[0].pop_item() is None
        await sessions[0].add_items([item("last")])
        await sessions[1].clear_session()
        assert await sessions[0].get_items() == []

    asyncio.run(play())


def test_a_conversation_killed_at_random_moments_loses_and_doubles_nothing(
    server: str, tmp_path: Path
) -> None:
    dice = random.Random(26)
    command = [sys.executable, str(WORKER), server, str(tmp_path), str(TURNS)]
    killed = 0
    for _ in range(KILLS):
        started = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert started.stdout is not None
        started.stdout.readline()
        time.sleep(dice.uniform(0, 0.8))
        started.kill()
        started.communicate()
        killed += started.returncode == -signal.SIGKILL
    subprocess.run(command, check=True, capture_output=True)
    session = BatonSession("talk", baton=Baton.connect(server, store=FileTokenStore(tmp_path)))
    items = asyncio.run(session.get_items())
    said = [text for text in texts(items) if text.startswith("turn ")]
    assert killed > 0
    assert said == [f"turn {n}" for n in range(TURNS)]
