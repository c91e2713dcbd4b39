/** What people did or still have to do, as reported to a model that was absent when it happened. */
import { describe, expect, it } from "vitest";
import { sendFrom } from "../support/caller";
import { RawMcp, type Facts } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { createOwner, bindOwners } from "../support/test-owner";
import { person } from "../support/links";

const TRIP = { title: "Trip", schema: { properties: { city: { type: "string" } } } };

async function handBack(code: string, message: string): Promise<void> {
  const linkHolder = person();
  const { html } = await linkHolder.open(code);
  expect((await linkHolder.press(code, html, "handBack", { message })).status).toBe(200);
}

async function createLink(from: RawMcp, resume_token: string, more: object = {}): Promise<Facts> {
  const handedOff = await from.call("handoff_to_human", {
    resume_token,
    scopes: ["fill"],
    ...more,
  });
  expect(handedOff.isError, handedOff.text).toBe(false);
  return handedOff.facts;
}

/** The call that a sentence recommends. */
const callIn = (text: string, tool: string): Facts =>
  JSON.parse(new RegExp(`${tool} with (\\{.*?\\})[ .]`).exec(text)?.[1] ?? "null");

/** A session of an owner, for an agent that has lost its token. */
async function createOwned() {
  const { settings, key } = createOwner();
  const from = new RawMcp(
    sendFrom({ Authorization: `Bearer ${key}` }, settings),
    "http://localhost:8787",
  );
  const { facts } = await from.call("create_session", TRIP);
  const { id } = facts.session as { id: string };
  await bindOwners({ id }, settings.OWNERS);
  return { from, id, token: facts.resume_token as string };
}

describe("a session that is opened with the owner's key", () => {
  it("reports an earlier answer, and wait_for finds it", async () => {
    const { from, id, token } = await createOwned();
    const { code } = await createLink(from, token);
    await handBack(code, "Porto is booked out");
    const opened = await from.call("open_session", { session_id: id });

    expect(opened.text).toMatch(/handoff\.answered at \d+.*Porto is booked out/);
    expect(opened.facts.handoffs.ended).toMatchObject([
      { type: "handoff.answered", payload: { answer: "handed_back" } },
    ]);
    const { resume_token } = opened.facts;
    const found = await from.call("wait_for", { resume_token });
    expect(found.facts.event).toMatchObject({ type: "handoff.answered" });
    const resumed = await from.call("resume_session", { resume_token });
    expect(resumed.text).toContain("Porto is booked out");
  });

  it("reports which link is still open, with the call that waits for its answer", async () => {
    const { from, id, token } = await createOwned();
    const { code, handoff } = await createLink(from, token);
    const { facts, text } = await from.call("open_session", { session_id: id });

    expect(facts.handoffs).toEqual({ ended: [], open: [handoff.id] });
    const waiting = from.call("wait_for", {
      resume_token: facts.resume_token,
      ...callIn(text, "wait_for"),
    });
    await handBack(code, "Here it is");
    expect((await waiting).facts.event.payload).toMatchObject({ message: "Here it is" });
  });

  it("reports the newest three of many answers, shortened, and how to read the others", async () => {
    const { from, id } = await createOwned();
    let { facts } = await from.call("open_session", { session_id: id });
    for (const round of ["one", "two", "three", "four"]) {
      const handedOff = await createLink(from, facts.resume_token);
      await handBack(handedOff.code, `${round} ${"x".repeat(3_000)}`);
      ({ facts } = await from.call("resume_session", { resume_token: handedOff.resume_token }));
    }
    const opened = await from.call("open_session", { session_id: id });

    expect(opened.facts.handoffs.ended.map(({ payload }: Facts) => payload.message[1])).toEqual([
      "w",
      "h",
      "o",
    ]);
    expect(opened.text.length).toBeLessThan(2_000);
    const read = { resume_token: opened.facts.resume_token, ...callIn(opened.text, "read_events") };
    const { facts: log } = await from.call("read_events", read);
    const answers = log.events.filter(({ type }: Facts) => type === "handoff.answered");
    expect(answers).toHaveLength(4);
  });

  it("reports nothing about people if there was no handoff to one", async () => {
    const { from, id } = await createOwned();
    const { facts, text } = await from.call("open_session", { session_id: id });
    expect(facts).not.toHaveProperty("handoffs");
    expect(text).not.toContain("handoff");
  });
});

describe("wait_for ends at once, and explains why,", () => {
  /** Long enough that a test which waited would fail by its time. */
  const PATIENT = { timeout_ms: 60_000 };

  it("in a session that has ended", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const handedOff = await createLink(mcp, facts.resume_token);
    const ended = await mcp.call("cancel_session", { resume_token: handedOff.resume_token });
    const { resume_token } = ended.facts;
    const waited = await mcp.call("wait_for", { resume_token, ...PATIENT });

    expect(waited.facts.event).toBeNull();
    expect(waited.text).toContain("The session is cancelled");
    expect(waited.text).not.toContain("call wait_for again");
    const other = await mcp.call("wait_for", { resume_token, types: ["agent.x"], ...PATIENT });
    expect(other.text).toContain("The session is cancelled");
  });

  it("if there was never a handoff to a person", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const { resume_token } = facts;
    const waited = await mcp.call("wait_for", { resume_token, ...PATIENT });

    expect(waited.facts.event).toBeNull();
    expect(waited.text).toContain("Nobody is asked");
    expect(waited.text).toContain("handoff_to_human");
  });

  it("in a fork, because the link stays with the parent, and the fork reported that", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const { resume_token, handoff } = await createLink(mcp, facts.resume_token);
    const forked = await mcp.call("fork_session", { resume_token });
    const waited = await mcp.call("wait_for", {
      resume_token: forked.facts.child_token,
      ...PATIENT,
    });

    expect(forked.text).toContain(`${handoff.id} stays with this session`);
    expect(waited.text).toContain(`asked in its parent ${facts.session.id}`);
  });

  it("when the session ends while it waits", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const { resume_token } = await createLink(mcp, facts.resume_token);
    const waiting = mcp.call("wait_for", { resume_token, ...PATIENT });
    await mcp.call("cancel_session", { resume_token });
    expect((await waiting).text).toContain("The session is cancelled");
  });

  it("when the waiting participant has ended, and reports that its token is useless", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const link = await createLink(mcp, facts.resume_token);
    const handedOff = await mcp.call("handoff_to_agent", {
      resume_token: link.resume_token,
      scopes: ["view"],
      ttl_ms: 1_500,
    });
    const waited = await mcp.call("wait_for", {
      resume_token: handedOff.facts.participant_token,
      timeout_ms: 2_500,
    });
    expect([waited.isError, waited.facts.code]).toEqual([true, "expired"]);
  });

  it("but waits if the link was declined and issued again", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const handedOff = await createLink(mcp, facts.resume_token);
    const linkHolder = person();
    const { html } = await linkHolder.open(handedOff.code);
    await linkHolder.press(handedOff.code, html, "decline", { declining: "Ask Bo" });
    const reissued = await mcp.call("reissue_link", {
      resume_token: handedOff.resume_token,
      handoff: handedOff.handoff.id,
    });
    const { resume_token, session } = reissued.facts;
    const after = session.head;
    const none = await mcp.call("wait_for", { resume_token, after, timeout_ms: 50 });
    expect(none.text).toContain("Nothing yet: call wait_for again");
  });
});

describe("handoff_to_human", () => {
  it("reports that the person's Submit submits the session", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const handedOff = await mcp.call("handoff_to_human", {
      resume_token: facts.resume_token,
      scopes: ["fill"],
      ask: ["city"],
    });
    expect(handedOff.text).toContain("Submit on the page submits the whole session");
  });

  it("warns of a link that grants more than a page needs", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const handedOff = await mcp.call("handoff_to_human", {
      resume_token: facts.resume_token,
      scopes: ["own"],
    });
    expect(handedOff.text).toContain("Warning: the link grants handoff and own");
  });
});
