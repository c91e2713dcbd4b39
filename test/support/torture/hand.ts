/**
 * One participant: takes its steps one after another, keeps its line of tokens as a client does, and
 * writes down what it asked and what it was told.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../live/random.ts";
import { bodyOf, bytesOf, uploadOf } from "./bodies.ts";
import type { Outcome } from "./checker/history.ts";
import { known, TERMINAL } from "./checker/operations.ts";
import type { Step } from "./plan.ts";
import type { Recorder } from "./recorder.ts";
import { openLink } from "./person.ts";
import { sendFile } from "./files.ts";
import { readAnswer, requestOf, tokenParts, type Answered, type Asked } from "./requests.ts";
import { send, type Fate } from "./send.ts";
import { appendBySocket, Closed } from "./socket-append.ts";
import type { World } from "./world.ts";

/** An answer that does not come for so long is given up: the server comes back sooner. */
const PATIENCE_MS = 60_000;
/** How often it hears that all is over before it believes it. */
const FAREWELLS = 3;

export class Hand {
  readonly number: number;
  readonly #world: World;
  readonly #recorder: Recorder;
  readonly #sessionId: string;
  readonly #tag: string;
  /** For what depends on timing, so that the plan does not. */
  readonly #whim: Random;
  readonly #line: string[];
  /** First tokens of those it made while it played. */
  readonly made: string[] = [];
  #looked: number | null = null;
  #head = 0;
  #asked = 0;
  #farewells = 0;

  constructor(
    world: World,
    recorder: Recorder,
    session: { readonly id: string; readonly tag: string },
    token: string,
    whim: Random,
  ) {
    this.#world = world;
    this.#recorder = recorder;
    this.#sessionId = session.id;
    this.#whim = whim;
    this.#line = [token];
    this.number = tokenParts(token).participant;
    this.#tag = `${session.tag}p${this.number}`;
  }

  get token(): string {
    return this.#line.at(-1) ?? "";
  }

  get isDone(): boolean {
    return this.#farewells >= FAREWELLS;
  }

  /** Insists, and tells what it was answered in the end. */
  handOff(scopes: readonly string[]): Promise<Answered | null> {
    const step = { name: "handoff", way: "http", fate: "whole", arg: 1, pauseMs: 0 } as const;
    const choice = { isInsistent: true, isConditional: false, isStale: false };
    return this.#write({ ...step, ...choice }, { scopes });
  }

  async take(step: Step): Promise<Answered | null> {
    if (step.name === "putUpload") return this.#sendFile(step);
    if (step.name === "get" || step.name === "events") return this.#look(step);
    const answer = await this.#write(step);
    if (step.name === "handoff" && answer?.madeToken != null) this.made.push(answer.madeToken);
    if (answer?.childToken !== undefined) this.#recorder.childTokens.push(answer.childToken);
    if (answer?.link !== undefined) await this.#openTwice(answer.link);
    return answer;
  }

  /** Those it made look once: they are shown the session, or fell with it. */
  async probeMade(): Promise<void> {
    const session = { id: this.#sessionId, tag: this.#tag };
    for (const token of this.made) {
      const made = new Hand(this.#world, this.#recorder, session, token, this.#whim);
      this.#recorder.scopes.set(made.number, ["view"]);
      await made.take({ name: "get", way: "http", fate: "whole", arg: 0 } as Step);
    }
  }

  /** By two people at once: only one of them is to be let in. */
  async #openTwice(link: NonNullable<Answered["link"]>): Promise<void> {
    this.#recorder.codes.push(link.code);
    const { url } = this.#world.server;
    const names = ["a", "b"].map((which) => `${this.#tag}n${this.#asked}${which}`);
    await Promise.all(
      names.map((name) => openLink(url, this.#recorder, link, name, this.#whim.fork())),
    );
  }

  async #sendFile({ arg, fate }: Step): Promise<null> {
    this.#asked += 1;
    const id = `${this.#tag}n${this.#asked}`;
    const place = { sessionId: this.#sessionId, upload: uploadOf(arg), token: this.token };
    const sent = { id, ...place, bytes: bytesOf(id) };
    await sendFile(this.#world.server.url, this.#recorder, sent, fate);
    return null;
  }

  async #write(step: Step, extra: object = {}): Promise<Answered | null> {
    this.#asked += 1;
    const id = `${this.#tag}n${this.#asked}`;
    const said = bodyOf(step.name, step.arg, id, this.#head);
    const { spends } = known(step.name);
    const token = (step.isStale && spends ? this.#line.at(-2) : undefined) ?? this.token;
    // A trim spares an append for as long as its key is remembered, so that some have none.
    const isKeyed = step.way === "socket" || step.arg % (step.name === "append" ? 3 : 8) !== 0;
    const isResumeByTool = step.way === "mcp" && step.name === "resume";
    const ifMatch =
      step.isConditional && step.name !== "append" && !isResumeByTool ? this.#looked : null;
    const asked = {
      name: step.name,
      sessionId: this.#sessionId,
      token,
      key: isKeyed ? `${id}-key` : null,
      ifMatch,
      body: { ...said.body, ...extra },
    };
    const after = step.way === "socket" ? this.#head : said.body["lastEventSeq"];
    const invoked = Date.now();
    const { answer, hasLostAttempt } = await this.#ask(asked, step, isKeyed && step.isInsistent);
    const outcome = outcomeOf(answer, spends, hasLostAttempt && step.way !== "http");
    this.#recorder.operation(step.way, {
      id,
      name: step.name,
      participant: this.number,
      token: tokenParts(token).seq,
      ifMatch,
      mark: said.mark,
      ...(said.auto === true ? { auto: true } : {}),
      ...(typeof after === "number" ? { after } : {}),
      ...(step.name === "confirmUpload" ? { upload: uploadOf(step.arg) } : {}),
      hasLostAttempt,
      invoked,
      outcome,
    });
    if (answer !== null) this.#learn(step.name, answer, token, said.body["lastEventSeq"]);
    return answer;
  }

  /** Once, or with the same key until there is an answer. */
  async #ask(
    asked: Omit<Asked, "way">,
    step: Step,
    isInsistent: boolean,
  ): Promise<{ answer: Answered | null; hasLostAttempt: boolean }> {
    const began = Date.now();
    let { fate } = step;
    for (let hasLostAttempt = false; ; hasLostAttempt = true) {
      const answer = await this.#attempt(asked, step, fate).catch((error: unknown) => {
        if (!(error instanceof Closed)) throw error;
        this.#farewells += 1;
        return "closed" as const;
      });
      if (answer === "closed") return { answer: null, hasLostAttempt: true };
      if (answer !== null) return { answer, hasLostAttempt };
      if (!isInsistent || Date.now() - began > PATIENCE_MS) return { answer, hasLostAttempt: true };
      await sleep(this.#whim.between(10, 150));
      fate = this.#whim.chance(0.15) ? this.#whim.pick(["lost", "cut", "unheard"]) : "whole";
    }
  }

  async #attempt(asked: Omit<Asked, "way">, { way }: Step, fate: Fate): Promise<Answered | null> {
    const { server, streamUrl } = this.#world;
    if (way === "socket") return appendBySocket(streamUrl, asked, this.#head, fate);
    const heard = await send(server.url, requestOf({ ...asked, way }), fate);
    return heard === null ? null : readAnswer(way, heard);
  }

  async #look({ name, way, arg, fate }: Step): Promise<null> {
    if (way === "socket") return null;
    this.#asked += 1;
    const id = `${this.#tag}n${this.#asked}`;
    const after = arg % (this.#head + 1);
    const limit = 1 + (arg % 40);
    const body =
      name === "get"
        ? {}
        : { path: `/events?after=${after}&limit=${limit}`, query: { after, limit } };
    const asked = {
      name,
      sessionId: this.#sessionId,
      token: this.token,
      key: null,
      ifMatch: null,
      body,
    };
    const invoked = Date.now();
    const answer = await this.#attempt(asked, { way } as Step, fate);
    if (answer === null) return null;
    if (answer.events !== undefined) {
      this.#recorder.streams.push({ id: `${id} by ${way}`, after, events: answer.events });
    }
    const { number: participant } = this;
    if (answer.code === null && answer.shown !== undefined) {
      this.#recorder.read(way, { id, participant }, answer.shown, invoked);
    }
    if (answer.code !== null) {
      const outcome = outcomeOf(answer, false, false);
      const token = tokenParts(this.token).seq;
      const looked = { id, name, participant, token, after, ifMatch: null, mark: null };
      this.#recorder.operation(way, { ...looked, hasLostAttempt: false, invoked, outcome });
    }
    this.#learn(name, answer, this.token, undefined);
    return null;
  }

  #learn(name: string, answer: Answered, spent: string, resumedAfter: unknown): void {
    const { code, shown, from, token } = answer;
    if (shown !== undefined) {
      this.#looked = shown.version;
      this.#head = Math.max(this.#head, shown.head);
    }
    if (token !== null && token !== spent) this.#line.push(token);
    if (name === "resume" && answer.events !== undefined) {
      const id = `${this.#tag}n${this.#asked} by resume`;
      this.#recorder.streams.push({ id, after: Number(resumedAfter), events: answer.events });
    }
    const isOver = code === "illegal_transition" && TERMINAL.has(from ?? "");
    const isCutOff = code === "token_superseded" && spent === this.token;
    const isGone = code === "expired" || code === "token_invalid" || code === "gone";
    if (isOver || isCutOff || isGone) this.#farewells += 1;
  }
}

/** A tool does not say that it repeats itself: after a lost attempt it may be doing so. */
function outcomeOf(answer: Answered | null, spends: boolean, mayRepeat: boolean): Outcome {
  if (answer === null) return { kind: "unknown" };
  const { code, replayed, token, first, shown, from, missed } = answer;
  const showing = shown === undefined ? {} : { shown };
  if (code === null) {
    const commit = spends ? tokenParts(token ?? "").seq : (first ?? 0);
    return { kind: "ok", commit, replayed: replayed || mayRepeat, ...showing };
  }
  return {
    kind: "refused",
    code,
    ...showing,
    ...(from === undefined ? {} : { from }),
    ...(missed === undefined ? {} : { missed }),
  };
}
