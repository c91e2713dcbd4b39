"""A real server for all tests, and both clients behind one interface."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from in_loop import InLoop

from baton import AsyncBaton, Baton

ROOT = Path(__file__).parents[3]
NODE = ROOT / "node_modules" / "node" / "bin" / "node"


def start_script(
    script: str, *args: str, env: dict[str, str] | None = None
) -> tuple[subprocess.Popen[str], str]:
    """Runs a script of the project in its own process group; yields the address that it prints."""
    started = subprocess.Popen(
        [str(NODE), str(ROOT / script), *args],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stdout is not None
    for line in started.stdout:
        found = [word for word in line.split() if word.startswith("http://")]
        if found:
            return started, found[0]
    raise RuntimeError(f"{script} ended without an address")


def stop_script(started: subprocess.Popen[str]) -> None:
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGINT)
    started.communicate(timeout=30)


# The key of the owner `local`, which the server lists for its own machine.
KEY = f"bkey_{'k' * 43}"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A server that lets anyone create sessions, and where a key opens those of its owner."""
    with tempfile.TemporaryDirectory(prefix="baton-python-") as data:
        (Path(data) / "local-key").write_text(KEY)
        started, url = start_script("scripts/serve.ts", "--port", "0", "--data", data)
        yield url
        stop_script(started)


# The summary of a long run, printed in its last lines.
FIGURES: list[str] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in FIGURES:
        terminalreporter.write_line(line)


Connect = Callable[..., Baton]


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest, server: str) -> Iterator[Connect]:
    """Connects a client of either kind, which is closed with the test."""
    if request.param == "blocking":
        opened: list[Baton] = []

        def connect_blocking(url: str = server, **options: Any) -> Baton:
            opened.append(Baton.connect(url, **options))
            return opened[-1]

        yield connect_blocking
        for one in opened:
            one.close()
        return
    loop = asyncio.new_event_loop()
    begun: list[AsyncBaton] = []

    def connect_async(url: str = server, **options: Any) -> Any:
        begun.append(AsyncBaton.connect(url, **options))
        return InLoop(begun[-1], loop)

    yield connect_async
    for other in begun:
        loop.run_until_complete(other.aclose())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture
def baton(connect: Connect) -> Baton:
    return connect()
