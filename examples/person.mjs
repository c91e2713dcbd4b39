/**
 * A handoff to a person: the agent fills in what it knows, makes a short link, and follows the log
 * until the person has submitted. Then it finalizes, with nothing asked twice.
 */
import { Baton, unwrap } from "@baton-sessions/baton/client";

const { BATON_URL = "http://localhost:8787" } = process.env;

const session = await Baton.connect(BATON_URL).create({
  title: "Book the hall",
  actor: { id: "booker" },
  schema: {
    type: "object",
    properties: { date: { type: "string", format: "date" }, guests: { type: "integer" } },
    required: ["date", "guests"],
  },
});
unwrap(await session.setFields({ guests: 80 }));
const { handoff } = await session.handoffToPerson({ scopes: ["fill"], note: "Which day?" });
console.log(`open this: ${handoff.url}`);

for await (const event of session.events({ after: session.state.head })) {
  if (event.type === "fields.updated") console.log("the person filled something in");
  if (event.type === "session.submitted") break;
}
await session.resume();
const done = unwrap(await session.finalize());
console.log(`done: ${JSON.stringify(done.session.fields)}`);
