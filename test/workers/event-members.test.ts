import { describe, expect, it } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client } from "../support/worker";

const read = (
  session: CreatedSession,
  query: string,
  accept = "application/json",
): Promise<Answer> =>
  client.on(session, "GET", `/events?${query}`, {
    token: session.token,
    headers: { Accept: accept },
  });

/** A session that has ended, so that its stream ends too. */
async function createEnded(): Promise<CreatedSession> {
  const session = await client.create();
  await client.on(session, "POST", "/events", {
    token: session.token,
    body: { events: [{ type: "agent.note", payload: { text: '},"state":"x' } }] },
  });
  const ended = await client.on(session, "POST", "/cancel", { token: session.token, body: {} });
  return { ...session, token: ended.body.resumeToken as string };
}

const NOTE = { seq: 3, payload: { text: '},"state":"x' } };

describe("events with some of their members", () => {
  // Shows E-13.
  it("contain these and their seq, in a page, as lines and as server-sent events", async () => {
    const session = await createEnded();
    const page = await read(session, "after=2&limit=1&members=payload");
    expect(page.body.events).toEqual([NOTE]);
    expect(page.body).toMatchObject({ head: 4, nextAfter: 3, more: true });

    const lines = await read(session, "after=2&limit=1&members=payload", "application/x-ndjson");
    expect(lines.text).toBe(`${JSON.stringify(NOTE)}\n`);

    const stream = await read(session, "after=2&members=payload", "text/event-stream");
    expect(stream.text).toContain(`id: 3\nevent: agent.note\ndata: ${JSON.stringify(NOTE)}\n\n`);
    expect(stream.text).toContain("event: replay.done");
  });

  it("are in the order of the log's members, in whichever order they are requested", async () => {
    const session = await createEnded();
    const { body } = await read(session, "after=0&members=version,state,participant,actor,at,type");
    const whole = (await read(session, "after=0")).body;
    for (const event of whole.events) delete event.payload;
    expect(JSON.stringify(body.events)).toBe(JSON.stringify(whole.events));
    expect((await read(session, "after=2&waitMs=50&members=seq")).body.events).toEqual([
      { seq: 3 },
      { seq: 4 },
    ]);
  });

  it.each(["", "payloads", "seq,", "seq,__proto__", "SEQ"])(
    "are refused if %j is not one of them",
    async (members) => {
      const session = await createEnded();
      const answer = await read(session, `after=0&members=${members}`);
      expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
    },
  );
});
