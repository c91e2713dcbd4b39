/** A session with everything that evidence must cover: filled, trimmed, forked, reviewed and ended. */
import { Client } from "../client.ts";
import { TestAgent } from "../test-agent.ts";

export interface EvidenceScenario {
  readonly owner: TestAgent;
  readonly reviewer: TestAgent;
  readonly child: { readonly id: string; readonly token: string };
}

export async function runEvidenceScenario(client: Client): Promise<EvidenceScenario> {
  const owner = await TestAgent.create(client, {
    title: "Wasserschaden “Oak Street” 🎈",
    review: { required: true, approvals: 1 },
    fields: { city: "Köln" },
  });
  await owner.append("agent.a", "agent.b");
  await owner.append("agent.c");
  await owner.call("PATCH", "", { fields: { amount: 12.5, note: "two\nlines" } });
  await owner.call("POST", "/checkpoints", { name: "before the trim" });
  await owner.call("POST", "/trim", { checkpoint: "chk_1" });
  await owner.append("agent.d");
  const forked = await owner.call("POST", "/fork", { reason: "a second look" });
  const handoff = await owner.call("POST", "/handoffs", {
    to: "agent",
    scopes: ["view", "review"],
  });
  await owner.call("POST", "/submit", {});
  const reviewer = new TestAgent(client, { id: owner.id, token: handoff.body.participantToken });
  await reviewer.call("POST", "/resume", {});
  await reviewer.call("POST", "/approve", { comment: "Seen and found right" });
  await resumeAtHead(owner);
  await owner.call("POST", "/finalize", { reason: "done" });
  const child = { id: forked.body.child.id, token: forked.body.childToken };
  return { owner, reviewer, child };
}

/** The comment of the reviewer in `createReviewedClaim`. */
export const REQUESTED_CHANGES = "The invoice is forged. Do not pay.";

/** Creates a claim whose amount was changed and changed back after a reviewer requested changes. Nothing is trimmed. */
export async function createReviewedClaim(client: Client): Promise<TestAgent> {
  const owner = await TestAgent.create(client, {
    review: { required: true, approvals: 1 },
    fields: { amount: 900 },
  });
  await owner.append("agent.a");
  const reviewer = await owner.handOffTo(["view", "review"]);
  await owner.call("POST", "/submit", {});
  await resumeAtHead(reviewer);
  await reviewer.call("POST", "/request-changes", { comment: REQUESTED_CHANGES });
  await resumeAtHead(owner);
  await owner.call("PATCH", "", { fields: { amount: 900_000 } });
  await owner.call("PATCH", "", { fields: { amount: 900 } });
  await owner.append("agent.b", "agent.c");
  await owner.call("POST", "/submit", {});
  await resumeAtHead(reviewer);
  await reviewer.call("POST", "/approve", {});
  await resumeAtHead(owner);
  await owner.call("POST", "/finalize", {});
  return owner;
}

async function resumeAtHead(agent: TestAgent): Promise<void> {
  const { head } = await agent.session();
  await agent.call("POST", "/resume", { lastEventSeq: head });
}

/** Creates a log from which two trims removed commits, between commits of the server that stay. */
export async function createTwiceTrimmed(client: Client): Promise<TestAgent> {
  const owner = await TestAgent.create(client, { fields: { city: "Köln" } });
  for (const [name, checkpoint] of [
    ["one", "chk_1"],
    ["two", "chk_2"],
  ]) {
    await owner.append("agent.a", "agent.b");
    await owner.append("agent.c");
    await owner.append("agent.d", "agent.e", "agent.f");
    await owner.call("PATCH", "", { fields: { city: name } });
    await owner.append("agent.g");
    await owner.call("POST", "/checkpoints", { name });
    await owner.call("POST", "/trim", { checkpoint });
    await owner.call("PATCH", "", { fields: { city: `after ${name}` } });
  }
  await owner.append("agent.h");
  await owner.call("PATCH", "", { fields: { city: "Bonn" } });
  return owner;
}

export const PRIVATE_CANARY = "DE00 private canary";

/** Creates a session with an erased private value, a file, and large content that an event names. */
export async function createErasedSession(client: Client): Promise<TestAgent> {
  const iban = { type: "string", "x-baton": { private: true } };
  const schema = { type: "object", properties: { iban, city: { type: "string" } } };
  const agent = await TestAgent.create(client, { schema, fields: { city: "Oslo" } });
  await agent.call("PATCH", "", { fields: { iban: PRIVATE_CANARY } });
  await agent.call("DELETE", "/private/iban");
  await upload(client, agent, "a file\n".repeat(20));
  for (const text of ["what an event names", "and more of it"]) {
    const name = await uploadBlob(client, agent, text);
    await agent.call("POST", "/events", {
      events: [{ type: "agent.result", payload: { $blob: { size: text.length, parts: [name] } } }],
    });
  }
  return agent;
}

async function upload(client: Client, agent: TestAgent, bytes: string): Promise<void> {
  const file = { name: "a.txt", type: "text/plain", size: bytes.length };
  const { body } = await agent.call("POST", "/uploads", file);
  const path = `/uploads/${body.upload.id}`;
  const headers = { "Content-Type": "text/plain", "Content-Length": String(bytes.length) };
  await client.on(agent, "PUT", path, { token: agent.token, body: bytes, headers });
  await agent.call("POST", `${path}/confirm`, {});
}

/** Returns the blob's hash, which is its name. */
export async function uploadBlob(client: Client, agent: TestAgent, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const name = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { "Content-Length": String(bytes.length) };
  const response = await client.on(agent, "PUT", `/blobs/${name}`, {
    token: agent.token,
    body: text,
    headers,
  });
  if (response.status >= 300) throw new Error(response.text);
  return name;
}
