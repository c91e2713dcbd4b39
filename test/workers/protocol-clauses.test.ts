/** Clauses of docs/protocol.md that no other test shows, each by its number. */
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CreatedSession } from "../support/client";
import { client, objectCount } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

const DAY_MS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

const post = async (session: CreatedSession, path: string, token: string, body: unknown = {}) => {
  const answer = await client.on(session, "POST", path, { token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};

const handOff = (session: CreatedSession, token: string, scopes: readonly string[]) =>
  post(session, "/handoffs", token, { to: "agent", scopes });

describe("tokens and keys", () => {
  // Shows T-13.
  it("T-13: refuses every other spelling of a token", async () => {
    const { token, id } = await client.create();
    const bytes = token.slice("rtok_".length);
    const spellings = [
      `rtok_${bytes}=`,
      `rtok_${bytes}==`,
      `rtok_${bytes.slice(0, 40)}.${bytes.slice(40)}`,
      `RTOK_${bytes}`,
      `rtok_rtok_${bytes}`,
      `rtok_${Buffer.from(bytes, "base64url").toString("hex")}`,
    ];
    const standard = `rtok_${bytes.replaceAll("-", "+").replaceAll("_", "/")}`;
    if (standard !== token) spellings.push(standard);

    for (const spelling of spellings) {
      const answer = await client.call("GET", `/sessions/${id}`, { token: spelling });
      expect([answer.status, answer.body.code], spelling.slice(-6)).toEqual([403, "token_invalid"]);
    }
    expect((await client.call("GET", `/sessions/${id}`, { token })).status).toBe(200);
  });

  // Shows L-9.
  it("L-9: accepts 255 visible ASCII characters as a key and refuses more, or others", async () => {
    const session = await client.create();
    const patch = (key: string, token: string) =>
      client.on(session, "PATCH", "", { token, key, body: { fields: { a: 1 } } });

    for (const key of ["k".repeat(256), "with space", "with\ttab"]) {
      const answer = await patch(key, session.token);
      expect([answer.status, answer.body.at], key).toEqual([400, "Idempotency-Key"]);
    }
    expect((await patch("k".repeat(255), session.token)).status).toBe(200);
  });

  it.each([
    ["PATCH", "", '{"fields": '],
    ["POST", "/stops", '{"reason": "boredom"}'],
    ["POST", "/fork", '{"from": "chk_"}'],
    ["GET", "/events?limit=none", undefined],
    // Shows O-2.
  ])(
    "O-2: reports a wrong token before any other problem of its request",
    async (method, path, body) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const session = await client.create({ ttlMs: DAY_MS });
      const resumed = await post(session, "/resume", session.token);
      const participant = await handOff(session, resumed.resumeToken, ["own"]);
      const revoked = await post(session, "/revoke", participant.resumeToken, { others: true });
      const token = revoked.resumeToken as string;
      const send = async (presented: string) => {
        const options = { token: presented, ...(body === undefined ? {} : { body }) };
        const answer = await client.on(session, method, path, options);
        return `${answer.status} ${answer.body.code}`;
      };

      expect(await send(token)).toBe("400 invalid_request");
      expect(await send(token.slice(0, -1))).toBe("403 token_invalid");
      expect(await send(token.slice(0, -4) + (token.endsWith("AAAA") ? "BBBB" : "AAAA"))).toBe(
        "403 token_invalid",
      );
      expect(await send(participant.participantToken)).toBe("403 token_invalid");
      expect(await send(session.token)).toBe("409 token_superseded");
      vi.setSystemTime(Date.now() + DAY_MS);
      expect(await send(token)).toBe("410 expired");
      expect(await send(session.token)).toBe("410 expired");
      vi.setSystemTime(Date.now() + 400 * DAY_MS);
      expect(await send(token)).toBe("410 gone");
    },
  );
});

describe("a body", () => {
  // Shows M-1.
  it("M-1: reports a body that is too large before one that is not JSON", async () => {
    const headers = { "Content-Type": "text/plain" };
    const small = await client.call("POST", "/sessions", { body: "text", headers });
    const large = await client.call("POST", "/sessions", {
      body: "x".repeat(1_048_577),
      headers,
    });
    expect([small.status, large.status]).toEqual([415, 413]);
  });
});

const reviewOf = async (body: object) =>
  (await client.create(body)).answer.body.session.review as object;

const lifeOf = ({ answer }: CreatedSession): number => {
  const { createdAt, expiresAt } = answer.body.session as Record<string, string>;
  return Date.parse(expiresAt ?? "") - Date.parse(createdAt ?? "");
};

describe("creating", () => {
  // Shows C-2.
  it("C-2: gives the creator every scope but review", async () => {
    const { answer } = await client.create();
    expect(answer.body.session.participants).toMatchObject([
      { id: "par_1", madeBy: null, scopes: ["view", "append", "fill", "handoff", "own"] },
    ]);
  });

  // Shows C-5.
  it("C-5: treats a review as required by default, and no review as none", async () => {
    expect(await reviewOf({})).toMatchObject({ required: false });
    expect(await reviewOf({ review: {} })).toMatchObject({ required: true, approvals: 1 });
    expect(await reviewOf({ review: { approvals: 2 } })).toMatchObject({
      required: true,
      approvals: 2,
    });
    expect(await reviewOf({ review: { required: false } })).toMatchObject({ required: false });
  });

  // Shows C-6.
  it("C-6: accepts a TTL from one second to 90 days, and uses seven days by default", async () => {
    for (const ttlMs of [999, 90 * DAY_MS + 1]) {
      const answer = await client.call("POST", "/sessions", { body: { ttlMs } });
      expect([answer.status, answer.body.at], String(ttlMs)).toEqual([400, "ttlMs"]);
    }

    expect(lifeOf(await client.create())).toBe(7 * DAY_MS);
    for (const ttlMs of [1_000, 90 * DAY_MS]) {
      expect(lifeOf(await client.create({ ttlMs }))).toBe(ttlMs);
    }
  });

  // Shows R-10.
  it("R-10: requires a long key also if a resume has to create a session", async () => {
    const session = await client.create();
    await client.on(session, "DELETE", "", { token: session.token });
    const objects = await objectCount();
    const options = { token: session.token, key: "k".repeat(21), body: { onInvalid: "fresh" } };

    const refused = await client.on(session, "POST", "/resume", options);

    expect([refused.status, refused.body.at]).toEqual([400, "Idempotency-Key"]);
    expect(await objectCount()).toBe(objects);
  });
});

describe("the document", () => {
  // Shows F-7.
  it("F-7: continues the next step from the highest completed one, unless it is given", async () => {
    const session = await client.create({ nextStep: { description: "Begin" } });
    const set = async (token: string, nextStep: unknown) =>
      (await client.on(session, "PATCH", "", { token, body: { nextStep } })).body;

    const counted = await set(session.token, { stepsCompleted: [2, 5, 1], body: "# Go on" });
    const withStep = await set(counted.resumeToken, { step: 3, stepsCompleted: [7] });
    const removed = await set(withStep.resumeToken, null);

    expect(session.answer.body.session.nextStep).toEqual({ step: 1, description: "Begin" });
    expect(counted.session.nextStep).toMatchObject({ step: 6, body: "# Go on" });
    expect(withStep.session.nextStep.step).toBe(3);
    expect(removed.session.nextStep).toBeNull();
  });

  // Shows F-8.
  it("F-8: records which input is requested, and for which fields", async () => {
    const session = await client.create();
    const input = { note: "Your passport number", fields: ["passport"] };

    const answer = await post(session, "/request-input", session.token, input);
    const log = await client.on(session, "GET", "/events?type=session.input_requested", {
      token: answer.resumeToken,
    });

    expect(answer.session.state).toBe("awaiting_input");
    expect(log.body.events).toMatchObject([{ payload: input }]);
  });
});

describe("participants", () => {
  // Shows H-3.
  it("H-3: names an agent without a name by its number", async () => {
    const session = await client.create();
    const { session: shown } = await handOff(session, session.token, ["view"]);
    expect(shown.participants[1].actor).toEqual({ kind: "agent", id: "agent-2" });
  });

  // Shows H-8.
  it("H-8: spares the caller, and those it created, when it revokes its own maker", async () => {
    const session = await client.create();
    const heir = await handOff(session, session.token, ["own"]);
    const sibling = await handOff(session, heir.resumeToken, ["view"]);
    const child = await handOff(session, heir.participantToken, ["view"]);

    const revoked = await post(session, "/revoke", child.resumeToken, { participant: "par_1" });
    const statusOf = async (token: string) =>
      (await client.on(session, "GET", "", { token })).status;

    expect(await statusOf(revoked.resumeToken)).toBe(200);
    expect(await statusOf(child.participantToken)).toBe(200);
    expect(await statusOf(sibling.resumeToken)).toBe(403);
    expect(await statusOf(sibling.participantToken)).toBe(403);
  });

  // Shows H-7.
  it("H-7: no participant can revoke itself by its own handoff either", async () => {
    const session = await client.create();
    const { participantToken: token, handoff } = await handOff(session, session.token, ["own"]);

    const refused = await client.on(session, "DELETE", `/handoffs/${handoff.id}`, { token });

    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect((await client.on(session, "PATCH", "", { token, body: { title: "T" } })).status).toBe(
      200,
    );
  });

  // Shows H-10.
  it("H-10: records in the log who was created, who resumed and who was revoked", async () => {
    const session = await client.create();
    const handedOff = await handOff(session, session.token, ["fill"]);
    await post(session, "/resume", handedOff.participantToken);
    const revoked = await post(session, "/revoke", handedOff.resumeToken, { others: true });

    const log = await client.on(session, "GET", "/events?after=0&type=token.*,handoff.*", {
      token: revoked.resumeToken,
    });

    const logged = log.body.events.map(
      ({ type, payload }: { type: string; payload: { participant?: string } }) =>
        payload.participant === undefined ? type : `${type} ${payload.participant}`,
    );
    expect(logged).toEqual([
      "token.issued par_1",
      "handoff.created par_2",
      "token.issued par_2",
      "token.accessed par_2",
      "token.issued par_2",
      "handoff.revoked",
      "token.revoked par_2",
    ]);
  });
});

describe("the log", () => {
  // Shows E-4.
  it("E-4: reserves every namespace of the server", async () => {
    const session = await client.create();
    const owned =
      "session fields review upload handoff token job checkpoint stop resume owner endpoint notice wait proof private replay Replay PRIVATE";

    for (const namespace of owned.split(" ")) {
      const body = { events: [{ type: `${namespace}.thing` }] };
      const answer = await client.on(session, "POST", "/events", { token: session.token, body });
      expect(answer.status, namespace).toBe(400);
    }
    const others = ["sessions.thing", "my.session", "a.b.c-d_e"].map((type) => ({ type }));
    await post(session, "/events", session.token, { events: others });
  });

  // Shows E-11.
  it("E-11: ends a stream of lines when access ends in the middle", async () => {
    const session = await client.create();
    const handedOff = await handOff(session, session.token, ["append"]);
    // Several pages of a mebibyte: the second is being sent when the first is read.
    const payload = { pad: "x".repeat(900) };
    const events = Array.from({ length: 1_000 }, () => ({ type: "agent.step", payload }));
    for (let batch = 0; batch < 5; batch++) {
      await post(session, "/events", handedOff.participantToken, { events });
    }
    const response = await worker.default.fetch(
      new Request(`http://baton.test/sessions/${session.id}/events?after=0`, {
        headers: {
          Authorization: `Bearer ${handedOff.participantToken}`,
          Accept: "application/x-ndjson",
        },
      }),
    );
    const reader = response.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    await post(session, "/revoke", handedOff.resumeToken, { others: true });

    const readOn = async () => {
      while (!(await reader.read()).done);
    };

    await expect(readOn()).rejects.toThrow();
  });
});
