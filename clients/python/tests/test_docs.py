"""The examples of docstrings, run unchanged in the blocking classes."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import baton
from baton import _baton, _job, _session, abort, file_store

PACKAGE = Path(__file__).parents[1]


def test_every_example_of_a_docstring_runs(server: str) -> None:
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    examples = 0
    for module in (_session, _baton, _job, abort, file_store):
        for found in finder.find(module):
            if not found.examples:
                continue
            with baton.Baton.connect(server) as client:
                session = client.create(actor={"id": "agent-a"})
                found.globs.update(baton=client, unwrap=baton.unwrap, session=session)
                runner.run(found)
            examples += len(found.examples)
    assert runner.summarize(verbose=False).failed == 0
    assert examples > 25


def test_the_blocking_classes_are_written_from_the_asyncio_ones() -> None:
    check = [sys.executable, str(PACKAGE / "tools" / "write_blocking.py"), "--check"]
    assert subprocess.run(check, check=False).returncode == 0


def test_both_clients_have_the_same_methods() -> None:
    for one, other in ((baton.Baton, baton.AsyncBaton), (baton.Session, baton.AsyncSession)):
        names = {name for name in vars(other) if not name.startswith("_")} - {"aclose"}
        assert names == {name for name in vars(one) if not name.startswith("_")} - {"close"}
