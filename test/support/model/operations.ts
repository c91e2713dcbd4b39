/**
 * Every operation of the model, one row each. Plans draw from this table, drivers send what it says, the fold
 * recognizes commits by it, and the laws predict answers from it. To add an operation, add a row here and its
 * laws. Written from docs/protocol.md; it knows none of the product's code.
 */
import type { Folded, FoldedParticipant } from "./fold.ts";
import type { Arguments, LoggedCommit, Operation } from "./history.ts";

export type Scope = "view" | "append" | "fill" | "review" | "handoff" | "own";

const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  view: ["view"],
  append: ["append", "view"],
  fill: ["fill", "append", "view"],
  review: ["review", "view"],
  handoff: ["handoff", "view"],
  own: ["own", "handoff", "fill", "append", "view"],
};

export const impliedBy = (scopes: readonly string[]): ReadonlySet<string> =>
  new Set(scopes.flatMap((scope) => IMPLIED[scope as Scope] ?? []));

export const TERMINAL: ReadonlySet<string> = new Set([
  "finalized",
  "rejected",
  "cancelled",
  "expired",
]);

/** What the arguments of an operation are drawn from. */
export interface Draw {
  readonly arg: number;
  /** A text that no other operation carries. */
  readonly mark: string;
  /** The head that the client knows. */
  readonly head: number;
}

/** What a rule of one operation is decided from. */
export interface Case {
  readonly session: Folded;
  readonly participant: FoldedParticipant;
  readonly operation: Pick<Operation, "args" | "participant">;
  readonly now: number;
}

/** What an accepted operation is compared with. */
export interface Effect {
  readonly before: Folded;
  readonly args: Arguments;
  readonly participant: number;
  /** The server's time of the commit. */
  readonly at: number;
  /** Participants that the operation revokes. */
  readonly revoked: number;
}

type Route = readonly [method: string, path: string, body?: unknown];

export interface OperationRow {
  /** Null if it needs no token. */
  readonly scope: Scope | null;
  readonly spends: boolean;
  readonly moves: (args: Arguments) => boolean;
  /** The states that allow it. */
  readonly states: readonly string[] | "open" | "any";
  /** Type of the event that events its commits from others; "" if it commits none of its own. */
  readonly event: string;
  /** How often a plan draws it, and whether it ends the session, which long plans draw rarely. */
  readonly weight: number;
  readonly ends: boolean;
  /** The scope of those who mostly try it, because few others can. */
  readonly by: Scope | null;
  readonly args: (draw: Draw) => Arguments;
  /** The mark as the log shows it, or null. */
  readonly logged: (args: Arguments, mark: string) => string | null;
  readonly route: (args: Arguments) => Route;
  readonly tool: string | null;
  /** Only over a network: it needs bytes or a page. */
  readonly needsNetwork: boolean;
  /** The participant that does this has filled in, and may not approve. */
  readonly fills: boolean;
  /** Rows that it may write at most. */
  readonly rows: number;
  /** Rights beyond the scope; the code of the refusal. */
  readonly denies: (one: Case) => string | null;
  /** What is checked after the transition; the code of the refusal. */
  readonly refuses: (one: Case) => string | null;
  /** The state after it. */
  readonly targetState: (before: Folded, one: Effect) => string;
  /** What else the session must be afterwards. */
  readonly effect: (one: Effect) => Partial<Folded>;
  /** Types of the events of its commit, without those about a new state; null if the table does not know. */
  readonly events: (one: Effect) => readonly string[] | null;
}

const FILLING = ["draft", "in_progress", "awaiting_input"];
const OPEN_FILLING = [...FILLING, "awaiting_upload"];
const MINUTE_MS = 60_000;
/** The commit, and the session with everybody in it. A third row is the alarm. */
const WRITE_ROWS = 3;

type RowOptions = Partial<OperationRow>;

const row = (event: string, path: string, options: RowOptions): OperationRow => ({
  scope: "own",
  spends: true,
  moves: () => false,
  states: "open",
  event,
  weight: 0,
  ends: false,
  by: null,
  args: () => ({}),
  logged: (args, mark) => (JSON.stringify(args).includes(`"${mark}"`) ? mark : null),
  route: (args) => ["POST", path, args],
  tool: null,
  needsNetwork: false,
  fills: false,
  rows: WRITE_ROWS,
  denies: () => null,
  refuses: () => null,
  targetState: ({ state }) => state,
  effect: () => ({}),
  events: () => (event === "" ? null : [event]),
  ...options,
});

/** Its commits hold other events too, which depend on more than the table knows. */
const UNKNOWN = (): null => null;
/** Spends the token only. */
const spend = row;
/** Spends the token, and moves the version. */
const move: typeof row = (event, path, options) =>
  row(event, path, { moves: () => true, ...options });
/** Spends no token. */
const note: typeof row = (event, path, options) => row(event, path, { spends: false, ...options });
const read = (options: RowOptions): OperationRow =>
  note("", "", { scope: "view", states: "any", rows: 0, ...options });

const reason = ({ mark }: Draw): Arguments => ({ reason: mark });
const comment = ({ mark }: Draw): Arguments => ({ comment: mark });

/** Low numbers exist in most sessions that have any. */
const checkpointOf = ({ arg }: Draw): number => [1, 1, 1, 2, 2, 3, 4][arg % 7] ?? 1;
const checkpoint = (draw: Draw): Arguments => ({ checkpoint: checkpointOf(draw) });
const needsCheckpoint =
  (name: string) =>
  ({ session, operation }: Case): string | null =>
    operation.args[name] === undefined || session.checkpoints.has(Number(operation.args[name]))
      ? null
      : "not_found";
const pathOfCheckpoint = ({ checkpoint: number }: Arguments): string =>
  `/checkpoints/chk_${number}`;

/** Every file has as many bytes, so that any participant can send any of them. */
export const FILE_BYTES = 64;
const upload = ({ arg }: Draw): Arguments => ({ upload: 1 + (arg % (arg < LONG_ARG ? 2 : 5)) });
const uploadMark = ({ upload: number }: Arguments): string => `upl_${number}`;
const pathOfUpload = ({ upload: number }: Arguments): string => `/uploads/upl_${number}`;
const needsUpload = ({ session, operation }: Case): string | null =>
  session.uploads.has(Number(operation.args["upload"])) ? null : "not_found";

/** Scopes that a handoff gives. */
export const GRANTS: readonly (readonly Scope[])[] = [
  ["fill"],
  ["own"],
  ["review"],
  ["own", "review"],
  ["append", "handoff"],
  ["view"],
];

/** Never wider than its maker, except that `handoff` may give `review` if its holder owns or filled nothing. */
const handoffDenied = ({ participant, operation }: Case): string | null => {
  const { scopes, filled } = participant;
  const may = (scope: string): boolean =>
    scope === "review" && filled && !scopes.has("own")
      ? false
      : scopes.has(scope) || (scope === "review" && scopes.has("handoff"));
  const requested = impliedBy(operation.args["scopes"] as readonly string[]);
  return [...requested].every(may) ? null : "scope_denied";
};

/** Participants that may be revoked in a long plan, by their index in `ROLES`. */
const REVOKED = [8, 9];

/** Operations that fill in, review, or work on a file or a checkpoint. */
const FILLS = { scope: "fill", states: OPEN_FILLING, fills: true } as const;
const REVIEWS = { scope: "review", states: ["needs_review"], by: "review" } as const;
const UPLOADS = {
  ...FILLS,
  events: UNKNOWN,
  rows: WRITE_ROWS + 1,
  args: upload,
  logged: uploadMark,
  targetState: stateAfterUpload,
} as const;
const CHECKPOINTS = {
  by: "own",
  rows: WRITE_ROWS + 1,
  args: checkpoint,
  refuses: needsCheckpoint("checkpoint"),
} as const;

export const OPERATIONS = {
  create: move("session.created", "", { scope: null, states: [], rows: 8 }),
  get: read({ weight: 8, route: () => ["GET", ""], tool: "get_session" }),
  events: read({
    weight: 4,
    args: ({ arg, head }) => ({ after: arg % (head + 1), limit: 1 + (arg % 40) }),
    route: ({ after, limit }) => ["GET", `/events?after=${after}&limit=${limit}`],
    tool: "read_events",
    refuses: ({ session, operation }) => gap(session, Number(operation.args["after"])),
  }),
  setFields: move("fields.updated", "", {
    ...FILLS,
    weight: 24,
    args: setFieldsOf,
    logged: ({ fields, title }, mark) =>
      title === mark || Object.entries(fields as Arguments).some(isLoggedAs(mark)) ? mark : null,
    route: (args) => ["PATCH", "", args],
    tool: "set_fields",
    targetState: ({ state }) => (state === "awaiting_upload" ? state : "in_progress"),
    effect: ({ before, args }) => ({
      ...("title" in args ? { title: args["title"] as string } : {}),
      ...("secret" in (args["fields"] as Arguments) ? {} : { fields: withFields(before, args) }),
    }),
    events: ({ args }) => [
      ...(Object.keys(args["fields"] as Arguments).length === 0 ? [] : ["fields.updated"]),
      ...("title" in args ? ["session.updated"] : []),
    ],
    // A number does not fit the schema.
    refuses: ({ operation }) =>
      Object.values(operation.args["fields"] as Arguments).some((to) => typeof to === "number")
        ? "invalid_fields"
        : null,
  }),
  append: note("", "/events", {
    scope: "append",
    weight: 12,
    rows: 1,
    args: ({ arg, mark, head }) => ({
      events: Array.from({ length: 1 + (arg % 3) }, (_, n) => ({
        type: "agent.note",
        payload: { mark, n },
      })),
      ...(arg % 20 === 19 && arg < LONG_ARG ? { expectedHead: head } : {}),
    }),
    tool: "append_events",
    events: ({ args }) => (args["events"] as { type: string }[]).map(({ type }) => type),
  }),
  reportStop: note("stop.reported", "/stops", {
    events: UNKNOWN,
    scope: "append",
    weight: 5,
    args: ({ arg }) => ({
      reason: ["crash", "user_exit", "context_exhausted", "rate_limit"][arg % 4],
      attempt: 1 + (arg % 5),
    }),
  }),
  resume: spend("token.accessed", "/resume", {
    scope: "view",
    weight: 12,
    args: ({ arg, mark, head }) => ({
      ...(arg % 2 === 0 ? { lastEventSeq: arg % (head + 1) } : {}),
      ...(arg % 4 === 0 ? {} : { actor: { id: "agent", name: mark } }),
      ...(arg % 5 === 0 ? { auto: true } : {}),
    }),
    tool: "resume_session",
    events: () => ["token.accessed", "token.issued"],
    refuses: ({ session, operation, participant }) =>
      gap(session, Number(operation.args["lastEventSeq"] ?? participant.cursor)),
  }),
  requestInput: move("session.input_requested", "/request-input", {
    scope: "fill",
    states: ["draft", "in_progress"],
    weight: 5,
    fills: true,
    args: ({ mark }) => ({ note: mark }),
    targetState: () => "awaiting_input",
  }),
  submit: move("session.submitted", "/submit", {
    scope: "fill",
    states: FILLING,
    weight: 10,
    fills: true,
    tool: "submit",
    targetState: ({ approvals }) => (approvals > 0 ? "needs_review" : "submitted"),
    effect: () => ({ approvedBy: new Set() }),
    refuses: ({ session }) =>
      session.required.every((field) => field in session.fields) ? null : "missing_fields",
  }),
  approve: move("review.approved", "/approve", {
    ...REVIEWS,
    weight: 9,
    args: comment,
    targetState: ({ approvedBy, approvals }) =>
      approvedBy.size + 1 >= approvals ? "approved" : "needs_review",
    effect: ({ before, participant }) => ({
      approvedBy: new Set([...before.approvedBy, participant]),
    }),
    denies: ({ participant }) => (participant.filled ? "scope_denied" : null),
    refuses: ({ session, participant }) => {
      if (session.hasFilledLine(participant.number)) return "scope_denied";
      return session.approvedBy.has(participant.number) ? "illegal_transition" : null;
    },
  }),
  reject: move("review.rejected", "/reject", {
    ...REVIEWS,
    weight: 6,
    ends: true,
    args: reason,
    targetState: () => "rejected",
  }),
  requestChanges: move("review.changes_requested", "/request-changes", {
    ...REVIEWS,
    weight: 6,
    args: comment,
    targetState: () => "awaiting_input",
    effect: () => ({ approvedBy: new Set() }),
    events: () => ["review.changes_requested", "session.changes_requested"],
  }),
  finalize: move("session.finalized", "/finalize", {
    states: ["submitted", "approved"],
    weight: 4,
    ends: true,
    by: "own",
    args: reason,
    targetState: () => "finalized",
  }),
  cancel: move("session.cancelled", "/cancel", {
    weight: 1,
    ends: true,
    args: reason,
    targetState: () => "cancelled",
    tool: "cancel_session",
  }),
  pause: spend("session.paused", "/pause", {
    weight: 6,
    args: reason,
    effect: () => ({ paused: true }),
    tool: "pause_session",
  }),
  unpause: spend("session.unpaused", "/unpause", {
    weight: 3,
    args: reason,
    effect: () => ({ paused: false, suspended: false }),
    tool: "unpause_session",
  }),
  extend: spend("session.extended", "/extend", {
    weight: 4,
    args: ({ arg }) => ({ ttlMs: (30 + (arg % 60)) * MINUTE_MS }),
    effect: ({ args, at }) => ({ expiresAt: at + Number(args["ttlMs"]) }),
    tool: "extend_session",
  }),
  setLabels: spend("session.labelled", "", {
    states: "any",
    weight: 2,
    args: ({ arg, mark }) => ({ labels: arg % 2 === 0 ? {} : { mark } }),
    route: (args) => ["PATCH", "", args],
  }),
  erasePrivate: spend("private.erased", "", {
    states: "any",
    weight: 4,
    args: () => ({ field: "secret" }),
    logged: () => null,
    route: ({ field }) => ["DELETE", `/private/${String(field)}`],
    rows: WRITE_ROWS + 1,
    refuses: ({ session }) => (session.privates.has("secret") ? null : "not_found"),
  }),
  handoff: spend("handoff.created", "/handoffs", {
    scope: "handoff",
    weight: 5,
    args: ({ arg, mark }) => ({
      to: "agent",
      scopes: GRANTS[arg % GRANTS.length],
      note: mark,
      ...(arg % 11 === 10 ? { ttlMs: 20 * MINUTE_MS } : {}),
    }),
    tool: "handoff_to_agent",
    events: () => ["handoff.created", "token.issued"],
    denies: handoffDenied,
  }),
  link: spend("handoff.link_issued", "/handoffs", {
    events: UNKNOWN,
    scope: "handoff",
    weight: 2,
    needsNetwork: true,
    args: ({ mark }) => ({ to: "human", scopes: ["fill"], singleUse: true, note: mark }),
    denies: handoffDenied,
  }),
  /** By a person who has only the code of the link. Two open each link at the same time. */
  openLink: note("handoff.opened", "", { events: UNKNOWN, scope: null }),
  revokeHandoff: spend("handoff.revoked", "", {
    scope: "handoff",
    weight: 2,
    ends: true,
    args: ({ arg }) => ({ participant: arg < LONG_ARG ? 2 + (arg % 5) : REVOKED[arg % 2] }),
    route: ({ participant }) => ["DELETE", `/handoffs/hnd_${participant}`],
    events: revocation,
    refuses: ({ session, participant, operation }) => {
      const number = Number(operation.args["participant"]);
      const target = session.participants.get(number);
      if (target === undefined || target.madeBy === null) return "not_found";
      const isMaker = target.madeBy === participant.number;
      if (!isMaker && !participant.scopes.has("own")) return "scope_denied";
      return number === participant.number ? "invalid_request" : null;
    },
  }),
  revoke: spend("handoff.revoked", "", {
    weight: 1,
    args: ({ arg }) => ({
      target: arg >= LONG_ARG ? REVOKED[arg % 2] : arg % 6 === 0 ? "others" : 1 + (arg % 6),
    }),
    route: ({ target }) => [
      "POST",
      "/revoke",
      target === "others" ? { others: true } : { participant: `par_${target}` },
    ],
    events: revocation,
    refuses: ({ session, participant, operation }) => {
      const { target } = operation.args;
      if (target === "others") return null;
      if (!session.participants.has(Number(target))) return "not_found";
      return target === participant.number ? "invalid_request" : null;
    },
  }),
  checkpoint: spend("checkpoint.created", "/checkpoints", {
    scope: "fill",
    weight: 10,
    rows: WRITE_ROWS + 2,
    args: ({ arg, mark }) => ({
      name: mark,
      ...(arg % 12 === 0 && arg < LONG_ARG ? { pinned: true } : {}),
    }),
    tool: "checkpoint",
    denies: ({ participant, operation }) =>
      operation.args["pinned"] === true && !participant.scopes.has("own") ? "scope_denied" : null,
  }),
  pinCheckpoint: spend("checkpoint.pinned", "", {
    events: UNKNOWN,
    weight: 3,
    ...CHECKPOINTS,
    args: (draw) => ({ ...checkpoint(draw), pinned: draw.arg % 2 === 0 }),
    route: (args) => ["PATCH", pathOfCheckpoint(args), { pinned: args["pinned"] }],
  }),
  deleteCheckpoint: spend("checkpoint.deleted", "", {
    weight: 2,
    ...CHECKPOINTS,
    route: (args) => ["DELETE", pathOfCheckpoint(args)],
    refuses: (one) =>
      needsCheckpoint("checkpoint")(one) ??
      (one.operation.args["checkpoint"] === one.session.bridge ? "invalid_request" : null),
  }),
  restore: move("checkpoint.restored", "", {
    events: UNKNOWN,
    states: OPEN_FILLING,
    weight: 8,
    fills: true,
    ...CHECKPOINTS,
    rows: WRITE_ROWS + 2,
    route: (args) => ["POST", `${pathOfCheckpoint(args)}/restore`, {}],
    targetState: () => "in_progress",
  }),
  trim: spend("session.trimmed", "", {
    weight: 8,
    ...CHECKPOINTS,
    rows: 1_000,
    logged: ({ checkpoint: number }) => `chk_${number}`,
    route: ({ checkpoint: number }) => ["POST", "/trim", { checkpoint: `chk_${number}` }],
  }),
  fork: spend("session.forked", "", {
    events: UNKNOWN,
    states: "any",
    weight: 4,
    by: "own",
    moves: ({ finalizeParent }) => finalizeParent === true,
    targetState: ({ state }, { args }) => (args["finalizeParent"] === true ? "finalized" : state),
    rows: WRITE_ROWS + 4,
    args: (draw) => ({
      reason: draw.mark,
      ...(draw.arg % 3 === 0 ? { from: checkpointOf(draw) } : {}),
      ...(draw.arg % 10 === 0 && draw.arg < LONG_ARG ? { finalizeParent: true } : {}),
    }),
    route: ({ from, ...args }) => [
      "POST",
      "/fork",
      from === undefined ? args : { ...args, from: `chk_${String(from)}` },
    ],
    refuses: (one) =>
      needsCheckpoint("from")(one) ??
      (one.operation.args["finalizeParent"] === true && TERMINAL.has(one.session.state)
        ? "invalid_request"
        : null),
  }),
  requestUpload: move("upload.requested", "/uploads", {
    ...FILLS,
    weight: 3,
    rows: WRITE_ROWS + 1,
    args: ({ arg, mark }) => ({
      name: mark,
      type: "text/plain",
      size: FILE_BYTES,
      ...(arg % 2 === 0 ? {} : { field: "file" }),
    }),
    targetState: () => "awaiting_upload",
  }),
  /** Its bytes are a `FilePut` of the history. */
  putUpload: note("", "", {
    ...FILLS,
    weight: 6,
    rows: 1,
    needsNetwork: true,
    args: upload,
    logged: () => null,
    route: (args) => ["PUT", pathOfUpload(args)],
  }),
  confirmUpload: move("upload.confirmed", "", {
    ...UPLOADS,
    weight: 3,
    route: (args) => ["POST", `${pathOfUpload(args)}/confirm`, {}],
    refuses: (one) =>
      needsUpload(one) ??
      (one.session.uploads.get(Number(one.operation.args["upload"])) === "confirmed"
        ? "invalid_request"
        : null),
  }),
  removeUpload: move("upload.removed", "", {
    ...UPLOADS,
    weight: 2,
    route: (args) => ["DELETE", pathOfUpload(args)],
    refuses: needsUpload,
  }),
  /** Only the observer of webhooks sends this, before anything else. */
  addEndpoint: spend("endpoint.created", "/endpoints", {
    states: "any",
    rows: WRITE_ROWS + 2,
    logged: () => null,
  }),
  purge: spend("", "", { states: "any", weight: 1, ends: true, route: () => ["DELETE", ""] }),
} satisfies Readonly<Record<string, OperationRow>>;

export type OperationName = keyof typeof OPERATIONS;
export const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

/** Arguments from here on belong to long plans, in which a session must stay usable. */
export const LONG_ARG = 1_000;

export const rowOf = (name: string): OperationRow => {
  const found = (OPERATIONS as Readonly<Record<string, OperationRow>>)[name];
  if (found === undefined) throw new Error(`the table has no operation ${name}`);
  return found;
};

export const isAllowedIn = ({ states }: OperationRow, state: string): boolean =>
  states === "any" || (states === "open" ? !TERMINAL.has(state) : states.includes(state));

/** Writes nothing and is answered with what is there. */
export const isRead = (name: string): boolean => name === "get" || name === "events";

function gap({ head, floor }: Folded, after: number): string | null {
  if (after > head) return "invalid_request";
  return after < floor ? "replay_gap" : null;
}

/** The document after fields were set; null removes one. */
const withFields = ({ fields }: Folded, args: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries({ ...fields, ...(args["fields"] as Arguments) }).filter(([, to]) => to !== null),
  );

/** One event for all, and one for each token that is void from now on. */
function revocation({ revoked }: Effect): readonly string[] {
  return ["handoff.revoked", ...Array.from({ length: revoked }, () => "token.revoked")];
}

/** Waiting ends with the last file that is waited for. */
function stateAfterUpload({ uploads }: Folded, { args }: Effect): string {
  const others = [...uploads].filter(([number]) => number !== args["upload"]);
  return others.some(([, status]) => status === "pending") ? "awaiting_upload" : "in_progress";
}

function setFieldsOf({ arg, mark }: Draw): Arguments {
  if (arg >= LONG_ARG) {
    return { fields: { [`f${arg % 6}`]: mark }, ...(arg % 10 === 0 ? { title: `t${arg}` } : {}) };
  }
  const field = ["amount", "name", "note", "secret"][arg % 4] ?? "note";
  if (arg % 7 === 0) return { fields: { [field]: null } };
  if (arg % 7 === 1) return { fields: {}, title: mark };
  if (arg % 29 === 5) return { fields: { amount: 7 } };
  if (arg % 7 === 2) {
    return { fields: { [field]: mark }, title: mark, nextStep: { description: mark } };
  }
  return { fields: { [field]: mark } };
}

/** A private value is in the log only as a hash. */
const isLoggedAs =
  (mark: string) =>
  ([field, value]: readonly [string, unknown]): boolean =>
    value === mark && field !== "secret";

/**
 * Operations whose commits also hold the event of another: a restore and a fork keep a checkpoint of what was
 * there, a file changes a field, and opening a link accesses a token.
 */
const FIRST: readonly OperationName[] = [
  "restore",
  "fork",
  "confirmUpload",
  "removeUpload",
  "link",
  "openLink",
];
const BY_EVENT: readonly OperationName[] = [
  ...FIRST,
  ...OPERATION_NAMES.filter((name) => OPERATIONS[name].event !== "" && !FIRST.includes(name)),
];
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  setFields: ["session.updated"],
  pinCheckpoint: ["checkpoint.unpinned"],
};
/** These write the same event. */
const ALIKE: Readonly<Record<string, string>> = { revokeHandoff: "revoke" };

/** The operation that a commit shows, or null if the server made it by itself. */
export function operationOf({ events, participant }: LoggedCommit): OperationName | null {
  if (participant === null) return null;
  const types = new Set(events.map(({ type }) => type));
  const isOf = (name: OperationName): boolean =>
    [OPERATIONS[name].event, ...(ALIASES[name] ?? [])].some((type) => types.has(type));
  const found = BY_EVENT.find(isOf) ?? "append";
  return (ALIKE[found] as OperationName | undefined) ?? found;
}

/** Can this commit be one of this operation? */
export const isCommitOf = (commit: LoggedCommit, name: string): boolean =>
  operationOf(commit) === (ALIKE[name] ?? name);
