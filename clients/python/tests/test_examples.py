"""The examples, run unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import NODE, ROOT

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_relay_ends_with_a_persons_answer_from_a_browser(server: str) -> None:
    relay = EXAMPLES / "relay.py"
    assert len(relay.read_text().splitlines()) <= 60
    running = subprocess.Popen(
        [sys.executable, str(relay)],
        env={**os.environ, "BATON_URL": server},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    said = [running.stdout.readline(), running.stdout.readline()]
    link = said[1].removeprefix("open this: ").strip()
    person = [str(NODE), "test/support/person-in-browser.ts", link, "May we publish this?=yes"]
    subprocess.run(person, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, timeout=60)
    rest = running.communicate(timeout=60)[0]
    assert running.returncode == 0
    assert rest.splitlines() == ["the person said: yes"]
