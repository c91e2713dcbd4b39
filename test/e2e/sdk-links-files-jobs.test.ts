import { beforeAll, describe, expect, it } from "vitest";
import { Baton, WireError } from "../../src/client/index.ts";
import { agentName, Jobs } from "../support/jobs.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let baton: Baton;
beforeAll(async () => {
  baton = Baton.connect(server.url);
});

describe("a session of the SDK", () => {
  it("creates a link for a person, lists it and revokes it", async () => {
    const session = await baton.create({ title: "Link" });
    const { handoff } = await session.handoffToPerson({ scopes: ["fill"], singleUse: true });
    expect(handoff.url).toBe(`${server.url}/h/${handoff.code}`);
    expect((await fetch(handoff.url)).status).toBe(200);
    expect(await session.handoffs()).toMatchObject([{ id: handoff.id, to: "human" }]);
    await session.revokeHandoff(handoff.id);
    expect((await fetch(handoff.url)).status).toBe(410);
  });

  it("sends a file and removes it, as bytes and as a blob", async () => {
    const session = await baton.create({
      schema: { type: "object", properties: { scan: { type: "object", format: "file" } } },
    });
    const bytes = new TextEncoder().encode("hello");
    const input = { name: "a.txt", type: "text/plain", field: "scan" };
    const { upload, session: after } = await session.upload(bytes, input);
    expect(after.fields["scan"]).toMatchObject({ id: upload.id, size: 5 });
    const downloaded = await fetch(`${server.url}/sessions/${session.id}/uploads/${upload.id}`, {
      headers: { Authorization: `Bearer ${session.token}` },
    });
    expect(await downloaded.text()).toBe("hello");
    const second = await session.upload(new Blob(["hi"]), { name: "b.txt", type: "text/plain" });
    expect(second.upload.size).toBe(2);
    expect((await session.removeUpload(upload.id)).fields).not.toHaveProperty("scan");
  });

  it("gives an agent a job, reads it and cancels it", async () => {
    const session = await baton.create();
    const job = await session.submitJob({ agent: "translator", input: { chapter: 2 } });
    expect(job).toMatchObject({ agent: "translator", status: "pending" });
    expect(await session.jobs()).toMatchObject([{ id: job.id }]);
    expect((await session.job(job.id)).status).toBe("pending");
    expect((await session.cancelJob(job.id, { reason: "late" })).status).toBe("cancelled");
    const unknown = session.job("job_none");
    await expect(unknown).rejects.toThrow(WireError);
  });

  it("lists all jobs, however many pages their results fill", async () => {
    const session = await baton.create();
    const jobs = new Jobs(server.client);
    const agent = agentName();
    for (let n = 0; n < 6; n += 1) {
      await session.submitJob({ agent });
      const { status } = await jobs.report(await jobs.claimOrThrow(agent), "result", {
        result: "x".repeat(262_000),
      });
      expect(status).toBe(200);
    }
    expect(new Set((await session.jobs()).map(({ id }) => id)).size).toBe(6);
  });
});
