/**
 * Receives webhooks with Node only: node webhook-receiver.mjs <port> <secret> [<newer secret>]
 * It accepts only signed and recent requests, does the work once for each webhook-id, and answers 2xx
 * only after the work is done, so that Baton retries if it fails.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [port, ...secrets] = process.argv.slice(2);
const keys = secrets.map((secret) => Buffer.from(secret.replace("whsec_", ""), "base64"));
const FRESH_SECONDS = 300;
/** Keep this in your database, in the transaction that does the work. */
const done = new Set();

function isGenuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": list = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= FRESH_SECONDS)) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), body]);
  const wanted = keys.map((key) => createHmac("sha256", key).update(signed).digest());
  return list.split(" ").some((one) => {
    const [version, signature = ""] = one.split(",");
    const given = Buffer.from(signature, "base64");
    return (
      version === "v1" &&
      wanted.some((mac) => mac.length === given.length && timingSafeEqual(mac, given))
    );
  });
}

createServer(async (request, response) => {
  // The signature covers these bytes: parsing and serializing the JSON would change them.
  const body = Buffer.concat(await request.toArray());
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const id = request.headers["webhook-id"];
  if (!done.has(id)) {
    const { type, data } = JSON.parse(body);
    console.log(type, data.sessionId, data.seq);
    done.add(id);
  }
  response.writeHead(204).end();
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
