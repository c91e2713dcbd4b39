/** Runs a plan on a driver and returns what happened as a history. */
import { ParticipantClient, type ClientContext } from "./client.ts";
import type { DrivenSession, Driver } from "./driver.ts";
import type { History, PurgeObservation } from "./history.ts";
import type { FirstRequest } from "./observer.ts";
import type { FaultyWorld } from "./network/faulty-world.ts";
import type { Reader } from "./network/reader.ts";
import { operationOf } from "./operations.ts";
import type { FaultStep, Plan, SendStep, Step } from "./plan.ts";
import { Recorder, UNAUTHENTICATED } from "./recorder.ts";
import { sleep } from "./sleep.ts";

/** In a sequential plan, participants beyond this number take no steps. */
const MAX_CLIENTS = 6;
/** Requests that were cut off may still be at work for a moment. */
const SETTLE_MS = 300;
/** How long a reader may need to catch up, with kills in between. */
const CATCH_UP_MS = 60_000;
/** Past the end of a short life, so that its alarm has a chance to come, once or twice. */
const LINGER_MS = 1_200;
/** Sessions that live shorter than this expire while they are used. */
export const SHORT_TTL_MS = 60_000;

export const SEND: SendStep = {
  kind: "send",
  who: 0,
  action: "send",
  operation: "get",
  arg: 0,
  isKeyed: true,
  condition: "none",
  fate: "whole",
  retry: "now",
  way: "http",
  pauseMs: 0,
};

export interface RunOptions {
  /** Part of every mark: no two sessions of a run share it. */
  readonly tag?: string;
  /** Called once the session exists. */
  readonly onCreated?: (session: DrivenSession) => void;
  /** What the creator sends before anything else. */
  readonly firstRequests?: readonly FirstRequest[];
  /** Called at the end with the newest token of the creator. */
  readonly onEnded?: (token: string) => void;
}

/** Null if no session could be created, because its life was too short for that. */
export async function runPlan(
  driver: Driver,
  plan: Plan,
  { tag = "s", onCreated, onEnded, firstRequests = [] }: RunOptions = {},
): Promise<History | null> {
  const recorder = new Recorder(driver);
  const invoked = driver.now();
  const session = await driver.create(plan.settings, tag);
  if (session === null) return null;
  recordCreate(recorder, session, invoked);
  onCreated?.(session);
  const run = new PlanRun({ driver, session, recorder, tag }, plan);
  await run.join(firstRequests);
  await (plan.isConcurrent ? run.takeStepsAtOnce() : run.takeSteps());
  const history = await run.finish();
  onEnded?.(run.token);
  return history;
}

function recordCreate(recorder: Recorder, session: DrivenSession, invoked: number): void {
  const { shown, replayed } = session.created;
  recorder.operation({
    ...UNAUTHENTICATED,
    id: "create",
    name: "create",
    way: "http",
    participant: 1,
    mark: null,
    invoked,
    hasLostAttempt: replayed,
    outcome: { kind: "ok", commit: 1, replayed, shown: shown ?? undefined },
  });
}

class PlanRun {
  readonly #context: ClientContext;
  readonly #session: DrivenSession;
  readonly #network: FaultyWorld | undefined;
  readonly #plan: Plan;
  readonly #clients: ParticipantClient[];
  #readers: readonly Reader[] = [];
  /** As it was before a purge. */
  #last: History | null = null;

  constructor(context: ClientContext, plan: Plan) {
    const { session, driver } = context;
    this.#context = context;
    this.#session = session;
    this.#network = driver.network;
    this.#plan = plan;
    this.#clients = [new ParticipantClient(context, session.token, session.created.shown)];
  }

  /** The creator's newest token. */
  get token(): string {
    return this.#clients[0]?.token ?? "";
  }

  /** The creator hands off to each planned participant. */
  async join(firstRequests: readonly FirstRequest[]): Promise<void> {
    const [creator] = this.#clients;
    for (const { operation, args } of firstRequests)
      await creator?.take({ ...SEND, operation }, args);
    for (const scopes of this.#plan.participants) {
      await creator?.take({ ...SEND, operation: "handoff" }, { scopes });
      this.#admit(this.#plan.participants.length + 1);
    }
  }

  async takeSteps(): Promise<void> {
    for (const step of this.#plan.steps) {
      if (step.kind === "wait") await this.#session.wait?.(step.minutes, step.alarm);
      if (step.kind === "fault") await this.#network?.strike(this.#session.id, step);
      if (step.kind !== "send") continue;
      const client = this.#clients[step.who % this.#clients.length];
      if (step.operation === "purge") await this.#keep();
      await this.#take(client, step);
      this.#admit(MAX_CLIENTS);
    }
  }

  async takeStepsAtOnce(): Promise<void> {
    const { steps, settings } = this.#plan;
    const viewer = this.#clients.at(-1);
    this.#readers = this.#network?.startReaders(this.#session.id, viewer?.token ?? "") ?? [];
    const faults = steps.filter((step) => step.kind === "fault");
    await Promise.all([
      this.#strikeAll(faults, Date.now()),
      ...this.#clients.map((client, who) =>
        this.#takeOwn(
          client,
          steps.filter((step) => step.kind === "send" && step.who === who),
        ),
      ),
    ]);
    if (settings.ttlMs < SHORT_TTL_MS) await sleep(LINGER_MS);
    await sleep(SETTLE_MS);
    for (const client of this.#clients) await this.#probeMade(client);
    await this.#stopReaders();
    await viewer?.take(SEND);
  }

  async finish(): Promise<History> {
    const { recorder, session, driver } = this.#context;
    for (const client of this.#clients) client.flush();
    const isPurged = recorder.operations.some(
      ({ name, outcome }) => name === "purge" && outcome.kind === "ok",
    );
    if (!isPurged) await this.#keep();
    if (this.#last === null) throw new Error("a purge keeps the history before it");
    const { operations, streams } = recorder;
    const history = { ...this.#last, id: session.id, operations, streams };
    if (!this.#plan.settings.isPurged || this.#network === undefined || !driver.losesMessages) {
      return history;
    }
    const purge = await this.#purge(this.#network);
    return purge === null ? history : { ...history, purge };
  }

  async #takeOwn(client: ParticipantClient, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.kind !== "send" || client.isDone || this.#network?.isOver() === true) return;
      await this.#take(client, step);
      if (step.pauseMs > 0) await sleep(step.pauseMs);
    }
  }

  async #take(client: ParticipantClient | undefined, step: SendStep): Promise<void> {
    const answer = await client?.take(step);
    if (answer?.link == null || this.#network === undefined) return;
    // Two people open it at the same time: only one of them may succeed.
    const { recorder } = this.#context;
    const { link } = answer;
    recorder.codes.push(link.code);
    const names = ["a", "b"].map((which) => `${this.#context.tag}l${link.participant}${which}`);
    const fates =
      step.arg % 5 === 0 ? (["cut off", "answer lost"] as const) : (["whole", "whole"] as const);
    await Promise.all(
      names.map((name, n) => this.#network?.openLink(recorder, link, name, fates[n] ?? "whole")),
    );
  }

  async #strikeAll(faults: readonly FaultStep[], started: number): Promise<void> {
    for (const fault of faults) {
      await sleep(Math.max(0, started + fault.atMs - Date.now()));
      await this.#network?.strike(this.#session.id, fault);
    }
  }

  /** Those that a client made look once: they are shown the session, or were revoked with their maker. */
  async #probeMade(client: ParticipantClient): Promise<void> {
    for (const token of client.made.filter((one) => !this.#isClient(one))) {
      await new ParticipantClient(this.#context, token).take(SEND);
    }
  }

  async #stopReaders(): Promise<void> {
    const { commits } = await this.#session.stored();
    // A reader that knows the end of the session need not come back for what may follow it.
    const isLate = new Set(["fork", "setLabels", "erasePrivate"]);
    const end = commits.findLast((commit) => !isLate.has(operationOf(commit) ?? ""));
    // An expired session shows nothing, so no reader can be expected to have read it all.
    const target = this.#plan.settings.ttlMs < SHORT_TTL_MS ? 0 : (end?.last ?? 0);
    for (const reader of this.#readers) reader.stopAt(target);
    await Promise.race([Promise.all(this.#readers.map(({ done }) => done)), sleep(CATCH_UP_MS)]);
    for (const reader of this.#readers) {
      this.#context.recorder.streams.push({ ...reader.stream(), target });
      reader.stopAt(0);
    }
  }

  async #keep(): Promise<void> {
    const { recorder, session } = this.#context;
    const stored = await session.stored();
    if (stored.stored === null && this.#last !== null) return;
    const gathered = await this.#network?.gather(
      recorder,
      session.id,
      stored.commits,
      this.#clients.at(-1)?.token ?? "",
    );
    this.#last = recorder.history(session.id, {
      ...stored,
      ...gathered,
      announcements: session.announcements?.(),
    });
  }

  /** While all others go on. */
  async #purge(network: FaultyWorld): Promise<PurgeObservation | null> {
    const { recorder, session } = this.#context;
    const [owner, ...others] = this.#clients;
    const progress = { isOver: false };
    const writing = others.map(async ({ token }) => {
      while (!progress.isOver) await network.appendOnce(session.id, token);
    });
    // A sequential plan comes out alike each time.
    const isDone = await network.purge(session.id, owner?.token ?? "", this.#plan.isConcurrent);
    progress.isOver = true;
    await Promise.all(writing);
    if (!isDone) return null;
    const tokens = this.#clients.map(({ token, number }) => ({
      what: `participant ${number}`,
      token,
    }));
    return network.inspectPurged(session.id, tokens, recorder.codes);
  }

  #isClient(token: string): boolean {
    const { participant } = this.#context.driver.tokenParts(token);
    return this.#clients.some(({ number }) => number === participant);
  }

  /** New participants take part from now on, up to this number of clients. */
  #admit(most: number): void {
    for (const token of this.#clients.flatMap(({ made }) => made)) {
      if (this.#isClient(token) || this.#clients.length >= most) continue;
      this.#clients.push(new ParticipantClient(this.#context, token));
    }
  }
}
