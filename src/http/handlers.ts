/** Each API route has one handler: from the parsed input to a use case, and from its answer to a response. */
import type { Command, CreateArguments } from "../domain/session/command";
import { numberOf, objectIdHexOf } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import { linkAddresses } from "../gateway/public-url";
import type { WriteAnswer } from "../gateway/write-answer";
import {
  answerCreated,
  answerEmpty,
  answerJson,
  answerText,
  sessionHeaders,
  withSession,
} from "./answers";
import { etagOf, isNotModified } from "./conditions";
import {
  answerReply,
  commandHandlerWith,
  noArguments,
  queryHandler,
  answerRefusal,
  commandHandler,
} from "./handler";
import type { Handlers, Input, Services } from "./handler";
import { evidenceHandlers } from "./evidence-handlers";
import { executorHandlers, jobHandlers } from "./job-handlers";
import { ownerHandlers, templateHandlers } from "./owner-handlers";
import { ownerNoticeHandlers } from "./owner-notice-handlers";
import { leaseHandlers } from "./lease-handlers";
import { logHandlers } from "./log-handlers";
import { fileHandlers } from "./file-handlers";
import { automationHandlers } from "./automation-handlers";
import { noticeHandlers } from "./notice-handlers";
import { resumeOrCreate } from "../gateway/resume-or-create";
import { withEvents } from "./log-pages";

const pauseHandler = (operation: "pause" | "unpause") =>
  commandHandlerWith(
    ({ body }: Input<"pause"> | Input<"unpause">) => ({ operation, ...body }),
    ({ outcome }) => ({ already: outcome["already"] === true }),
  );

export const handlers: Handlers = {
  createSession,
  resume,
  ...logHandlers,
  ...leaseHandlers,
  ...evidenceHandlers,
  ...fileHandlers,
  ...automationHandlers,
  ...jobHandlers,
  ...executorHandlers,
  ...noticeHandlers,
  ...ownerHandlers,
  ...templateHandlers,
  ...ownerNoticeHandlers,

  async getSession({ gateway, principal, headers }) {
    const reply = await gateway.get(principal);
    if (!reply.ok) return answerRefusal(reply);
    const session = reply.value;
    return isNotModified(headers, etagOf(session))
      ? answerEmpty(304, sessionHeaders(session))
      : answerText(200, withSession(session), sessionHeaders(session));
  },

  setFields: commandHandler(({ body: { labels, ...body } }) =>
    labels === undefined
      ? {
          operation: "setFields",
          ...body,
          fields: (body.fields ?? {}) as Extract<Command, { operation: "setFields" }>["fields"],
        }
      : { operation: "setLabels", labels },
  ),

  async purge({ gateway, principal, ifMatch }) {
    return answerReply(await gateway.purge(principal, ifMatch), (certificate) => ({ certificate }));
  },

  resumable: queryHandler("resumable", ({ query: { lastEventSeq = null, auto = false } }) => ({
    lastEventSeq,
    auto,
  })),

  async validate({ gateway, principal, body }) {
    const fields = (body.fields ?? {}) as JsonObject;
    const reply = await gateway.read(principal, "validate", { fields });
    if (!reply.ok) return answerRefusal(reply);
    const { problems, session } = reply.value;
    const verdict = { valid: problems.length === 0, errors: problems, session };
    return answerJson(200, verdict, sessionHeaders(session));
  },

  getPrivate: queryHandler(
    "private",
    ({ params }) => ({ field: params["field"] ?? "" }),
    ({ field, value, salt, hash }) => ({ private: { field, value, salt, hash } }),
  ),

  erasePrivate: commandHandler(({ params }) => ({
    operation: "erasePrivate",
    field: params["field"] ?? "",
  })),

  requestInput: commandHandler(({ body }) => ({ operation: "requestInput", ...body })),
  submit: commandHandler(() => ({ operation: "submit" })),
  approve: commandHandler(({ body }) => ({ operation: "approve", ...body })),
  reject: commandHandler(({ body }) => ({ operation: "reject", ...body })),
  requestChanges: commandHandler(({ body }) => ({ operation: "requestChanges", ...body })),
  finalize: commandHandler(({ body }) => ({ operation: "finalize", ...body })),
  cancel: commandHandler(({ body }) => ({ operation: "cancel", ...body })),
  pause: pauseHandler("pause"),
  unpause: pauseHandler("unpause"),
  extend: commandHandler(({ body }) => ({ operation: "extend", ...body })),

  createHandoff: commandHandlerWith(
    ({ body }: Input<"createHandoff">) => ({ operation: "handoff", ...body }),
    handoffMembers,
    201,
  ),

  reissueHandoff: commandHandlerWith(
    ({ params, body }: Input<"reissueHandoff">) => ({
      operation: "reissue",
      participant: handoffIn(params),
      ...body,
    }),
    handoffMembers,
  ),

  listHandoffs: queryHandler("handoffs", noArguments, (handoffs) => ({ handoffs })),

  revokeHandoff: commandHandler(({ params }) => ({
    operation: "revokeHandoff",
    participant: handoffIn(params),
  })),

  revoke: commandHandler(({ body }) => ({
    operation: "revoke",
    target: body.participant === undefined ? "others" : (numberOf(body.participant, "par_") ?? 0),
  })),
};

/** 0 if the id is not a handoff's: no participant has that number. */
function handoffIn(params: Input["params"]): number {
  return numberOf(params["handoffId"] ?? "", "hnd_") ?? 0;
}

/** A link has its addresses, an agent's handoff its token. */
function handoffMembers({ handoff, participantToken, code }: WriteAnswer, { publicUrl }: Services) {
  return code === null
    ? { handoff, participantToken }
    : { handoff: { ...handoff, ...linkAddresses(code, publicUrl) } };
}

async function createSession(input: Input<"createSession">): Promise<Response> {
  const reply = await input.gateway.create(input.body as CreateArguments, input.idempotencyKey);
  if (!reply.ok) return answerRefusal(reply);
  return answerCreated(reply.value);
}

async function resume(input: Input<"resume">): Promise<Response> {
  const { principal: credential } = input;
  const { onInvalid = "fail", ...command } = input.body;
  const ref = input.params["ref"] ?? "";
  const namedSession = objectIdHexOf(ref) === null ? null : ref;
  const request = { credential, command, options: input, onInvalid, namedSession };
  const reply = await resumeOrCreate(input.gateway, request);
  if (!reply.ok) return answerRefusal(reply);
  const { outcome, answer } = reply.value;
  const { session, resumeToken, replayed } = answer;
  if (reply.value.outcome === "fresh") {
    const { warning } = reply.value;
    const log = { events: [], head: session.head, more: false };
    return answerCreated(answer, { outcome, warning, resumeToken, ...log });
  }
  const { page } = reply.value.answer;
  if (page === null) throw new Error("a resume brings a page of events");
  const { texts, head, more } = page;
  const body = withSession(session, { outcome, resumeToken, head, more });
  const headers = sessionHeaders(session, resumeToken, replayed);
  return answerText(200, withEvents(body, texts), headers);
}
