/**
 * A relay of two agents: the first starts the work and hands it off. The second continues with its token
 * alone, gets a conflict once, and repeats its change on the new state.
 */
import { Baton, unwrap } from "@baton-sessions/baton/client";

const { BATON_URL = "http://localhost:8787" } = process.env;

// Agent A knows the server, does its part and hands off.
const first = await Baton.connect(BATON_URL).create({
  title: "Translate the manual",
  actor: { id: "agent-a" },
  nextStep: { step: 2, description: "translate chapter 2" },
});
unwrap(await first.setFields({ chapters: 1 }));
const { participantToken } = await first.handoff({ scopes: ["fill"], actor: { id: "agent-b" } });

// Agent B has only the token.
const second = await Baton.connect(BATON_URL).resume(participantToken, { lastEventSeq: 0 });
console.log(
  `agent-b reads ${second.resumed.events.length} events and begins with: ${second.state.nextStep.description}`,
);

// Meanwhile agent A corrects something: agent B's write would overwrite a change it has not seen.
unwrap(await first.setFields({ language: "en" }));
const refused = await second.setFields({ chapters: 2 });
console.log(`agent-b is told: ${refused.conflict.missed.map(({ type }) => type).join(", ")}`);

// The change is repeated on the current state.
const done = unwrap(
  await second.update(({ fields }) => ({ fields: { chapters: fields.chapters + 1 } })),
);
console.log(`together: ${JSON.stringify(done.session.fields)}`);
