import { describe, expect, it } from "vitest";
import { client } from "../support/worker";
import { agentName, Jobs } from "../support/jobs";
import type { CreatedSession } from "../support/client";

interface LogEvent {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

async function logOf(session: CreatedSession, token: string): Promise<readonly LogEvent[]> {
  const { body } = await client.on(session, "GET", "/events?after=0", { token });
  return body.events as LogEvent[];
}

describe("a notice that follows from another event", () => {
  // Shows NO-1.
  it("comes right after it in the same commit, and moves no version", async () => {
    const session = await client.create({ review: { required: true, approvals: 1 } });
    const submitted = await client.on(session, "POST", "/submit", {
      token: session.token,
      body: {},
    });
    const token = submitted.body.resumeToken as string;

    const log = await logOf(session, token);

    expect(log.slice(-2)).toMatchObject([
      { type: "session.submitted", payload: {} },
      { type: "session.needs_review", payload: { cause: "session.submitted" } },
    ]);
    const { version, head } = submitted.body.session;
    expect(head).toBe(version + 1);
  });

  // Shows NO-1.
  it("is written on each transition to a state that waits for somebody", async () => {
    const session = await client.create({ review: { required: true, approvals: 1 } });
    let { token } = session;
    const act = async (path: string, body: unknown = {}): Promise<unknown> => {
      const answer = await client.on(session, "POST", path, { token, body });
      expect(answer.status, answer.text).toBeLessThan(300);
      token = answer.body.resumeToken;
      return answer.body.participantToken;
    };
    await act("/request-input", { note: "which one?" });
    await act("/submit");
    const reviewer = (await act("/handoffs", { to: "agent", scopes: ["review"] })) as string;
    const back = await client.on(session, "POST", "/request-changes", {
      token: reviewer,
      body: { comment: "once more" },
    });
    await act("/resume");
    await act("/submit");
    const resumed = await client.on(session, "POST", "/resume", {
      token: back.body.resumeToken,
      body: {},
    });
    await client.on(session, "POST", "/approve", { token: resumed.body.resumeToken, body: {} });

    const types = (await logOf(session, token)).map(({ type }) => type);

    expect(types.filter((type) => !type.startsWith("token."))).toEqual([
      "session.created",
      "session.input_requested",
      "session.awaiting_input",
      "session.submitted",
      "session.needs_review",
      "handoff.created",
      "review.changes_requested",
      "session.changes_requested",
      "session.awaiting_input",
      "session.submitted",
      "session.needs_review",
      "review.approved",
      "session.approved",
    ]);
  });

  // Shows NO-1.
  it("reports that a job ended, and how", async () => {
    const jobs = new Jobs(client);
    const work = await jobs.submitInNewSession(agentName());
    await jobs.cancel(work);

    const log = (await jobs.log(work)) as readonly LogEvent[];

    expect(log.at(-1)).toMatchObject({
      type: "job.ended",
      payload: { cause: "job.error", jobId: work.jobId, finalStatus: "cancelled" },
    });
  });
});
