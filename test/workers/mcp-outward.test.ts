/** Tools that lead out of MCP: to an executor, to a person's link, to a file's bytes. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { agentName, Jobs } from "../support/jobs";
import type { Facts } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { client, rowsWrittenBy } from "../support/worker";

const jobs = new Jobs(client);

afterEach(() => {
  vi.useRealTimers();
});

async function call(name: string, args: object, isError = false): Promise<Facts> {
  const answer = await mcp.call(name, args);
  expect(answer.isError, `${name}: ${answer.text}`).toBe(isError);
  return answer.facts;
}
const succeed = (name: string, args: object) => call(name, args);
const fail = (name: string, args: object) => call(name, args, true);

async function createWithJob() {
  const { session, resume_token: token } = await succeed("create_session", {});
  const { job } = await succeed("submit_job", { resume_token: token, agent: agentName() });
  return { id: session.id as string, token: token as string, job: job.id as string };
}

describe("jobs", () => {
  it("are shown with input and result once an executor has reported", async () => {
    const { token } = await createWithJob();
    const agent = agentName();
    const call = { resume_token: token, agent, input: { text: "olá" } };
    const { job } = await succeed("submit_job", call);
    const claim = await jobs.claimOrThrow(agent);
    await jobs.report(claim, "result", { result: { text: "hello" } });
    const shown = await succeed("get_job", { resume_token: token, job_id: job.id });

    expect(job).toMatchObject({ agent, status: "pending" });
    expect(shown.input).toEqual(call.input);
    expect(shown.job).toMatchObject({ status: "success", result: { text: "hello" } });
  });

  it("are cancelled once: a repeated call changes nothing and shows the same", async () => {
    // Tomorrow by the object's clock, so that no alarm runs by itself.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 3_600_000 });
    const session = await createWithJob();
    const call = { resume_token: session.token, job_id: session.job };
    const first = await succeed("cancel_job", call);
    let second: Facts;
    const rows = await rowsWrittenBy(session, async () => {
      second = await succeed("cancel_job", call);
    });

    expect(first.job.status).toBe("cancelled");
    expect(second).toEqual(first);
    expect(rows).toBe(0);
  });

  it("of another session are not found", async () => {
    const [own, other] = [await createWithJob(), await createWithJob()];
    const args = { resume_token: own.token, job_id: other.job };
    expect(await fail("get_job", args)).toMatchObject({ code: "not_found", sessionId: own.id });
    expect(await fail("cancel_job", args)).toMatchObject({ code: "not_found", sessionId: own.id });
  });
});

describe("handoff_to_human", () => {
  it("returns the link's URL, code, QR code and expiry, and opens with the granted rights", async () => {
    const { id, token } = await createWithJob();
    const handedOff = await succeed("handoff_to_human", {
      resume_token: token,
      scopes: ["view"],
      ttl_ms: 3_600_000,
    });
    const { body } = await client.on({ id }, "GET", "/handoffs", { token: handedOff.resume_token });

    expect(handedOff.url).toBe(`http://localhost:8787/h/${handedOff.code}`);
    expect(handedOff.qr_url).toBe(`${handedOff.url}/qr.svg`);
    expect(handedOff.link_expires_at).toBe(handedOff.handoff.expiresAt);
    expect(handedOff.handoff).toMatchObject({ to: "human", scopes: ["view"] });
    expect(body.handoffs).toEqual([handedOff.handoff]);
  });
});

describe("reissue_link", () => {
  it("gives the same handoff another code, and the old one no longer works", async () => {
    const { id, token } = await createWithJob();
    const handedOff = await succeed("handoff_to_human", { resume_token: token, scopes: ["view"] });
    const reissued = await succeed("reissue_link", {
      resume_token: handedOff.resume_token,
      handoff: handedOff.handoff.id,
      ttl_ms: 3_600_000,
    });
    const old = await client.call("GET", `/h/${handedOff.code}`);
    const fresh = await client.call("GET", `/h/${reissued.code}`);

    expect(reissued.handoff.id).toBe(handedOff.handoff.id);
    expect(reissued.code).not.toBe(handedOff.code);
    expect(reissued.url).toBe(`http://localhost:8787/h/${reissued.code}`);
    expect([old.status, fresh.status]).toEqual([410, 200]);
    const { body } = await client.on({ id }, "GET", "/handoffs", { token: reissued.resume_token });
    expect(body.handoffs).toEqual([reissued.handoff]);
  });

  it("explains what it needs if the id is malformed, and does not find another participant's link", async () => {
    const { token } = await createWithJob();
    const { text } = await mcp.call("reissue_link", { resume_token: token, handoff: "par_2" });
    expect(text).toContain("must be the id of a handoff, such as hnd_2");
    const args = { resume_token: token, handoff: "hnd_9" };
    expect(await fail("reissue_link", args)).toMatchObject({ code: "not_found" });
  });
});

describe("request_upload", () => {
  it("returns the upload URL, and the bytes are accepted and confirmed there", async () => {
    const { id, token } = await createWithJob();
    const requested = await succeed("request_upload", {
      resume_token: token,
      name: "ticket.txt",
      type: "text/plain",
      size: 5,
    });
    const base = "http://localhost:8787";
    const place = `/uploads/${requested.upload.id}`;
    expect(requested.put_url).toBe(`${base}/sessions/${id}${place}`);
    expect(requested.confirm_url).toBe(`${requested.put_url}/confirm`);
    expect(requested.session.state).toBe("awaiting_upload");

    const options = { token: requested.resume_token };
    const headers = { "Content-Type": "text/plain", "Content-Length": "5" };
    const put = await client.on({ id }, "PUT", place, { ...options, headers, body: "hello" });
    const confirmed = await client.on({ id }, "POST", `${place}/confirm`, options);
    expect(put.status).toBe(200);
    expect(confirmed.body.upload).toMatchObject({ status: "confirmed", size: 5 });
    const { session } = await succeed("get_session", { resume_token: confirmed.body.resumeToken });
    expect(session.state).toBe("in_progress");
  });
});
