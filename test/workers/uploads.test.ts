/** The life of one file, over HTTP and over the page. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env";
import { objectIdHexOf } from "../../src/domain/ids";
import { LIMITS } from "../../src/domain/limits";
import { bytesToHex } from "../../src/domain/base64url";
import type { Answer, CreatedSession } from "../support/client";
import { formOf, Person } from "../support/person";
import { client } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const { UPLOADS } = env as unknown as Env;

const SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string" },
    scan: { type: "object", format: "file", accept: ["text/plain", "image/*"], maxBytes: 1_000 },
  },
  required: ["scan"],
};

const TEXT = "What the file holds";
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const sha256 = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text))));

interface TestParticipant {
  readonly session: CreatedSession;
  token: string;
}

async function createSession(create: unknown = { schema: SCHEMA }): Promise<TestParticipant> {
  const session = await client.create(create);
  return { session, token: session.token };
}

async function act(
  participant: TestParticipant,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await client.on(participant.session, method, path, {
    token: participant.token,
    ...(body === undefined ? {} : { body }),
  });
  if (answer.body?.resumeToken !== undefined) participant.token = answer.body.resumeToken;
  return answer;
}

const announce = (
  participant: TestParticipant,
  more: Record<string, unknown> = {},
): Promise<Answer> =>
  act(participant, "POST", "/uploads", {
    field: "scan",
    name: "scan.txt",
    type: "text/plain",
    size: TEXT.length,
    ...more,
  });

const put = (
  { session, token }: TestParticipant,
  id: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Response> =>
  worker.default.fetch(
    new Request(`http://baton.test/sessions/${session.id}/uploads/${id}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "text/plain", ...headers },
      body,
    }),
  );

/** With the length that the platform sets for a real request. */
const putText = (
  participant: TestParticipant,
  id: string,
  text: string,
  headers: Record<string, string> = {},
) => put(participant, id, text, { "Content-Length": String(bytes(text).length), ...headers });

const filesOf = async ({ id }: CreatedSession): Promise<number> =>
  (await UPLOADS.list({ prefix: `${objectIdHexOf(id)}/` })).objects.length;

const codeOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

const typeOf = (length: number): string => `text/${"x".repeat(length - 5)}`;

describe("a file", () => {
  it.each([
    ["by its schema", { schema: SCHEMA }],
    ["without a schema", {}],
    // Shows U-6.
  ])(
    "is in its field as it was uploaded: no PATCH and no create writes there (%s)",
    async (_, create) => {
      const participant = await createSession(create);
      const { id } = (await announce(participant)).body.upload;
      await putText(participant, id, TEXT);
      const { session } = (await act(participant, "POST", `/uploads/${id}/confirm`, {})).body;
      const stored = session.fields.scan;
      const forged = [{ ...stored, name: "other.txt" }, { ...stored, id: "upl_9" }, { id }, null];
      for (const scan of forged) {
        const refused = await act(participant, "PATCH", "", { fields: { title: "T", scan } });
        expect([refused.status, refused.body.code], JSON.stringify(scan)).toEqual([
          422,
          "invalid_fields",
        ]);
        expect(refused.body.errors).toEqual([
          { field: "scan", problem: "invalid", message: expect.stringMatching(/upload/) },
        ]);
      }
      const same = await act(participant, "PATCH", "", { fields: { title: "T", scan: stored } });
      expect([same.status, same.body.session.fields]).toEqual([200, { title: "T", scan: stored }]);
      const removed = await act(participant, "DELETE", `/uploads/${id}`);
      expect(removed.body.session.fields).toEqual({ title: "T" });
      if ("schema" in create) {
        const early = await act(participant, "PATCH", "", { fields: { scan: stored } });
        expect([early.status, early.body.code]).toEqual([422, "invalid_fields"]);
        const body = { ...create, fields: { scan: stored } };
        const created = await client.call("POST", "/sessions", { body });
        expect([created.status, created.body.code]).toEqual([422, "invalid_fields"]);
      }
    },
  );

  // Shows U-1.
  it("is announced, sent, confirmed, shown in its field and downloaded", async () => {
    const participant = await createSession();
    const announced = await announce(participant);
    expect(announced.status, announced.text).toBe(201);
    expect(announced.body.upload).toMatchObject({ id: "upl_1", field: "scan", status: "pending" });
    expect(announced.body.session.state).toBe("awaiting_upload");
    const sent = await putText(participant, "upl_1", TEXT);
    expect(await sent.json()).toEqual({ size: TEXT.length, sha256: await sha256(TEXT) });
    const confirmed = await act(participant, "POST", "/uploads/upl_1/confirm", {
      size: TEXT.length,
      sha256: await sha256(TEXT),
    });
    expect(confirmed.status, confirmed.text).toBe(200);
    expect(confirmed.body.session.state).toBe("in_progress");
    expect(confirmed.body.session.fields["scan"]).toEqual({
      id: "upl_1",
      name: "scan.txt",
      type: "text/plain",
      size: TEXT.length,
      sha256: await sha256(TEXT),
    });
    const got = await client.on(participant.session, "GET", "/uploads/upl_1", {
      token: participant.token,
    });
    expect([got.status, got.text]).toEqual([200, TEXT]);
    expect(got.headers.get("Content-Disposition")).toContain("attachment");
    expect(got.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const types = (await act(participant, "GET", "/events?after=0&type=upload.*")).body.events.map(
      (event: { type: string }) => event.type,
    );
    expect(types).toEqual(["upload.requested", "upload.confirmed"]);
    expect((await act(participant, "POST", "/submit", {})).status).toBe(200);
  });

  // Shows U-1.
  it("keeps the session waiting until the last required one", async () => {
    const participant = await createSession({});
    for (const name of ["a", "b"]) await announce(participant, { field: undefined, name });
    await putText(participant, "upl_1", TEXT);
    const first = await act(participant, "POST", "/uploads/upl_1/confirm", {});
    expect(first.body.session.state).toBe("awaiting_upload");
    const second = await act(participant, "DELETE", "/uploads/upl_2");
    expect(second.body.session.state).toBe("in_progress");
  });

  // Shows U-2.
  it("is refused before it is sent if its field does not accept it", async () => {
    const participant = await createSession();
    const answers = [
      await announce(participant, { type: "application/pdf" }),
      await announce(participant, { size: 1_001 }),
      await announce(participant, { field: "title" }),
      await announce(participant, { name: "../../etc/passwd" }),
      await announce(participant, { size: 0 }),
      await announce(participant, { field: undefined, size: LIMITS.uploadBytes + 1 }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [415, "unsupported_media_type"],
      [413, "too_large"],
      [400, "invalid_request"],
      [400, "invalid_request"],
      [400, "invalid_request"],
      [413, "too_large"],
    ]);
    expect((await announce(participant, { size: 1_000, type: "image/png" })).status).toBe(201);
    const largest = await announce(participant, { field: undefined, size: LIMITS.uploadBytes });
    expect(largest.status).toBe(201);
  });

  // Shows U-3.
  it("can be sent again after every mistake, and the session is unharmed by each", async () => {
    const participant = await createSession();
    await announce(participant);
    const before = await act(participant, "GET", "");
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes(TEXT));
        controller.close();
      },
    });
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes(TEXT.slice(0, 5)));
        controller.error(new Error("the connection broke"));
      },
    });
    const length = { "Content-Length": String(TEXT.length) };
    expect(await codeOf(await put(participant, "upl_1", stream))).toEqual([411, "length_required"]);
    expect(await codeOf(await putText(participant, "upl_1", `${TEXT}!`))).toEqual([
      413,
      "too_large",
    ]);
    expect(await codeOf(await putText(participant, "upl_1", TEXT.slice(1)))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(
      await codeOf(await putText(participant, "upl_1", TEXT, { "Content-Type": "text/html" })),
    ).toEqual([415, "unsupported_media_type"]);
    expect(await codeOf(await put(participant, "upl_1", broken, length))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await codeOf(await putText(participant, "upl_9", TEXT))).toEqual([404, "not_found"]);
    const early = await act(participant, "POST", "/uploads/upl_1/confirm", {});
    expect([early.status, early.body.code]).toEqual([400, "invalid_request"]);
    expect(await filesOf(participant.session)).toBe(0);
    await putText(participant, "upl_1", TEXT);
    const wrong = await act(participant, "POST", "/uploads/upl_1/confirm", {
      sha256: "0".repeat(64),
    });
    expect([wrong.status, wrong.body.at]).toEqual([400, "sha256"]);
    expect((await act(participant, "GET", "")).body.session).toEqual(before.body.session);
    await putText(participant, "upl_1", TEXT);
    expect((await act(participant, "POST", "/uploads/upl_1/confirm", {})).status).toBe(200);
    expect(await filesOf(participant.session)).toBe(1);
  });

  // Shows U-3.
  it("that was announced with its hash is refused when it arrives as another", async () => {
    const participant = await createSession();
    await announce(participant, {
      sha256: await sha256("something else, same length"),
      size: TEXT.length,
    });
    expect(await codeOf(await putText(participant, "upl_1", TEXT))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await filesOf(participant.session)).toBe(0);
  });

  // Shows U-4.
  it("needs fill to send and view to download", async () => {
    const participant = await createSession();
    await announce(participant);
    const handedOff = await act(participant, "POST", "/handoffs", {
      to: "agent",
      scopes: ["view"],
    });
    const viewer = {
      session: participant.session,
      token: handedOff.body.participantToken as string,
    };
    expect(await codeOf(await putText(viewer, "upl_1", TEXT))).toEqual([403, "scope_denied"]);
    await putText(participant, "upl_1", TEXT);
    expect((await act(viewer, "GET", "/uploads/upl_1")).status).toBe(404);
    await act(participant, "POST", "/uploads/upl_1/confirm", {});
    expect((await act(viewer, "GET", "/uploads/upl_1")).text).toBe(TEXT);
    const withoutToken = await client.call(
      "GET",
      `/sessions/${participant.session.id}/uploads/upl_1`,
    );
    expect(withoutToken.status).toBe(401);
  });

  // Shows U-5.
  it("leaves its field and the bucket when it is removed", async () => {
    const participant = await createSession();
    await announce(participant);
    await putText(participant, "upl_1", TEXT);
    await act(participant, "POST", "/uploads/upl_1/confirm", {});
    const removed = await act(participant, "DELETE", "/uploads/upl_1");
    expect(removed.body.session.fields).toEqual({});
    expect(await filesOf(participant.session)).toBe(0);
    expect((await act(participant, "GET", "/uploads/upl_1")).status).toBe(404);
  });

  // Shows U-5.
  it("is deleted when its session is purged, at any stage of its upload", async () => {
    const participant = await createSession({});
    for (const name of ["a", "b"]) await announce(participant, { field: undefined, name });
    await putText(participant, "upl_1", TEXT);
    await putText(participant, "upl_2", TEXT);
    await act(participant, "POST", "/uploads/upl_1/confirm", {});
    expect(await filesOf(participant.session)).toBe(2);
    expect((await act(participant, "DELETE", "")).status).toBe(200);
    expect(await filesOf(participant.session)).toBe(0);
    expect(await codeOf(await putText(participant, "upl_2", TEXT))).toEqual([410, "gone"]);
    expect(await filesOf(participant.session)).toBe(0);
  });

  it("has a name and a type within their limits", async () => {
    const participant = await createSession({});
    for (const [expected, more] of [
      [201, { name: "n".repeat(LIMITS.fileNameLength) }],
      [400, { name: "n".repeat(LIMITS.fileNameLength + 1) }],
      [201, { type: typeOf(LIMITS.mediaTypeLength) }],
      [400, { type: typeOf(LIMITS.mediaTypeLength + 1) }],
    ] as const) {
      expect((await announce(participant, { field: undefined, ...more })).status).toBe(expected);
    }
  });

  it("is one of so many", async () => {
    const participant = await createSession({});
    for (let n = 0; n < LIMITS.uploads; n++) {
      expect((await announce(participant, { field: undefined })).status).toBe(201);
    }
    const more = await announce(participant, { field: undefined });
    expect([more.status, more.body.code]).toEqual([413, "too_large"]);
    await act(participant, "DELETE", "/uploads/upl_1");
    expect((await announce(participant, { field: undefined })).status).toBe(201);
  });
});

describe("a file from the page without JavaScript", () => {
  it("comes with the form, is shown, downloaded and removed", async () => {
    const participant = await createSession();
    const handedOff = await act(participant, "POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
    });
    const { code } = handedOff.body.handoff as { code: string };
    const linkHolder = new Person((request) => worker.default.fetch(request));
    const page = await linkHolder.open(code);
    const form = new FormData();
    for (const [name, value] of Object.entries(formOf(page.html))) form.set(name, value);
    form.set("f/title", "A scan");
    form.set("file/scan", new File([TEXT], "scan.txt", { type: "text/plain" }));
    form.set("action", "submit");
    const length = { "Content-Length": "1000" };
    const sent = await linkHolder.go("POST", `/h/${code}/act`, form, length);
    expect([sent.status, sent.html.includes("Submitted.")], sent.html).toEqual([200, true]);
    const { body } = await act(participant, "GET", "");
    expect(body.session).toMatchObject({
      state: "submitted",
      fields: { title: "A scan", scan: { name: "scan.txt", sha256: await sha256(TEXT) } },
    });
    const got = await linkHolder.go("GET", `/h/${code}/files/upl_1`);
    expect(got.html).toBe(TEXT);
  });

  it("that is refused is explained, and the rest of the form is saved", async () => {
    const participant = await createSession();
    const handedOff = await act(participant, "POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
    });
    const { code } = handedOff.body.handoff as { code: string };
    const linkHolder = new Person((request) => worker.default.fetch(request));
    const page = await linkHolder.open(code);
    const form = new FormData();
    for (const [name, value] of Object.entries(formOf(page.html))) form.set(name, value);
    form.set("f/title", "A scan");
    form.set("file/scan", new File([TEXT], "scan.pdf", { type: "application/pdf" }));
    form.set("action", "save");
    const sent = await linkHolder.go("POST", `/h/${code}/act`, form, { "Content-Length": "1000" });
    expect([sent.status, sent.html.includes("it is of another kind")]).toEqual([422, true]);
    expect(formOf(sent.html)["f/title"]).toBe("A scan");
    expect((await act(participant, "GET", "")).body.session.state).toBe("draft");
  });

  it("comes with as many others as a session may hold: with one more, none is stored", async () => {
    const scans = { type: "array", items: { type: "string", format: "file" } };
    const schema = { properties: { title: { type: "string" }, scans } };
    const participant = await createSession({ schema });
    const handedOff = await act(participant, "POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
    });
    const { code } = handedOff.body.handoff as { code: string };
    const linkHolder = new Person((request) => worker.default.fetch(request));
    const page = await linkHolder.open(code);
    const send = (count: number) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(formOf(page.html))) form.set(name, value);
      form.set("f/title", "Scans");
      form.set("action", "save");
      for (let n = 0; n < count; n++) form.append("file/scans", new File(["x"], `${n}.txt`));
      return linkHolder.go("POST", `/h/${code}/act`, form, { "Content-Length": "1000" });
    };
    const overLimit = await send(LIMITS.uploads + 1);
    const why = `Number of files: at most ${LIMITS.uploads}.`;
    expect([overLimit.status, overLimit.html.includes(why)]).toEqual([422, true]);
    expect(formOf(overLimit.html)["f/title"]).toBe("Scans");
    expect((await act(participant, "GET", "")).body.session.fields).toEqual({});
    expect((await send(LIMITS.uploads)).status).toBe(200);
    expect((await act(participant, "GET", "")).body.session.fields.scans).toHaveLength(
      LIMITS.uploads,
    );
  });

  it("needs a length, which is limited", async () => {
    const participant = await createSession();
    const handedOff = await act(participant, "POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
    });
    const { code } = handedOff.body.handoff as { code: string };
    const linkHolder = new Person((request) => worker.default.fetch(request));
    await linkHolder.open(code);
    const overLimit = { "Content-Length": String(LIMITS.formBytes + 1) };
    const large = await linkHolder.go("POST", `/h/${code}/act`, new FormData(), overLimit);
    const none = await linkHolder.go("POST", `/h/${code}/files?field=scan&name=a`, undefined);
    const at = { "Content-Length": String(LIMITS.formBytes) };
    const largest = await linkHolder.go("POST", `/h/${code}/act`, new FormData(), at);
    expect([large.status, none.status]).toEqual([413, 411]);
    expect(large.html).toContain("larger than 10 MB. Please choose a smaller file");
    // An empty form has no known action.
    expect(largest.status).toBe(400);
  });
});
