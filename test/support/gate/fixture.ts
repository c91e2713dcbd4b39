/**
 * A session with a marked text in every readable part, and a participant, the subject, who can lose its
 * right in every possible way. The owner keeps its right, to act after the loss.
 */
import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import { bytesToHex } from "../../../src/domain/base64url";
import { callerFrom, publicAddress, sendFrom } from "../caller";
import { Client, type Send } from "../client";
import { TestAgent } from "../test-agent";
import { agentName, Jobs } from "../jobs";
import { client } from "../worker";
import { createMarker } from "./marker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const HOUR_MS = 60 * 60 * 1000;
const HOME = "198.51.100.7";
const PROXY = { PRINCIPAL_HEADER: "X-Verified-User" } as const;

export const LOSSES = [
  "revoked",
  "its maker revoked",
  "past its own end",
  "session expired",
  "fenced by a later resume",
  "bound to another network",
  "bound to another principal",
] as const;
export type Loss = (typeof LOSSES)[number];

/** The error code after each loss, by the order of checks. */
export const REFUSAL: Readonly<Record<Loss, string>> = {
  revoked: "token_invalid",
  "its maker revoked": "token_invalid",
  "past its own end": "expired",
  "session expired": "expired",
  "fenced by a later resume": "token_superseded",
  "bound to another network": "token_invalid",
  "bound to another principal": "token_invalid",
};
export const STATUS: Readonly<Record<string, number>> = {
  token_invalid: 403,
  expired: 410,
  token_superseded: 409,
};

/** A participant's token, and the function that sends its requests. */
export interface TestParticipant {
  readonly send: Send;
  readonly token: string;
}

export interface GateFixture {
  readonly id: string;
  readonly marker: string;
  readonly owner: TestAgent;
  readonly subject: TestParticipant;
  readonly subjectId: string;
  readonly jobId: string;
  readonly jobToken: string;
  /** The hash of large content that contains the marker. */
  readonly blob: string;
  /** A handoff that can be revoked, and its participant. */
  readonly spare: { readonly handoff: string; readonly participant: string };
  /** Removes the right and returns what the subject can still send with. `newest` is its newest token. */
  lose(newest?: string): Promise<TestParticipant>;
}

/** Optional content, in addition to the document and the log. */
export type FixtureContent = "file" | "blob" | "checkpoints" | "job" | "spare";

export interface FixtureOptions {
  readonly create?: object;
  /** Default: all of it. */
  readonly contents?: readonly FixtureContent[];
  readonly scopes?: readonly string[];
  /** What the subject is narrowed to. */
  readonly terms?: object;
  /** Runs before the subject is added. */
  readonly prepare?: (owner: TestAgent, marker: string) => Promise<unknown>;
}

export const clientOf = ({ send }: TestParticipant): Client => new Client(send);

const plainSend: Send = (request) => worker.default.fetch(request);
const fromHome: Send = sendFrom({ "CF-Connecting-IP": HOME });
/** Uses another address each time, so that wrong tokens do not reach the rate limit. */
const fromAway: Send = (request) => sendFrom({ "CF-Connecting-IP": publicAddress() })(request);
const sendAs = (principal: string): Send => sendFrom({ "X-Verified-User": principal }, PROXY);

const BINDS: Partial<Record<Loss, { bind: object; here: Send; there: Send }>> = {
  "bound to another network": {
    bind: { network: "198.51.100.0/24" },
    here: fromHome,
    there: fromAway,
  },
  "bound to another principal": {
    bind: { principal: "bob" },
    here: sendAs("bob"),
    there: sendAs("eve"),
  },
};

const SCHEMA = {
  type: "object",
  properties: {
    secret: { type: "string" },
    other: { type: "string" },
    hidden: { type: "string", "x-baton": { private: true } },
    scan: { type: "object", format: "file" },
  },
};

/** Adds a participant with the owner's rights, on behalf of `agent`. */
async function createHandoff(agent: TestAgent, creator: Client, body: object) {
  const { id, token } = agent;
  const response = await creator.on({ id }, "POST", "/handoffs", {
    token,
    body: { to: "agent", scopes: ["own"], ...body },
  });
  if (response.status !== 201)
    throw new Error(`handoff answered ${response.status}: ${response.text}`);
  agent.token = response.body.resumeToken;
  const { participant, id: handoff } = response.body.handoff as { participant: string; id: string };
  return { token: response.body.participantToken as string, participant, handoff };
}

export async function putFile(agent: TestAgent, number: number, text: string): Promise<void> {
  const { id, token } = agent;
  const length = String(new TextEncoder().encode(text).length);
  const headers = { "Content-Type": "text/plain", "Content-Length": length };
  const sent = await client.on({ id }, "PUT", `/uploads/upl_${number}`, {
    token,
    body: text,
    headers,
  });
  if (sent.status !== 200) throw new Error(`PUT answered ${sent.status}: ${sent.text}`);
}

/** Requests an upload and sends its bytes, without confirming it. */
export async function announceFile(agent: TestAgent, number: number, text: string): Promise<void> {
  const size = new TextEncoder().encode(text).length;
  const file = { field: "scan", name: "scan.txt", type: "text/plain", size };
  await agent.call("POST", "/uploads", file);
  await putFile(agent, number, text);
}

async function runJob(owner: TestAgent, marker: string): Promise<{ id: string; token: string }> {
  const agent = agentName();
  const jobs = new Jobs(client);
  const body = { agent, input: { text: `${marker}-input` } };
  const submitted = await owner.call("POST", "/jobs", body);
  const claim = await jobs.claimOrThrow(agent);
  await jobs.report(claim, "events", {
    events: [{ kind: "log", body: { level: "info", message: `${marker}-jobEvent` } }],
  });
  await jobs.report(claim, "result", { result: `${marker}-result`, summary: `${marker}-summary` });
  return { id: submitted.body.job.id, token: claim.jobToken };
}

export async function putBlob({ id, token }: TestAgent, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  const headers = { "Content-Length": String(bytes.length) };
  const options = { token, body: text, headers };
  const sent = await client.on({ id }, "PUT", `/blobs/${hash}`, options);
  if (sent.status !== 201) throw new Error(`PUT answered ${sent.status}: ${sent.text}`);
  return hash;
}

async function fillSession(owner: TestAgent, marker: string, holds: readonly FixtureContent[]) {
  const payload = { text: `${marker}-event` };
  await owner.call("POST", "/events", { events: [{ type: "agent.note", payload }] });
  if (holds.includes("file")) {
    await announceFile(owner, 1, `${marker}-bytes`);
    await owner.call("POST", "/uploads/upl_1/confirm", {});
  }
  if (holds.includes("checkpoints")) {
    await owner.call("POST", "/checkpoints", { name: "first" });
    await owner.call("POST", "/checkpoints", { name: "second" });
  }
  const none = { id: "", token: "" };
  const job = holds.includes("job") ? await runJob(owner, marker) : none;
  const spare = holds.includes("spare")
    ? await createHandoff(owner, client, { note: `${marker}-note` })
    : { handoff: "", participant: "" };
  const blob = holds.includes("blob") ? await putBlob(owner, `${marker}-blob`) : "";
  return { job, spare, blob };
}

/** Creates a session whose subject can lose its right in this way. */
export async function createFixture(
  loss: Loss,
  options: FixtureOptions = {},
): Promise<GateFixture> {
  const marker = createMarker();
  const owner = await TestAgent.create(client, {
    title: `${marker}-title`,
    schema: SCHEMA,
    fields: { secret: `${marker}-field`, hidden: `${marker}-hidden` },
    nextStep: { step: 1, description: `${marker}-next` },
    ...options.create,
  });
  const holds = options.contents ?? ["file", "blob", "checkpoints", "job", "spare"];
  const { job, spare, blob } = await fillSession(owner, marker, holds);
  await options.prepare?.(owner, marker);
  const {
    bind,
    here: send,
    there: otherSend,
  } = BINDS[loss] ?? { here: plainSend, there: plainSend };
  const isIndirect = loss === "its maker revoked";
  const middle = isIndirect
    ? await createHandoff(owner, client, {})
    : { token: "", participant: "" };
  const by = isIndirect ? new TestAgent(client, { id: owner.id, token: middle.token }) : owner;
  const handoff = await createHandoff(by, callerFrom(null, PROXY), {
    scopes: options.scopes ?? ["own"],
    ...options.terms,
    ...(loss === "past its own end" ? { ttlMs: HOUR_MS } : {}),
    ...(bind === undefined ? {} : { bind }),
  });
  const subject: TestParticipant = { send, token: handoff.token };
  return {
    id: owner.id,
    marker,
    owner,
    subject,
    subjectId: handoff.participant,
    jobId: job.id,
    jobToken: job.token,
    blob,
    spare,
    lose: (newest = handoff.token) =>
      loseAccess(loss, { owner, subject, handoff, middle, otherSend, newest }),
  };
}

interface LossContext {
  readonly owner: TestAgent;
  readonly subject: TestParticipant;
  readonly handoff: { readonly participant: string };
  readonly middle: { readonly participant: string };
  readonly otherSend: Send;
  readonly newest: string;
}

async function loseAccess(loss: Loss, lost: LossContext): Promise<TestParticipant> {
  const { owner, subject, handoff, middle, otherSend, newest } = lost;
  switch (loss) {
    case "revoked":
      await owner.call("POST", "/revoke", { participant: handoff.participant });
      return subject;
    case "its maker revoked":
      await owner.call("POST", "/revoke", { participant: middle.participant });
      return subject;
    case "past its own end":
      advanceTime(HOUR_MS);
      return subject;
    case "session expired":
      advanceTime(8 * 24 * HOUR_MS);
      return subject;
    case "fenced by a later resume":
      await fence(owner.id, { ...subject, token: newest });
      return subject;
    case "bound to another network":
    case "bound to another principal":
      return { ...subject, send: otherSend };
  }
}

export const advanceTime = (ms: number): void =>
  void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

/** Fences off every token of the participant before its newest. */
async function fence(id: string, newest: TestParticipant): Promise<void> {
  const { token } = newest;
  const resumed = await clientOf(newest).on({ id }, "POST", "/resume", { token, body: {} });
  if (resumed.status !== 200) throw new Error(`resume answered ${resumed.text}`);
}
