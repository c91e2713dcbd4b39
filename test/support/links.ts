/** A session with a link for a person, and the person who opens it. */
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import type { CreatedSession } from "./client";
import { Person } from "./person";
import { client } from "./worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
export const person = (address?: string) =>
  new Person((request) => worker.default.fetch(request), "http://localhost:8787", address);

export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", title: "City" }, age: { type: "integer" } },
  required: ["city"],
};

export async function createLinkedSession(
  handoff: Record<string, unknown> = {},
  create: unknown = { schema: SCHEMA },
) {
  const session = await client.create(create);
  const made = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "human", scopes: ["fill"], note: "Please fill this", ...handoff },
  });
  expect(made.status, made.text).toBe(201);
  const { code, id } = made.body.handoff as { code: string; id: string };
  return { session, token: made.body.resumeToken as string, made, code, id };
}

export const typesOf = async (session: CreatedSession, token: string): Promise<string[]> => {
  const log = await client.on(session, "GET", "/events?after=0", { token });
  return log.body.events.map((event: { type: string }) => event.type);
};
