import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { range, resumeOf, seqsOf } from "../support/arcp.ts";
import { dial, post, runStress } from "../support/arcp-stress.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";
import { scaled } from "../support/scale.ts";

const data = temporaryFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer(data.path);
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

const emit = (token: string, from: number, to: number) =>
  post(
    server.url,
    "/jobs/events",
    { events: range(from, to).map((n) => ({ kind: "log", body: { message: `${n}` } })) },
    token,
  );

describe("a job over ARCP", () => {
  it("survives kill -9 of the runtime: the client resumes with exactly the events that it missed", async () => {
    const { client, socket } = await dial(server.url);
    await client.hello();
    await client.submit({ agent: "kill" });
    const claim = await post(server.url, "/agents/kill/claim", { leaseMs: 600_000 });
    const token = String(claim.body["jobToken"]);
    await emit(token, 1, 5);
    await client.eventsUpTo(3);
    socket.terminate();

    const killed = server.runtimePid();
    expect(await server.killRuntime()).not.toBe(killed);
    expect((await emit(token, 6, 8)).body).toMatchObject({ cancelRequested: false });

    const again = await dial(server.url);
    const welcome = await again.client.hello({ extra: resumeOf(client.resumeToken, 3) ?? {} });
    expect(welcome).toMatchObject({ type: "session.welcome", session_id: client.sessionId });
    expect(seqsOf(await again.client.eventsUpTo(8))).toEqual([4, 5, 6, 7, 8]);
    await post(server.url, "/jobs/result", { result: "done" }, token);
    expect(await again.client.until("job.result")).toMatchObject({
      event_seq: 9,
      payload: { result: "done" },
    });
    again.socket.terminate();
  });

  it.each([1, 2])(
    "delivers each event once and in order through reconnects during emitting (seed %i)",
    async (seed) => {
      const plan = { url: server.url, seed, events: 1_500, reconnects: 30 };
      const { taken, last } = await runStress(plan);
      expect(last.payload).toMatchObject({ final_status: "success", result: { events: 1_500 } });
      expect(taken).toEqual(range(1, 1_501));
    },
  );

  it("delivers each event once and in order through kill -9 during emitting and reconnects", async () => {
    const plan = {
      url: server.url,
      seed: 3,
      events: 1_500,
      reconnects: 20,
      disturb: () => server.killRuntime(),
    };
    const { taken } = await runStress(plan);
    expect(taken).toEqual(range(1, 1_501));
  });

  const THOUSANDS = scaled(5, 50);
  it(`replays ${THOUSANDS} thousand events without a stall`, async () => {
    const first = await dial(server.url);
    await first.client.hello();
    await first.client.submit({ agent: "long" });
    const claim = await post(server.url, "/agents/long/claim", { leaseMs: 600_000 });
    const token = String(claim.body["jobToken"]);
    first.socket.terminate();
    for (let n = 0; n < THOUSANDS; n++) await emit(token, n * 1_000 + 1, (n + 1) * 1_000);
    let { resumeToken } = first.client;
    let head = THOUSANDS * 1_000;
    for (const features of [["heartbeat", "ack"], []]) {
      const { client, socket } = await dial(server.url);
      const extra = resumeOf(resumeToken, 0) ?? {};
      const welcome = await client.hello({ extra, features });
      expect(welcome.type, JSON.stringify(welcome.payload)).toBe("session.welcome");
      ({ resumeToken } = client);
      expect(seqsOf(await client.eventsUpTo(head))).toEqual(range(1, head));
      head += 1;
      await emit(token, head, head);
      expect((await client.next()).event_seq).toBe(head);
      socket.terminate();
    }
  });
});
