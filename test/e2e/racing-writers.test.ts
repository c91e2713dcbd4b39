import { describe, expect, it } from "vitest";
import { sharedServer } from "../support/server.ts";

const WRITERS = 64;

const server = sharedServer();

describe("64 writers with one token", () => {
  // Shows T-5.
  it("lets exactly one through and leaves a log without gaps", async () => {
    const session = await server.client.create();
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        server.client.on(session, "PATCH", "", {
          token: session.token,
          body: { fields: { writer } },
        }),
      ),
    );

    const accepted = answers.filter(({ status }) => status === 200);
    const conflicts = answers.filter(({ status }) => status === 409);
    expect([accepted.length, conflicts.length]).toEqual([1, WRITERS - 1]);
    for (const { body, text } of conflicts) {
      expect(body.code).toBe("token_superseded");
      expect(text).not.toContain("rtok_");
    }
    const token: string = accepted[0]!.body.resumeToken;
    const { body: now } = await server.client.on(session, "GET", "", { token });
    expect(now.session.fields).toEqual({ writer: answers.indexOf(accepted[0]!) });
    const { body: log } = await server.client.on(session, "GET", "/events?after=0", { token });
    expect(log.events.map((event: { seq: number }) => event.seq)).toEqual(
      Array.from({ length: log.head }, (_, index) => index + 1),
    );
    const updates = log.events.filter(({ type }: { type: string }) => type === "fields.updated");
    expect(updates).toHaveLength(1);
  });

  it("gives the same token to all if they send one request 64 times", async () => {
    const session = await server.client.create();
    const request = {
      token: session.token,
      key: "the-same-attempt",
      body: { fields: { once: true } },
    };
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, () => server.client.on(session, "PATCH", "", request)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(WRITERS).fill(200));
    expect(new Set(answers.map(({ body }) => body.resumeToken)).size).toBe(1);
    const first = answers.filter(({ headers }) => headers.get("Idempotent-Replayed") === null);
    expect(first).toHaveLength(1);
  });
});
