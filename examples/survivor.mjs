/**
 * An agent that survives kill -9: run it, kill it at any moment, run it again. It continues where it
 * stopped, and the log contains every step once.
 *
 *   BATON_URL   the server, default http://localhost:8787
 *   BATON_STATE the folder of its tokens, default .survivor
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

// This one line creates the session, or completes an interrupted request and resumes it.
const session = await baton.open("survivor", { title: "Work that survives" });

/** The completed steps are in the log, not in this process. */
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
