/**
 * One of everything that a server issues and must still accept when another process, build or folder
 * serves the same data: tokens, a lost answer, an opened and an unopened link, a file, a checkpoint,
 * a claimed job. `createLeftovers` creates them, `checkLeftovers` checks that each still works.
 */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import {
  randomKey,
  type Answer,
  type CreatedSession,
  type CallOptions,
  type Client,
} from "./client.ts";
import { agentName, Jobs, type Claim } from "./jobs.ts";
import { Person } from "./person.ts";

const FILE = "What the file holds";
const CREATE = { title: "Relics", fields: { kept: "first" } };

export interface Leftovers {
  readonly created: CreatedSession;
  readonly createKey: string;
  /** The last accepted write, treated as if its answer had been lost. */
  readonly unansweredWrite: { readonly request: CallOptions; readonly next: string };
  readonly agent: string;
  readonly person: Person;
  readonly openedCode: string;
  readonly unopenedCode: string;
  readonly claim: Claim;
  readonly head: number;
}

const codeOf = ({ body }: Answer): string => body.handoff.code;

function expectOk(answer: Answer): Answer {
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

export async function createLeftovers(url: string, client: Client): Promise<Leftovers> {
  const createKey = randomKey();
  const created = await client.create(CREATE, { key: createKey });
  let token = created.token;
  const write = async (method: string, path: string, body: unknown): Promise<Answer> => {
    const answer = await client.on(created, method, path, { token, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    token = answer.body.resumeToken;
    return answer;
  };

  await write("POST", "/checkpoints", { name: "kept" });
  const size = FILE.length;
  await write("POST", "/uploads", { name: "kept.txt", type: "text/plain", size });
  const put = await fetch(`${url}/sessions/${created.id}/uploads/upl_1`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "text/plain" },
    body: FILE,
  });
  expect(put.status).toBe(200);
  const sha256 = createHash("sha256").update(FILE).digest("hex");
  await write("POST", "/uploads/upl_1/confirm", { size, sha256 });
  const agent = await write("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
  const opened = codeOf(await write("POST", "/handoffs", { to: "human", scopes: ["fill"] }));
  const unopened = codeOf(await write("POST", "/handoffs", { to: "human", scopes: ["fill"] }));
  const person = new Person(fetch, url);
  expect((await person.open(opened, "Ada")).status).toBe(200);
  const jobs = new Jobs(client);
  const worker = agentName();
  const submitted = await client.on(created, "POST", "/jobs", { token, body: { agent: worker } });
  expect(submitted.status, submitted.text).toBe(201);
  const claim = await jobs.claimOrThrow(worker, { leaseMs: 600_000 });
  const request = { token, key: randomKey(), body: { fields: { kept: "second" } } };
  const last = await client.on(created, "PATCH", "", request);
  expect(last.status, last.text).toBe(200);

  return {
    created,
    createKey,
    unansweredWrite: { request, next: last.body.resumeToken },
    agent: agent.body.participantToken,
    person,
    openedCode: opened,
    unopenedCode: unopened,
    claim,
    head: last.body.session.head,
  };
}

export async function checkLeftovers(
  leftovers: Leftovers,
  url: string,
  client: Client,
): Promise<void> {
  const { created, unansweredWrite, agent, claim } = leftovers;
  const person = leftovers.person.at(url);

  const repeated = await client.create(CREATE, { key: leftovers.createKey });
  expect([repeated.id, repeated.token]).toEqual([created.id, created.token]);
  const replayed = expectOk(await client.on(created, "PATCH", "", unansweredWrite.request));
  expect(replayed.headers.get("Idempotent-Replayed")).toBe("true");
  expect(replayed.body.resumeToken).toBe(unansweredWrite.next);
  expect(replayed.body.session.head).toBe(leftovers.head);
  let token = unansweredWrite.next;
  const file = await client.on(created, "GET", "/uploads/upl_1", { token });
  expect(file.text).toBe(FILE);
  expectOk(
    await client.call("POST", "/jobs/result", { token: claim.jobToken, body: { result: 1 } }),
  );
  const { html } = await person.go("GET", `/h/${leftovers.openedCode}`);
  expect(html).toContain("Relics");
  const saved = await person.press(leftovers.openedCode, html, "save", {});
  expect(saved.status).toBe(200);
  expect((await new Person(fetch, url).open(leftovers.unopenedCode, "Ben")).status).toBe(200);
  expectOk(await client.on(created, "GET", "", { token: agent }));

  const resumed = expectOk(
    await client.on(created, "POST", "/resume", { token, body: { lastEventSeq: 0 } }),
  );
  const seqs = resumed.body.events.map(({ seq }: { seq: number }) => seq);
  expect(seqs).toEqual(seqs.map((_: number, index: number) => index + 1));
  expect(seqs.length).toBeGreaterThan(leftovers.head);
  token = resumed.body.resumeToken;
  const restored = expectOk(
    await client.on(created, "POST", "/checkpoints/chk_1/restore", { token, body: {} }),
  );
  expect(restored.body.session.fields.kept).toBe("first");
}
