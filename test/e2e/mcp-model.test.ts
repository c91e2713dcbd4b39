/**
 * A scripted model that follows only the tools' descriptions: it creates a session, asks a person,
 * waits, forgets everything but the title, finds the session again and ends it. BATON_TESTS=all
 * prints the sizes.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { isWhole } from "../support/scale.ts";
import { ScriptedModel } from "../support/model.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { Person } from "../support/person.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const folder = temporaryFolder();
const key = newKey();
let server: Server;
beforeAll(async () => {
  const OWNERS = ownersText({ acme: [key] });
  server = await startServer(folder.path, undefined, { OWNERS });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const TITLE = "Water damage on Oak Street";

async function createAndHandOff(): Promise<string> {
  await using model = await ScriptedModel.connect(server.url, key);
  const schema = {
    type: "object",
    properties: { amount: { type: "integer" }, phone: { type: "string" } },
    required: ["amount", "phone"],
  };
  const createTool = model.find(/creates? a session|begins? a session/i, /resume_token/);
  const created = await model.call(createTool, { title: TITLE, schema });
  const write = model.find(/sets? fields|writes? fields/i);
  const written = await model.call(write, {
    resume_token: created["resume_token"],
    fields: { amount: 420 },
  });
  expect(JSON.stringify(written).length).toBeLessThan(1_000);
  const handOff = model.find(/person/i, /link/i, /hand/i);
  const handoff = await model.call(handOff, {
    resume_token: written["resume_token"],
    scopes: ["fill"],
    question: "Which number can we call you on?",
  });
  // The link for the person is in the answer.
  const { url } = handoff as unknown as { url: string };
  const wait = model.find(/waits? for/i, /handoff\.answered/);
  const waitArguments = { resume_token: handoff["resume_token"], types: ["handoff.answered"] };
  const nothing = await model.call(wait, { ...waitArguments, timeout_ms: 0 });
  expect(nothing["event"]).toBeNull();
  const waiting = model.call(wait, { ...waitArguments, after: nothing["next_after"] });
  await answer(url);
  expect((await waiting)["event"]).toMatchObject({ type: "handoff.answered" });
  checkSizes(model);
  return url;
}

async function answer(url: string): Promise<void> {
  const code = url.split("/").at(-1) ?? "";
  const person = new Person(fetch, server.url);
  const { html } = await person.open(code, "Ada");
  const inputs = { "f/phone": "+351 912 345 678" };
  expect((await person.press(code, html, "submit", inputs)).status).toBe(200);
}

function checkSizes({ listBytes, sizes }: ScriptedModel): void {
  expect(listBytes).toBeLessThan(26_000);
  if (isWhole) console.log(`tool list ${listBytes} bytes, answers`, Object.fromEntries(sizes));
}

it("a model completes a session by the tools' descriptions alone, although it loses its context", async () => {
  await createAndHandOff();

  // It remembers only a summary: "the session is called Water damage on Oak Street".
  await using model = await ScriptedModel.connect(server.url, key);
  const list = model.find(/lists? the sessions/i);
  const query = "water damage";
  await expect
    .poll(async () => (await model.call(list, { q: query }))["sessions"])
    .toMatchObject([{ title: TITLE, state: "submitted" }]);
  const found = await model.call(list, { q: query });
  const [{ id }] = found["sessions"] as [{ id: string }];
  const open = model.find(/lost token/i);
  const opened = await model.call(open, { session_id: id });
  const readTool = model.find(/^Read a session/);
  const seen = await model.call(readTool, { resume_token: opened["resume_token"] });
  expect(JSON.stringify(seen)).toContain("+351 912 345 678");
  const finish = model.find(/ends? a submitted/i);
  const ended = await model.call(finish, { resume_token: seen["resume_token"] });
  expect(JSON.stringify(ended)).toContain("finalized");
  checkSizes(model);
});

it("a model with a fenced handle first learns that, and how it gets the old session back", async () => {
  await using model = await ScriptedModel.connect(server.url, key);
  const createTool = model.find(/creates? a session|begins? a session/i, /resume_token/);
  const created = await model.call(createTool, { title: "Cut off" });
  const resume = model.find(/missed since/i, /invalid, expired or gone/i);
  const cut = String(created["resume_token"]).slice(0, 40);
  const fresh = await model.call(resume, { resume_token: cut });
  expect(String(fresh["text"])).toMatch(/^WARNING \(.*malformed.*cut off.*open_session/s);
  expect(fresh["outcome"]).toBe("fresh");
  // It follows the warning: it drops the new session and opens the old one.
  const cancelTool = model.find(/^Cancel/, /ends? the session/i);
  await model.call(cancelTool, { resume_token: fresh["resume_token"] });
  const list = model.find(/lists? the sessions/i);
  await expect
    .poll(async () => (await model.call(list, { q: "cut off" }))["sessions"])
    .toHaveLength(1);
  const wrong = await model.call(model.find(/lost token/i), { session_id: 7 });
  expect([wrong["isError"], String(wrong["text"])]).toEqual([
    true,
    expect.stringMatching(/session_id/),
  ]);
});
