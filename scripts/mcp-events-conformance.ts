/**
 * The MCP Events client of the AI SDK (npm, Node 22 and newer) against a real server over HTTP: it lists,
 * subscribes, answers the challenge, verifies and acknowledges events, refreshes, receives a gap and
 * an end, and unsubscribes, in both eras of the protocol. Run by `npm run conformance:mcp-events`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSubscriber, type AiSdk } from "../test/conformance/mcp-events/subscriber.ts";
import { TestAgent } from "../test/support/test-agent.ts";
import { newKey, ownersText } from "../test/support/owners.ts";
import { freePort, startServer } from "../test/support/server-process.ts";

const [cache] = process.argv.slice(2);
if (cache === undefined) throw new Error("run this by `npm run conformance:mcp-events`");
const sdk = (await import(join(cache, "node_modules/@ai-sdk/mcp/dist/index.js"))) as AiSdk;

const data = mkdtempSync(join(tmpdir(), "baton-mcp-events-"));
const key = newKey();
const port = await freePort();
const server = await startServer(data, undefined, {
  OWNERS: ownersText({ acme: [key] }),
  MCP_EVENTS: "on",
  WEBHOOK_ALLOW: `127.0.0.1:${port}`,
  WEBHOOK_DELAYS_MS: `0,${Array.from({ length: 20 }, () => 200).join(",")}`,
});

let passed = 0;
function check(what: string, isSo: boolean): void {
  if (!isSo) throw new Error(`not so: ${what}`);
  passed += 1;
  console.log(`✓ ${what}`);
}

/** A session of the owner, with its agent. */
async function createSession(): Promise<TestAgent> {
  const options = { headers: { "Baton-Key": key }, body: { title: "Oak Street" } };
  const { body } = await server.client.call("POST", "/sessions", options);
  return new TestAgent(server.client, { id: body.session.id, token: body.resumeToken } as never);
}

async function scenario(era: "2026-07-28" | "2025-11-25"): Promise<void> {
  const subscriber = await createSubscriber(sdk, { url: `${server.url}/mcp`, key, port, era });
  try {
    const { events, received } = subscriber;
    const listed = await events.list();
    check(`${era}: lists the notices`, listed.events.length === 23);
    const agent = await createSession();
    const name = "session.awaiting_input";
    const args = { session_id: agent.id };
    const subscription = await subscriber.subscribe(name, args);
    check(
      `${era}: subscribes, and its handler answers the challenge`,
      subscription.id.startsWith("sub_"),
    );

    subscriber.refuseOnce();
    await agent.call("POST", "/request-input", {});
    await received(1);
    const [first] = subscriber.receivedEvents;
    const tries = subscriber.attempts.filter((id) => id === first?.eventId);
    check(`${era}: gets an event that its handler verified`, first?.data["sessionId"] === agent.id);
    check(`${era}: is sent again what it did not acknowledge`, tries.length === 2);

    await server.killRuntime();
    await agent.call("PATCH", "", { fields: { a: 1 } });
    await agent.call("POST", "/request-input", {});
    await received(2);
    const repeated = subscriber.attempts.filter((id) => id === first?.eventId);
    check(
      `${era}: gets the next after the runtime was killed`,
      subscriber.receivedEvents.length === 2,
    );
    check(`${era}: is not sent again what it acknowledged`, repeated.length === 2);
    const [, second] = subscriber.receivedEvents;
    check(
      `${era}: has a cursor that is the event's seq`,
      second?.cursor === String(second?.data["seq"]),
    );

    const refreshed = await events.refresh({ id: subscription.id });
    check(`${era}: refreshes under the same id`, refreshed.id === subscription.id);

    await agent.call("POST", "/events", { events: [{ type: "note.taken", payload: {} }] });
    const { body } = await agent.call("POST", "/checkpoints", { name: "here" });
    await agent.call("POST", "/trim", { checkpoint: body.checkpoint.id });
    const late = await subscriber.subscribe("session.submitted", args, "0");
    await subscriber.until(() => subscriber.gaps.length === 1);
    check(`${era}: hears of a gap where the log was trimmed`, late.truncated);

    await events.unsubscribe({ id: subscription.id });
    await agent.call("PATCH", "", { fields: { a: 2 } });
    await agent.call("POST", "/request-input", {});
    await agent.call("POST", "/cancel", {});
    await subscriber.until(() => subscriber.ends.length === 1);
    check(`${era}: hears of the end of the session`, subscriber.ends[0] === late.id);
    check(`${era}: hears nothing after it unsubscribed`, subscriber.receivedEvents.length === 2);
  } finally {
    await subscriber.close();
  }
}

try {
  await scenario("2026-07-28");
  await scenario("2025-11-25");
  console.log(`${passed} checks passed`);
} finally {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}
