/**
 * Runs one script with one client's player and returns the differences. The rules of every script are
 * checked here: each write has a key, a repeated request is identical to the byte, a lost write is
 * repeated before the next one, and a log has no gap.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientProcess, ClientProcesses } from "./client-process.ts";
import { startScriptedProxy, type SeenRequest } from "./scripted-proxy.ts";
import type { ClientScript, Step } from "./script.ts";
import { Person } from "../person.ts";

/** The minimum key length that the server accepts for creating a session. */
const KEY_LENGTH = 22;

export async function runScript(
  script: ClientScript,
  server: string,
  all: ClientProcesses,
  bug: string | null = null,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "baton-script-"));
  const processes = new Map<string, Promise<ClientProcess>>();
  const saved = new Map<string, unknown>();
  const wrong: string[] = [];
  /** The process of the current step. A fault of the step kills it. */
  let acting = "";
  const kill = async (): Promise<void> => (await processes.get(acting))?.kill();
  // One proxy for all clients, because a saved session stores the address it was created at.
  const proxy = await startScriptedProxy(server, kill);

  const processOf = (name: string): Promise<ClientProcess> => {
    const clientProcess = processes.get(name) ?? all.start({ url: proxy.url, folder, bug });
    processes.set(name, clientProcess);
    return clientProcess;
  };

  const runStep = async (step: Step): Promise<void> => {
    if (step.do === "person") return answerAsPerson(server, filled(step, saved) as Step);
    const { client = "a", faults = [], expect, save = {}, ...command } = step;
    const clientProcess = await processOf(client);
    const answer = await clientProcess.run(filled(command, saved) as object);
    const position = `${step.do}: `;
    const isKilled = faults.some((fault) => fault === "killBefore" || fault === "killAfter");
    if (isKilled !== (answer === null)) {
      wrong.push(`${position}the client ${isKilled ? "lives" : "died"}`);
    }
    if (answer === null) {
      processes.delete(client);
      return;
    }
    const outcome = answer.error ?? answer.value;
    wrong.push(...differences(outcome, filled(expect, saved)).map((one) => position + one));
    for (const [name, path] of Object.entries(save)) saved.set(name, at(answer.value, path));
  };

  try {
    for (const entry of script.steps) {
      const steps = "do" in entry ? [entry] : entry;
      acting = steps[0]?.client ?? "a";
      proxy.plan(steps.flatMap(({ faults = [] }) => faults));
      await Promise.all(steps.map(runStep));
      if (proxy.unused.length > 0) wrong.push(`${steps[0]?.do}: not enough requests were made`);
    }
    for (const [name, expected] of Object.entries(script.logs)) {
      const log = await readLog(server, folder, name);
      wrong.push(...differences(log, expected).map((one) => `log of ${name}: ${one}`));
      if (log.some(({ seq }, index) => seq !== index + 1)) wrong.push(`log of ${name}: a hole`);
    }
    for (const clientProcess of processes.values()) all.release(await clientProcess);
    processes.clear();
    return [...wrong, ...againstTheRules(proxy.seen)];
  } finally {
    for (const clientProcess of processes.values()) await (await clientProcess).kill();
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Acts as a person in a browser: opens a link and presses submit. */
async function answerAsPerson(server: string, { code, inputs }: Step): Promise<void> {
  const person = new Person(fetch, server);
  const { html } = await person.open(String(code));
  await person.press(String(code), html, "submit", inputs as Record<string, string>);
}

/** Reads directly from the server, with the token that the client saved. */
async function readLog(
  server: string,
  folder: string,
  name: string,
): Promise<readonly { readonly seq: number }[]> {
  const file = readFileSync(join(folder, `${encodeURIComponent(name)}.json`), "utf8");
  const { sessionId, token } = JSON.parse(file) as { sessionId: string; token: string };
  const url = `${server}/sessions/${sessionId}/events?after=0&limit=1000`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const { events } = (await answer.json()) as { events?: { seq: number }[] };
  return events ?? [];
}

function againstTheRules(seen: readonly SeenRequest[]): readonly string[] {
  // A file's bytes may be sent any number of times until they are confirmed.
  const writes = seen.filter(({ method }) => method !== "GET" && method !== "PUT");
  const wrong = writes
    .filter(({ key }) => key === null || key.length < KEY_LENGTH)
    .map(({ method, path }) => `${method} ${path.split("/").at(-1)}: no key`);
  const byKey = Map.groupBy(writes, ({ key }) => key);
  for (const same of byKey.values()) {
    const texts = new Set(same.map((one) => JSON.stringify(one)));
    if (texts.size > 1) wrong.push("a repeated request is not the same");
  }
  if (seen.some(({ path }) => path.split("?")[1]?.includes("rtok_") === true)) {
    wrong.push("a query string contains a token");
  }
  return wrong;
}

/** Compares an outcome with the expected members of objects and entries of lists. */
function differences(real: unknown, expected: unknown, path = ""): readonly string[] {
  if (expected === undefined) return [];
  if (Array.isArray(expected)) {
    if (!Array.isArray(real)) return [`${path} is ${show(real)}, not a list`];
    if (real.length !== expected.length) {
      return [`${path} has ${real.length} entries, not ${expected.length}: ${show(real)}`];
    }
    return expected.flatMap((one, index) => differences(real[index], one, `${path}[${index}]`));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof real !== "object" || real === null) return [`${path} is ${show(real)}`];
    return Object.entries(expected).flatMap(([name, one]) =>
      differences((real as Record<string, unknown>)[name], one, `${path}.${name}`),
    );
  }
  return real === expected ? [] : [`${path} is ${show(real)}, not ${show(expected)}`];
}

/** Prints a value without anything that could be a secret. */
const show = (value: unknown): string =>
  (JSON.stringify(value) ?? "nothing").replaceAll(/(rtok|jtok)_[\w-]+/g, "$1_…").slice(0, 300);

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], value);

/** Replaces "$name" with the value saved under that name. */
function filled(value: unknown, saved: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string" && value.startsWith("$")) return saved.get(value.slice(1));
  if (Array.isArray(value)) return value.map((one) => filled(one, saved));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, saved)]));
}
