/**
 * A token, key or code that a client sends in place of a name, an id or a value: no error repeats it,
 * over any face, and no log line contains it.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { codeFromBytes } from "../../src/domain/links/link-code";
import { ArcpClient } from "../support/arcp";
import { callerFrom, sendFrom } from "../support/caller";
import type { CreatedSession } from "../support/client";
import { Random } from "../support/live/random";
import {
  operationsOf,
  type ApiDescription,
  type DescribedOperation,
} from "../support/model/malformed/http-requests";
import { valueFor, type JsonSchema } from "../support/model/malformed/schema-values";
import { RawMcp } from "../support/mcp";
import { newKey, ownersText } from "../support/owners";

const KEY = newKey();
const SETTINGS = { OWNERS: ownersText({ misplacing: [KEY] }), MCP_EVENTS: "on" };
const BASE = "http://localhost:8787";
const byKey = callerFrom(null, SETTINGS, { "Baton-Key": KEY });

const randomText = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
const SECRETS = {
  "a resume token": `rtok_${randomText(66)}`,
  "a job token": `jtok_${randomText(66)}`,
  "a key": newKey(),
  "a webhook's secret": `whsec_${btoa(randomText(24))}`,
  "a link's code": codeFromBytes(crypto.getRandomValues(new Uint8Array(8))),
} as const;
const EVERY = Object.values(SECRETS).join(" ");
const TOKEN = SECRETS["a resume token"];

/** The secrets that a text contains, completely or in part. */
const secretsIn = (text: string): readonly string[] =>
  Object.entries(SECRETS).flatMap(([kind, secret]) =>
    text.includes(secret.slice(-13)) || text.includes(secret.replaceAll("-", "")) ? [kind] : [],
  );

const lines: string[] = [];
for (const level of ["log", "info", "warn", "error"] as const) {
  vi.spyOn(console, level).mockImplementation((...values) => void lines.push(values.join(" ")));
}
afterEach(() => {
  expect(secretsIn(lines.splice(0).join("\n")), "in the log").toEqual([]);
});

const { body: description } = await byKey.call("GET", "/openapi.json");
const operations = operationsOf(description as ApiDescription);

/** The members of an error without the content of the session. */
function errorIn(text: string): string {
  try {
    const { current: _current, missed: _missed, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  } catch {
    return text;
  }
}

/** The request, with the secrets in one position after the other. */
function* misplaced({ path, query, body }: DescribedOperation, id: string) {
  const root = description as JsonSchema;
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const put = (at: string | null): string =>
    path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      if (name === at) return TOKEN;
      return name === "ref" || name === "id" ? id : "1";
    });
  const created = body === null ? undefined : valueFor(body, root, new Random(7));
  // The test need not wait for a job that never comes.
  const isWaiting = typeof created === "object" && created !== null && "waitMs" in created;
  const good = isWaiting ? { ...created, waitMs: 0 } : created;
  for (const name of params) yield [`path ${name}`, put(name), good] as const;
  for (const name of [...query, TOKEN]) {
    const parameters = new URLSearchParams({ [name]: EVERY }).toString();
    yield [`query ${name.slice(0, 8)}`, `${put(null)}?${parameters}`, good] as const;
  }
  yield ["header", put(null), good] as const;
  if (body === null) return;
  yield ["body", put(null), EVERY] as const;
  yield ["a member's name", put(null), { ...(good as object), [TOKEN]: 1 }] as const;
  const members = { ...(body["properties"] as object), ...(good as object) };
  for (const name of Object.keys(members)) {
    for (const value of [EVERY, { [TOKEN]: EVERY }]) {
      yield [
        `${name}: ${typeof value}`,
        put(null),
        { ...(good as object), [name]: value },
      ] as const;
    }
  }
}

describe("a misplaced secret over HTTP", () => {
  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))(
    "%s does not repeat it",
    async (_name, operation) => {
      let session: CreatedSession | null = null;
      let token = "";
      for (const [place, path, body] of misplaced(operation as DescribedOperation, "ID")) {
        if (session === null || token === "") {
          session = await byKey.create();
          token = session.token;
        }
        const isOwners = !path.startsWith("/sessions/ID") && !path.startsWith("/submissions/ID");
        const answer = await byKey.call(
          (operation as DescribedOperation).method,
          path.replace("ID", session.id),
          {
            headers: {
              Authorization: `Bearer ${isOwners ? KEY : token}`,
              ...(place === "header" ? { "If-Match": `"${TOKEN}"` } : {}),
            },
            ...(body === undefined ? {} : { body }),
          },
        );
        token = answer.body?.resumeToken ?? (answer.status < 300 ? "" : token);
        if (answer.status < 400) continue;
        const shown = errorIn(answer.text) + JSON.stringify([...answer.headers]);
        expect(secretsIn(shown), `${place}: ${answer.text}`).toEqual([]);
      }
    },
  );

  it.each(["/", "/h/", "/console/", "/console/enter/", "/docs/", "/arcp/", "/sessions/", "/x/"])(
    "as a part of %s is not repeated",
    async (path) => {
      for (const [kind, secret] of Object.entries(SECRETS)) {
        // The secret belongs there.
        if (path === "/h/" && kind === "a link's code") continue;
        for (const method of ["GET", "POST", "PUT"]) {
          const answer = await byKey.call(method, `${path}${encodeURIComponent(secret)}`, {
            headers: { "Content-Type": TOKEN, Accept: TOKEN, Origin: BASE },
          });
          if (answer.status >= 400)
            expect(
              secretsIn(errorIn(answer.text)),
              `${method} ${answer.text.slice(0, 3000)}`,
            ).toEqual([]);
        }
      }
    },
  );
});

const mcp = new RawMcp(sendFrom({ Authorization: `Bearer ${KEY}` }, SETTINGS), BASE);

describe("a misplaced secret over MCP", () => {
  it("as any argument of any tool is not repeated", async () => {
    const { message } = await mcp.request("tools/list", {});
    const session = await byKey.create();
    for (const { name, inputSchema } of message.result.tools) {
      const good = valueFor(inputSchema, inputSchema, new Random(7)) as Record<string, unknown>;
      const args = { ...good, ...("resume_token" in good ? { resume_token: session.token } : {}) };
      for (const at of [...Object.keys(inputSchema.properties ?? {}), TOKEN]) {
        for (const value of [EVERY, { [TOKEN]: EVERY }]) {
          if (at === "resume_token") continue;
          const answer = await mcp.request("tools/call", {
            name,
            arguments: { ...args, [at]: value },
          });
          const { result, error } = answer.message ?? {};
          if (error === undefined && result?.isError !== true) continue;
          const shown = (result?.content ?? []).map(({ text }: { text: string }) => errorIn(text));
          expect(secretsIn(shown.join() + JSON.stringify(error ?? "")), `${name} ${at}`).toEqual(
            [],
          );
        }
      }
    }
  });

  it.each([
    ["tools/call", { name: TOKEN, arguments: {} }],
    ["tools/call", { name: "get_session", arguments: EVERY }],
    ["prompts/get", { name: TOKEN }],
    ["prompts/get", { name: "resume_session", arguments: { [TOKEN]: EVERY } }],
    ["resources/read", { uri: TOKEN }],
    ["events/poll", { name: TOKEN, arguments: { resume_token: TOKEN } }],
    [
      "events/subscribe",
      { name: TOKEN, arguments: {}, delivery: { mode: EVERY, url: EVERY, secret: EVERY } },
    ],
    [
      "events/subscribe",
      {
        name: "session.submitted",
        arguments: {},
        delivery: { mode: EVERY, url: EVERY, secret: EVERY },
      },
    ],
    [
      "events/subscribe",
      {
        name: "session.submitted",
        arguments: {},
        delivery: { mode: "webhook", url: EVERY, secret: EVERY },
      },
    ],
    [TOKEN, {}],
  ])("in %s is not repeated", async (method, params) => {
    const { text } = await mcp.request(method, params);
    expect(secretsIn(text), text).toEqual([]);
  });
});

describe("a misplaced secret over ARCP", () => {
  it("in any message is not repeated", async () => {
    const upgrade = new Request(`${BASE}/arcp`, { headers: { Upgrade: "websocket" } });
    const { webSocket } = await sendFrom({}, SETTINGS)(upgrade);
    if (webSocket === null || webSocket === undefined) throw new Error("no socket was opened");
    const arcp = new ArcpClient(webSocket as never);
    webSocket.accept();
    await arcp.hello({ bearer: KEY });
    const messages = [
      [TOKEN, {}],
      ["job.submit", { agent: TOKEN }],
      ["job.submit", { agent: EVERY, input: {} }],
      ["job.submit", { agent: "a", [TOKEN]: EVERY, close_policy: EVERY }],
      ["job.cancel", { job_id: TOKEN }],
      ["job.subscribe", { job_id: EVERY }],
      ["session.list_jobs", { cursor: EVERY, filter: { status: EVERY } }],
    ] as const;
    for (const [type, payload] of messages) {
      arcp.send(type, payload);
      const frame = await arcp.next();
      // If any name is an agent, a job for it is accepted, and the response repeats it.
      if (frame.type === "job.accepted") continue;
      expect(secretsIn(JSON.stringify(frame)), `${type}: ${JSON.stringify(frame)}`).toEqual([]);
    }
    arcp.drop();
  });
});
