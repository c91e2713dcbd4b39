"""kill -9 at random moments, and a bad network: each intended event once, and in order."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import FIGURES, Connect, start_script, stop_script

from baton import Baton, FileTokenStore, RetryOptions, unwrap

EXAMPLES = Path(__file__).parents[1] / "examples"
KILLS = int(os.environ.get("PYTHON_KILLS", "4"))
WORK = int(os.environ.get("PYTHON_WORK", "14"))
SEEDS = int(os.environ.get("PYTHON_SEEDS", "1"))
STEPS = int(os.environ.get("PYTHON_STEPS", "40"))


@contextmanager
def bad_network(server: str, seed: int, share: float) -> Iterator[tuple[str, dict[str, int]]]:
    """The fault-injecting proxy of the TypeScript tests; its faults are counted."""
    started, url = start_script("test/support/serve-lossy.ts", server, str(seed), str(share))
    counts: dict[str, int] = {}
    try:
        yield url, counts
        counts.update(json.loads(started.communicate(timeout=30)[0]))
    finally:
        stop_script(started)


def run_once(url: str, state: Path, chance: random.Random) -> tuple[bool, bool]:
    """Runs the example once; kills it at a random moment, or lets it end."""
    env = {**os.environ, "BATON_URL": url, "BATON_STATE": str(state), "STEPS": str(WORK)}
    child = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "survivor.py")],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    # A quarter at a random time after the start, the others shortly after a number of steps.
    after_lines = -1 if chance.random() < 0.25 else chance.randrange(16)
    pause = chance.random() * (0.6 if after_lines < 0 else 0.012)
    timer = threading.Timer(pause, child.kill)
    if after_lines < 0:
        timer.start()
    lines = []
    assert child.stdout is not None
    for line in child.stdout:
        lines.append(line)
        if len(lines) - 1 == after_lines:
            timer.start()
    child.stdout.close()
    status = child.wait()
    timer.cancel()
    assert status in (0, -9), lines
    return status == -9, any(line.startswith("finished") for line in lines)


def test_kill_9_at_random_moments_loses_and_doubles_nothing(server: str, tmp_path: Path) -> None:
    chance, kills, rounds = random.Random(7), 0, 0
    while kills < KILLS or rounds < 2:
        rounds += 1
        state = tmp_path / f"state-{rounds}"
        # Every second piece of work uses a bad network.
        share = 0.2 if rounds % 2 == 0 else 0.0
        with bad_network(server, rounds, share) as (url, _):
            is_finished = False
            while not is_finished:
                is_killed, is_finished = run_once(url, state, chance)
                kills += is_killed
            with Baton.connect(url, store=FileTokenStore(state)) as baton:
                session = baton.attach("survivor")
                page = session.page(after=0, limit=1_000)
                events = page["events"]
                assert [event["seq"] for event in events] == list(range(1, page["head"] + 1))
                steps = [one["payload"]["step"] for one in events if one["type"] == "work.step"]
                assert steps == list(range(1, WORK + 1))
                notes = [
                    one["payload"]["changes"][0]["to"]
                    for one in events
                    if one["type"] == "fields.updated"
                ]
                assert notes == list(range(3, WORK, 3))
                types = [event["type"] for event in events]
                assert types.count("session.created") == types.count("session.submitted") == 1
                # The token line is intact: its newest token still writes.
                assert unwrap(session.finalize()).session["state"] == "finalized"
    FIGURES.append(
        f"{kills} kills in {rounds} pieces of work of {WORK} steps, none lost or doubled"
    )


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_a_bad_network_loses_and_doubles_nothing(connect: Connect, server: str, seed: int) -> None:
    retry = RetryOptions(base_ms=2, max_ms=20, attempts=40)
    with bad_network(server, seed, 0.4) as (url, counts):
        session = connect(url, retry=retry, random=random.Random(seed).random).create()
        for step in range(1, STEPS + 1):
            session.append("work.step", {"step": step})
            if step % 4 == 0:
                unwrap(session.set_fields({"step": step}))
            if step % 10 == 0:
                session.resume()
        token = session.handoff(["view"]).participant_token
        unwrap(session.submit())
        unwrap(session.finalize())
        seen = list(session.events(after=0))
        direct = connect(server).attach(token).page(after=0, limit=1_000)
    assert seen == direct["events"]
    assert [event["seq"] for event in seen] == list(range(1, direct["head"] + 1))
    steps = [event["payload"]["step"] for event in seen if event["type"] == "work.step"]
    assert steps == list(range(1, STEPS + 1))
    types = [event["type"] for event in seen]
    assert types.count("fields.updated") == STEPS // 4
    assert types.count("token.accessed") == STEPS // 10
    assert types.count("handoff.created") == types.count("session.created") == 1
    assert all(counts.values()), counts
    FIGURES.append(f"seed {seed}: {STEPS} steps, faults {counts}")


def test_an_open_iteration_goes_on_over_a_network_that_breaks(
    connect: Connect, server: str
) -> None:
    retry = RetryOptions(base_ms=2, max_ms=20, attempts=40)
    writer = Baton.connect(server)
    session = writer.create(save_as="w")
    token = session.handoff(["view"]).participant_token

    def work() -> None:
        for n in range(30):
            session.append("work.step", {"n": n})
            time.sleep(0.01)
        unwrap(session.cancel())

    with bad_network(server, 3, 0.5) as (url, _):
        reader: Any = connect(url, retry=retry).attach(token)
        thread = threading.Thread(target=work)
        thread.start()
        seen = list(reader.events(after=0, types=["work.*"]))
        thread.join()
    writer.close()
    assert [event["payload"]["n"] for event in seen] == list(range(30))
