/** Limits of streams and long-polls, at the limit and one past it. */
import { describe, expect, it } from "vitest";
import { client } from "../support/worker";

describe("a bound", () => {
  it("on one page of a stream is not visible to clients: 10,001 events arrive complete and in order", async () => {
    const session = await client.create();
    const events = Array.from({ length: 1_000 }, () => ({ type: "a.b" }));
    const { token } = session;
    for (let n = 0; n < 10; n += 1) {
      await client.on(session, "POST", "/events", { token, body: { events } });
    }
    const lines = async (after: number) => {
      const headers = { Accept: "application/x-ndjson" };
      const answer = await client.on(session, "GET", `/events?after=${after}`, { token, headers });
      return answer.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).seq as number);
    };
    const read = await client.on(session, "GET", "", { token });
    const head = read.body.session.head as number;
    for (const count of [10_000, 10_001]) {
      const expected = Array.from({ length: count }, (_, n) => head - count + 1 + n);
      expect(await lines(head - count)).toEqual(expected);
    }
  });

  it("on a long-poll is a minute", async () => {
    const session = await client.create();
    const poll = (waitMs: number) =>
      client.on(session, "GET", `/events?after=0&waitMs=${waitMs}`, { token: session.token });
    expect((await poll(60_000)).status).toBe(200);
    expect((await poll(60_001)).status).toBe(400);
  });
});
