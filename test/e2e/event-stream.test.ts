import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import type { CreatedSession } from "../support/client.ts";
import { sharedServer } from "../support/server.ts";

const EVENTS = 10_000;
const BATCH = 200;
/** Together they exceed the buffers of a socket: Linux lets them grow to 36 MB, both ends together. */
const FILLING = "x".repeat(4_600);

const server = sharedServer();
let session: CreatedSession;
let head: number;
beforeAll(async () => {
  session = await server.client.create();
  for (let from = 0; from < EVENTS; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => ({
      type: "test.filled",
      payload: { number: from + index, filling: FILLING },
    }));
    const { status, text, body } = await server.client.on(session, "POST", "/events", {
      token: session.token,
      body: { events },
    });
    expect(status, text).toBe(201);
    head = body.head;
  }
});

/** The answer with an unread body: the server must hold back the rest. */
async function openLines(token: string): Promise<IncomingMessage> {
  const outgoing = request(`${server.url}/sessions/${session.id}/events?after=0`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "application/x-ndjson" },
  });
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/x-ndjson");
  return answer;
}

/** Reads all chunks to the end. */
async function readChunks(answer: AsyncIterable<Buffer>) {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const lines = text.slice(0, text.lastIndexOf("\n")).split("\n");
  const seqs = lines.map((line: string) => (JSON.parse(line) as { seq: number }).seq);
  return { chunks, text, seqs };
}

const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

describe("10,000 events as lines", () => {
  it("arrive in order, once each, in many chunks", async () => {
    const { chunks, text, seqs } = await readChunks(await openLines(session.token));
    expect(head).toBeGreaterThanOrEqual(EVENTS);
    expect(seqs).toEqual(upTo(head));
    const largest = Math.max(...chunks.map(({ length }) => length));
    expect(largest).toBeLessThan(text.length / 10);
  });

  // Shows E-11.
  it("are produced as they are read: unread ones can still be withdrawn", async () => {
    const { body: handoff } = await server.client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["view"] },
    });
    const answer = await openLines(handoff.participantToken);
    // Headers have arrived and lines are in flight. Nothing reads them, so the server must wait.
    await once(answer, "readable");

    const revoked = await server.client.on(session, "POST", "/revoke", {
      token: handoff.resumeToken,
      body: { others: true },
    });
    expect(revoked.status, revoked.text).toBe(200);

    // If the server had read the whole log ahead, all of it would come now. The runtime ends a
    // broken body like a complete one, so only the head in the header distinguishes a part from the
    // whole.
    const { seqs } = await readChunks(answer);
    expect(seqs.length).toBeGreaterThan(0);
    expect(seqs.length).toBeLessThan(EVENTS);
    expect(Number(answer.headers["baton-head"])).toBe(handoff.session.head);
    expect(seqs).toEqual(upTo(seqs.length));
  });
});
