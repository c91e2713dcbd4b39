import { describe, expect, it } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client, rowsWrittenBy } from "../support/worker";

/** One participant: every accepted write replaces its token. */
class TestParticipant {
  readonly #session: CreatedSession;
  token: string;

  constructor(session: CreatedSession, token: string) {
    this.#session = session;
    this.token = token;
  }

  async try(method: string, path: string, body: unknown = {}): Promise<Answer> {
    const answer = await client.on(this.#session, method, path, { token: this.token, body });
    if (answer.status < 300) this.token = answer.body.resumeToken;
    return answer;
  }

  async do(path: string, body: unknown = {}): Promise<Answer> {
    const answer = await this.try(path === "" ? "PATCH" : "POST", path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  }

  async handOff(...scopes: readonly string[]): Promise<TestParticipant> {
    const { body } = await this.do("/handoffs", { to: "agent", scopes });
    return new TestParticipant(this.#session, body.participantToken);
  }

  /** Resumes to see the newest version, then acts. */
  async resumeAnd(path: string, body: unknown = {}): Promise<Answer> {
    await this.do("/resume");
    return this.try("POST", path, body);
  }
}

async function createSession(
  approvals = 1,
): Promise<{ session: CreatedSession; creator: TestParticipant }> {
  const session = await client.create({ review: { required: true, approvals } });
  return { session, creator: new TestParticipant(session, session.token) };
}

describe("who may approve", () => {
  // Shows W-3.
  it("is not the creator, who has no review scope", async () => {
    const { creator } = await createSession();
    await creator.do("/submit");
    const refused = await creator.try("POST", "/approve");
    expect([refused.status, refused.body.code]).toEqual([403, "scope_denied"]);
  });

  it.each<[string, string, unknown]>([
    ["filled", "", { fields: { a: 1 } }],
    ["changed the title", "", { title: "Mine" }],
    ["asked for input", "/request-input", {}],
    ["submitted", "/submit", {}],
    // Shows W-3.
  ])("is not a reviewer who also %s", async (_, path, body) => {
    const { session, creator } = await createSession();
    const filler = await creator.handOff("fill", "review");
    const moved = await filler.do(path, body);
    if (moved.body.session.state !== "needs_review") {
      await creator.do("/resume");
      await creator.do("/submit");
    }
    await filler.do("/resume");
    const rows = await rowsWrittenBy(session, async () => {
      const refused = await filler.try("POST", "/approve");
      expect([refused.status, refused.body.code]).toEqual([403, "scope_denied"]);
    });
    expect(rows).toBe(0);
    const changes = await filler.try("POST", "/request-changes", { comment: "I was wrong" });
    expect(changes.status, changes.text).toBe(200);
  });

  it("is a reviewer with the scope fill who did not use it", async () => {
    const { creator } = await createSession();
    const reviewer = await creator.handOff("fill", "review");
    await creator.do("/submit");
    const approved = await reviewer.resumeAnd("/approve");
    expect(approved.body.session.state).toBe("approved");
  });

  it("must have seen what it approves", async () => {
    const { creator } = await createSession();
    const reviewer = await creator.handOff("review");
    await creator.do("", { fields: { a: 1 } });
    await creator.do("/submit");
    const refused = await reviewer.try("POST", "/approve");
    expect([refused.status, refused.body.code]).toEqual([409, "version_conflict"]);
    expect(refused.body.current.fields).toEqual({ a: 1 });
  });
});

describe("approving", () => {
  // Shows W-2.
  it("once if one approval is needed leads to approved, and then to finalized", async () => {
    const { creator } = await createSession();
    const submitted = await creator.do("/submit");
    const reviewer = await creator.handOff("review");
    const approved = await reviewer.do("/approve", { comment: "Well done" });
    await creator.do("/resume");
    const finalized = await creator.do("/finalize");
    expect(submitted.body.session.state).toBe("needs_review");
    expect(approved.body.session.state).toBe("approved");
    expect(approved.body.session.review.approvedBy).toMatchObject([{ comment: "Well done" }]);
    expect(finalized.body.session.state).toBe("finalized");
  });

  // Shows W-4.
  it("needs two participants if two approvals are needed", async () => {
    const { creator } = await createSession(2);
    await creator.do("/submit");
    const [one, two] = [await creator.handOff("review"), await creator.handOff("review")];
    const first = await one.do("/approve");
    const twice = await one.try("POST", "/approve");
    const second = await two.resumeAnd("/approve");
    expect(first.body.session.state).toBe("needs_review");
    expect(twice.status).toBe(409);
    expect(twice.body).toMatchObject({ code: "illegal_transition", from: "needs_review" });
    expect(twice.body.current.review.approvedBy).toHaveLength(1);
    expect(second.body.session.state).toBe("approved");
    const approvers = second.body.session.review.approvedBy.map(
      ({ participant }: { participant: string }) => participant,
    );
    expect(approvers).toEqual(["par_2", "par_3"]);
  });

  // Shows W-4.
  it("twice is refused also after a resume under another name", async () => {
    const { creator } = await createSession(2);
    await creator.do("/submit");
    const reviewer = await creator.handOff("review");
    await reviewer.do("/approve");
    await reviewer.do("/resume", { actor: { id: "somebody-else" } });
    const twice = await reviewer.try("POST", "/approve");
    expect([twice.status, twice.body.code]).toEqual([409, "illegal_transition"]);
  });

  it("by two at the same moment counts both, one after the other", async () => {
    const { session, creator } = await createSession(2);
    await creator.do("/submit");
    const reviewers = [await creator.handOff("review"), await creator.handOff("review")];
    const answers = await Promise.all(
      reviewers.map((participant) => participant.try("POST", "/approve")),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const late = answers.findIndex(({ status }) => status === 409);
    expect(answers[late]!.body.code).toBe("version_conflict");
    const repeated = await client.on(session, "POST", "/approve", {
      token: reviewers[late]!.token,
      ifMatch: answers[late]!.body.current.version,
      body: {},
    });
    expect(repeated.body.session.state).toBe("approved");
  });

  it("is not possible without a review, or before submitting", async () => {
    const unreviewed = await client.create();
    const owner = new TestParticipant(unreviewed, unreviewed.token);
    const submitted = await owner.do("/submit");
    const { creator } = await createSession();
    expect(submitted.body.session.state).toBe("submitted");
    for (const reviewer of [await owner.handOff("review"), await creator.handOff("review")]) {
      const refused = await reviewer.try("POST", "/approve");
      expect([refused.status, refused.body.code]).toEqual([409, "illegal_transition"]);
    }
  });
});

describe("a reviewer who does not approve", () => {
  // Shows W-5, W-6.
  it("asks for changes with a comment per field, and the filler answers", async () => {
    const { creator } = await createSession();
    await creator.do("", { fields: { price: 3, colour: "red" } });
    await creator.do("/submit");
    const reviewer = await creator.handOff("review");
    const comments = { price: "Too low", colour: "Too red" };
    const requested = await reviewer.do("/request-changes", {
      comment: "Two things",
      fields: comments,
    });
    await creator.do("/resume");
    const changed = await creator.do("", { fields: { price: 4 } });
    const resubmitted = await creator.do("/submit");
    expect(requested.body.session.state).toBe("awaiting_input");
    expect(requested.body.session.review.requestedChanges).toMatchObject({
      comment: "Two things",
      fields: comments,
    });
    expect(changed.body.session.state).toBe("in_progress");
    expect(changed.body.session.review.requestedChanges.fields).toEqual(comments);
    expect(resubmitted.body.session.state).toBe("needs_review");
    expect(resubmitted.body.session.review).toEqual({
      required: true,
      approvals: 1,
      approvedBy: [],
      submitted: { actor: { kind: "agent", id: "agent" }, at: expect.any(String) as string },
    });
  });

  // Shows W-5.
  it("revokes earlier approvals: after a new submit all are needed again", async () => {
    const { creator } = await createSession(2);
    await creator.do("/submit");
    const [one, two] = [await creator.handOff("review"), await creator.handOff("review")];
    await one.do("/approve");
    const requested = await two.resumeAnd("/request-changes", { comment: "Not yet" });
    await creator.do("/resume");
    await creator.do("/submit");
    const first = await two.resumeAnd("/approve");
    const second = await one.resumeAnd("/approve");
    expect(requested.body.session.review.approvedBy).toEqual([]);
    expect([first.status, first.body.session.state]).toEqual([200, "needs_review"]);
    expect([second.status, second.body.session.state]).toEqual([200, "approved"]);
  });

  // Shows W-7.
  it("rejects with a reason, which ends the session", async () => {
    const { creator } = await createSession();
    await creator.do("/submit");
    const reviewer = await creator.handOff("review");
    const rejected = await reviewer.do("/reject", { reason: "Out of scope" });
    const late = await reviewer.try("POST", "/approve");
    expect(rejected.body.session.state).toBe("rejected");
    expect(rejected.body.session.review.rejectedBecause).toBe("Out of scope");
    expect([late.status, late.body.code]).toEqual([409, "illegal_transition"]);
    expect(late.body.from).toBe("rejected");
  });
});
