/** A session as evidence must cover it: filled, trimmed, forked, reviewed and ended. */
import { Client } from "./client";
import { Hand } from "./hand";

export interface Story {
  readonly owner: Hand;
  readonly reviewer: Hand;
  readonly child: { readonly id: string; readonly token: string };
}

export async function tellStory(client: Client): Promise<Story> {
  const owner = await Hand.begin(client, {
    title: "Wasserschaden “Oak Street” 🎈",
    review: { required: true, approvals: 1 },
    fields: { city: "Köln" },
  });
  await owner.append("agent.a", "agent.b");
  await owner.append("agent.c");
  await owner.does("PATCH", "", { fields: { amount: 12.5, note: "two\nlines" } });
  await owner.does("POST", "/checkpoints", { name: "before the trim" });
  await owner.does("POST", "/trim", { checkpoint: "chk_1" });
  await owner.append("agent.d");
  const forked = await owner.does("POST", "/fork", { reason: "a second look" });
  const made = await owner.does("POST", "/handoffs", { to: "agent", scopes: ["view", "review"] });
  await owner.does("POST", "/submit", {});
  const reviewer = new Hand(client, { id: owner.id, token: made.body.participantToken });
  await reviewer.does("POST", "/resume", {});
  await reviewer.does("POST", "/approve", { comment: "Seen and found right" });
  const { head } = await owner.session();
  await owner.does("POST", "/resume", { lastEventSeq: head });
  await owner.does("POST", "/finalize", { reason: "done" });
  const child = { id: forked.body.child.id, token: forked.body.childToken };
  return { owner, reviewer, child };
}
