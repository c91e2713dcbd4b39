/**
 * Compares the examples of docs/errors.md with a server's answers: the same members, the same
 * texts. Numbers, ids, times and the contents of `current` and `missed` are those of one session.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../support/client.ts";
import { randomKey } from "../support/client.ts";
import { sharedServer } from "../support/server.ts";

const { client } = sharedServer();
const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");

/** The example of a code. */
function exampleOf(code: string): Readonly<Record<string, unknown>> {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${code}\n`)) ?? "";
  return JSON.parse(/```json\n([^]+?)\n```/.exec(section)?.[1] ?? "null") as Record<
    string,
    unknown
  >;
}

const shapeOf = (problem: Readonly<Record<string, unknown>>): unknown => {
  const { current, missed, ...rest } = problem;
  const text = JSON.stringify(rest)
    .replaceAll(/ses_[\w-]{43}/g, "ses_…")
    .replaceAll(/chk_\d+/g, "chk_…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…Z")
    .replaceAll(/\b\d+\b/g, "0");
  const answered = JSON.parse(text) as Record<string, unknown>;
  return {
    ...answered,
    ...(current === undefined ? {} : { current: "…" }),
    ...(missed === undefined ? {} : { missed: "…" }),
  };
};

const SCHEMA = {
  type: "object",
  properties: { guests: { type: "number" }, date: { type: "string" } },
  required: ["date"],
};

/** One request per code that the server refuses with that code. */
const REFUSALS: Readonly<Record<string, () => Promise<Answer>>> = {
  invalid_request: () => client.call("POST", "/sessions", { body: { ttlMs: "a week" } }),
  credential_missing: async () => {
    const session = await client.create();
    return client.on(session, "GET", "", {});
  },
  token_invalid: async () => {
    const [one, other] = [await client.create(), await client.create()];
    return client.on(one, "GET", "", { token: other.token });
  },
  scope_denied: async () => {
    const session = await client.create({ review: { required: true } });
    const submitted = await client.on(session, "POST", "/submit", { token: session.token });
    return client.on(session, "POST", "/approve", { token: submitted.body.resumeToken });
  },
  not_found: async () => {
    const session = await client.create();
    return client.on(session, "GET", "/checkpoints/chk_9", { token: session.token });
  },
  method_not_allowed: async () => {
    const session = await client.create();
    return client.on(session, "PUT", "", { token: session.token });
  },
  token_superseded: async () => {
    const { session } = await createConflict();
    return client.on(session, "PATCH", "", { token: session.token, body: { fields: { a: 2 } } });
  },
  version_conflict: async () => {
    const { session, participant } = await createConflict();
    return client.on(session, "PATCH", "", { token: participant, body: { fields: { a: 2 } } });
  },
  precondition_failed: async () => {
    const { session, token } = await createConflict();
    const body = { fields: { a: 2 } };
    return client.on(session, "PATCH", "", { token, body, ifMatch: 1 });
  },
  illegal_transition: async () => {
    const session = await client.create();
    const submitted = await client.on(session, "POST", "/submit", { token: session.token });
    const token = submitted.body.resumeToken as string;
    return client.on(session, "PATCH", "", { token, body: { fields: { a: 1 } } });
  },
  paused: async () => {
    const session = await client.create();
    const paused = await client.on(session, "POST", "/pause", { token: session.token });
    const token = (paused.body.resumeToken ?? session.token) as string;
    return client.on(session, "POST", "/resume", { token, body: { auto: true } });
  },
  replay_gap: async () => {
    const session = await client.create();
    await client.on(session, "POST", "/events", {
      token: session.token,
      body: { events: [{ type: "agent.progress", payload: {} }] },
    });
    const checkpointed = await client.on(session, "POST", "/checkpoints", {
      token: session.token,
      body: { name: "half-way" },
    });
    const trimmed = await client.on(session, "POST", "/trim", {
      token: checkpointed.body.resumeToken,
      body: { checkpoint: checkpointed.body.checkpoint.id },
    });
    return client.on(session, "GET", "/events?after=0", { token: trimmed.body.resumeToken });
  },
  gone: async () => {
    const session = await client.create();
    await client.on(session, "DELETE", "", { token: session.token });
    return client.on(session, "GET", "", { token: session.token });
  },
  unsupported_media_type: () =>
    client.call("POST", "/sessions", { body: "a=1", headers: { "Content-Type": "text/plain" } }),
  invalid_fields: async () => {
    const session = await client.create({ schema: SCHEMA });
    const body = { fields: { guests: "many" } };
    return client.on(session, "PATCH", "", { token: session.token, body });
  },
  missing_fields: async () => {
    const session = await client.create({ schema: SCHEMA });
    return client.on(session, "POST", "/submit", { token: session.token });
  },
  idempotency_mismatch: async () => {
    const key = randomKey();
    await client.create({ title: "One" }, { key });
    return client.call("POST", "/sessions", { key, body: { title: "Another" } });
  },
  upgrade_required: async () => {
    const session = await client.create();
    return client.on(session, "GET", "/socket", { token: session.token });
  },
  too_large: () => client.call("POST", "/sessions", { body: { title: "x".repeat(1_100_000) } }),
};

/** A session with another participant, and one write that this participant has not seen. */
async function createConflict() {
  const session = await client.create();
  const handoff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes: ["fill"] },
  });
  const done = await client.on(session, "PATCH", "", {
    token: handoff.body.resumeToken,
    body: { fields: { a: 1 } },
  });
  const participant = handoff.body.participantToken as string;
  return { session, participant, token: done.body.resumeToken as string };
}

it.each(Object.keys(REFUSALS))("%s is answered as docs/errors.md shows it", async (code) => {
  const answer = await REFUSALS[code]?.();

  expect(answer?.body, answer?.text).toMatchObject({ code });
  expect(shapeOf(exampleOf(code))).toEqual(shapeOf(answer?.body));
});

it("a create is answered as /openapi.json shows it", async () => {
  const { body: description } = await client.call("GET", "/openapi.json");
  const { requestBody, responses } = description.paths["/sessions"].post;
  const shown = responses["201"].content["application/json"].example;
  const answer = await client.call("POST", "/sessions", {
    body: requestBody.content["application/json"].example,
  });

  // The server of this test has an owner, who owns every session.
  const { owner, ...session } = answer.body.session;
  expect(owner).toBe("local");
  expect(masked({ ...answer.body, session })).toEqual(masked(shown));
});

const masked = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/ses_[\w-]{43}/g, "ses_…")
      .replaceAll(/rtok_[\w-]+/g, "rtok_…")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…Z"),
  );
