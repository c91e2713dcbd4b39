/**
 * A session that holds a marked text in every place that can be read, and one participant of it, the
 * subject, whose right can be lost in every way there is. The owner stays, to act when it is lost.
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

/** The code that a request with a lost right is refused with, by the order of checks. */
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

/** Where a participant sits: how its requests travel, and with which token. */
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
  /** The hash of large content that holds the marker. */
  readonly blob: string;
  /** A handoff that can be taken back, and its participant. */
  readonly spare: { readonly handoff: string; readonly participant: string };
  /** The right is lost; what comes back is what the subject still holds. `newest` is its newest token. */
  lose(newest?: string): Promise<TestParticipant>;
}

/** Beside the document and the log, which are always there. */
export type FixtureContent = "file" | "blob" | "checkpoints" | "job" | "spare";

export interface FixtureOptions {
  readonly create?: object;
  /** All of it, unless it is said what is needed. */
  readonly contents?: readonly FixtureContent[];
  readonly scopes?: readonly string[];
  /** What happened before the subject came. */
  readonly prepare?: (owner: TestAgent) => Promise<unknown>;
}

export const clientOf = ({ send }: TestParticipant): Client => new Client(send);

const plainSend: Send = (request) => worker.default.fetch(request);
const fromHome: Send = sendFrom({ "CF-Connecting-IP": HOME });
/** Another address each time, so that wrong tokens are never too many. */
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

/** A participant who may do what the owner may, made by whoever holds `hand`. */
async function createHandoff(hand: TestAgent, maker: Client, body: object) {
  const { id, token } = hand;
  const made = await maker.on({ id }, "POST", "/handoffs", {
    token,
    body: { to: "agent", scopes: ["own"], ...body },
  });
  if (made.status !== 201) throw new Error(`handoff answered ${made.status}: ${made.text}`);
  hand.token = made.body.resumeToken;
  const { participant, id: handoff } = made.body.handoff as { participant: string; id: string };
  return { token: made.body.participantToken as string, participant, handoff };
}

export async function putFile(hand: TestAgent, number: number, text: string): Promise<void> {
  const { id, token } = hand;
  const length = String(new TextEncoder().encode(text).length);
  const headers = { "Content-Type": "text/plain", "Content-Length": length };
  const sent = await client.on({ id }, "PUT", `/uploads/upl_${number}`, {
    token,
    body: text,
    headers,
  });
  if (sent.status !== 200) throw new Error(`PUT answered ${sent.status}: ${sent.text}`);
}

/** A file, up to its confirmation. */
export async function announceFile(hand: TestAgent, number: number, text: string): Promise<void> {
  const size = new TextEncoder().encode(text).length;
  const file = { field: "scan", name: "scan.txt", type: "text/plain", size };
  await hand.call("POST", "/uploads", file);
  await putFile(hand, number, text);
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

/** The subject's right is of a kind that this loss can take. */
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
  await options.prepare?.(owner);
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

/** What the participant held before its newest token is fenced off. */
async function fence(id: string, newest: TestParticipant): Promise<void> {
  const { token } = newest;
  const resumed = await clientOf(newest).on({ id }, "POST", "/resume", { token, body: {} });
  if (resumed.status !== 200) throw new Error(`resume answered ${resumed.text}`);
}
