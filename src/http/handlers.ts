/** One handler an endpoint: from parsed input to a use case, from its answer to a response. */
import type { Command, CreateArguments } from "../domain/session/command";
import { numberOf, objectIdHexOf } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import { linkAddresses } from "../gateway/public-url";
import {
  answerEmpty,
  answerJson,
  answerText,
  sessionHeaders,
  withSession,
  locationOf,
} from "./answers";
import { etagOf, isNotModified } from "./conditions";
import {
  answering,
  answerWrite,
  reading,
  refused,
  writing,
  type Handlers,
  type Input,
} from "./handler";
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
    const reply = await gateway.purge(presented, ifMatch);
    return reply.ok ? answerJson(200, { certificate: reply.value }) : refused(reply);
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

  async reissueHandoff(input) {
    const participant = numberOf(input.params["handoffId"] ?? "", "hnd_") ?? 0;
    const command = { operation: "reissue", participant, ...input.body } as const;
    const reply = await input.gateway.write(input.presented, command, input);
    if (!reply.ok) return refused(reply);
    const { handoff, code } = reply.value;
    if (code === null) throw new Error("a link that is issued anew has a code");
    const addresses = linkAddresses(code, input.publicUrl);
    return answerWrite(reply.value, { handoff: { ...handoff, ...addresses } });
  },

  listHandoffs: reading(
    "handoffs",
    () => ({}),
    (handoffs) => ({ handoffs }),
  ),

  revokeHandoff: writing(({ params }) => ({
    operation: "revokeHandoff",
    participant: numberOf(params["handoffId"] ?? "", "hnd_") ?? 0,
  })),

  revoke: writing(({ body }) => ({
    operation: "revoke",
    target: body.participant === undefined ? "others" : (numberOf(body.participant, "par_") ?? 0),
  })),
};

async function createSession(input: Input<"createSession">): Promise<Response> {
  const reply = await input.gateway.create(input.body as CreateArguments, input.idempotencyKey);
  if (!reply.ok) return refused(reply);
  const { shown, resumeToken, replayed } = reply.value;
  const headers = { ...locationOf(shown), ...sessionHeaders(shown, resumeToken, replayed) };
  return answerText(201, withSession(shown, { resumeToken }), headers);
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
  const headers = sessionHeaders(shown, resumeToken, replayed);
  if (reply.value.outcome === "fresh") {
    const { warning } = reply.value;
    const log = { events: [], head: shown.head, more: false };
    const body = withSession(shown, { outcome, warning, resumeToken, ...log });
    return answerText(201, body, { ...locationOf(shown), ...headers });
  }
  const { page } = reply.value.answer;
  if (page === null) throw new Error("a resume brings a page of events");
  const { texts, head, more } = page;
  const body = withSession(shown, { outcome, resumeToken, head, more });
  return answerText(200, withEvents(body, texts), headers);
}
