/** One handler an endpoint: from parsed input to a use case, from its answer to a response. */
import type { Command, CreateArguments } from "../domain/session/command";
import { numberOf, objectIdHexOf } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import { linkAddresses } from "../gateway/public-url";
import type { WriteAnswer } from "../gateway/write-answer";
import {
  answerBegun,
  answerEmpty,
  answerJson,
  answerText,
  sessionHeaders,
  withSession,
} from "./answers";
import { etagOf, isNotModified } from "./conditions";
import { answered, answering, noArguments, reading, refused, writing } from "./handler";
import type { Handlers, Input, Services } from "./handler";
import { evidenceHandlers } from "./evidence-handlers";
import { executorHandlers, jobHandlers } from "./job-handlers";
import { ownerHandlers, templateHandlers } from "./owner-handlers";
import { ownerNoticeHandlers } from "./owner-notice-handlers";
import { logHandlers } from "./log-handlers";
import { fileHandlers } from "./file-handlers";
import { automationHandlers } from "./automation-handlers";
import { noticeHandlers } from "./notice-handlers";
import { resumeOrBegin } from "../gateway/resume-or-begin";
import { withEvents } from "./log-pages";

const pausing = (operation: "pause" | "unpause") =>
  answering(
    ({ body }: Input<"pause"> | Input<"unpause">) => ({ operation, ...body }),
    ({ outcome }) => ({ already: outcome["already"] === true }),
  );

export const handlers: Handlers = {
  createSession,
  resume,
  ...logHandlers,
  ...evidenceHandlers,
  ...fileHandlers,
  ...automationHandlers,
  ...jobHandlers,
  ...executorHandlers,
  ...noticeHandlers,
  ...ownerHandlers,
  ...templateHandlers,
  ...ownerNoticeHandlers,

  async getSession({ gateway, presented, headers }) {
    const reply = await gateway.get(presented);
    if (!reply.ok) return refused(reply);
    const session = reply.value;
    return isNotModified(headers, etagOf(session))
      ? answerEmpty(304, sessionHeaders(session))
      : answerText(200, withSession(session), sessionHeaders(session));
  },

  setFields: writing(({ body: { labels, ...body } }) =>
    labels === undefined
      ? {
          operation: "setFields",
          ...body,
          fields: (body.fields ?? {}) as Extract<Command, { operation: "setFields" }>["fields"],
        }
      : { operation: "setLabels", labels },
  ),

  async purge({ gateway, presented, ifMatch }) {
    return answered(await gateway.purge(presented, ifMatch), (certificate) => ({ certificate }));
  },

  resumable: reading("resumable", ({ query: { lastEventSeq = null, auto = false } }) => ({
    lastEventSeq,
    auto,
  })),

  async validate({ gateway, presented, body }) {
    const fields = (body.fields ?? {}) as JsonObject;
    const reply = await gateway.read(presented, "validate", { fields });
    if (!reply.ok) return refused(reply);
    const { problems, session } = reply.value;
    const verdict = { valid: problems.length === 0, errors: problems, session };
    return answerJson(200, verdict, sessionHeaders(session));
  },

  getPrivate: reading(
    "private",
    ({ params }) => ({ field: params["field"] ?? "" }),
    ({ field, value, salt, hash }) => ({ private: { field, value, salt, hash } }),
  ),

  erasePrivate: writing(({ params }) => ({
    operation: "erasePrivate",
    field: params["field"] ?? "",
  })),

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

  createHandoff: answering(
    ({ body }: Input<"createHandoff">) => ({ operation: "handoff", ...body }),
    handedOff,
    201,
  ),

  reissueHandoff: answering(
    ({ params, body }: Input<"reissueHandoff">) => ({
      operation: "reissue",
      participant: handoffIn(params),
      ...body,
    }),
    handedOff,
  ),

  listHandoffs: reading("handoffs", noArguments, (handoffs) => ({ handoffs })),

  revokeHandoff: writing(({ params }) => ({
    operation: "revokeHandoff",
    participant: handoffIn(params),
  })),

  revoke: writing(({ body }) => ({
    operation: "revoke",
    target: body.participant === undefined ? "others" : (numberOf(body.participant, "par_") ?? 0),
  })),
};

/** 0 for what is no handoff's id: no participant has that number. */
function handoffIn(params: Input["params"]): number {
  return numberOf(params["handoffId"] ?? "", "hnd_") ?? 0;
}

/** A link comes with its addresses, an agent's handoff with its token. */
function handedOff({ handoff, participantToken, code }: WriteAnswer, { publicUrl }: Services) {
  return code === null
    ? { handoff, participantToken }
    : { handoff: { ...handoff, ...linkAddresses(code, publicUrl) } };
}

async function createSession(input: Input<"createSession">): Promise<Response> {
  const reply = await input.gateway.create(input.body as CreateArguments, input.idempotencyKey);
  if (!reply.ok) return refused(reply);
  return answerBegun(reply.value);
}

async function resume(input: Input<"resume">): Promise<Response> {
  const { presented } = input;
  const { onInvalid = "fail", ...command } = input.body;
  const ref = input.params["ref"] ?? "";
  const named = objectIdHexOf(ref) === null ? null : ref;
  const request = { presented, command, options: input, onInvalid, named };
  const reply = await resumeOrBegin(input.gateway, request);
  if (!reply.ok) return refused(reply);
  const { outcome, answer } = reply.value;
  const { shown, resumeToken, replayed } = answer;
  if (reply.value.outcome === "fresh") {
    const { warning } = reply.value;
    const log = { events: [], head: shown.head, more: false };
    return answerBegun(answer, { outcome, warning, resumeToken, ...log });
  }
  const { page } = reply.value.answer;
  if (page === null) throw new Error("a resume brings a page of events");
  const { texts, head, more } = page;
  const body = withSession(shown, { outcome, resumeToken, head, more });
  const headers = sessionHeaders(shown, resumeToken, replayed);
  return answerText(200, withEvents(body, texts), headers);
}
