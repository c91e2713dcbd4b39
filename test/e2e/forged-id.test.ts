import { createHash, createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startLocalServer, type LocalServer } from "../../scripts/local-server.ts";
import { Client, type Answer } from "../support/client.ts";
import { filesUnder, temporaryFolder } from "../support/server.ts";

/** The default from which workerd derives ids if no key is set: public names. */
const DEFAULT_KEY = "baton-SessionObject";

const data = temporaryFolder();
const servers: LocalServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop();
  data[Symbol.dispose]();
});

async function serve(name: string, uniqueKey?: string) {
  const dataFolder = join(data.path, name);
  const server = await startLocalServer({
    port: 0,
    host: "127.0.0.1",
    dataFolder,
    ...(uniqueKey === undefined ? {} : { uniqueKey }),
  });
  if (server === null) throw new Error("the folder is taken");
  servers.push(server);
  // An evicted object removes its write-ahead log, which makes its database grow.
  const files = () => filesUnder(dataFolder).filter((path) => path.endsWith(".sqlite"));
  return { client: new Client(fetch, server.url), files };
}

/** As workerd makes ids: 16 random bytes and half of an HMAC over these. */
function computeObjectId(uniqueKey: string): Buffer {
  const key = createHash("sha256").update(uniqueKey).digest();
  const random = randomBytes(16);
  const mac = createHmac("sha256", key).update(random).digest();
  return Buffer.concat([random, mac.subarray(0, 16)]);
}

const PARTICIPANT_AND_SEQ = Buffer.from("00000001000000000001", "hex");

const tokenFor = (objectId: Buffer): string =>
  `rtok_${Buffer.concat([objectId, PARTICIPANT_AND_SEQ, randomBytes(24)]).toString("base64url")}`;

const comparable = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"),
});

describe("a token computed offline from the public default key", () => {
  it("is routable if the key is the default, which is why a random key is generated", async () => {
    const { client, files } = await serve("default", DEFAULT_KEY);
    const before = files();
    const answer = await client.call("GET", `/sessions/${tokenFor(computeObjectId(DEFAULT_KEY))}`);
    expect([answer.status, answer.body.code]).toEqual([410, "gone"]);
    expect(files()).not.toEqual(before);
  });

  // Shows T-11.
  it("gets the same 403 as garbage from a server with its own key, and leaves no file behind", async () => {
    const { client, files } = await serve("own");
    const session = await client.create();
    const before = files();
    const forged = tokenFor(computeObjectId(DEFAULT_KEY));
    const id = `ses_${Buffer.from(forged.slice(5), "base64url").subarray(0, 32).toString("base64url")}`;
    const garbage = await client.call("GET", "/sessions/rtok_garbage");

    const forgeries = await Promise.all([
      client.call("GET", `/sessions/${forged}`),
      client.call("GET", `/sessions/${id}`, { token: forged }),
      client.call("GET", `/sessions/${session.id}`, { token: forged }),
      client.call("GET", `/sessions/${tokenFor(randomBytes(32))}`),
      client.call("PATCH", `/sessions/${forged}`, { body: { fields: { a: 1 } } }),
      client.call("POST", `/sessions/${forged}/resume`, { body: {} }),
      client.call("POST", `/sessions/${forged}/events`, { body: { events: [{ type: "a.b" }] } }),
      client.call("DELETE", `/sessions/${forged}`),
    ]);

    expect([garbage.status, garbage.body.code]).toEqual([403, "token_invalid"]);
    for (const answer of forgeries) expect(comparable(answer)).toEqual(comparable(garbage));
    expect(files()).toEqual(before);
  });
});
