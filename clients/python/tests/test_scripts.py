"""The scripts that the TypeScript client also plays, and the bugs that they must find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NODE, ROOT

PLAYER = Path(__file__).parent / "player.py"
PLAYERS = os.environ.get("PYTHON_PLAYERS", "blocking").split()


@pytest.mark.parametrize("kind", PLAYERS)
def test_every_script_is_played_and_every_planted_bug_found(kind: str, server: str) -> None:
    script = str(ROOT / "scripts" / "client-scripts.ts")
    command = [sys.executable, str(PLAYER), *(["asyncio"] if kind == "asyncio" else [])]
    ran = subprocess.run(
        [str(NODE), script, "--server", server, *command], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    scripts = len(list((ROOT / "test" / "client-scripts").glob("*.json")))
    assert ran.stdout.count("\u2713") == scripts + ran.stdout.count("the bug ")
    assert ran.stdout.count("the bug ") >= 5
