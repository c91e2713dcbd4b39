/** One handler an endpoint: from parsed input to a use case, from its answer to a response. */
import type * as z from "zod";
import type { Command } from "../domain/command";
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { Follower } from "../gateway/follower";
import type { Gateway, GatewayRefusal, GatewayReply, WriteAnswer } from "../gateway/gateway";
import type { JobGateway } from "../gateway/job-gateway";
import type { Presented } from "../gateway/presented";
import { linkAddresses } from "../gateway/public-url";
import type { Uploads } from "../gateway/uploads";
import { answerFile } from "../gateway/download";
import type { Page, PageContent } from "../object/messages";
import { ENDPOINTS, type EndpointId } from "../protocol/endpoints";
import {
  answerEmpty,
  answerJson,
  answerProblem,
  answerText,
  sessionHeaders,
  withSession,
} from "./answers";
import { etagOf, isNotModified } from "./conditions";
import type { ExecutorEndpointId } from "./executors";
import { lineTypeIn, streamLines, type PageReader } from "./event-lines";
import { awaitEvents, startOf, streamEvents, wantsEventStream } from "./live-events";

type Table = typeof ENDPOINTS;
type BodyOf<K extends EndpointId> = Table[K] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : undefined;
type QueryOf<K extends EndpointId> = Table[K] extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : undefined;

export interface Input<K extends EndpointId = EndpointId> {
  readonly gateway: Gateway;
  readonly jobs: JobGateway;
  readonly headers: Headers;
  readonly publicUrl: string;
  readonly uploads: Uploads;
  /** The request itself, for what is not JSON. */
  readonly raw: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly body: BodyOf<K>;
  readonly query: QueryOf<K>;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
  readonly presented: Presented;
  /** Fires when the client is gone, where the platform tells. */
  readonly signal?: AbortSignal;
}

type Handler<K extends EndpointId> = (input: Input<K>) => Promise<Response>;
export type Handlers = {
  readonly [K in Exclude<EndpointId, "createSession" | "resume" | ExecutorEndpointId>]: Handler<K>;
};

export const refused = ({ failure, ...context }: GatewayRefusal): Response =>
  answerProblem(failure, context);

/** Most writes are one command and the common answer. */
const writing =
  <K extends EndpointId>(toCommand: (input: Input<K>) => Command): Handler<K> =>
  async (input) => {
    const reply = await input.gateway.write(input.presented, toCommand(input), input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  };

function answerWrite(
  answer: WriteAnswer,
  extra: Record<string, unknown> = {},
  status = 200,
): Response {
  const { shown, resumeToken, replayed } = answer;
  const headers = sessionHeaders(shown, resumeToken, replayed);
  return answerText(status, withSession(shown, { resumeToken, ...extra }), headers);
}

/** As a pattern, because replacing a text by a text piece by piece is slow in a long one. */
const LINE_FEEDS = /\n/g;

/** A body with events passed through as the text they are stored as. */
export const withEvents = (body: string, lines: string): string =>
  `${body.slice(0, -1)},"events":[${lines.replace(LINE_FEEDS, ",")}]}`;

/** A write whose answer says more than the session and its token. */
const answering =
  <I extends Omit<Input, "body" | "query">>(
    toCommand: (input: I) => Command,
    toMembers: (answer: WriteAnswer) => Record<string, unknown>,
    status = 200,
  ) =>
  async (input: I): Promise<Response> => {
    const reply = await input.gateway.write(input.presented, toCommand(input), input);
    return reply.ok ? answerWrite(reply.value, toMembers(reply.value), status) : refused(reply);
  };

const pausing = (operation: "pause" | "unpause") =>
  answering(
    ({ body }: Input<"pause"> | Input<"unpause">) => ({ operation, ...body }),
    ({ outcome }) => ({ already: outcome["already"] === true }),
  );

/** 0 for what is no checkpoint's id: none has that number. */
const checkpointIn = (params: Input["params"]): number =>
  numberOf(params["checkpointId"] ?? "", "chk_") ?? 0;

const uploadIn = (params: Input["params"]): number =>
  numberOf(params["uploadId"] ?? "", "upl_") ?? 0;

export const handlers: Handlers = {
  async getSession({ gateway, presented, headers }) {
    const reply = await gateway.get(presented);
    if (!reply.ok) return refused(reply);
    const session = reply.value;
    return isNotModified(headers, etagOf(session))
      ? answerEmpty(304, sessionHeaders(session))
      : answerText(200, withSession(session), sessionHeaders(session));
  },

  setFields: writing(({ body }) => ({
    operation: "setFields",
    ...body,
    fields: (body.fields ?? {}) as Extract<Command, { operation: "setFields" }>["fields"],
  })),

  async purge({ gateway, presented, ifMatch }) {
    const reply = await gateway.purge(presented, ifMatch);
    return reply.ok ? answerEmpty(204) : refused(reply);
  },

  async resumable({ gateway, presented, query }) {
    const { lastEventSeq = null, auto = false } = query;
    const reply = await gateway.resumable(presented, lastEventSeq, auto);
    return reply.ok ? answerJson(200, reply.value) : refused(reply);
  },

  async validate({ gateway, presented, body }) {
    const fields = (body.fields ?? {}) as Parameters<Gateway["validate"]>[1];
    const reply = await gateway.validate(presented, fields);
    if (!reply.ok) return refused(reply);
    const { problems, session } = reply.value;
    const verdict = { valid: problems.length === 0, errors: problems, session };
    return answerJson(200, verdict, sessionHeaders(session));
  },

  requestInput: writing(({ body }) => ({ operation: "requestInput", ...body })),
  submit: writing(() => ({ operation: "submit" })),
  approve: writing(({ body }) => ({ operation: "approve", ...body })),
  reject: writing(({ body }) => ({ operation: "reject", ...body })),
  requestChanges: writing(({ body }) => ({ operation: "requestChanges", ...body })),
  finalize: writing(({ body }) => ({ operation: "finalize", ...body })),
  cancel: writing(({ body }) => ({ operation: "cancel", ...body })),
  pause: pausing("pause"),
  unpause: pausing("unpause"),
  extend: writing(({ body }) => ({ operation: "extend", ...body })),

  async readEvents({ gateway, presented, query, headers, signal }) {
    const { after = null, limit, type: types = [], waitMs = 0 } = query;
    const follow = (from: number | null): Follower => {
      const follower = gateway.follow(presented, from, types);
      // A stream's cancel is not to be relied on: the platform may drop it without a word.
      signal?.addEventListener("abort", () => follower.close());
      return follower;
    };
    if (wantsEventStream(headers)) {
      const start = startOf(headers, after);
      if (!start.ok) return answerProblem(start.error);
      const streamed = await streamEvents(follow(start.value), headers.has("Last-Event-ID"));
      return streamed instanceof Response ? streamed : refused(streamed);
    }
    const read: Pages = (from, size) =>
      gateway.events(presented, "events", { after: from, types, ...size });
    if (waitMs === 0 || lineTypeIn(headers.get("Accept")) !== null) {
      return answerPages(headers, read, after, limit, placeAfter);
    }
    const count = limit ?? LIMITS.pageEventsDefault;
    const first = await read(after, { limit: count });
    if (!first.ok) return refused(first);
    const { lines, more, ended, nextAfter } = first.value;
    if (lines !== "" || more || ended) return answerPage(first.value, placeAfter);
    const awaited = await awaitEvents(follow(nextAfter), waitMs, count);
    if (!awaited.ok) return refused(awaited);
    // Nothing came: perhaps because the right to read is over, and then the log says so and why.
    return awaited.value.lines === ""
      ? answerPages(headers, read, awaited.value.nextAfter, limit, placeAfter)
      : answerPage(awaited.value, placeAfter);
  },

  async appendEvents({ gateway, presented, body, ...options }) {
    const { events, expectedHead = null } = body;
    const appended = events as Parameters<Gateway["append"]>[1];
    const reply = await gateway.append(presented, appended, expectedHead, options);
    if (!reply.ok) return refused(reply);
    const { first, last, head, replayed } = reply.value;
    return answerJson(
      201,
      { first, last, head },
      replayed ? { "Idempotent-Replayed": "true" } : {},
    );
  },

  async audit({ gateway, presented, query, headers }) {
    const {
      cursor = 0,
      limit,
      type: types = [],
      after: since,
      before: until,
      actor,
      ...rest
    } = query;
    const read: Pages = (from, size) =>
      gateway.events(presented, "audit", {
        ...actor,
        ...rest,
        after: from,
        types,
        since,
        until,
        ...size,
      });
    return answerPages(headers, read, cursor, limit, ({ nextAfter }) => ({
      nextCursor: nextAfter,
    }));
  },

  async createHandoff(input) {
    const { gateway, presented, body } = input;
    const reply = await gateway.write(presented, { operation: "handoff", ...body }, input);
    if (!reply.ok) return refused(reply);
    const { handoff, participantToken, code } = reply.value;
    const extra =
      code === null
        ? { handoff, participantToken }
        : { handoff: { ...handoff, ...linkAddresses(code, input.publicUrl) } };
    return answerWrite(reply.value, extra, 201);
  },

  async listHandoffs({ gateway, presented }) {
    const reply = await gateway.handoffs(presented);
    return reply.ok ? answerJson(200, { handoffs: reply.value }) : refused(reply);
  },

  revokeHandoff: writing(({ params }) => ({
    operation: "revokeHandoff",
    participant: numberOf(params["handoffId"] ?? "", "hnd_") ?? 0,
  })),

  requestUpload: answering(
    ({ body }: Input<"requestUpload">) => ({ operation: "requestUpload", ...body }),
    ({ outcome }) => ({ upload: outcome["upload"] }),
    201,
  ),
  confirmUpload: answering(
    ({ body, params }: Input<"confirmUpload">) => ({
      operation: "confirmUpload",
      upload: uploadIn(params),
      ...body,
    }),
    ({ outcome }) => ({ upload: outcome["upload"] }),
  ),

  async putUpload({ uploads, presented, params, raw }) {
    const { body, headers } = raw;
    const length = headers.get("Content-Length");
    const type = headers.get("Content-Type");
    const reply = await uploads.put(presented, uploadIn(params), { body, length, type });
    return reply.ok ? answerJson(200, reply.value) : refused(reply);
  },

  async getUpload({ uploads, presented, params }) {
    const reply = await uploads.get(presented, uploadIn(params));
    return reply.ok ? answerFile(reply.value) : refused(reply);
  },

  async removeUpload(input) {
    const { gateway, presented, params, uploads } = input;
    const command = { operation: "removeUpload", upload: uploadIn(params) } as const;
    const reply = await gateway.write(presented, command, input);
    if (!reply.ok) return refused(reply);
    await uploads.forget(reply.value.outcome["removedKey"]);
    return answerWrite(reply.value);
  },

  async reportStop({ gateway, presented, body, idempotencyKey }) {
    const report = body as Parameters<Gateway["reportStop"]>[1];
    const reply = await gateway.reportStop(presented, report, idempotencyKey);
    if (!reply.ok) return refused(reply);
    const { decision, seq, replayed } = reply.value;
    return answerJson(200, { decision, seq }, replayed ? { "Idempotent-Replayed": "true" } : {});
  },

  takeCheckpoint: answering(
    ({ body }: Input<"takeCheckpoint">) => ({ operation: "checkpoint", ...body }),
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
    201,
  ),
  pinCheckpoint: answering(
    ({ body, params }: Input<"pinCheckpoint">) => ({
      operation: "pinCheckpoint",
      checkpoint: checkpointIn(params),
      ...body,
    }),
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
  ),
  deleteCheckpoint: writing(({ params }) => ({
    operation: "deleteCheckpoint",
    checkpoint: checkpointIn(params),
  })),
  restoreCheckpoint: writing(({ params }) => ({
    operation: "restore",
    checkpoint: checkpointIn(params),
  })),
  trim: answering(
    ({ body }: Input<"trim">) => ({
      operation: "trim",
      checkpoint: numberOf(body.checkpoint, "chk_") ?? 0,
    }),
    ({ outcome }) => ({ floor: outcome["floor"], trimmed: outcome["trimmed"] }),
  ),
  fork: answering(
    ({ body }: Input<"fork">) => ({
      operation: "fork",
      ...body,
      from: body.from === undefined ? undefined : (numberOf(body.from, "chk_") ?? 0),
    }),
    ({ child, childToken, outcome }) => ({ child, childToken, prompt: outcome["prompt"] }),
    201,
  ),

  async listCheckpoints({ gateway, presented }) {
    const reply = await gateway.checkpoints(presented);
    return reply.ok ? answerJson(200, { checkpoints: reply.value }) : refused(reply);
  },

  async getCheckpoint({ gateway, presented, params }) {
    const reply = await gateway.checkpoint(presented, checkpointIn(params));
    return reply.ok ? answerJson(200, { checkpoint: reply.value }) : refused(reply);
  },

  async submitJob({ jobs, presented, body, idempotencyKey }) {
    const submission = body as Parameters<JobGateway["submit"]>[1];
    const reply = await jobs.submit(presented, submission, idempotencyKey);
    if (!reply.ok) return refused(reply);
    const { job, replayed } = reply.value;
    return answerJson(201, { job }, replayed ? { "Idempotent-Replayed": "true" } : {});
  },

  async listJobs({ jobs, presented, query }) {
    const { cursor = 0, limit = LIMITS.pageEventsDefault, ...filter } = query;
    const reply = await jobs.list(presented, { ...filter, after: cursor, limit });
    return reply.ok
      ? answerJson(200, { jobs: reply.value.jobs, nextCursor: reply.value.next })
      : refused(reply);
  },

  async getJob({ jobs, presented, params }) {
    const reply = await jobs.get(presented, params["jobId"] ?? "");
    if (!reply.ok) return refused(reply);
    const { job, input } = reply.value;
    return answerJson(200, { job, input });
  },

  async cancelJob({ jobs, presented, params, body }) {
    const reply = await jobs.cancel(presented, params["jobId"] ?? "", body.reason);
    return reply.ok ? answerJson(200, { job: reply.value.job }) : refused(reply);
  },

  async lineage({ gateway, presented }) {
    const reply = await gateway.lineage(presented);
    return reply.ok ? answerJson(200, { lineage: reply.value }) : refused(reply);
  },

  revoke: writing(({ body }) => ({
    operation: "revoke",
    target: body.participant === undefined ? "others" : (numberOf(body.participant, "par_") ?? 0),
  })),
};

const placeAfter = ({ nextAfter }: Pick<Page, "nextAfter">) => ({ nextAfter });

interface PageSize {
  readonly limit: number;
  readonly maxLength?: number;
}
type Pages = (after: number | null, size: PageSize) => Promise<GatewayReply<Page>>;
type Place = (page: Pick<Page, "nextAfter">) => Record<string, number>;

/** A page of JSON, or by Accept all that follows as lines. */
async function answerPages(
  headers: Headers,
  read: Pages,
  after: number | null,
  limit: number | undefined,
  place: Place,
): Promise<Response> {
  const lineType = lineTypeIn(headers.get("Accept"));
  if (lineType !== null) {
    const readSome: PageReader = (from, limit, maxLength) => read(from, { limit, maxLength });
    const streamed = await streamLines(readSome, after, limit ?? Number.MAX_SAFE_INTEGER, lineType);
    return streamed instanceof Response ? streamed : refused(streamed);
  }
  // One answer and then nothing more is held, so it may be larger than a page of a stream.
  const size = { limit: limit ?? LIMITS.pageEventsDefault, maxLength: LIMITS.replayBytes };
  const reply = await read(after, size);
  return reply.ok ? answerPage(reply.value, place) : refused(reply);
}

function answerPage(page: PageContent, place: Place): Response {
  const { lines, head, more } = page;
  return answerText(200, withEvents(JSON.stringify({ head, ...place(page), more }), lines));
}
