/** Whose words an event is: fixed when the participant was made, on every way on which events leave. */
import { describe, expect, it } from "vitest";
import { agentName, Jobs } from "../support/jobs";
import { createOwner } from "../support/test-owner";
import { client } from "../support/worker";

interface Event {
  readonly type: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly participant: string | null;
}

const byType = (events: readonly Event[], type: string): Event | undefined =>
  events.findLast((event) => event.type === type);

/** Two agents that call themselves alike. */
async function createImpersonated() {
  const session = await client.create({ actor: { id: "assistant" } });
  const made = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes: ["append"], actor: { id: "assistant" } },
  });
  const page = made.body.participantToken as string;
  const append = (token: string, type: string) =>
    client.on(session, "POST", "/events", { token, body: { events: [{ type }] } });
  expect((await append(made.body.resumeToken, "chat.chunk")).status).toBe(201);
  expect((await append(page, "chat.forged")).status).toBe(201);
  return { session, page, token: made.body.resumeToken as string };
}

describe("the participant of an event", () => {
  // Shows E-15.
  it("tells apart two that call themselves alike", async () => {
    const { session, token } = await createImpersonated();
    const { body } = await client.on(session, "GET", "/events?after=0", { token });
    const [own, forged] = ["chat.chunk", "chat.forged"].map((type) => byType(body.events, type));
    expect(own?.actor).toEqual(forged?.actor);
    expect([own?.participant, forged?.participant]).toEqual(["par_1", "par_2"]);
    expect(byType(body.events, "session.created")?.participant).toBe("par_1");
  });

  it("does not change with the name that a resume sets", async () => {
    const { session, page, token } = await createImpersonated();
    const resumed = await client.on(session, "POST", "/resume", {
      token: page,
      body: { actor: { id: "par_1", name: "The agent" } },
    });
    await client.on(session, "POST", "/events", {
      token: resumed.body.resumeToken,
      body: { events: [{ type: "chat.renamed" }] },
    });
    const { body } = await client.on(session, "GET", "/events?after=0", { token });
    const renamed = byType(body.events, "chat.renamed");
    expect([renamed?.actor.id, renamed?.participant]).toEqual(["par_1", "par_2"]);
  });

  it("is null for what the server, an owner's key and an executor write", async () => {
    const jobs = new Jobs(client);
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent, { input: {} });
    const claim = await jobs.claimOrThrow(agent);
    await jobs.report(claim, "result", { result: {} });
    const log = (await jobs.log(work)) as Event[];
    expect(byType(log, "job.submitted")?.participant).toBe("par_1");
    expect(byType(log, "job.result")?.participant).toBeNull();

    const owner = createOwner();
    const session = await owner.create({});
    await owner.call("POST", `/sessions/${session.id}/open`, { body: { scopes: ["view"] } });
    const path = `/sessions/${session.id}/events?after=0`;
    const { body } = await owner.call("GET", path, { token: owner.key });
    const opened = byType(body.events, "owner.opened");
    expect([opened?.actor.kind, opened?.participant]).toEqual(["owner", null]);
  });

  it.each([
    ["lines", "/events?after=0", "application/x-ndjson"],
    ["the audit", "/audit", "application/json"],
    ["an export", "/export", "application/x-ndjson"],
  ])("is in %s", async (_, path, accept) => {
    const { session, token } = await createImpersonated();
    const { text } = await client.on(session, "GET", path, { token, headers: { Accept: accept } });
    expect(text).toMatch(/"type":"chat\.forged".*?"participant":"par_2"/);
    expect(text).toMatch(/"type":"chat\.chunk".*?"participant":"par_1"/);
  });

  it("is in what a conflict shows as missed", async () => {
    const session = await client.create();
    const made = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["fill"] },
    });
    const fields = { a: 1 };
    await client.on(session, "PATCH", "", { token: made.body.participantToken, body: { fields } });
    const { status, body } = await client.on(session, "PATCH", "", {
      token: made.body.resumeToken,
      body: { fields },
    });
    expect(status).toBe(409);
    expect(byType(body.missed, "fields.updated")?.participant).toBe("par_2");
  });
});
