/**
 * An agent that hands off and exits. A webhook starts it again.
 *   node woken-by-webhook.mjs <server> <store> begin <address of the webhook>
 *   node woken-by-webhook.mjs <server> <store> listen <port> <secret>
 * `begin` requests a field from another participant and exits. `listen` verifies each webhook and runs
 * the agent again, which continues with the stored token.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";

const [url, store, what, ...rest] = process.argv.slice(2);
const baton = Baton.connect(url, { store: new FileTokenStore(store) });

/** Hands off and exits: no process waits. */
async function begin(address) {
  const session = await baton.open("claim", { title: "Water damage" });
  const notices = ["handoff.answered", "session.submitted"];
  const { secret } = await session.addEndpoint({ url: address, notices });
  const { participantToken } = await session.handoff({ to: "agent", scopes: ["fill"] });
  console.log(JSON.stringify({ id: session.id, secret, participantToken }));
}

/** Continues from the current state. */
async function goOn() {
  const session = await baton.open("claim");
  await session.resume();
  const { state, fields } = session.state;
  if (state !== "submitted") return;
  await session.finalize();
  console.log(JSON.stringify({ finalized: session.id, fields }));
}

/** Standard Webhooks: the id, the time and the body, signed with the secret. */
function isGenuine(headers, body, secret) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = Buffer.from(createHmac("sha256", key).update(signed).digest("base64"));
  return (headers["webhook-signature"] ?? "").split(" ").some((one) => {
    const given = Buffer.from(one.replace("v1,", ""));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function listen(port, secret) {
  createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const genuine = isGenuine(request.headers, body, secret);
    response.writeHead(genuine ? 204 : 401).end();
    if (genuine) await goOn();
  }).listen(Number(port), "127.0.0.1", () => console.log("listening"));
}

await (what === "begin" ? begin(rest[0]) : listen(...rest));
