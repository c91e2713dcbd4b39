import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { toolAnswer, withWrongSecret, type Facts, type ToolAnswer } from "../support/mcp.ts";
import { Person } from "../support/person.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();

/** An agent with a connection of its own, like a program on another machine. */
class Agent implements AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async connect(): Promise<Agent> {
    const client = new Client(
      { name: "agent", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
    return new Agent(client);
  }

  async callTool(name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    return toolAnswer(await this.#client.callTool({ name, arguments: args }));
  }

  /** Returns the facts of a call that must succeed. */
  async callOrFail(name: string, args: Record<string, unknown>): Promise<Facts> {
    const { isError, text, facts } = await this.callTool(name, args);
    expect(isError, `${name}: ${text}`).toBe(false);
    return facts;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.close();
  }
}

const seqs = (events: readonly Facts[]): readonly number[] => events.map(({ seq }) => seq);
const upTo = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const note = (text: string) => ({ events: [{ type: "agent.note", payload: { text } }] });

describe("a session over MCP", () => {
  it("goes from agent to agent to a person, and the first agent learns that the person submitted", async () => {
    await using a = await Agent.connect();
    await using b = await Agent.connect();
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, country: { type: "string" } },
      required: ["city", "country"],
    };

    const created = await a.callOrFail("create_session", {
      title: "Relay",
      actor: { id: "a" },
      schema,
    });
    const known: number = created.session.head;
    const filled = await a.callOrFail("set_fields", {
      resume_token: created.resume_token,
      fields: { city: "Lisbon" },
    });
    await a.callOrFail("append_events", {
      resume_token: filled.resume_token,
      events: [{ type: "agent.note", payload: { text: "the country is missing" } }],
    });
    const handoff = await a.callOrFail("handoff_to_agent", {
      resume_token: filled.resume_token,
      scopes: ["fill", "handoff"],
      note: "find somebody who knows the country",
    });

    const resumed = await b.callOrFail("resume_session", {
      resume_token: handoff.participant_token,
      last_event_seq: known,
      actor: { id: "b" },
    });
    expect(resumed.outcome).toBe("resumed");
    // All events since then, in order, and none twice.
    const log = await a.callOrFail("read_events", {
      resume_token: handoff.resume_token,
      after: known,
    });
    expect(resumed.events).toEqual(log.events.slice(0, resumed.events.length));
    expect(seqs(resumed.events)).toEqual(upTo(known + 1, resumed.head));
    expect(resumed.events.map(({ type }: Facts) => type)).toEqual(
      expect.arrayContaining(["fields.updated", "agent.note", "handoff.created"]),
    );
    expect(resumed.session.missingFields).toEqual(["country"]);

    const link = await b.callOrFail("handoff_to_human", {
      resume_token: resumed.resume_token,
      scopes: ["fill"],
      note: "which country is it?",
    });
    expect(link.url).toBe(`${server.url}/h/${link.code}`);
    const person = new Person(fetch, server.url);
    const page = await person.open(link.code, "Ana");
    expect(page.html).toContain("which country is it?");
    const sent = await person.press(link.code, page.html, "submit", { "f/country": "Portugal" });
    expect(sent.status).toBe(200);

    const learned = await a.callOrFail("read_events", {
      resume_token: handoff.resume_token,
      after: handoff.session.head,
    });
    expect(seqs(learned.events)).toEqual(upTo(handoff.session.head + 1, learned.head));
    const byPerson = learned.events.filter(({ actor }: Facts) => actor.kind === "human");
    expect(byPerson.map(({ type }: Facts) => type)).toEqual([
      "handoff.opened",
      "token.accessed",
      "token.issued",
      "fields.updated",
      "session.submitted",
      "handoff.answered",
    ]);
    const last = learned.events.at(-2);
    expect(last).toMatchObject({ type: "session.submitted", actor: { name: "Ana" } });
    const { session } = await a.callOrFail("get_session", { resume_token: handoff.resume_token });
    expect(session).toMatchObject({
      state: "submitted",
      fields: { city: "Lisbon", country: "Portugal" },
    });
  });

  it("shows an overtaken agent the events that it missed, and accepts its write after it has read them", async () => {
    await using a = await Agent.connect();
    await using b = await Agent.connect();
    const created = await a.callOrFail("create_session", { fields: { city: "Lisbon" } });
    const handoff = await a.callOrFail("handoff_to_agent", {
      resume_token: created.resume_token,
      scopes: ["fill"],
    });
    await b.callOrFail("set_fields", {
      resume_token: handoff.participant_token,
      fields: { country: "Portugal" },
    });

    const write = { resume_token: handoff.resume_token, fields: { city: "Porto" } };
    const conflict = await a.callTool("set_fields", write);
    expect(conflict.isError).toBe(true);
    expect(conflict.facts).toMatchObject({ code: "version_conflict", more: false });
    expect(conflict.facts.missed.at(-1).type).toBe("fields.updated");
    expect(conflict.text).toContain(`if_version ${conflict.facts.current.version}`);
    const again = await a.callOrFail("set_fields", {
      ...write,
      if_version: conflict.facts.current.version,
    });
    const { session } = await a.callOrFail("get_session", { resume_token: again.resume_token });
    expect(session.fields).toEqual({ city: "Porto", country: "Portugal" });
  });

  it("has one log without gaps across append, disconnect, resume and append", async () => {
    let token: string;
    let seen: number;
    {
      await using before = await Agent.connect();
      const created = await before.callOrFail("create_session", {});
      token = created.resume_token;
      const first = await before.callOrFail("append_events", {
        resume_token: token,
        ...note("one"),
      });
      await before.callOrFail("append_events", { resume_token: token, ...note("two") });
      seen = first.last;
    }

    await using after = await Agent.connect();
    const resumed = await after.callOrFail("resume_session", {
      resume_token: token,
      last_event_seq: seen,
    });
    const appended = await after.callOrFail("append_events", {
      resume_token: resumed.resume_token,
      ...note("three"),
    });
    const { events, head } = await after.callOrFail("read_events", {
      resume_token: resumed.resume_token,
      after: 0,
    });

    expect(resumed.events[0].payload).toEqual({ text: "two" });
    expect(seqs(resumed.events)).toEqual(upTo(seen + 1, resumed.head));
    expect(appended.first).toBe(resumed.head + 1);
    expect(seqs(events)).toEqual(upTo(1, head));
    const notes = events.filter(({ type }: Facts) => type === "agent.note");
    expect(notes.map(({ payload }: Facts) => payload.text)).toEqual(["one", "two", "three"]);
  });

  it("never creates a session silently: an invalid handle gives a new one with a warning, or fails", async () => {
    await using agent = await Agent.connect();
    const created = await agent.callOrFail("create_session", {});
    const resume_token = withWrongSecret(created.resume_token);
    const session_id = created.session.id;

    const fresh = await agent.callTool("resume_session", {
      resume_token,
      session_id,
      last_event_seq: 7,
    });
    expect(fresh.isError).toBe(false);
    expect(fresh.facts.outcome).toBe("fresh");
    expect(fresh.facts.session.id).not.toBe(session_id);
    expect(fresh.facts.warning).toMatchObject({
      code: "token_invalid",
      requested: { sessionId: session_id, lastEventSeq: 7 },
    });
    expect(fresh.text).toMatch(/^WARNING \(token_invalid\)/);
    expect(fresh.text).toContain(fresh.facts.warning.reason);

    const failed = await agent.callTool("resume_session", { resume_token, on_invalid: "fail" });
    expect(failed.isError).toBe(true);
    expect(failed.facts.code).toBe("token_invalid");
    expect(failed.facts).not.toHaveProperty("resume_token");
  });
});
