"""Saved sessions: readable only by their owner, held by one at a time, intact after kill -9."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import NODE, ROOT

from baton import Baton, FileTokenStore, SavedSession, StoreBusyError, StoreError
from baton._file_lock import write_draft

OPENER = """
import sys
from baton import Baton, FileTokenStore
with Baton.connect(sys.argv[1], store=FileTokenStore(sys.argv[2])) as baton:
    session = baton.open("one", title="One")
    session.append("work.done")
    print(session.id)
"""


def test_a_file_is_its_owners_alone_under_any_name(tmp_path: Path) -> None:
    store = FileTokenStore(tmp_path / "deep" / "store")
    store.save("../odd/näme", SavedSession("http://x.test", token="rtok_1"))
    file = tmp_path / "deep" / "store" / "%2E.%2Fodd%2Fn%C3%A4me.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert store.list() == ["../odd/näme"]
    assert store.load("../odd/näme") == SavedSession("http://x.test", token="rtok_1")
    store.remove("../odd/näme")
    assert store.load("../odd/näme") is None
    for name in ("", "x" * 201):
        with pytest.raises(StoreError):
            store.load(name)


def test_what_cannot_be_read_is_said_without_its_text(tmp_path: Path) -> None:
    store = FileTokenStore(tmp_path)
    (tmp_path / "broken.json").write_text('{"format": 1, "token": "rtok_secret"')
    with pytest.raises(StoreError) as broken:
        store.load("broken")
    assert "rtok_" not in str(broken.value)


def test_however_many_processes_open_a_name_there_is_one_session(
    server: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", OPENER, server, str(tmp_path)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    ids = {one.communicate(timeout=60)[0].strip() for one in started}
    assert all(one.returncode == 0 for one in started)
    assert len(ids) == 1
    with Baton.connect(server, store=FileTokenStore(tmp_path)) as baton:
        types = [event["type"] for event in baton.attach("one").page(after=0)["events"]]
    assert types.count("session.created") == 1
    assert types.count("work.done") == 6


def test_a_lock_is_waited_for_and_that_of_a_killed_process_taken_away(
    server: str, tmp_path: Path
) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from baton import FileTokenStore\n"
            "assert FileTokenStore(sys.argv[1]).try_lock('held'); print('held', flush=True)\n"
            "time.sleep(60)",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    store = FileTokenStore(tmp_path, lock_wait_ms=100)
    with Baton.connect(server, store=store) as baton, pytest.raises(StoreBusyError):
        baton.create(save_as="held")
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    assert store.try_lock("held")
    store.unlock("held")
    assert list(tmp_path.iterdir()) == []


def test_drafts_of_killed_writers_are_swept_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    unnamed = tmp_path / ".0.draft"
    unnamed.write_text("rtok_left")
    os.utime(unnamed, (time.time() - 120, time.time() - 120))
    write = (
        "import sys; from pathlib import Path; from baton._file_lock import write_draft\n"
        "write_draft(Path(sys.argv[1]) / 'x', 'rtok_left'); {}"
    )
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", write.format(killed), str(tmp_path)], check=False)
    mine = write_draft(tmp_path / "x", "rtok_mine")
    assert len(list(tmp_path.iterdir())) == 3
    FileTokenStore(tmp_path).try_lock("x")
    assert [one for one in tmp_path.iterdir() if one.name.endswith(".draft")] == [mine]


NODE_HANDS_ON = """
import {{ Baton, unwrap }} from "{root}/dist/client.js";
import {{ FileTokenStore }} from "{root}/dist/client-node.js";
const [url, folder] = process.argv.slice(2);
const baton = Baton.connect(url, {{ store: new FileTokenStore(folder) }});
const session = await baton.open("both", {{ title: "Both" }});
const change = ({{ fields }}) => ({{ fields: {{ count: (fields.count ?? 0) + 1 }} }});
unwrap(await session.update(change));
console.log(session.id);
"""


def test_a_folder_is_shared_with_the_typescript_client(server: str, tmp_path: Path) -> None:
    if not (ROOT / "dist" / "client.js").exists():
        subprocess.run([str(NODE), "scripts/build-package.ts"], cwd=ROOT, check=True)
    script, folder = tmp_path / "hand-on.mjs", tmp_path / "store"
    script.write_text(NODE_HANDS_ON.format(root=ROOT))
    ids, counted = set(), []
    for _ in range(2):
        run = [str(NODE), str(script), server, str(folder)]
        ids.add(subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip())
        with Baton.connect(server, store=FileTokenStore(folder)) as baton:
            session = baton.open("both")
            session.update(lambda now: {"fields": {"count": now["fields"]["count"] + 1}})
            ids.add(session.id)
            counted.append(session.fields["count"])
    assert len(ids) == 1
    assert counted == [2, 4]
