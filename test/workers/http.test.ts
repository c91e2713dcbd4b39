/** What holds for every route. */
import { VERSION } from "../../src/version";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client, rewrite } from "../support/worker";

const BODY_BYTES = 1_048_576;
const JSON_DEPTH = 32;
const ORIGIN = "https://app.example";

const create = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  client.call("POST", "/sessions", { body, headers });

const read = (session: CreatedSession, headers: Record<string, string> = {}): Promise<Answer> =>
  client.on(session, "GET", "", { token: session.token, headers });

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** The body and `fields` are the first two levels. */
const bodyOfDepth = (depth: number) => ({ fields: { deep: nested(depth - 2) } });

/** The Worker itself, for bodies that the plain client cannot send. */
const { default: worker } = exports as unknown as {
  default: { fetch(request: Request): Promise<Response> };
};

const padded = (bytes: number): string => "{}".padEnd(bytes, " ");

const PIECE_BYTES = 65_536;
function pieces(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
    },
  });
}

const sendInPieces = (bytes: number): Promise<Response> =>
  worker.fetch(
    new Request("http://baton.test/sessions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: pieces(padded(bytes)),
    }),
  );

describe("a browser of any origin", () => {
  // Shows M-4.
  it("may send any request, without credentials, and caches that it may", async () => {
    const answer = await client.call("OPTIONS", "/sessions/ses_x/events", {
      headers: {
        Origin: ORIGIN,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization,if-match,idempotency-key",
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(answer.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    expect(Number(answer.headers.get("Access-Control-Max-Age"))).toBeGreaterThan(0);
    const methods = answer.headers.get("Access-Control-Allow-Methods") ?? "";
    expect(methods.split(",")).toEqual(
      expect.arrayContaining(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
    );
    const headers = (answer.headers.get("Access-Control-Allow-Headers") ?? "").toLowerCase();
    for (const name of ["authorization", "content-type", "if-match", "if-none-match"]) {
      expect(headers).toContain(name);
    }
    expect(headers).toContain("idempotency-key");
  });

  // Shows M-4.
  it("may read the exposed headers, on successes and on errors", async () => {
    const session = await client.create();
    for (const answer of [
      await read(session, { Origin: ORIGIN }),
      await client.call("GET", "/nowhere", { headers: { Origin: ORIGIN } }),
      await client.call("GET", "/sessions/ses_x", { headers: { Origin: ORIGIN } }),
      await create("{", { Origin: ORIGIN }),
    ]) {
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
      const exposed = answer.headers.get("Access-Control-Expose-Headers") ?? "";
      expect(exposed.split(",").map((name) => name.trim())).toEqual(
        expect.arrayContaining([
          "ETag",
          "Resume-Token",
          "Location",
          "Retry-After",
          "Idempotent-Replayed",
          "Baton-Head",
        ]),
      );
    }
  });
});

describe("a request without a route", () => {
  // Shows M-6.
  it.each(["/nowhere", "/sessions/x/y/z", "/sessions/ses_x/nothing", "/Sessions"])(
    "(%s) is 404",
    async (path) => {
      const answer = await client.call("GET", path);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: "not_found", status: 404, retryable: false });
    },
  );

  it.each([
    ["PUT", "/sessions", ["GET", "HEAD", "POST"]],
    ["PUT", "/sessions/ses_x", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["GET", "/sessions/ses_x/submit", ["POST"]],
    ["DELETE", "/sessions/ses_x/events", ["GET", "HEAD", "POST"]],
    ["PATCH", "/submissions/ses_x/audit", ["GET", "HEAD"]],
    ["POST", "/sessions/ses_x/handoffs/hnd_2", ["DELETE"]],
    ["PUT", "/sessions/ses_x/checkpoints/chk_1", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["GET", "/sessions/ses_x/fork", ["POST"]],
    ["POST", "/sessions/ses_x/socket", ["GET", "HEAD"]],
    ["POST", "/", ["GET", "HEAD"]],
    ["PUT", "/healthz", ["GET", "HEAD"]],
    ["DELETE", "/docs", ["GET", "HEAD"]],
    ["POST", "/openapi.json", ["GET", "HEAD"]],
    // Shows M-6.
  ])("(%s %s) is 405 and names the allowed methods", async (method, path, allow) => {
    const answer = await client.call(method, path);
    expect(answer.status).toBe(405);
    expect(answer.body.code).toBe("method_not_allowed");
    expect((answer.headers.get("Allow") ?? "").split(", ").sort()).toEqual(allow);
  });

  it.each([
    ["DELETE", "/h/AAAA-AAAA", ["GET", "HEAD", "POST"]],
    ["GET", "/h/AAAA-AAAA/act", ["POST"]],
    ["PUT", "/h/AAAA-AAAA/files/upl_1", ["GET", "HEAD"]],
    ["POST", "/assets/page.css", ["GET", "HEAD"]],
    // Shows M-6.
  ])("(%s %s) is a page with 405 that names the allowed methods", async (method, path, allow) => {
    const answer = await client.call(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("Content-Type")).toContain("text/html");
    expect((answer.headers.get("Allow") ?? "").split(", ").sort()).toEqual(allow);
  });
});

describe("a body", () => {
  it.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["application/jsonp"],
    ["text/json; charset=utf-8"],
    [""],
    // Shows M-1.
  ])("of type %j is 415", async (type) => {
    const answer = await create("{}", { "Content-Type": type });
    expect(answer.status).toBe(415);
    expect(answer.body.code).toBe("unsupported_media_type");
  });

  it.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
    "of type %j is read",
    async (type) => {
      expect((await create('{"title":"T"}', { "Content-Type": type })).body.session.title).toBe(
        "T",
      );
    },
  );

  it("may be left out only if all of it is optional", async () => {
    expect((await client.call("POST", "/sessions")).status).toBe(201);
    const session = await client.create();
    const { token } = session;
    expect((await client.on(session, "POST", "/extend", { token })).status).toBe(400);
    expect((await client.on(session, "PATCH", "", { token })).status).toBe(400);
    expect((await client.on(session, "POST", "/submit", { token })).status).toBe(200);
  });

  // Shows M-1.
  it("of a mebibyte is read, of one byte more is 413", async () => {
    expect((await create(padded(BODY_BYTES))).status).toBe(201);
    const refused = await create(padded(BODY_BYTES + 1));
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({ code: "too_large", limit: BODY_BYTES });
  });

  it.each([
    ["half a document", '{"title":'],
    ["two documents", "{}{}"],
    ["text", "hello"],
    ["a list", "[]"],
    ["null", "null"],
    ["a number too large", '{"fields":{"a":1e999}}'],
    ["half a surrogate pair", '{"title":"\\ud800"}'],
    ["half a surrogate pair in a name", '{"fields":{"\\udc00":1}}'],
    ["an unknown key", '{"titel":"T"}'],
    ["an unknown key deeper", '{"actor":{"id":"a","role":"admin"}}'],
    ["an actor that is a person", '{"actor":{"id":"a","kind":"human"}}'],
    ["an actor that is the system", '{"actor":{"id":"a","kind":"system"}}'],
    // Shows M-2.
  ])("of %s is 400", async (_, body) => {
    const answer = await create(body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code: "invalid_request", retryable: false });
  });

  it("that is not UTF-8 is 400", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"title":"'), 0xff, 0x22, 0x7d]);
    const response = await worker.fetch(
      new Request("http://baton.test/sessions", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: bytes,
      }),
    );
    expect(response.status).toBe(400);
    expect(((await response.json()) as { code: string }).code).toBe("invalid_request");
  });

  it("that arrives in pieces without a length is bounded as well", async () => {
    expect((await sendInPieces(BODY_BYTES)).status).toBe(201);
    expect((await sendInPieces(BODY_BYTES + 1)).status).toBe(413);
  });

  // Shows M-2.
  it("is nested 32 deep at most", async () => {
    const accepted = await create(bodyOfDepth(JSON_DEPTH));
    expect(accepted.status, accepted.text).toBe(201);
    expect(accepted.body.session.fields).toEqual(bodyOfDepth(JSON_DEPTH).fields);
    expect((await create(bodyOfDepth(JSON_DEPTH + 1))).status).toBe(400);
    expect((await create("[".repeat(200_000) + "]".repeat(200_000))).status).toBe(400);
  });
});

describe("an error", () => {
  // Shows M-9.
  it("is a problem document that no cache stores", async () => {
    const session = await client.create();
    const answer = await client.on(session, "POST", "/finalize", {
      token: session.token,
      body: {},
    });
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.body).toMatchObject({
      type: "/docs/errors#illegal_transition",
      title: expect.any(String),
      status: 409,
      detail: expect.any(String),
      code: "illegal_transition",
      retryable: false,
      sessionId: session.id,
      nextActions: [expect.any(String)],
    });
  });

  it("without a token is 401 and explains how to send one", async () => {
    const session = await client.create();
    const answer = await client.call("GET", `/sessions/${session.id}`);
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe("credential_missing");
    expect(answer.headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
  });

  // Shows M-10.
  it("that is internal shows no internals", async () => {
    const session = await client.create({ title: "Secret plan" });
    await rewrite(session, (sql) => sql.exec("UPDATE session SET fields = 'broken by the test'"));
    const answer = await read(session, { Origin: ORIGIN });
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ code: "internal", retryable: true });
    expect(answer.text).not.toMatch(/JSON|broken|src\/|\bat \w|rtok_|Secret/);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(answer.headers.get("X-Request-Id")).toMatch(/.+/);
  });
});

describe("every response", () => {
  // Shows M-4.
  it("carries a request id of its own, or the caller's", async () => {
    const [one, two] = [await client.call("GET", "/healthz"), await client.call("GET", "/nowhere")];
    const ids = [one, two].map(({ headers }) => headers.get("X-Request-Id"));
    expect(ids[0]).toMatch(/^[\w-]{16,}$/);
    expect(ids[1]).not.toBe(ids[0]);
    const withRequestId = await client.call("GET", "/healthz", {
      headers: { "X-Request-Id": "mine-1" },
    });
    expect(withRequestId.headers.get("X-Request-Id")).toBe("mine-1");
  });

  // Shows M-3.
  it("to a request with a token is stored by no cache", async () => {
    const session = await client.create();
    const { token } = session;
    const answers = [
      session.answer,
      await read(session),
      await read(session, { "If-None-Match": session.answer.headers.get("ETag") ?? "" }),
      await client.on(session, "GET", "/events", { token }),
      await client.on(session, "GET", "/resumable", { token }),
      await client.on(session, "GET", "/handoffs", { token }),
      await client.on(session, "GET", "", { token: `${token}x` }),
      await client.on(session, "DELETE", "", { token }),
      await read(session),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      201, 200, 304, 200, 200, 200, 403, 200, 410,
    ]);
    for (const { headers } of answers) expect(headers.get("Cache-Control")).toBe("no-store");
  });
});

describe("the ways to name a session", () => {
  // Shows M-5.
  it("are its id with a bearer token, or the token in its place, also under /submissions", async () => {
    const session = await client.create({ title: "Here" });
    const { id, token } = session;
    const expected = (await read(session)).text;
    expect(session.answer.headers.get("Location")).toBe(`/sessions/${id}`);
    expect((await client.call("GET", `/submissions/${id}`, { token })).text).toBe(expected);
    expect((await client.call("GET", `/sessions/${token}`)).text).toBe(expected);
    expect((await client.call("GET", `/submissions/${token}`)).text).toBe(expected);
    const other = await client.create();
    const twice = await client.call("GET", `/sessions/${token}`, { token: other.token });
    expect(twice.status).toBe(400);
    const wrong = await client.call("GET", `/sessions/${other.id}`, { token });
    expect(wrong.status).toBe(403);
    const inQuery = await client.call("GET", `/sessions/${id}?token=${token}`);
    expect(inQuery.status).toBe(401);
  });

  // Shows M-5.
  it("work for writes under /submissions too", async () => {
    const created = await client.call("POST", "/submissions", { body: { title: "Alias" } });
    expect(created.status).toBe(201);
    const { id } = created.body.session;
    const answer = await client.call("PATCH", `/submissions/${id}`, {
      token: created.body.resumeToken,
      body: { fields: { a: 1 } },
    });
    expect(answer.body.session.fields).toEqual({ a: 1 });
  });

  it("HEAD returns what GET returns, without a body", async () => {
    const session = await client.create();
    const answer = await client.on(session, "HEAD", "", { token: session.token });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers.get("ETag")).toBe(session.answer.headers.get("ETag"));
  });

  it.each(["*", 'W/"1"', '"1", "2"', '"x"', '"-1"', '""', "1.5.2"])(
    "an If-Match of %s is 400",
    async (tag) => {
      const session = await client.create();
      const answer = await client.on(session, "PATCH", "", {
        token: session.token,
        body: { fields: { a: 1 } },
        headers: { "If-Match": tag },
      });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body.at).toBe("If-Match");
    },
  );
});

describe("the pages besides sessions", () => {
  // Shows M-8.
  it("/healthz reports that all is well, and with /openapi.json which version runs", async () => {
    const answer = await client.call("GET", "/healthz");
    expect([answer.status, answer.body]).toEqual([200, { status: "ok", version: VERSION }]);
    expect((await client.call("GET", "/openapi.json")).body.info.version).toBe(VERSION);
  });
});
