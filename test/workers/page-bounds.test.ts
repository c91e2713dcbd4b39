/** The person's page and the console apply the same limits as the API. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { sendFrom } from "../support/caller";
import { signIn } from "../support/console";
import { createLinkedSession, person } from "../support/links";
import { createOwner } from "../support/test-owner";
import { formOf, hiddenIn } from "../support/person";
import { client } from "../support/worker";

const FILES = {
  properties: { scans: { type: "array", items: { type: "object", format: "file" } } },
};

describe("a form", () => {
  it("uploads a file with a type of mediaTypeLength characters, and with a longer one as a generic type", async () => {
    const { session, code, token } = await createLinkedSession({}, { schema: FILES });
    const linkHolder = person();
    const { html } = await linkHolder.open(code);
    const longestType = "text/".padEnd(LIMITS.mediaTypeLength, "x");
    const form = new FormData();
    for (const [name, text] of Object.entries(formOf(html))) form.append(name, text);
    form.append("action", "save");
    for (const type of [longestType, `${longestType}x`]) {
      form.append("file/scans", new File(["x"], "a", { type }));
    }
    await linkHolder.go("POST", `/h/${code}/act`, form, { "Content-Length": "20000" });
    const { body } = await client.on(session, "GET", "", { token });
    const types = body.session.fields.scans.map(({ type }: { type: string }) => type);
    expect(types).toEqual([longestType, "application/octet-stream"]);
  });
});

const reviewed = async () => {
  const created = await createLinkedSession({ scopes: ["review"] }, { review: { required: true } });
  const { session, token } = created;
  await client.on(session, "POST", "/submit", { token, body: {} });
  const linkHolder = person();
  return { ...created, linkHolder, page: await linkHolder.open(created.code) };
};
/** Comments that take the given number of bytes in their event. */
const comments = (bytes: number): Record<string, string> => {
  const fields: Record<string, string> = {};
  const left = (): number => bytes - JSON.stringify({ fields }).length;
  for (let n = 0; left() > 8_000; n += 1) fields[`f${n}`] = "x".repeat(LIMITS.textLength);
  fields["last"] = "";
  const rest = left();
  fields["last"] = "x".repeat(Math.min(rest, LIMITS.textLength));
  if (left() > 0) fields["z"] = "x".repeat(left() - ',"z":""'.length);
  expect(JSON.stringify({ fields })).toHaveLength(bytes);
  return fields;
};
const onPage = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([key, text]) => [`comment/f/${key}`, text]));

describe("the comments of a reviewer", () => {
  it("are at most the bytes of one event", async () => {
    const { code, linkHolder, page } = await reviewed();
    const press = (bytes: number) =>
      linkHolder.press(code, page.html, "requestChanges", onPage(comments(bytes)));
    expect((await press(LIMITS.eventBytes + 1)).status).toBe(413);
    expect((await press(LIMITS.eventBytes)).status).toBe(200);
  });

  it("cannot name a field that the API would refuse", async () => {
    const { session, code, linkHolder, page, token } = await reviewed();
    for (const field of ["__proto__", "x".repeat(LIMITS.fieldNameLength + 1)]) {
      const sent = await linkHolder.press(
        code,
        page.html,
        "requestChanges",
        onPage({ [field]: "no" }),
      );
      expect(sent.status, field).toBe(422);
    }
    const now = await client.on(session, "GET", "", { token });
    expect(now.body.session?.state ?? now.body.current.state).toBe("needs_review");
  });
});

describe("the console", () => {
  it("accepts a reason of textLength characters, and redirects only to itself", async () => {
    const owner = createOwner();
    const session = await owner.client.create();
    const consoleUser = await signIn(owner.settings, owner.key);
    const reason = "x".repeat(LIMITS.textLength);
    await consoleUser.post(`/console/sessions/${session.id}/pause`, { reason: `${reason}y` });
    const log = await owner.client.on(session, "GET", "/events?type=session.paused&after=0", {
      token: session.token,
    });
    expect(log.body.events[0].payload.reason).toBe(reason);
    const send = sendFrom({}, owner.settings);
    const first = await send(new Request("http://localhost:8787/console"));
    const nonce = hiddenIn(await first.text(), "nonce");
    const body = new URLSearchParams({ nonce, key: owner.key, to: "/console?\n" }).toString();
    const answer = await send(
      new Request("http://localhost:8787/console/sign-in", {
        method: "POST",
        redirect: "manual",
        headers: {
          Cookie: first.headers.getSetCookie()[0]?.split(";")[0] ?? "",
          "Content-Type": "application/x-www-form-urlencoded",
          "Content-Length": String(body.length),
        },
        body,
      }),
    );
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/console"]);
  });
});
