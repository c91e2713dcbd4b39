/**
 * What the rules should say, told a second time and as simply as possible: from the protocol's tables
 * and its order of checks, with nothing imported from the rules.
 */
import type { Asked, Request, Standing, Verdict } from "./request";

interface Player {
  readonly scopes: ReadonlySet<string>;
  readonly maker: number | null;
  readonly until: number;
  /** Number of tokens issued so far; the last is the newest. */
  tokens: number;
  /** Tokens before this one are fenced off by a resume. */
  fence: number;
  seen: number;
  isFiller: boolean;
  isRevoked: boolean;
  last: { readonly token: number; readonly request: string } | null;
}

const OPEN = ["draft", "in_progress", "awaiting_input", "submitted", "needs_review", "approved"];
const DRAFTING = ["draft", "in_progress", "awaiting_input"];

/** Scope, whether it spends its token, whether it moves the version, and the states it is allowed in. */
const TABLE: Readonly<Record<string, readonly [string, boolean, boolean, readonly string[]]>> = {
  setFields: ["fill", true, true, DRAFTING],
  requestInput: ["fill", true, true, ["draft", "in_progress"]],
  submit: ["fill", true, true, DRAFTING],
  approve: ["review", true, true, ["needs_review"]],
  reject: ["review", true, true, ["needs_review"]],
  requestChanges: ["review", true, true, ["needs_review"]],
  finalize: ["own", true, true, ["submitted", "approved"]],
  cancel: ["own", true, true, OPEN],
  pause: ["own", true, false, OPEN],
  unpause: ["own", true, false, OPEN],
  extend: ["own", true, false, OPEN],
  resume: ["view", true, false, OPEN],
  handoff: ["handoff", true, false, OPEN],
  revoke: ["own", true, false, OPEN],
  append: ["append", false, false, OPEN],
};

export const scopeFor = (operation: string): string => TABLE[operation]?.[0] ?? "";

const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  view: ["view"],
  append: ["append", "view"],
  fill: ["fill", "append", "view"],
  review: ["review", "view"],
  handoff: ["handoff", "view"],
  own: ["own", "handoff", "fill", "append", "view"],
};
const implied = (scopes: readonly string[]): ReadonlySet<string> =>
  new Set(scopes.flatMap((scope) => IMPLIED[scope] ?? []));

export interface ModelOptions {
  readonly needed: number;
  /** The field that a submit must find, or null. */
  readonly required: string | null;
  readonly ttlMs: number;
  readonly retentionMs: number;
}

/** Entering one of these is a notice of its own, right after the event that led there. */
const TOLD_STATES = new Set(["awaiting_input", "needs_review", "approved", "rejected"]);

export class Model {
  now: number;
  readonly players = new Map<number, Player>();
  readonly #options: ModelOptions;
  #state = "draft";
  #isPaused = false;
  #version = 1;
  #head = 2;
  #fields: Record<string, unknown> = {};
  #title: string | null = null;
  #expiresAt: number;
  #endedAt: number | null = null;
  #approvers = new Set<number>();
  readonly #revoked: number[] = [];

  constructor(options: ModelOptions, now: number) {
    this.#options = options;
    this.now = now;
    this.#expiresAt = now + options.ttlMs;
    this.#join(1, ["own"], null, Number.POSITIVE_INFINITY, true);
  }

  get version(): number {
    return this.#version;
  }

  standing(): Standing {
    return {
      state: this.#state,
      paused: this.#isPaused,
      version: this.#version,
      head: this.#head,
      fields: this.#fields,
      title: this.#title,
      expiresAt: this.#expiresAt,
      approvals: this.#approvers.size,
      revoked: this.#revoked,
    };
  }

  ask(request: Request): Verdict {
    const { who, token, asked, ifMatch, key } = request;
    const { operation } = asked;
    const player = this.players.get(who);
    const [scope, spends, moves, from] = TABLE[operation] ?? ["", false, false, []];
    if (this.now >= (this.#endedAt ?? this.#expiresAt) + this.#options.retentionMs) return "gone";
    if (player === undefined || player.isRevoked || token >= player.tokens) return "token_invalid";
    const same = JSON.stringify([asked, ifMatch, key]);
    const isAgain = player.last?.token === token && player.last.request === same;
    if (spends && key !== null && isAgain) return "replay";
    if (this.#endedAt === null && this.now >= this.#expiresAt) return "expired";
    if (this.now >= player.until) return "expired";
    if (spends ? token !== player.tokens - 1 : token < player.fence) return "token_superseded";
    if (!player.scopes.has(scope)) return "scope_denied";
    if (operation === "approve" && player.isFiller) return "scope_denied";
    if (asked.operation === "handoff" && !mayGive(player, asked.scopes)) return "scope_denied";
    if (asked.operation === "resume" && asked.auto === true && this.#isPaused) return "paused";
    if (ifMatch !== null && ifMatch !== this.#version) return "precondition_failed";
    if (moves && ifMatch === null && player.seen !== this.#version) return "version_conflict";
    if (!from.includes(this.#state)) return "illegal_transition";
    const refusal = this.#contentProblem(asked, who);
    if (refusal !== null) return refusal;
    this.#happen(asked, who, player);
    if (spends) {
      player.tokens += 1;
      player.last = { token, request: key === null ? "" : same };
      if (operation === "resume") player.fence = player.tokens - 1;
      if (moves || operation === "resume") player.seen = this.#version;
    }
    return "ok";
  }

  alarm(): void {
    if (this.#endedAt !== null || this.#state === "expired" || this.now < this.#expiresAt) return;
    if (this.now >= this.#expiresAt + this.#options.retentionMs) return;
    this.#move("expired");
  }

  #contentProblem(asked: Asked, who: number): string | null {
    switch (asked.operation) {
      case "setFields":
        return Object.values(asked.fields).some((value) => typeof value === "number")
          ? "invalid_fields"
          : null;
      case "submit": {
        const { required } = this.#options;
        return required === null || required in this.#fields ? null : "missing_fields";
      }
      case "approve": {
        const root = this.#root(who);
        const fillers = [...this.players].filter(([, { isFiller }]) => isFiller);
        if (fillers.some(([number]) => this.#root(number) === root)) return "scope_denied";
        return this.#approvers.has(who) ? "illegal_transition" : null;
      }
      case "revoke":
        if (asked.target === "others") return null;
        if (!this.players.has(asked.target)) return "not_found";
        return asked.target === who ? "invalid_request" : null;
      default:
        return null;
    }
  }

  #happen(asked: Asked, who: number, player: Player): void {
    switch (asked.operation) {
      case "setFields": {
        const entries = Object.entries({ ...this.#fields, ...asked.fields });
        this.#fields = Object.fromEntries(entries.filter(([, value]) => value !== null));
        player.isFiller = true;
        this.#move("in_progress");
        if (asked.title === undefined) return;
        this.#title = asked.title;
        return this.#move("in_progress");
      }
      case "requestInput":
        player.isFiller = true;
        return this.#move("awaiting_input");
      case "submit":
        player.isFiller = true;
        this.#approvers = new Set();
        return this.#move(this.#options.needed > 0 ? "needs_review" : "submitted");
      case "approve":
        this.#approvers.add(who);
        return this.#move(
          this.#approvers.size >= this.#options.needed ? "approved" : "needs_review",
        );
      case "requestChanges":
        this.#approvers = new Set();
        return this.#move("awaiting_input", 1);
      case "reject":
        return this.#end("rejected");
      case "finalize":
        return this.#end("finalized");
      case "cancel":
        return this.#end("cancelled");
      case "pause":
      case "unpause":
        this.#isPaused = asked.operation === "pause";
        this.#head += 1;
        return;
      case "extend":
        this.#expiresAt = this.now + asked.ttlMs;
        this.#head += 1;
        return;
      case "resume":
        this.#head += 2;
        return;
      case "append":
        this.#head += asked.events.length;
        return;
      case "handoff": {
        const wanted = asked.ttlMs === undefined ? Infinity : this.now + asked.ttlMs;
        const until = Math.min(wanted, player.until);
        this.#join(this.players.size + 1, asked.scopes, who, until, false);
        this.#head += 2;
        return;
      }
      case "revoke":
        return this.#revoke(asked.target, who);
      default:
        throw new Error(`the model knows no ${asked.operation}`);
    }
  }

  /** `beside`: notices that the event itself brings along. */
  #move(state: string, beside = 0): void {
    const isTold = state !== this.#state && TOLD_STATES.has(state);
    this.#state = state;
    this.#head += 1;
    this.#version = this.#head;
    this.#head += beside + Number(isTold);
  }

  #end(state: string): void {
    this.#endedAt = this.now;
    this.#move(state);
  }

  #join(
    number: number,
    scopes: readonly string[],
    maker: number | null,
    until: number,
    isFiller: boolean,
  ): void {
    const player = {
      tokens: 1,
      fence: 0,
      seen: this.#version,
      isFiller,
      isRevoked: false,
      last: null,
    };
    this.players.set(number, { ...player, scopes: implied(scopes), maker, until });
  }

  /** The target falls with all it made; the caller stays, and those the caller made if it would fall too. */
  #revoke(target: number | "others", caller: number): void {
    this.#head += 1;
    for (const [number, player] of this.players) {
      const line = this.#ancestry(number);
      const callerFalls = target !== "others" && this.#ancestry(caller).includes(target);
      const isSpared = number === caller || (callerFalls && line.includes(caller));
      const falls = target === "others" ? number !== caller : line.includes(target) && !isSpared;
      if (!falls || player.isRevoked) continue;
      player.isRevoked = true;
      this.#revoked.push(number);
      this.#head += 1;
    }
  }

  /** The last one up the line before an owner: what one below it did, it did. */
  #root(number: number): number {
    const line = this.#ancestry(number);
    const owner = line.findIndex((one, at) => at > 0 && this.players.get(one)?.scopes.has("own"));
    return line[owner === -1 ? line.length - 1 : owner - 1] ?? number;
  }

  #ancestry(number: number): readonly number[] {
    const maker = this.players.get(number)?.maker ?? null;
    return maker === null ? [number] : [number, ...this.#ancestry(maker)];
  }
}

/** Never wider than oneself, but that who may hand off, and filled nothing or owns, may give review. */
const mayGive = (
  { scopes, isFiller }: Pick<Player, "scopes" | "isFiller">,
  wanted: readonly string[],
): boolean =>
  [...implied(wanted)].every((scope) =>
    scope === "review" && isFiller && !scopes.has("own")
      ? false
      : scopes.has(scope) || (scope === "review" && scopes.has("handoff")),
  );
