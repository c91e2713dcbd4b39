/** Runs an example session on a real server and returns its log, for the timeline. */
import { Person } from "../../test/support/person.ts";
import type { Moment } from "./timeline.ts";

interface Logged {
  readonly seq: number;
  readonly type: string;
  readonly state: string;
  readonly actor: { readonly kind: Moment["kind"]; readonly id: string; readonly name?: string };
}

export async function recordTimeline(url: string): Promise<readonly Moment[]> {
  const call = async (token: string, method: string, path: string, body: unknown) => {
    const response = await fetch(`${url}/sessions${path}`, {
      method,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  };
  const created = await fetch(`${url}/sessions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      title: "Visa form",
      actor: { id: "agent-a" },
      schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      review: { required: true },
    }),
  });
  const { session, resumeToken } = (await created.json()) as {
    session: { id: string };
    resumeToken: string;
  };
  const at = `/${session.id}`;
  let token = resumeToken;
  const write = async (path: string, body: unknown = {}, method = "POST") => {
    const answer = await call(token, method, at + path, body);
    token = answer.resumeToken ?? token;
    return answer;
  };

  await write("", { fields: { purpose: "conference" } }, "PATCH");
  await write("/events", { events: [{ type: "work.noted", payload: { page: 1 } }] });
  await write("/stops", { reason: "rate_limit", attempt: 1, retryAfterMs: 60_000 });
  await write("/resume");
  const { handoff } = await write("/handoffs", { to: "human", scopes: ["fill"] });
  const person = new Person(fetch, url);
  const { html } = await person.open(handoff.code, "Ada");
  await person.press(handoff.code, html, "submit", { "f/name": "Ada" });
  const reviewer = await write("/handoffs", {
    to: "agent",
    scopes: ["review"],
    actor: { id: "agent-b" },
  });
  await call(reviewer.participantToken, "POST", `${at}/approve`, {});
  await write("/resume");
  await write("/finalize");

  const { events } = await call(token, "GET", `${at}/events?after=0&limit=1000`, null);
  return (events as readonly Logged[]).map(({ seq, type, state, actor }) => ({
    seq,
    type,
    state,
    kind: actor.kind,
    who: actor.kind === "agent" ? actor.id : (actor.name ?? actor.kind),
  }));
}
