/** Sends malformed input to sessions of its own while the run lasts, and compares them with what they were. */
import { Random } from "../../live/random.ts";
import {
  answerProblem,
  BOUND_TITLE,
  type MalformedAnswer,
  type Surface,
} from "../laws/malformed.ts";
import { BINDINGS, FORGED_HEADER_VARS } from "../malformed/forged-headers.ts";
import { operationsOf } from "../malformed/http-requests.ts";
import { sendMalformed, type Attempt, type Described } from "../malformed/sender.ts";
import { ComparedSession } from "../malformed/target-session.ts";
import type { Observations, ObservedRun, Observer } from "../observer.ts";
import { patientClient, patientSend } from "./patient-client.ts";

/** How often each surface is drawn. Sockets are slow. */
const WEIGHTS: Readonly<Record<Surface, number>> = {
  HTTP: 60,
  "HTTP bytes": 8,
  MCP: 12,
  pages: 7,
  sockets: 6,
  "forged headers": 7,
};
/** Refused requests between two comparisons of the session. */
const BATCH = 7;
/** Requests after which a new session is used: the log has grown, and tokens are old. */
const LIFE = 400;
const MAX_PROBLEMS = 20;
const TRIES = 10;

export interface MalformedOptions {
  readonly requests?: number;
  /** Sessions side by side. */
  readonly lanes?: number;
  readonly surfaces?: readonly Surface[];
}

export class MalformedObserver implements Observer {
  readonly vars = FORGED_HEADER_VARS;
  readonly #options: MalformedOptions;
  readonly #seen = {
    counts: new Map<string, Map<string, number>>(),
    operations: new Set<string>(),
    tools: new Set<string>(),
    codes: new Set<string>(),
    suspects: [] as MalformedAnswer[],
    compared: 0,
    changes: [] as string[],
    valid: { sent: 0, refusals: [] as string[] },
    isServing: true,
  };
  #left: number;
  #run: ObservedRun | null = null;
  #lanes: Promise<unknown> = Promise.resolve();

  constructor(options: MalformedOptions = {}) {
    this.#options = options;
    this.#left = options.requests ?? Number.POSITIVE_INFINITY;
  }

  async start(run: ObservedRun): Promise<void> {
    this.#run = run;
    const client = patientClient(run.url);
    const { body: api } = await client.call("GET", "/openapi.json");
    this.#seen.codes = new Set(api.components.schemas.Problem.properties.code.enum);
    const listed = await client.call("POST", "/mcp", {
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      headers: { Accept: "application/json, text/event-stream" },
    });
    const json = listed.body ?? JSON.parse(/^data: (.*)$/m.exec(listed.text)?.[1] ?? "{}");
    const bound = await Promise.all(
      BINDINGS.map((bind) => client.create({ title: BOUND_TITLE, bind })),
    );
    const { tools } = json.result;
    const { url } = run;
    const server = { url, api, operations: operationsOf(api), tools, bound };
    const random = new Random(run.seed);
    const lanes = Array.from({ length: this.#options.lanes ?? 2 }, () => random.fork());
    this.#lanes = Promise.all(lanes.map((own) => this.#lane(server, own)));
  }

  /** Until as many requests were sent as were ordered. */
  async finished(): Promise<void> {
    await this.#lanes;
  }

  async observe(): Promise<void> {
    this.#left = 0;
    await this.#lanes;
    const { status } = await patientClient(this.#run?.url ?? "").call("GET", "/healthz");
    this.#seen.isServing = status === 200;
  }

  async stop(): Promise<void> {
    this.#left = 0;
    await this.#lanes;
  }

  figures(): Readonly<Record<string, number>> {
    const answers = [...this.#seen.counts].map(([surface, row]) => {
      const count = [...row.values()].reduce((sum, one) => sum + one, 0);
      return [`malformed: ${surface}`, count] as const;
    });
    return {
      ...Object.fromEntries(answers),
      "malformed: comparisons": this.#seen.compared,
      "malformed: valid writes": this.#seen.valid.sent,
    };
  }

  contribute(observations: Observations): Observations {
    return { ...observations, malformed: { ...this.#seen, outages: this.#run?.outages ?? [] } };
  }

  get #isOver(): boolean {
    const { suspects, changes, valid } = this.#seen;
    const problems = suspects.length + changes.length + valid.refusals.length;
    return this.#left <= 0 || problems > MAX_PROBLEMS + 10 * (this.#run?.outages.length ?? 0);
  }

  async #lane(server: Described, random: Random): Promise<void> {
    while (!this.#isOver) {
      const session = await this.#create();
      if (await session.remember()) await this.#use(session, server, random);
    }
  }

  /** A link that is opened while the server is killed may be used up: then another session is made. */
  async #create(): Promise<ComparedSession> {
    const { url = "" } = this.#run ?? {};
    for (let tries = TRIES; ; tries -= 1) {
      try {
        return await ComparedSession.create(patientClient(url), patientSend, url);
      } catch (error) {
        if (tries === 1) throw error;
      }
    }
  }

  /** Until the session has ended or is old. */
  async #use(session: ComparedSession, server: Described, random: Random): Promise<void> {
    const sent: string[] = [];
    const last = (count: number): string => sent.slice(-count).join("\n  ");
    let refused = 0;
    for (let done = 0; done < LIFE && !this.#isOver; done += 1) {
      this.#left -= 1;
      const attempt = await sendMalformed(this.#draw(random), server, session, random);
      this.#record(attempt);
      sent.push(attempt.answer.sent);
      // If no answer came, its tokens may be spent.
      if (attempt.isRefused === null) return;
      if (attempt.isRefused) {
        refused += 1;
        if (refused < BATCH) continue;
        const change = await session.difference();
        this.#seen.compared += 1;
        if (change !== null) this.#seen.changes.push(`${change}\n  ${last(BATCH)}`);
      }
      refused = 0;
      if (!(await session.remember())) return;
      if (!random.chance(0.1)) continue;
      const { isOver, refusal } = await session.write();
      this.#seen.valid.sent += 1;
      if (refusal !== null) this.#seen.valid.refusals.push(`${refusal}\n  ${last(3 * BATCH)}`);
      if (isOver) return;
    }
  }

  #draw(random: Random): Surface {
    const { surfaces } = this.#options;
    return surfaces === undefined ? (random.weighted(WEIGHTS) as Surface) : random.pick(surfaces);
  }

  #record({ answer, counted: [what, ended], operation, tool }: Attempt): void {
    const row = this.#seen.counts.get(what) ?? new Map<string, number>();
    this.#seen.counts.set(what, row.set(ended, (row.get(ended) ?? 0) + 1));
    if (operation !== undefined) this.#seen.operations.add(operation);
    if (tool !== undefined) this.#seen.tools.add(tool);
    if (answerProblem(answer, this.#seen.codes) !== null) this.#seen.suspects.push(answer);
  }
}
