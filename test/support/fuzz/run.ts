/**
 * The fuzzing of a running server: lanes side by side, each with a session of its own and one request
 * at a time, all drawn from one seed. Ends with figures, or with the first faults and how to repeat them.
 */
import { Client } from "../client.ts";
import { Chance } from "./chance.ts";
import { isNextOf, Lane } from "./lane.ts";
import { mcpAttempt, mcpOutcome, type McpTool } from "./mcp-requests.ts";
import { pageAttempt } from "./page-requests.ts";
import { rawAttempt } from "./raw-requests.ts";
import { attempt, operationsOf, type Description, type Operation } from "./requests.ts";
import { talk } from "./socket-talk.ts";
import { faultOf } from "./verdict.ts";
import { Wire, type Received, type Sent } from "./wire.ts";

export interface FuzzPlan {
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  readonly lanes?: number;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzOutcome {
  readonly requests: number;
  /** How often each surface answered what. */
  readonly tally: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly operations: ReadonlySet<string>;
  readonly tools: ReadonlySet<string>;
  /** Sessions compared with what they were after refused requests, and found the same. */
  readonly compared: number;
  readonly faults: readonly string[];
}

const LANES = 8;
/** Refused requests between two looks at the session. */
const BATCH = 7;
/** Requests after which a lane begins anew: its log has grown, its tokens are old. */
const LIFE = 400;
const FAULTS_SHOWN = 20;
/** Requests shown beside a fault whose cause came before it. */
const RECENT = 20;

export async function fuzz(plan: FuzzPlan): Promise<FuzzOutcome> {
  const run = new Run(plan);
  await run.prepare();
  const lanes = plan.lanes ?? LANES;
  const share = Math.ceil(plan.requests / lanes);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      run.lane(new Chance(plan.seed * 1_000 + lane), share),
    ),
  );
  run.wire.close();
  return run.outcome();
}

class Run {
  readonly wire: Wire;
  readonly #plan: FuzzPlan;
  readonly #client: Client;
  readonly #tally = new Map<string, Map<string, number>>();
  readonly #seen = { operations: new Set<string>(), tools: new Set<string>() };
  readonly #faults: string[] = [];
  #operations: readonly Operation[] = [];
  #description: Description = { paths: {} };
  #tools: readonly McpTool[] = [];
  #codes: ReadonlySet<string> = new Set();
  #done = 0;
  #compared = 0;

  constructor(plan: FuzzPlan) {
    this.#plan = plan;
    this.wire = new Wire(plan.url);
    this.#client = new Client(fetch, plan.url);
  }

  async prepare(): Promise<void> {
    const { body } = await this.#client.call("GET", "/openapi.json");
    this.#description = body;
    this.#operations = operationsOf(body);
    this.#codes = new Set(body.components.schemas.Problem.properties.code.enum);
    const listed = await this.#client.call("POST", "/mcp", {
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      headers: { Accept: "application/json, text/event-stream" },
    });
    const json = listed.body ?? JSON.parse(/^data: (.*)$/m.exec(listed.text)?.[1] ?? "{}");
    this.#tools = json.result.tools;
  }

  outcome(): FuzzOutcome {
    return {
      requests: this.#done,
      tally: this.#tally,
      operations: this.#seen.operations,
      tools: this.#seen.tools,
      compared: this.#compared,
      faults: this.#faults,
    };
  }

  async lane(chance: Chance, share: number): Promise<void> {
    let done = 0;
    while (done < share && this.#faults.length < FAULTS_SHOWN) {
      const lane = await Lane.begin(this.#client, this.#plan.url);
      if (!(await lane.look())) return this.#fault("begin", "a new session cannot be read");
      done += await this.#live(lane, chance, Math.min(LIFE, share - done));
    }
  }

  /** Until the session has ended or is old. */
  async #live(lane: Lane, chance: Chance, most: number): Promise<number> {
    let done = 0;
    const refused: string[] = [];
    const recent: string[] = [];
    while (done < most && this.#faults.length < FAULTS_SHOWN) {
      const { count, isRefused, what } = await this.#one(lane, chance);
      done += count;
      this.#count(count);
      recent.push(what);
      if (recent.length > RECENT) recent.shift();
      if (isRefused) {
        refused.push(what);
        if (refused.length < BATCH && done < most) continue;
      }
      // Before an accepted one is looked at, what was refused before it can no longer be told apart.
      if (isRefused) {
        const change = await lane.changed();
        if (change !== null)
          this.#fault(refused.join("\n  "), `a refused request changed the session: ${change}`);
        else this.#compared += 1;
      }
      refused.length = 0;
      if (!(await lane.look())) return done;
      if (!chance.is(0.1)) continue;
      const life = await lane.proveAlive();
      if (life === "ended") return done;
      if (life !== "alive") this.#fault(recent.join("\n  "), life);
    }
    return done;
  }

  async #one(
    lane: Lane,
    chance: Chance,
  ): Promise<{ count: number; isRefused: boolean; what: string }> {
    const kind = chance.below(100);
    try {
      if (kind < 66) return await this.#api(lane, chance);
      if (kind < 74) return await this.#bytes(lane, chance);
      if (kind < 86) return await this.#mcp(lane, chance);
      if (kind < 93) return await this.#page(lane, chance);
      return await this.#talk(kind < 97 ? "baton" : "arcp", lane, chance);
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#fault("see the seed", what);
      return { count: 1, isRefused: false, what };
    }
  }

  async #api(lane: Lane, chance: Chance) {
    const operation = chance.pick(this.#operations);
    // What ends a session is tried, but not so often that nothing else is.
    const isFatal = /purge|cancel$|finalize|reject$/.test(operation.id) && chance.is(0.7);
    const { sent, by } = attempt(
      isFatal ? chance.pick(this.#operations) : operation,
      lane,
      this.#description,
      chance,
    );
    this.#seen.operations.add(operation.id);
    const received = await this.#exchange("HTTP", sent, "api");
    if (by !== null) this.#take(lane, by, received);
    const isRead = sent.method === "GET" || sent.method === "HEAD" || sent.method === "OPTIONS";
    return { count: 1, isRefused: received.status >= 400 || isRead, what: shown(sent, received) };
  }

  async #bytes(lane: Lane, chance: Chance) {
    const { bytes, isCut } = rawAttempt(lane, chance);
    const received = await this.wire.raw(bytes, isCut);
    const fault = faultOf(received, { codes: this.#codes, kind: "bytes", method: "GET" });
    const what = `bytes ${JSON.stringify(
      bytes
        .toString("latin1")
        .replaceAll(/rtok_[\w-]+/g, "<token>")
        .slice(0, 300),
    )} → ${received.status}`;
    this.#note("HTTP bytes", received.status === 0 ? "closed" : String(received.status));
    if (fault !== null) this.#fault(what, fault);
    this.#take(lane, "owner", received);
    return { count: 1, isRefused: received.status === 0 || received.status >= 400, what };
  }

  async #mcp(lane: Lane, chance: Chance) {
    const sent = mcpAttempt(this.#tools, lane, chance);
    const received = await this.#exchange("MCP", sent, "mcp");
    const name = /"name":"(\w+)"/.exec(sent.body.toString("utf8"))?.[1];
    if (name !== undefined) this.#seen.tools.add(name);
    const { fault, isRefused } =
      received.status < 400 ? mcpOutcome(received, this.#codes) : { fault: null, isRefused: true };
    if (fault !== null) this.#fault(shown(sent, received), fault);
    this.#take(lane, "owner", received);
    return { count: 1, isRefused, what: shown(sent, received) };
  }

  async #page(lane: Lane, chance: Chance) {
    const sent = pageAttempt(lane, chance);
    const received = await this.#exchange("pages", sent, "page");
    return { count: 1, isRefused: received.status >= 400, what: shown(sent, received) };
  }

  async #talk(face: "baton" | "arcp", lane: Lane, chance: Chance) {
    const { frames, ended, fault, token } = await talk(this.#plan.url, face, lane, chance);
    this.#note(face === "baton" ? "WebSocket" : "ARCP", ended, frames);
    if (token !== null && isNextOf(token, lane.credentials.owner)) lane.credentials.owner = token;
    if (fault !== null) this.#fault(`a ${face} socket`, fault);
    return { count: frames, isRefused: false, what: face };
  }

  async #exchange(surface: string, sent: Sent, kind: "api" | "mcp" | "page"): Promise<Received> {
    const received = await this.wire.exchange(sent);
    this.#note(surface, String(received.status));
    const fault = faultOf(received, { codes: this.#codes, kind, method: sent.method });
    if (fault !== null) this.#fault(shown(sent, received), fault);
    return received;
  }

  /** The next token of whoever wrote. */
  #take(lane: Lane, by: "owner" | "guest", received: Received): void {
    const found =
      received.headers["resume-token"] ??
      /\\?"resume_?[tT]oken\\?":\\?"(rtok_[\w-]+)/.exec(received.text)?.[1];
    if (received.status < 300 && found !== undefined && isNextOf(found, lane.credentials[by])) {
      lane.credentials[by] = found;
    }
  }

  #note(surface: string, status: string, count = 1): void {
    const row = this.#tally.get(surface) ?? new Map<string, number>();
    this.#tally.set(surface, row.set(status, (row.get(status) ?? 0) + count));
  }

  #count(count: number): void {
    this.#done += count;
    this.#plan.onProgress?.(this.#done);
  }

  #fault(what: string, fault: string): void {
    this.#faults.push(`seed ${this.#plan.seed}: ${fault}\n  ${what}`);
  }
}

/** Without the credentials: what a fuzzer prints ends in logs. */
const shown = ({ method, path, headers, body }: Sent, { status }: Received): string =>
  [
    `${method} ${path.slice(0, 200)} → ${status}`,
    ...headers.map(([name, value]) => `${name}: ${value.slice(0, 100)}`),
    body.toString("utf8").slice(0, 600),
  ]
    .join(" | ")
    .replaceAll(/[rj]tok_[\w-]+/g, "<token>");
