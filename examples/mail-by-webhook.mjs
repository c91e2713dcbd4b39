/**
 * Sends mail to people with a provider's HTTP API: verifies each webhook, sends one mail, and answers
 * only when the provider has accepted it, so that Baton retries if it has not.
 *   node mail-by-webhook.mjs <port> <secret> <provider's address> <to>
 * The provider's key is read from MAIL_KEY. The names differ between providers; most need these four.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [port, secret, provider, to] = process.argv.slice(2);
const TOO_OLD_S = 300;

/** Standard Webhooks: the id, the time and the body, signed with the secret. */
function isGenuine(headers, body) {
  const at = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - at) < TOO_OLD_S)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = Buffer.from(createHmac("sha256", key).update(signed).digest("base64"));
  return (headers["webhook-signature"] ?? "").split(" ").some((one) => {
    const given = Buffer.from(one.replace("v1,", ""));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** It contains the link only if a handoff named this endpoint in `notify`. */
const mailOf = ({ type, data }) => ({
  from: "Baton <baton@example.com>",
  to: [to],
  subject: `${data.title ?? data.sessionId}: ${type}`,
  text: data.url === undefined ? "Nothing is asked of you." : `Please answer here: ${data.url}`,
});

async function send(id, notice) {
  const answer = await fetch(provider, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${process.env.MAIL_KEY}`,
      "Content-Type": "application/json",
      // A webhook may arrive twice. The provider sends one mail per key.
      "Idempotency-Key": id,
    },
    body: JSON.stringify(mailOf(notice)),
  }).catch(() => null);
  return answer?.ok === true;
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  const isSent = await send(request.headers["webhook-id"], JSON.parse(body));
  response.writeHead(isSent ? 204 : 502).end();
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
