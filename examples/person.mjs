/**
 * A handoff to a person: the agent fills in what it knows, asks for the rest with a short link, and
 * finalizes once the person has submitted. Kill it and start it again at any moment: the person is
 * asked once, and the agent finds an answer that arrived meanwhile.
 */
import { Baton, unwrap } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";

const { BATON_URL = "http://localhost:8787", BATON_STATE = ".state" } = process.env;

const baton = Baton.connect(BATON_URL, { store: new FileTokenStore(BATON_STATE) });
const input = {
  title: "Book the hall",
  actor: { id: "booker" },
  schema: {
    type: "object",
    properties: { date: { type: "string", format: "date" }, guests: { type: "integer" } },
    required: ["date", "guests"],
  },
  fields: { guests: 80 },
};
const session = await baton.open("hall", input, { onEnded: "fresh" });
const answer = await session.askPerson(
  { question: "Which day?" },
  { send: ({ url }) => console.log(`open this: ${url}`) },
);
console.log(`the link ended: ${answer?.type}`);
if (answer?.type === "handoff.answered") {
  const done = unwrap(await session.finalize());
  console.log(`done: ${JSON.stringify(done.session.fields)}`);
}
