/** Sends malformed input to sessions of its own while the run lasts, and compares them with what they were. */
import { Random } from "../../live/random.ts";
import {
  answerProblem,
  BOUND_TITLE,
  type MalformedAnswer,
  type MalformedObservation,
  type Surface,
} from "../laws/malformed.ts";
import { BINDINGS, FORGED_HEADER_VARS } from "../malformed/forged-headers.ts";
import { operationsOf } from "../malformed/http-requests.ts";
import { MalformedSender, type Attempt } from "../malformed/sender.ts";
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
const MOST_PROBLEMS = 20;
const TRIES = 10;

export interface MalformedOptions {
  readonly requests?: number;
  /** Sessions side by side. */
  readonly lanes?: number;
  readonly surfaces?: readonly Surface[];
}

export class MalformedObserver implements Observer {
  readonly name = "malformed input";
  readonly vars = FORGED_HEADER_VARS;
  readonly #options: MalformedOptions;
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #operations = new Set<string>();
  readonly #tools = new Set<string>();
  readonly #suspects: MalformedAnswer[] = [];
  readonly #changes: string[] = [];
  readonly #refusals: string[] = [];
  #compared = 0;
  #written = 0;
  #left: number;
  #run: ObservedRun | null = null;
  #codes: ReadonlySet<string> = new Set();
  #sender: MalformedSender | null = null;
  #lanes: Promise<unknown> = Promise.resolve();
  #isServing = true;

  constructor(options: MalformedOptions = {}) {
    this.#options = options;
    this.#left = options.requests ?? Number.POSITIVE_INFINITY;
  }

  async start(run: ObservedRun): Promise<void> {
    this.#run = run;
    const client = patientClient(run.url);
    const { body: api } = await client.call("GET", "/openapi.json");
    this.#codes = new Set(api.components.schemas.Problem.properties.code.enum);
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
    const sender = new MalformedSender({ url, api, operations: operationsOf(api), tools, bound });
    this.#sender = sender;
    const random = new Random(run.seed);
    const lanes = Array.from({ length: this.#options.lanes ?? 2 }, () => random.fork());
    this.#lanes = Promise.all(lanes.map((own) => this.#lane(sender, own)));
  }

  /** Until as many requests were sent as were ordered. */
  async finished(): Promise<void> {
    await this.#lanes;
  }

  async observe(): Promise<void> {
    this.#left = 0;
    await this.#lanes;
    const { status } = await patientClient(this.#run?.url ?? "").call("GET", "/healthz");
    this.#isServing = status === 200;
  }

  async stop(): Promise<void> {
    this.#left = 0;
    await this.#lanes;
    this.#sender?.close();
  }

  figures(): Readonly<Record<string, number>> {
    const answers = [...this.#counts].map(([surface, row]) => {
      const count = [...row.values()].reduce((sum, one) => sum + one, 0);
      return [`malformed: ${surface}`, count] as const;
    });
    return {
      ...Object.fromEntries(answers),
      "malformed: comparisons": this.#compared,
      "malformed: valid writes": this.#written,
    };
  }

  contribute(observations: Observations): Observations {
    const malformed: MalformedObservation = {
      counts: this.#counts,
      operations: this.#operations,
      tools: this.#tools,
      codes: this.#codes,
      suspects: this.#suspects,
      compared: this.#compared,
      changes: this.#changes,
      valid: { sent: this.#written, refusals: this.#refusals },
      outages: this.#run?.outages ?? [],
      isServing: this.#isServing,
    };
    return { ...observations, malformed };
  }

  get #isOver(): boolean {
    const problems = this.#suspects.length + this.#changes.length + this.#refusals.length;
    return this.#left <= 0 || problems > MOST_PROBLEMS + 10 * (this.#run?.outages.length ?? 0);
  }

  async #lane(sender: MalformedSender, random: Random): Promise<void> {
    while (!this.#isOver) {
      const session = await this.#create();
      if (await session.remember()) await this.#use(session, sender, random);
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
  async #use(session: ComparedSession, sender: MalformedSender, random: Random): Promise<void> {
    const sent: string[] = [];
    const last = (count: number): string => sent.slice(-count).join("\n  ");
    let refused = 0;
    for (let done = 0; done < LIFE && !this.#isOver; done += 1) {
      this.#left -= 1;
      const attempt = await sender.send(this.#draw(random), session, random);
      this.#record(attempt);
      sent.push(attempt.answer.sent);
      // If no answer came, its tokens may be spent.
      if (attempt.isRefused === null) return;
      if (attempt.isRefused) {
        refused += 1;
        if (refused < BATCH) continue;
        const change = await session.difference();
        this.#compared += 1;
        if (change !== null) this.#changes.push(`${change}\n  ${last(BATCH)}`);
      }
      refused = 0;
      if (!(await session.remember())) return;
      if (!random.chance(0.1)) continue;
      const { isOver, refusal } = await session.write();
      this.#written += 1;
      if (refusal !== null) this.#refusals.push(`${refusal}\n  ${last(3 * BATCH)}`);
      if (isOver) return;
    }
  }

  #draw(random: Random): Surface {
    const { surfaces } = this.#options;
    return surfaces === undefined ? (random.weighted(WEIGHTS) as Surface) : random.pick(surfaces);
  }

  #record({ answer, counted: [what, ended], operation, tool }: Attempt): void {
    const row = this.#counts.get(what) ?? new Map<string, number>();
    this.#counts.set(what, row.set(ended, (row.get(ended) ?? 0) + 1));
    if (operation !== undefined) this.#operations.add(operation);
    if (tool !== undefined) this.#tools.add(tool);
    if (answerProblem(answer, this.#codes) !== null) this.#suspects.push(answer);
  }
}
