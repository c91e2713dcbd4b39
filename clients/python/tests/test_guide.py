"""The Python of docs/guides/python.md and README.md, run as a reader would run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import KEY, ROOT

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OURS = "<!-- run by clients/python/tests/test_guide.py -->"


def program_of(document: str) -> tuple[str, str]:
    """All Python of the document as one program, and the output that the document states."""
    program, printed = "", ""
    end = 0
    for found in BLOCK.finditer(document):
        marks = document[end : found.start()]
        end = found.end()
        if OURS not in marks:
            continue
        if found[1] == "python":
            program += found[2]
        else:
            printed += found[2]
    return program, printed


@pytest.mark.parametrize("name", ["docs/guides/python.md", "README.md"])
def test_a_document_prints_what_it_shows(name: str, server: str, tmp_path: Path) -> None:
    program, printed = program_of((ROOT / name).read_text("utf-8"))
    assert program and printed
    env = {**os.environ, "BATON_URL": server, "BATON_KEY": KEY}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == printed


def test_the_example_of_the_packages_readme_runs(server: str, tmp_path: Path) -> None:
    readme = (ROOT / "clients" / "python" / "README.md").read_text("utf-8")
    (found,) = BLOCK.finditer(readme)
    program = found[2].replace("http://localhost:8787", server)
    for is_asked in (True, False):
        ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
        assert (b"/h/" in ran.stdout) is is_asked
        assert b"no answer yet" in ran.stdout
