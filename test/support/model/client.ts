/**
 * One participant as a client: it keeps its line of tokens, what it last saw, and the request it may have to
 * send again. It knows only the answers that it received; the recorder also learns the answers that were lost.
 */
import type { Answer, DrivenSession, Driver, ModelRequest } from "./driver.ts";
import { fingerprint, type Arguments, type Operation, type Outcome, type Span } from "./history.ts";
import {
  FILE_BYTES,
  isRead,
  OPERATIONS,
  rowOf,
  TERMINAL,
  type OperationName,
} from "./operations.ts";
import type { Fate, Retry, SendStep } from "./plan.ts";
import type { Recorder } from "./recorder.ts";
import { sleep } from "./sleep.ts";

/** A client gives up on an answer after so long: a killed server comes back sooner. */
const PATIENCE_MS = 60_000;
/** After so many refusals that say that the session has ended, it stops. */
const FINAL_REFUSALS = 3;

export interface ClientContext {
  readonly driver: Driver;
  readonly session: DrivenSession;
  readonly recorder: Recorder;
  /** Part of every mark: no two sessions of a run share it. */
  readonly tag: string;
}

export class ParticipantClient {
  readonly number: number;
  /** First tokens of those it made. */
  readonly made: string[] = [];
  readonly #context: ClientContext;
  readonly #line: string[];
  #looked: number | null;
  #head: number;
  #sent = 0;
  #finalRefusals = 0;
  /** Sent without an answer, and to be sent again at the next step. */
  #pending: ModelRequest | null = null;
  #pendingSince = 0;
  #accepted: ModelRequest | null = null;
  #appended: ModelRequest | null = null;

  constructor(context: ClientContext, token: string, shown: Answer["shown"] = null) {
    this.#context = context;
    this.#line = [token];
    this.#looked = shown?.version ?? null;
    this.#head = shown?.head ?? 0;
    this.number = context.driver.tokenParts(token).participant;
  }

  get token(): string {
    return this.#line.at(-1) ?? "";
  }

  /** It was refused often enough to know that nothing is left to do. */
  get isDone(): boolean {
    return this.#finalRefusals >= FINAL_REFUSALS;
  }

  /** What the last answer that it received was, or null. */
  async take(step: SendStep, args: Arguments = {}): Promise<Answer | null> {
    const planned = this.#requestFor(step);
    if (planned === null) return null;
    const isGiven = Object.keys(args).length > 0;
    const request = isGiven ? { ...planned, args: { ...planned.args, ...args } } : planned;
    if (step.operation === "putUpload") return this.#putFile(request, step.fate);
    const retry = request.key === null && !isRead(request.name) ? "never" : step.retry;
    return this.#context.driver.losesMessages
      ? this.#insist(request, step.fate, retry)
      : this.#simulate(request, step.fate, retry);
  }

  /** Records what was never sent again. */
  flush(): void {
    const { recorder, driver } = this.#context;
    if (this.#pending === null || !driver.losesMessages) return;
    const unanswered = { outcome: { kind: "unknown" }, hasLostAttempt: true } as const;
    const invoked = this.#pendingSince;
    recorder.operation({ ...this.#described(this.#pending), invoked, ...unanswered });
    this.#pending = null;
  }

  #requestFor(step: SendStep): ModelRequest | null {
    const known = (step.arg % 2 === 0 ? this.#appended : null) ?? this.#accepted ?? this.#appended;
    switch (step.action) {
      case "repeat":
        return known;
      case "alter":
        return known === null ? null : alter(known, this.token, step.arg);
      case "stale":
        return this.#request(step, this.#line[step.arg % this.#line.length]);
      case "send":
        return this.#pending ?? this.#request(step);
    }
  }

  #request(step: SendStep, token = this.token): ModelRequest {
    this.#sent += 1;
    const id = `${this.#context.tag}p${this.number}n${this.#sent}`;
    const { operation: name, arg, condition, way } = step;
    const row = rowOf(name);
    // What may get lost has a key, as with every client of ours, unless it is never sent again.
    const isKeyed =
      step.isKeyed || way === "socket" || (step.fate !== "whole" && step.retry !== "never");
    const isTool = way === "mcp";
    const takesCondition =
      !isRead(name) &&
      name !== "reportStop" &&
      !(isTool && name === "resume") &&
      !(name === "append" && way !== "http");
    return {
      id,
      name,
      way,
      token,
      key: isKeyed && (row.spends || name in KEYED) && name !== "purge" ? `${id}-key` : null,
      ifMatch:
        condition === "none" || this.#looked === null || !takesCondition
          ? null
          : this.#looked - (condition === "outdated" ? 1 : 0),
      args: row.args({ arg, mark: id, head: this.#head }),
      head: this.#head,
    };
  }

  /** The driver loses nothing: the run itself withholds the request or its answer. */
  async #simulate(request: ModelRequest, fate: Fate, retry: Retry): Promise<Answer | null> {
    if (fate !== "request lost") {
      const answer = await this.#observe(request);
      if (fate === "whole") {
        this.#learn(request, answer);
        return answer;
      }
    }
    if (retry === "now") return this.#simulate(request, "whole", retry);
    if (retry === "later") this.#pending = request;
    return null;
  }

  async #observe(request: ModelRequest): Promise<Answer> {
    const { session, recorder, driver } = this.#context;
    const before = await session.snapshot?.();
    const invoked = driver.now();
    const answer = await session.send(request, "whole");
    if (answer === null)
      throw new Error(`${request.name} got no answer from a driver that loses none`);
    const outcome = this.#outcomeOf(request, answer, false);
    const after = await session.snapshot?.();
    const observed = before &&
      after && {
        changedStorage: before.cells !== after.cells,
        rowsWritten: after.rowsWritten - before.rowsWritten,
      };
    const rest = { invoked, outcome, observed, hasLostAttempt: false };
    recorder.operation({ ...this.#described(request), ...rest });
    return answer;
  }

  /** Over a network: once, or with the same key until there is an answer. One operation in the history. */
  async #insist(request: ModelRequest, first: Fate, retry: Retry): Promise<Answer | null> {
    const { session, recorder, driver } = this.#context;
    const isPending = this.#pending === request;
    const invoked = isPending ? this.#pendingSince : driver.now();
    let hasLostAttempt = isPending;
    let answer: Answer | null = null;
    for (let fate = first; ; fate = "whole") {
      try {
        answer = await session.send(request, fate);
      } catch (error) {
        if (!(error instanceof ConnectionClosed)) throw error;
        this.#finalRefusals += 1;
        hasLostAttempt = true;
        break;
      }
      if (answer !== null) break;
      hasLostAttempt = true;
      if (retry !== "now" || driver.now() - invoked > PATIENCE_MS) break;
      await sleep(RETRY_MS);
    }
    if (answer === null && retry === "later") {
      if (!isPending) this.flush();
      this.#pending = request;
      this.#pendingSince = invoked;
      return null;
    }
    if (isPending) this.#pending = null;
    const outcome = this.#outcomeOf(request, answer, hasLostAttempt);
    // A read without an answer says nothing.
    if (answer !== null || !isRead(request.name)) {
      recorder.operation({ ...this.#described(request), invoked, outcome, hasLostAttempt });
    }
    if (answer !== null) this.#learn(request, answer);
    return answer;
  }

  async #putFile({ id, token, args }: ModelRequest, fate: Fate): Promise<null> {
    const { session, recorder, driver } = this.#context;
    const upload = `upl_${String(args["upload"])}`;
    const bytes = id.padEnd(FILE_BYTES, ".").slice(0, FILE_BYTES);
    const file = { id, sessionId: session.id, upload, token, bytes };
    await driver.network?.sendFile(recorder, file, fate);
    return null;
  }

  #described(request: ModelRequest): Omit<Operation, keyof Span | "outcome" | "hasLostAttempt"> {
    const { id, name, way, token, key, ifMatch, args } = request;
    const { participant, seq } = this.#context.driver.tokenParts(token);
    const mark = rowOf(name).logged(args, id);
    const after = way === "socket" ? request.head : undefined;
    return { id, name, way, participant, token: seq, key, ifMatch, args, mark, after };
  }

  #outcomeOf(request: ModelRequest, answer: Answer | null, hasLostAttempt: boolean): Outcome {
    if (answer === null) return { kind: "unknown" };
    const { code, token, first, shown, from, missed } = answer;
    const showing = { shown: shown ?? undefined };
    if (code !== null) {
      const [state, events] = [from ?? undefined, missed ?? undefined];
      return { kind: "refused", code, ...showing, from: state, missed: events };
    }
    const { spends } = rowOf(request.name);
    const seq = spends && token !== null ? this.#context.driver.tokenParts(token).seq : first;
    // A tool does not say that it repeats itself.
    const isRepeated = request === this.#accepted || request === this.#appended;
    const isUncertain = request.way !== "http" && (hasLostAttempt || isRepeated);
    const replayed = answer.replayed || (isUncertain ? null : false);
    return { kind: "ok", commit: seq, replayed, ...showing, issued: issuedBy(answer) };
  }

  #learn(request: ModelRequest, answer: Answer): void {
    const { code, shown, token, madeToken, childToken, from, events } = answer;
    const { name, args } = request;
    const { recorder } = this.#context;
    if (this.#pending === request) this.#pending = null;
    if (shown !== null) {
      this.#looked = shown.version;
      this.#head = Math.max(this.#head, shown.head);
    }
    if (code === null && request.key !== null) {
      if (rowOf(name).spends) this.#accepted = request;
      else this.#appended = request;
    }
    if (token !== null && !this.#line.includes(token)) this.#line.push(token);
    if (madeToken !== null && !this.made.includes(madeToken)) this.made.push(madeToken);
    if (childToken !== null && !recorder.childTokens.includes(childToken)) {
      recorder.childTokens.push(childToken);
    }
    const after = name === "events" ? args["after"] : args["lastEventSeq"];
    if (events !== null && typeof after === "number") {
      recorder.streams.push({ id: `${request.id} by ${request.way}`, after, events });
    }
    const isOver = code === "illegal_transition" && TERMINAL.has(from ?? "");
    const isCutOff = code === "token_superseded" && request.token === this.token;
    const isGone = code === "expired" || code === "token_invalid" || code === "gone";
    if (isOver || isCutOff || isGone) this.#finalRefusals += 1;
  }
}

const RETRY_MS = 60;
/** These take a key without spending a token. */
const KEYED: Partial<Record<OperationName, true>> = { append: true, reportStop: true };

/** The connection is closed for good: the session has ended, or its token is refused. */
export class ConnectionClosed extends Error {}

const issuedBy = ({ token, madeToken, childToken, link, first }: Answer): string =>
  fingerprint(JSON.stringify([token, madeToken, childToken, link?.code ?? null, first]));

/** Another request that shares all but at most one thing with an earlier one. */
function alter(request: ModelRequest, token: string, arg: number): ModelRequest {
  const { name, args, key, ifMatch } = request;
  const id = `${request.id}x`;
  switch (arg % 3) {
    case 0:
      return { ...request, id, key: `${key}-altered` };
    case 1:
      return { ...request, id, ...otherArguments(name, args) };
    default:
      if (OPERATIONS[name as OperationName].spends) return { ...request, id, token };
      return name === "append" && request.way === "http"
        ? { ...request, id, ifMatch: (ifMatch ?? 0) + 1 }
        : { ...request, id, key: `${key}-altered` };
  }
}

function otherArguments(
  name: string,
  args: ModelRequest["args"],
): Pick<ModelRequest, "name" | "args"> {
  if (name === "append") return { name, args: { events: [{ type: "agent.other", payload: {} }] } };
  if (name === "reportStop") return { name, args: { ...args, attempt: 7 } };
  return name === "submit" ? { name: "pause", args: {} } : { name: "submit", args: {} };
}
