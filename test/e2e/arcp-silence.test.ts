import { expect, it } from "vitest";
import { startLocalServer } from "../../scripts/local-server.ts";
import { resumeOf } from "../support/arcp.ts";
import { dial, post } from "../support/arcp-stress.ts";
import { secretsIn } from "../support/arcp-secrets.ts";
import { temporaryFolder } from "../support/server.ts";

it("a silent client is closed after two intervals, its job continues, and none of its secrets is stored", async () => {
  using data = temporaryFolder();
  const vars = { ARCP_HEARTBEAT_MS: "3000" };
  const server = await startLocalServer({
    port: 0,
    host: "127.0.0.1",
    dataFolder: data.path,
    vars,
  });
  if (server === null) throw new Error("the folder is taken");
  try {
    const bearer = "a-bearer-that-must-not-be-kept";
    const { client } = await dial(server.url);
    await client.hello({ bearer });
    await client.submit({ agent: "quiet" });
    const claim = await post(server.url, "/agents/quiet/claim", { leaseMs: 60_000 });
    const token = String(claim.body["jobToken"]);
    client.answersPings = false;
    const end = await client.closed;
    expect(client.frames.at(-1)).toMatchObject({
      type: "session.error",
      session_id: client.sessionId,
      payload: { code: "HEARTBEAT_LOST", retryable: true },
    });
    expect(end.reason).toBe("HEARTBEAT_LOST");
    const noted = await post(server.url, "/jobs/events", { events: [{ kind: "log" }] }, token);
    expect(noted.body).toMatchObject({ cancelRequested: false });
    const again = await dial(server.url);
    await again.client.hello({ bearer, extra: resumeOf(client.resumeToken, 0) ?? {} });
    expect((await again.client.next()).event_seq).toBe(1);
    again.socket.terminate();
    const secrets = [bearer, token, client.resumeToken, again.client.resumeToken];
    expect(secretsIn(data.path, secrets)).toEqual([]);
  } finally {
    await server.stop();
  }
});

it("the search for secrets finds a planted one", () => {
  using data = temporaryFolder();
  expect(secretsIn(data.path, ["x"])).toEqual([]);
  expect(secretsIn(import.meta.dirname, ["a-bearer-that-must-not-be-kept"])).toHaveLength(1);
});
