/**
 * A scripted model that follows only the tools' descriptions: begins, asks a person, waits, forgets
 * everything but the title, finds the session again and ends it. Sizes are printed by BATON_TESTS=all.
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
  const begin = model.find(/creates? a session|begins? a session/i, /resume_token/);
  const begun = await model.call(begin, { title: TITLE, schema });
  const write = model.find(/sets? fields|writes? fields/i);
  const written = await model.call(write, {
    resume_token: begun["resume_token"],
    fields: { amount: 420 },
  });
  expect(JSON.stringify(written).length).toBeLessThan(1_000);
  const handOff = model.find(/person/i, /link/i, /hand/i);
  const handed = await model.call(handOff, {
    resume_token: written["resume_token"],
    scopes: ["fill"],
    question: "Which number can we call you on?",
  });
  // What it was told to give to the person is in the answer.
  const { url } = handed as unknown as { url: string };
  const wait = model.find(/waits? for/i, /handoff\.answered/);
  const asked = { resume_token: handed["resume_token"], types: ["handoff.answered"] };
  const nothing = await model.call(wait, { ...asked, timeout_ms: 0 });
  expect(nothing["event"]).toBeNull();
  const waiting = model.call(wait, { ...asked, after: nothing["next_after"] });
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
  expect(listBytes).toBeLessThan(25_000);
  if (isWhole) console.log(`tool list ${listBytes} bytes, answers`, Object.fromEntries(sizes));
}

it("a model goes from begin to the end by what the tools say, over the loss of all it knew", async () => {
  await createAndHandOff();

  // All it kept is a summary: "the session is called Water damage on Oak Street".
  await using model = await ScriptedModel.connect(server.url, key);
  const list = model.find(/lists? the sessions/i);
  const words = "water damage";
  await expect
    .poll(async () => (await model.call(list, { q: words }))["sessions"])
    .toMatchObject([{ title: TITLE, state: "submitted" }]);
  const found = await model.call(list, { q: words });
  const [{ id }] = found["sessions"] as [{ id: string }];
  const open = model.find(/lost token/i);
  const opened = await model.call(open, { session_id: id });
  const look = model.find(/^Read a session/);
  const seen = await model.call(look, { resume_token: opened["resume_token"] });
  expect(JSON.stringify(seen)).toContain("+351 912 345 678");
  const finish = model.find(/ends? a submitted/i);
  const ended = await model.call(finish, { resume_token: seen["resume_token"] });
  expect(JSON.stringify(ended)).toContain("finalized");
  checkSizes(model);
});

it("a model with a handle that was cut off is told so first, and how it gets the old session back", async () => {
  await using model = await ScriptedModel.connect(server.url, key);
  const begin = model.find(/creates? a session|begins? a session/i, /resume_token/);
  const begun = await model.call(begin, { title: "Cut off" });
  const resume = model.find(/missed since/i, /invalid, expired or gone/i);
  const cut = String(begun["resume_token"]).slice(0, 40);
  const fresh = await model.call(resume, { resume_token: cut });
  expect(String(fresh["text"])).toMatch(/^WARNING \(.*malformed.*cut off.*open_session/s);
  expect(fresh["outcome"]).toBe("fresh");
  // It does what the warning says: drops the new one and opens the old one.
  const drop = model.find(/^Cancel/, /ends? the session/i);
  await model.call(drop, { resume_token: fresh["resume_token"] });
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
