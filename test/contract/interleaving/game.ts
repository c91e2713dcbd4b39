/**
 * Plays a plan and watches it. What a participant has seen, which token is its newest and whose
 * the next commit must be is kept here from the answers alone, never read from the product. Long
 * because the rules of the game and what is known of its players are one state.
 */
import { expect } from "vitest";
import { fold } from "../../../src/domain/log/apply";
import { announcementProblem } from "./announced";
import { commandOf } from "./command";
import { SPENDS_NONE, type Driver, type PlayedAnswer, type PlayedRequest } from "./driver";
import { chainProblem, type AcceptedMove } from "./history";
import { plainFold, versionsOf } from "./plain-fold";
import type { Plan, PlayedOperation, Step } from "./plan";
import { alter, isAgain, newPlayer, type Player } from "./player";

const MOVES: ReadonlySet<PlayedOperation> = new Set([
  "setFields",
  "requestInput",
  "submit",
  "approve",
  "reject",
  "requestChanges",
  "finalize",
  "cancel",
  "restore",
]);
/** A fork moves its parent only where it also ends it. */
const movesVersion = ({ command }: PlayedRequest): boolean =>
  MOVES.has(command.operation) || (command.operation === "fork" && command.finalizeParent === true);
/** Decided after the version was found right. */
const AFTER_VERSION = new Set(["illegal_transition", "invalid_fields", "missing_fields"]);
const REVIEWS: ReadonlySet<PlayedOperation> = new Set(["approve", "reject", "requestChanges"]);
const FOR_OWNERS: ReadonlySet<PlayedOperation> = new Set([
  "pinCheckpoint",
  "deleteCheckpoint",
  "restore",
  "trim",
  "fork",
]);
const MOST_PLAYERS = 5;

/** How often each operation was accepted and each refusal seen, over all games. */
export type Tally = Map<string, number>;

export async function play(driver: Driver, plan: Plan, tally: Tally): Promise<void> {
  const { token, version } = await driver.begin(plan.review);
  const game = new Game(driver, tally, token, version);
  for (const scopes of plan.hands) await game.handOff(scopes);
  for (const step of plan.steps) await game.take(step);
  await game.checkStored();
}

interface Kept {
  readonly by: number | null;
  readonly appended?: readonly [number, number];
}

class Game {
  readonly #driver: Driver;
  readonly #tally: Tally;
  readonly #players: Player[];
  readonly #created: number;
  #version: number;
  readonly #moves: AcceptedMove[] = [];
  /** Whose each commit is, the server's being null, and of an append without key its seqs. */
  #commits: Kept[] = [{ by: 1 }];
  /** Seqs that trimming took, and up to where. */
  readonly #trimmed = new Set<number>();
  #floor = 0;
  /** Who made whom, and who was revoked. */
  readonly #makers = new Map<number, number>();
  readonly #revoked = new Set<number>();
  #isPurged = false;
  #marks = 0;

  constructor(driver: Driver, tally: Tally, token: string, version: number) {
    this.#driver = driver;
    this.#tally = tally;
    this.#created = version;
    this.#version = version;
    this.#players = [newPlayer(1, false, token, version)];
  }

  async handOff(scopes: Plan["hands"][number]): Promise<void> {
    const [creator] = this.#players;
    if (creator === undefined) throw new Error("the creator plays");
    const command = { operation: "handoff", to: "agent", scopes } as const;
    const request = { token: creator.token, command, key: this.#mark(), ifMatch: null };
    await this.#perform(creator, request, "answered");
  }

  async take(step: Step): Promise<void> {
    const player = this.#whoTakes(step);
    switch (step.move) {
      case "wait":
        return this.#wait(step);
      case "look":
        return this.#look(player);
      case "repeat":
        return this.#repeat(player, step, (request) => request);
      case "alter":
        return this.#repeat(player, step, (request) => alter(request, player, step.arg));
      case "stale": {
        const known = player.line.slice(0, player.line.indexOf(player.token) + 1);
        const token = known[step.arg % known.length];
        return this.#perform(player, this.#request(player, step, token), "answered");
      }
      case "act":
        return this.#perform(player, player.pending ?? this.#request(player, step), step.fate);
    }
  }

  /** What few may do is mostly tried by those who may, or no game would ever see it. */
  #whoTakes({ who, operation, arg }: Step): Player {
    const able = arg % 4 === 0 ? [] : this.#ableTo(operation);
    const candidates = able.length > 0 ? able : this.#players;
    const player = candidates[who % candidates.length];
    if (player === undefined) throw new Error("somebody plays");
    return player;
  }

  #ableTo(operation: PlayedOperation): readonly Player[] {
    if (REVIEWS.has(operation)) return this.#players.filter(({ isReviewer }) => isReviewer);
    return FOR_OWNERS.has(operation) ? this.#players.slice(0, 1) : [];
  }

  async #repeat(
    player: Player,
    { keyed }: Step,
    change: (request: PlayedRequest) => PlayedRequest,
  ): Promise<void> {
    const [append] = [...player.appends.keys()].slice(-1);
    const request = keyed && append !== undefined ? append : player.accepted?.request;
    if (request?.key != null) await this.#perform(player, change(request), "answered");
  }

  #request(player: Player, step: Step, token = player.token): PlayedRequest {
    const mark = this.#mark();
    const { condition } = step;
    // What may get lost carries a key, as every client of ours does.
    const isKeyed = step.keyed || step.fate !== "answered";
    return {
      token,
      command: commandOf(step.operation, step.arg, mark),
      key: isKeyed && step.operation !== "purge" ? mark : null,
      ifMatch:
        condition === "none" || player.looked === null || step.operation === "reportStop"
          ? null
          : player.looked - (condition === "outdated" ? 1 : 0),
    };
  }

  async #perform(player: Player, request: PlayedRequest, fate: Step["fate"]): Promise<void> {
    if (fate === "request lost") {
      player.pending = request;
      return;
    }
    const { operation } = request.command;
    if (operation === "purge") await this.checkStored();
    const before = await this.#driver.snapshot();
    const answer = await this.#driver.send(request);
    const isSame = (await this.#driver.snapshot()) === before;
    this.#count(answer.replayed ? `${operation} again` : (answer.code ?? operation));
    if (this.#isPurged) expect(answer.code).toBe("gone");
    else if (this.#revoked.has(player.number)) expect(answer.code).toBe("token_invalid");
    else expect(answer.code, "nobody revoked it").not.toBe("token_invalid");
    if (answer.code !== null) {
      expect(isSame, `a refused ${operation} (${answer.code}) wrote something`).toBe(true);
      this.#checkRefusal(player, request, answer);
    } else if (SPENDS_NONE.has(operation)) {
      this.#appended(player, request, answer, isSame);
    } else if (operation === "purge") {
      expect(request.token).toBe(player.line.at(-1));
      this.#isPurged = true;
    } else if (isAgain(player, request)) {
      expect(isSame, "a replayed write wrote something").toBe(true);
      const { token, made, child } = answer;
      expect({ ...player.accepted?.answer, token, made, child }).toEqual(player.accepted?.answer);
      expect(answer.replayed).toBe(true);
    } else {
      this.#accept(player, request, answer);
    }
    if (fate === "answered") this.#deliver(player, request, answer);
    else player.pending = request;
  }

  #accept(player: Player, request: PlayedRequest, answer: PlayedAnswer): void {
    const { operation } = request.command;
    expect(answer.replayed, "taken for one that was sent before").toBe(false);
    expect(request.token, "a spent token was accepted").toBe(player.line.at(-1));
    if (answer.token === null || answer.version === null) throw new Error("a write answers both");
    if (request.ifMatch !== null) expect(request.ifMatch).toBe(this.#version);
    if (movesVersion(request)) {
      const base = request.ifMatch ?? player.seen;
      this.#moves.push({ by: player.number, base, made: answer.version });
      expect(chainProblem(this.#created, this.#moves)).toBeNull();
      expect(player.received.has(base), "accepted over what it never received").toBe(true);
      this.#version = answer.version;
      player.seen = answer.version;
      player.received.add(answer.version);
    } else {
      expect(answer.version, `${operation} moved the version`).toBe(this.#version);
    }
    player.line.push(answer.token);
    if (operation === "resume") {
      player.seen = this.#version;
      player.fence = player.line.length - 1;
    }
    player.accepted = { request, answer };
    this.#commits.push({ by: player.number });
    expect(answer.child !== null).toBe(operation === "fork");
    expect(answer.floor !== null).toBe(operation === "trim");
    if (answer.floor !== null) this.#trim(answer.floor);
    this.#join(player, request, answer);
    this.#revoke(player.number, request.command);
  }

  /** Appends at or below the floor go, but for those whose key is remembered: no game is so long. */
  #trim(floor: number): void {
    expect(floor).toBeGreaterThanOrEqual(this.#floor);
    this.#floor = floor;
    const isGone = ({ appended }: Kept): boolean => appended !== undefined && appended[1] <= floor;
    for (const { appended } of this.#commits.filter(isGone)) {
      const [first, last] = appended ?? [0, 0];
      for (let seq = first; seq <= last; seq++) this.#trimmed.add(seq);
    }
    this.#commits = this.#commits.filter((commit) => !isGone(commit));
  }

  #join(maker: Player, { command }: PlayedRequest, { made }: PlayedAnswer): void {
    expect(made !== null).toBe(command.operation === "handoff");
    if (made === null || command.operation !== "handoff") return;
    this.#makers.set(made.number, maker.number);
    if (this.#players.length >= MOST_PLAYERS) return;
    const isReviewer = command.scopes.includes("review");
    this.#players.push(newPlayer(made.number, isReviewer, made.token, this.#version));
  }

  /** A target falls with all it made; a caller it made stays, and those the caller made. */
  #revoke(caller: number, command: PlayedRequest["command"]): void {
    if (command.operation !== "revoke" && command.operation !== "revokeHandoff") return;
    const target = command.operation === "revoke" ? command.target : command.participant;
    for (const number of [1, ...this.#makers.keys()]) {
      const line = this.#ancestry(number);
      const isKept = target === "others" ? number === caller : isBelow(line, caller, target);
      if (!isKept && (target === "others" || line.includes(target))) this.#revoked.add(number);
    }
  }

  /** The participant, its maker, the maker's maker, up to the creator. */
  #ancestry(number: number): readonly number[] {
    const maker = this.#makers.get(number);
    return maker === undefined ? [number] : [number, ...this.#ancestry(maker)];
  }

  #appended(player: Player, request: PlayedRequest, answer: PlayedAnswer, isSame: boolean): void {
    expect(player.line.indexOf(request.token)).toBeGreaterThanOrEqual(player.fence);
    const earlier = player.appends.get(request);
    expect(answer.replayed).toBe(earlier !== undefined);
    expect(isSame).toBe(earlier !== undefined);
    if (earlier !== undefined) {
      expect(answer.appended).toEqual(earlier.appended);
      return;
    }
    const { appended } = answer;
    if (appended === null) throw new Error("what spends no token answers with its seqs");
    const isTrimmable = request.command.operation === "append" && request.key === null;
    this.#commits.push({ by: player.number, ...(isTrimmable ? { appended } : {}) });
    if (request.key !== null) player.appends.set(request, answer);
  }

  #checkRefusal(player: Player, request: PlayedRequest, answer: PlayedAnswer): void {
    const { code } = answer;
    const { operation } = request.command;
    const base = request.ifMatch ?? player.seen;
    const at = player.line.indexOf(request.token);
    const isAppendAgain = player.appends.has(request) && at >= player.fence;
    if (isAgain(player, request) || isAppendAgain) {
      expect(["token_invalid", "gone"], "sent again and refused").toContain(code);
    }
    if (code === "token_superseded") {
      const limit = SPENDS_NONE.has(operation) ? player.fence : player.line.length - 1;
      expect(at, "a token that is not spent was called so").toBeLessThan(limit);
    }
    if (code === "precondition_failed") expect(request.ifMatch).not.toBe(this.#version);
    if (code === "version_conflict" && operation !== "append") {
      expect(request.ifMatch).toBeNull();
      expect(player.seen).not.toBe(this.#version);
      expect(answer.missed[0], "the missed events begin after what was seen").toBe(
        player.seen < this.#floor ? undefined : player.seen + 1,
      );
    }
    if (code === "replay_gap") expect(this.#floor).toBeGreaterThan(0);
    if (movesVersion(request) && AFTER_VERSION.has(code ?? "")) {
      expect(base, `told ${code} before the conflict`).toBe(this.#version);
    }
    if (answer.version !== null) expect(answer.version).toBe(this.#version);
  }

  #deliver(player: Player, request: PlayedRequest, answer: PlayedAnswer): void {
    if (player.pending === request) player.pending = null;
    if (answer.version !== null) {
      player.received.add(answer.version);
      player.looked = answer.version;
    }
    // A late repetition brings an older token than the one it may hold by now.
    if (answer.token !== null && answer.token === player.line.at(-1)) player.token = answer.token;
  }

  async #look(player: Player): Promise<void> {
    const before = await this.#driver.snapshot();
    const answer = await this.#driver.look(player.token);
    expect(await this.#driver.snapshot(), "a read wrote something").toBe(before);
    if (answer.code === null) expect(answer.version).toBe(this.#version);
    if (answer.version !== null) {
      player.looked = answer.version;
      player.received.add(answer.version);
    }
  }

  async #wait({ arg, keyed }: Step): Promise<void> {
    const before = await this.#driver.snapshot();
    await this.#driver.wait(arg, keyed);
    if ((await this.#driver.snapshot()) === before) return;
    const { session, events } = await this.#driver.stored();
    this.#commits.push({ by: null });
    if (events.at(-1)?.type === "resume.due") {
      expect(session.version).toBe(this.#version);
      this.#count("resume.due");
      return;
    }
    expect(session.state).toBe("expired");
    this.#count("expiry");
    this.#moves.push({ by: null, base: this.#version, made: session.version });
    this.#version = session.version;
  }

  async checkStored(): Promise<void> {
    if (this.#isPurged) return;
    const stored = await this.#driver.stored();
    const { events, commits, session, head } = stored;
    const announced = await this.#driver.announced?.();
    if (announced !== undefined) expect(announcementProblem(announced, stored)).toBeNull();
    expect(head).toBe(events.length + this.#trimmed.size);
    const numbers = Array.from({ length: head }, (_, index) => index + 1);
    expect(events.map(({ seq }) => seq)).toEqual(numbers.filter((seq) => !this.#trimmed.has(seq)));
    expect(commits.map(({ participant }) => participant)).toEqual(
      this.#commits.map(({ by }) => by),
    );
    expect(versionsOf(stored)).toEqual([this.#created, ...this.#moves.map(({ made }) => made)]);
    expect(session).toEqual(fold(events));
    expect(session).toMatchObject(plainFold(stored));
  }

  #mark(): string {
    this.#marks += 1;
    return `mark-${this.#marks}`;
  }

  #count(what: string): void {
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + 1);
  }
}

/** Does the line upwards meet the caller before the target? */
const isBelow = (line: readonly number[], caller: number, target: number): boolean =>
  line.includes(caller) && line.indexOf(caller) < line.indexOf(target);
