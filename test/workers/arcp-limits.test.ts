/** The bounds of one ARCP connection or session, at the bound and one past it. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  ArcpClient,
  resumeOf,
  type Frame,
  type HelloOptions,
  type ArcpSocket,
} from "../support/arcp";
import { agentName, Jobs } from "../support/jobs";
import { client } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const jobs = new Jobs(client);

async function connect(): Promise<ArcpClient> {
  const request = new Request("http://baton.test/arcp", { headers: { Upgrade: "websocket" } });
  const { webSocket } = await worker.default.fetch(request);
  if (webSocket === null) throw new Error("no socket");
  webSocket.accept();
  return new ArcpClient(webSocket as unknown as ArcpSocket);
}

async function greeted(options: HelloOptions = {}): Promise<ArcpClient> {
  const arcp = await connect();
  expect((await arcp.hello(options)).type).toBe("session.welcome");
  return arcp;
}

const ping = (id: string, pad = ""): string =>
  JSON.stringify({ arcp: "1.1", id, type: "session.ping", payload: { nonce: id, pad } });

async function pongTo(arcp: ArcpClient, nonce: string): Promise<Frame> {
  for (;;) {
    const pong = await arcp.until("session.pong");
    if (pong.payload.ping_nonce === nonce) return pong;
  }
}

describe("the limit of ARCP", () => {
  it("on subscriptions is twenty at once, and ending one allows another", async () => {
    const owner = await greeted();
    const agent = agentName();
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) ids.push(await owner.submit({ agent }));
    const watcher = await greeted();
    const subscribe = async (jobId: string): Promise<Frame> => {
      watcher.send("job.subscribe", { job_id: jobId });
      return watcher.next();
    };
    for (const id of ids.slice(0, 20)) expect((await subscribe(id)).type).toBe("job.subscribed");
    const [first = "", last = ""] = [ids[0], ids[20]];
    expect((await subscribe(last)).payload).toMatchObject({ code: "INVALID_REQUEST" });
    watcher.send("job.unsubscribe", { job_id: first });
    watcher.send("session.list_jobs");
    await watcher.until("session.jobs");
    expect((await subscribe(last)).type).toBe("job.subscribed");
  });

  it("on unconfirmed tokens is sixteen: the first of seventeen is no longer good", async () => {
    const arcp = await greeted();
    await arcp.submit({ agent: agentName() });
    const token = arcp.resumeToken;
    arcp.drop();
    const resume = async (): Promise<Frame> => {
      const reconnected = await connect();
      const frame = await reconnected.hello({ extra: resumeOf(token, 0) ?? {} });
      reconnected.drop();
      return frame;
    };
    // Each resume adds the token that was the newest. The one used here is the oldest of them.
    for (let n = 0; n < 17; n += 1)
      expect((await resume()).type, String(n)).toBe("session.welcome");
    expect((await resume()).payload.code).toBe("RESUME_WINDOW_EXPIRED");
  });

  it("on remembered message ids is ten thousand, and the oldest is forgotten first", async () => {
    // Without heartbeats: a reply to one would use an id too.
    const arcp = await greeted({ features: [] });
    // The hello was the first id.
    for (let n = 1; n < 10_000; n += 1) arcp.raw(ping(`p${n}`));
    await pongTo(arcp, "p9999");
    arcp.raw(ping("p1"));
    arcp.raw(ping("one-more"));
    expect((await arcp.until("session.pong")).payload.ping_nonce).toBe("one-more");
    // That one replaced the id of the hello. The next one replaces p1.
    arcp.raw(ping("p1"));
    arcp.raw(ping("another"));
    arcp.raw(ping("p1"));
    expect((await arcp.until("session.pong")).payload.ping_nonce).toBe("another");
    expect((await arcp.until("session.pong")).payload.ping_nonce).toBe("p1");
  });

  it("on a frame is a mebibyte", async () => {
    const arcp = await greeted();
    const capacity = 1_048_576 - ping("full").length;
    arcp.raw(ping("full", "x".repeat(capacity)));
    expect((await arcp.next()).payload).toMatchObject({ ping_nonce: "full" });
    arcp.raw(ping("over", "x".repeat(capacity + 1)));
    expect((await arcp.next()).payload).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("on waiting messages lets 256 wait, and none of them is dropped", async () => {
    const arcp = await greeted();
    const sent = Array.from({ length: 256 }, () => arcp.send("session.list_jobs"));
    for (const id of sent) expect((await arcp.until("session.jobs")).payload.request_id).toBe(id);
  });

  it("on a lease without a chosen length is a minute", async () => {
    const agent = agentName();
    await jobs.submit(await client.create(), { agent });
    expect((await jobs.claim(agent)).body.leaseMs).toBe(60_000);
  });
});
