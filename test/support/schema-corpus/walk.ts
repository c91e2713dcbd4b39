/**
 * Takes one schema through the whole path of a person: a session over HTTP, its page, the form as a real
 * browser reads it, decoded, and submitted unchanged. Reports the outcome.
 */
import type { Page } from "playwright-core";
import { canonicalJson, type Json, type JsonObject } from "../../../src/domain/json.ts";
import { answersIn } from "../../../src/ui/form/answers.ts";
import { formModel } from "../../../src/ui/form/fields.ts";
import { readChildren } from "../../../src/ui/form/read.ts";
import type { SharedServer } from "../server.ts";
import { Person } from "../person.ts";
import type { Case } from "./suite.ts";

export interface WalkResult {
  readonly outcome: "answered" | "drawn" | "refused schema" | "refused value" | "failed";
  readonly why: string;
}

const walkResult = (outcome: WalkResult["outcome"], why = ""): WalkResult => ({ outcome, why });

export async function walk(server: SharedServer, page: Page, one: Case): Promise<WalkResult> {
  const created = await createSession(server, one);
  if ("outcome" in created) return created;
  const { id, token } = created;
  const handoff = await server.client.call("POST", `/sessions/${id}/handoffs`, {
    token,
    body: { to: "human", scopes: ["fill"] },
  });
  const code = new URL(handoff.body.handoff.url).pathname.split("/")[2] ?? "";
  const person = new Person((request) => fetch(request), server.url);
  const seen = await person.open(code);
  if (seen.status !== 200) return walkResult("failed", `the page answered ${seen.status}`);
  const entries = await entriesIn(page, seen.html);
  if (entries === null) return walkResult("failed", "the page has no form");
  if (Object.keys(one.fields).length === 0) return walkResult("drawn");
  const lost = decodingProblem(one, new Map(entries));
  if (lost !== null) return walkResult("failed", lost);
  return submit(server, person, { code, id, entries, token: handoff.body.resumeToken }, one);
}

async function createSession(
  { client }: SharedServer,
  { schema, fields }: Case,
): Promise<{ readonly id: string; readonly token: string } | WalkResult> {
  const answer = await client.call("POST", "/sessions", { body: { schema, fields } });
  if (answer.status === 201) return { id: answer.body.session.id, token: answer.body.resumeToken };
  const { code } = answer.body;
  if (answer.status >= 500) return walkResult("failed", `creating answered ${answer.status}`);
  // The field or the schema is not supported, so there is nothing to render.
  return walkResult(code === "invalid_fields" ? "refused value" : "refused schema", answer.text);
}

type Entries = readonly (readonly [string, string])[];

/** The entries that a browser would send for the form in this page. */
const entriesIn = (page: Page, html: string): Promise<Entries | null> =>
  page.evaluate((text) => {
    // Runs in the browser, whose types are not available here.
    const { DOMParser: Parser, FormData: Data } = globalThis as never as {
      DOMParser: new () => {
        parseFromString(text: string, type: string): { getElementById(id: string): object | null };
      };
      FormData: new (form: object) => Iterable<[string, unknown]>;
    };
    const form = new Parser().parseFromString(text, "text/html").getElementById("form");
    if (form === null) return null;
    return [...new Data(form)].flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    );
  }, html);

/** Null if the form's texts decode to exactly the rendered value. */
function decodingProblem(
  { schema, fields }: Case,
  texts: ReadonlyMap<string, string>,
): string | null {
  const input = {
    schema: schema as JsonObject,
    fields,
    language: "en",
    ask: null,
    show: [],
    texts,
  };
  const model = formModel(input);
  const { root, children } = model;
  const { value: decodedAgain } = readChildren({ root, texts }, children, fields, fields);
  const { changes } = answersIn(model, texts, fields);
  if (Object.keys(changes).length > 0) return `would be changed: ${JSON.stringify(changes)}`;
  for (const { key } of children.filter((child) => child.key !== "")) {
    const [before, now] = [fields[key], decodedAgain[key]].map((one) => canonicalJson(one ?? null));
    if (before !== now) return `${key} was ${before} and became ${now}`;
  }
  return null;
}

interface DrawnForm {
  readonly code: string;
  readonly id: string;
  readonly entries: Entries;
  readonly token: string;
}

async function submit(
  { client }: SharedServer,
  person: Person,
  { code, id, entries, token }: DrawnForm,
  { fields }: Case,
): Promise<WalkResult> {
  const form = { ...Object.fromEntries(entries), action: "submit" };
  const answer = await person.go("POST", `/h/${code}/act`, form);
  const { body } = await client.call("GET", `/sessions/${id}`, { token });
  const { state, fields: now } = body.session as { state: string; fields: Json };
  if (state !== "submitted") {
    const errors = [...answer.html.matchAll(/class="error"[^>]*>([^<]*)/g)].map(([, text]) => text);
    return walkResult("failed", `refused with ${answer.status}: ${errors.join(" | ")}`);
  }
  return canonicalJson(now) === canonicalJson(fields as Json)
    ? walkResult("answered")
    : walkResult("failed", `the session holds ${canonicalJson(now)}`);
}
