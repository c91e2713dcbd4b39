"""An agent that survives kill -9: run it, kill it at any moment, run it again.

It continues where it was, and the log has every step once.

    BATON_URL    the server, default http://localhost:8787
    BATON_STATE  the folder its tokens are kept in, default .survivor
    STEPS        how many steps the work has, default 20
"""

import os

from baton import Baton, FileTokenStore, unwrap

url = os.environ.get("BATON_URL", "http://localhost:8787")
store = FileTokenStore(os.environ.get("BATON_STATE", ".survivor"))
steps = int(os.environ.get("STEPS", "20"))

with Baton.connect(url, store=store) as baton:
    # One call: creates the session, or finishes what was interrupted and resumes it.
    session = baton.open("survivor", title="Work that survives")

    # What was done is in the log, not in this process.
    done = 0
    for event in session.events(after=0, types=["work.step"], until_replayed=True):
        done = event["payload"]["step"]
    noted = session.fields.get("noted", 0)
    print(f"begins after step {done}", flush=True)

    while done < steps:
        if done >= noted + 3:
            noted = done
            unwrap(session.set_fields({"noted": noted}))
        done += 1
        session.append("work.step", {"step": done})
        print(f"step {done}", flush=True)
    if session.state["state"] != "submitted":
        unwrap(session.submit())
    print(f"finished {session.id}", flush=True)
