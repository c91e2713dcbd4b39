"""Saved sessions, one file each in a folder.

Readable only by their owner, replaced atomically, flushed to disk before the request is sent, and
used by one process at a time. The TypeScript client and the command line use the same files.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import quote, unquote

from ._file_lock import release_lock, remove_stale_drafts, try_file_lock, write_draft
from .errors import StoreError
from .stores import SavedSession, TokenStore

_SUFFIX = ".json"
_MAX_NAME_LENGTH = 200
# What encodeURIComponent keeps unencoded, in addition to what quote keeps.
_UNQUOTED = "!'()*"


class FileTokenStore(TokenStore):
    """Stores sessions in the files of a folder, for work that must survive its process.

    >>> import tempfile
    >>> store = FileTokenStore(tempfile.mkdtemp())
    >>> store.list()
    []
    """

    def __init__(self, folder: str | os.PathLike[str], *, lock_wait_ms: float = 60_000) -> None:
        if sys.platform == "win32":
            raise StoreError("FileTokenStore needs a POSIX system. Write a TokenStore of your own.")
        self.folder = Path(folder)
        self.lock_wait_ms = lock_wait_ms
        self._has_removed_drafts = False

    def load(self, name: str) -> SavedSession | None:
        try:
            text = self._path(name).read_text("utf-8")
        except FileNotFoundError:
            return None
        return SavedSession.from_text(text, name)

    def save(self, name: str, saved: SavedSession) -> None:
        self._make_folder()
        draft = write_draft(self._path(name), saved.to_text() + "\n")
        # Readers see the old text or the new one, even after a crash of the machine.
        os.replace(draft, self._path(name))
        self._sync_folder()

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def list(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        files = [file.name for file in self.folder.iterdir()]
        return sorted(
            unquote(file[: -len(_SUFFIX)])
            for file in files
            if file.endswith(_SUFFIX) and not file.startswith(".")
        )

    def try_lock(self, name: str) -> bool:
        self._make_folder()
        if not self._has_removed_drafts:
            remove_stale_drafts(self.folder)
        self._has_removed_drafts = True
        return try_file_lock(self._lock_path(name))

    def unlock(self, name: str) -> None:
        release_lock(self._lock_path(name))

    def _path(self, name: str) -> Path:
        # Encoded, so that no name can leave the folder. A leading dot would hide the file.
        file = quote(name, safe=_UNQUOTED)
        if file.startswith("."):
            file = f"%2E{file[1:]}"
        if not 0 < len(file) <= _MAX_NAME_LENGTH:
            raise StoreError("A name must have 1 to 200 characters when it is encoded for a file.")
        return self.folder / f"{file}{_SUFFIX}"

    def _lock_path(self, name: str) -> Path:
        path = self._path(name)
        return path.with_name(f"{path.name}.lock")

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _sync_folder(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
