import { afterAll, describe, expect, it } from "vitest";
import type { Answer, CallOptions } from "../support/client.ts";
import { randomKey } from "../support/client.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const data = temporaryFolder();
afterAll(() => data[Symbol.dispose]());

/** The part of an answer that must be the same however often the request is repeated. */
const sameAnswer = ({ status, headers, body }: Answer) => ({
  status,
  resumeToken: body.resumeToken,
  participantToken: body.participantToken,
  header: headers.get("Resume-Token"),
  head: body.session.head,
});

const expectReplay = (repeated: Answer, first: Answer): void => {
  expect(sameAnswer(repeated)).toEqual(sameAnswer(first));
  expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
};

describe("a request with an answer that was lost in a crash", () => {
  // Shows L-4.
  it("gets the same token after kill -9 of the runtime and after a restart on the same data", async () => {
    let server = await startServer(data.path);
    const createKey = randomKey();
    const created = await server.client.create({ title: "Crash" }, { key: createKey });
    const patch: CallOptions = {
      token: created.token,
      key: randomKey(),
      body: { fields: { a: 1 } },
    };
    const patched = await server.client.on(created, "PATCH", "", patch);
    expect(patched.status, patched.text).toBe(200);
    expect(patched.headers.get("Idempotent-Replayed")).toBeNull();

    const killed = server.runtimePid();
    const next = await server.killRuntime();
    expect(next).not.toBe(killed);

    expectReplay(await server.client.on(created, "PATCH", "", patch), patched);
    for (const other of [
      { ...patch, body: { fields: { a: 2 } } },
      { ...patch, key: randomKey() },
      { token: created.token, body: { fields: { a: 1 } } },
    ]) {
      const refused = await server.client.on(created, "PATCH", "", other);
      expect([refused.status, refused.body.code]).toEqual([409, "token_superseded"]);
    }

    const handoff: CallOptions = {
      token: patched.body.resumeToken,
      key: randomKey(),
      body: { to: "agent", scopes: ["fill"] },
    };
    const handedOff = await server.client.on(created, "POST", "/handoffs", handoff);
    expect(handedOff.status, handedOff.text).toBe(201);
    expect((await server.stop()).code).toBe(0);
    server = await startServer(data.path);

    expectReplay(await server.client.on(created, "POST", "/handoffs", handoff), handedOff);
    const again = await server.client.create({ title: "Crash" }, { key: createKey });
    expect([again.id, again.token]).toEqual([created.id, created.token]);
    const head = handedOff.body.session.head;
    const log = await server.client.on(created, "GET", "/events?after=0&limit=1000", {
      token: handedOff.body.resumeToken,
    });
    expect(log.body.head).toBe(head);
    expect(log.body.events.map((event: { seq: number }) => event.seq)).toEqual(
      Array.from({ length: head }, (_, index) => index + 1),
    );
    await server.stop();
  });

  it("finds every acknowledged write after kill -9 during writes, each once", async () => {
    const server = await startServer(data.path);
    const session = await server.client.create();
    const acknowledged: number[] = [];
    let token = session.token;
    let isKilled = false;
    const killing = (async () => {
      while (acknowledged.length < 20) await new Promise((resolve) => setTimeout(resolve, 1));
      isKilled = true;
      return server.killRuntime();
    })();

    for (let write = 0; acknowledged.length < 60; write++) {
      const attempt = { token, key: randomKey(), body: { fields: { [`f${write}`]: write } } };
      // As a client does, it sends the same request with its key until an answer comes.
      const answer = await untilAnswered(() => server.client.on(session, "PATCH", "", attempt));
      expect(answer.status, answer.text).toBe(200);
      acknowledged.push(write);
      token = answer.body.resumeToken;
    }
    await killing;

    expect(isKilled).toBe(true);
    const lines = await server.client.on(session, "GET", "/events?after=0&type=fields.updated", {
      token,
      headers: { Accept: "application/x-ndjson" },
    });
    const written = lines.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).payload.changes[0].to);
    expect(written).toEqual(acknowledged);
    await server.stop();
  });
});

async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      const answer = await send();
      if (answer.status < 500) return answer;
    } catch {
      // No answer: the server is not listening, or the connection broke.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
