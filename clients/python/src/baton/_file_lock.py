"""A lock between processes as a file that names its holder.

One left by a killed process is taken away, under a second lock that is held for a moment only,
because two finders of the same dead lock must not remove each other's fresh one. The TypeScript
client uses the same files in the same way.
"""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

_SUFFIX = ".draft"
# A draft that does not name its writer: no writer takes that long.
_LEFT_BEHIND_S = 60
# Nobody holds the second lock for longer than a few system calls.
_GUARD_STALE_S = 5


def try_file_lock(path: Path) -> bool:
    """Takes the lock if it is free or its holder is dead. Never waits."""
    holder = _text_of(path)
    if holder is not None:
        if _is_alive(holder):
            return False
        _remove_dead(path, holder)
    return _create(path, f"{_this_process()} {uuid.uuid4()}")


def release_lock(path: Path) -> None:
    path.unlink(missing_ok=True)


def _create(path: Path, text: str) -> bool:
    """False where it exists.

    Written beside and then linked into place: a lock without its holder's name, left by one killed
    between making and writing it, could never be told from a living one.
    """
    draft = write_draft(path, text)
    try:
        os.link(draft, path)
        return True
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)


def write_draft(path: Path, text: str) -> Path:
    """A file beside `path` that holds the text, on the disk, for its owner only."""
    draft = path.with_name(f".{_this_process()} {uuid.uuid4()}{_SUFFIX}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    return draft


def sweep_drafts(folder: Path) -> None:
    """Removes what killed writers left, which may hold a token. A draft of a living one stays."""
    for file in folder.glob(f".*{_SUFFIX}"):
        if _is_left(file):
            file.unlink(missing_ok=True)


def _is_left(draft: Path) -> bool:
    writer = draft.name[1:]
    if " " in writer:
        return not _is_alive(writer)
    try:
        return time.time() - draft.stat().st_mtime > _LEFT_BEHIND_S
    except FileNotFoundError:
        return False


def _this_process() -> str:
    pid = os.getpid()
    return f"{pid} {_start_of(pid)}"


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None


def _remove_dead(path: Path, seen: str) -> None:
    guard = path.with_name(f"{path.name}.guard")
    if not _create(guard, "guard"):
        try:
            age = time.time() - guard.stat().st_mtime
        except FileNotFoundError:
            return
        if age > _GUARD_STALE_S:
            guard.unlink(missing_ok=True)
        return
    try:
        if _text_of(path) == seen:
            path.unlink(missing_ok=True)
    finally:
        guard.unlink(missing_ok=True)


def _is_alive(holder: str) -> bool:
    first, _, rest = holder.partition(" ")
    start = rest.partition(" ")[0]
    if not first.isdecimal() or int(first) <= 0:
        return False
    try:
        os.kill(int(first), 0)
    except ProcessLookupError:
        return False
    except OSError:
        # There is one, and it is not ours.
        pass
    now = _start_of(int(first))
    # Another process may have got the same number since.
    return now == "" or start == "" or now == start


def _start_of(pid: int) -> str:
    """When the process started, in the kernel's ticks; empty where the system does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
        return stat[stat.rindex(")") + 2 :].split(" ")[19]
    except (OSError, ValueError, IndexError):
        return ""
