"""Writes the blocking classes from the asyncio ones: `python tools/write_blocking.py`.

Both are thin shells of the same core, so that only `async`, `await` and names differ. With
`--check` it writes nothing and exits with status 1 if a generated file is not current.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "src" / "baton"
FILES = {
    "_async_session.py": "_session.py",
    "_async_baton.py": "_baton.py",
    "_async_job.py": "_job.py",
    "_async_owned.py": "_owned_sessions.py",
    "_async_endpoints.py": "_endpoints.py",
    "_async_templates.py": "_templates.py",
}
RULES = [
    (r"\b_async_owned\b", "_owned_sessions"),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__a(enter|exit|iter)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\bAsyncBaseTransport\b", "BaseTransport"),
    (r"\b_async_", "_"),
]
NOTE = "\n\nWritten from {} by tools/write_blocking.py. Do not edit.\n"


def blocking(source: str, name: str) -> str:
    for pattern, replacement in RULES:
        source = re.sub(pattern, replacement, source)
    # The note goes to the end of the module's docstring.
    end = source.index('"""', 3)
    return source[:end].rstrip() + NOTE.format(name) + source[end:]


def main() -> int:
    stale = []
    for name, written in FILES.items():
        text = blocking((FOLDER / name).read_text("utf-8"), name)
        target = FOLDER / written
        if target.exists() and target.read_text("utf-8") == text:
            continue
        stale.append(written)
        if "--check" not in sys.argv:
            target.write_text(text, "utf-8")
    if "--check" in sys.argv and stale:
        print(f"Not current, run tools/write_blocking.py: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
