/**
 * Plays one script with one client's player and says what was not as it must be. What holds for every
 * script is checked here: each write has a key, what is repeated is the same to the byte, a lost write
 * is repeated before the next one, and a log has no hole.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientProcess, ClientProcesses } from "./client-process.ts";
import { startScriptedProxy, type SeenRequest } from "./scripted-proxy.ts";
import type { ClientScript, Step } from "./script.ts";
import { Person } from "../person.ts";

/** The shortest key that the server takes for beginning a session. */
const KEY_LENGTH = 22;

export async function runScript(
  script: ClientScript,
  server: string,
  all: ClientProcesses,
  bug: string | null = null,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "baton-script-"));
  const players = new Map<string, Promise<ClientProcess>>();
  const saved = new Map<string, unknown>();
  const wrong: string[] = [];
  /** Whoever acts now: it is the one that a fault of its step kills. */
  let acting = "";
  const kill = async (): Promise<void> => (await players.get(acting))?.kill();
  // One for all clients, because a saved session keeps the address that it was begun at.
  const proxy = await startScriptedProxy(server, kill);

  const playerOf = (name: string): Promise<ClientProcess> => {
    const player = players.get(name) ?? all.start({ url: proxy.url, folder, bug });
    players.set(name, player);
    return player;
  };

  const play = async (step: Step): Promise<void> => {
    if (step.do === "person") return answerAsPerson(server, filled(step, saved) as Step);
    const { client = "a", faults = [], expect, save = {}, ...asked } = step;
    const player = await playerOf(client);
    const answer = await player.run(filled(asked, saved) as object);
    const place = `${step.do}: `;
    const isKilled = faults.some((fault) => fault === "killBefore" || fault === "killAfter");
    if (isKilled !== (answer === null)) {
      wrong.push(`${place}the client ${isKilled ? "lives" : "died"}`);
    }
    if (answer === null) {
      players.delete(client);
      return;
    }
    const outcome = answer.error ?? answer.value;
    wrong.push(...differences(outcome, filled(expect, saved)).map((one) => place + one));
    for (const [name, path] of Object.entries(save)) saved.set(name, at(answer.value, path));
  };

  try {
    for (const entry of script.steps) {
      const steps = "do" in entry ? [entry] : entry;
      acting = steps[0]?.client ?? "a";
      proxy.plan(steps.flatMap(({ faults = [] }) => faults));
      await Promise.all(steps.map(play));
      if (proxy.unused.length > 0) wrong.push(`${steps[0]?.do}: not enough requests were made`);
    }
    for (const [name, expected] of Object.entries(script.logs)) {
      const log = await readLog(server, folder, name);
      wrong.push(...differences(log, expected).map((one) => `log of ${name}: ${one}`));
      if (log.some(({ seq }, index) => seq !== index + 1)) wrong.push(`log of ${name}: a hole`);
    }
    for (const player of players.values()) all.release(await player);
    players.clear();
    return [...wrong, ...againstTheRules(proxy.seen)];
  } finally {
    for (const player of players.values()) await (await player).kill();
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Somebody in a browser, beside the clients: opens a link and presses submit. */
async function answerAsPerson(server: string, { code, inputs }: Step): Promise<void> {
  const person = new Person(fetch, server);
  const { html } = await person.open(String(code));
  await person.press(String(code), html, "submit", inputs as Record<string, string>);
}

/** Straight from the server, with the token that the client saved. */
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
  // A file's bytes may be sent as often as one likes until they are confirmed.
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
    wrong.push("a token stands in a query string");
  }
  return wrong;
}

/** What an outcome lacks of what is expected: members of objects, and lists entry by entry. */
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

/** Without what could be a secret. */
const show = (value: unknown): string =>
  (JSON.stringify(value) ?? "nothing").replaceAll(/(rtok|jtok)_[\w-]+/g, "$1_…").slice(0, 300);

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], value);

/** "$name" stands for what was saved under it. */
function filled(value: unknown, saved: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string" && value.startsWith("$")) return saved.get(value.slice(1));
  if (Array.isArray(value)) return value.map((one) => filled(one, saved));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, saved)]));
}
