"""A researcher hands off to a writer, the writer to a person. Each continues where the last ended.

The three could be three programs on three machines: they pass on only a token and a link.
"""

import os

from baton import Baton, LinkMade, SessionView, unwrap

URL = os.environ.get("BATON_URL", "http://localhost:8787")
SCHEMA = {
    "type": "object",
    "properties": {
        "facts": {"type": "array", "items": {"type": "string"}},
        "draft": {"type": "string"},
        "approved": {"type": "string", "enum": ["yes", "no"], "title": "May we publish this?"},
    },
    "required": ["draft", "approved"],
}


def research() -> str:
    """Collects facts and hands off a token that may fill in and hand off."""
    with Baton.connect(URL) as baton:
        session = baton.create(title="Article", schema=SCHEMA, actor={"id": "researcher"})
        for fact in ("It is old.", "It is blue."):
            session.append("research.found", {"fact": fact})
            unwrap(session.set_fields({"facts": [*session.fields.get("facts", []), fact]}))
        made = session.handoff(["fill", "handoff"], actor={"id": "writer"}, note="Write it up.")
        return made.participant_token


def write(token: str) -> None:
    """Reads what was found, writes, and asks a person; then prints the person's decision."""
    with Baton.connect(URL) as baton:
        session = baton.resume(token, last_event_seq=0)
        print(f"the writer reads {len(session.resumed.events if session.resumed else [])} events")
        unwrap(session.update(draft))
        session.ask_person("Please read the draft.", send=show)
        print(f"the person said: {session.fields['approved']}")


def draft(current: SessionView) -> dict[str, object]:
    return {"fields": {"draft": " ".join(current["fields"]["facts"])}}


def show(link: LinkMade) -> None:
    print(f"open this: {link.url}", flush=True)


write(research())
