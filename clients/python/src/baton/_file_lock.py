"""A lock between processes: a file that names its holder.

A lock of a killed process is removed under a second, short-lived lock, because two processes that
find the same stale lock must not remove each other's new lock. The TypeScript client uses the same
files in the same way.
"""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

_SUFFIX = ".draft"
# For a draft that does not name its writer: no write takes this long.
_STALE_AFTER_S = 60
# The second lock is held only for a few system calls.
_GUARD_STALE_S = 5


def try_file_lock(path: Path) -> bool:
    """Takes the lock if it is free or its holder no longer runs. Never waits."""
    holder = _read_holder(path)
    if holder is not None:
        if _is_alive(holder):
            return False
        _remove_stale_lock(path, holder)
    return _create_lock_file(path, f"{_process_identity()} {uuid.uuid4()}")


def release_lock(path: Path) -> None:
    path.unlink(missing_ok=True)


def _create_lock_file(path: Path, text: str) -> bool:
    """False if it exists.

    The file is written first and then linked into place: a lock without its holder's name, left by
    a process killed in between, could not be told from a valid one.
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
    """Writes the text to a new file in the same folder, flushed and readable only by its owner."""
    draft = path.with_name(f".{_process_identity()} {uuid.uuid4()}{_SUFFIX}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    return draft


def remove_stale_drafts(folder: Path) -> None:
    """Removes drafts of killed writers, which may contain a token.

    Drafts of running writers stay.
    """
    for file in folder.glob(f".*{_SUFFIX}"):
        if _is_stale(file):
            file.unlink(missing_ok=True)


def _is_stale(draft: Path) -> bool:
    writer = draft.name[1:]
    if " " in writer:
        return not _is_alive(writer)
    try:
        return time.time() - draft.stat().st_mtime > _STALE_AFTER_S
    except FileNotFoundError:
        return False


def _process_identity() -> str:
    pid = os.getpid()
    return f"{pid} {_start_time_of(pid)}"


def _read_holder(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None


def _remove_stale_lock(path: Path, holder: str) -> None:
    guard = path.with_name(f"{path.name}.guard")
    if not _create_lock_file(guard, "guard"):
        try:
            age = time.time() - guard.stat().st_mtime
        except FileNotFoundError:
            return
        if age > _GUARD_STALE_S:
            guard.unlink(missing_ok=True)
        return
    try:
        if _read_holder(path) == holder:
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
        # The process exists and belongs to another user.
        pass
    now = _start_time_of(int(first))
    # Another process may have received the same id since.
    return now == "" or start == "" or now == start


def _start_time_of(pid: int) -> str:
    """When the process started, in kernel ticks; empty if the system does not provide it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
        return stat[stat.rindex(")") + 2 :].split(" ")[19]
    except (OSError, ValueError, IndexError):
        return ""
