/**
 * An agent that survives kill -9: run it, kill it at any moment, run it again. It goes on where it
 * was, and the log holds every step once.
 *
 *   BATON_URL   the server, default http://localhost:8787
 *   BATON_STATE the folder its tokens are kept in, default .survivor
 *   STEPS       how many steps the work has, default 20
 */
import { Baton, unwrap } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";

const {
  BATON_URL = "http://localhost:8787",
  BATON_STATE = ".survivor",
  STEPS = "20",
} = process.env;
const baton = Baton.connect(BATON_URL, { store: new FileTokenStore(BATON_STATE) });

// The one line: begins the session, or finishes what was cut off and resumes it.
const session = await baton.open("survivor", { title: "Work that survives" });

/** What was done is in the log, not in this process. */
let done = 0;
for await (const { payload } of session.events({
  after: 0,
  types: ["work.step"],
  untilReplayed: true,
})) {
  done = payload.step;
}
let noted = session.state.fields.noted ?? 0;
console.log(`begins after step ${done}`);

while (done < Number(STEPS)) {
  if (done >= noted + 3) {
    noted = done;
    unwrap(await session.setFields({ noted }));
  }
  done += 1;
  await session.append({ type: "work.step", payload: { step: done } });
  console.log(`step ${done}`);
}
if (session.state.state !== "submitted") unwrap(await session.submit());
console.log(`finished ${session.id}`);
