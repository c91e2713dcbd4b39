/** The routes of owners: the list of their sessions, and its changes as pages, lines or a stream. */
import { invalid } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { streamChanges } from "../gateway/change-stream";
import { STREAM_HEADERS } from "../gateway/step-stream";
import { OwnerGateway, type DirectoryChange } from "../gateway/owner-gateway";
import { toListQuery } from "../gateway/list-query";
import type { OpenNamedInput } from "../gateway/session-opener";
import {
  answerCreated,
  answerJson,
  answerProblem,
  answerText,
  sessionHeaders,
  withSession,
} from "./answers";
import { answerReply, answerRefusal, type SomeHandlers } from "./handler";
import { lineTypeIn } from "./event-lines";
import { parseStart, acceptsEventStream } from "./live-events";
import { isTemplateName } from "../domain/owners/template";

export const ownerHandlers = {
  async listSessions({ use, principal: holder, query }) {
    const reply = await use(OwnerGateway).list(holder, toListQuery(query));
    return answerReply(reply, ({ sessions, nextCursor, counts }) => {
      const cursor = nextCursor === null ? null : String(nextCursor);
      return { sessions, nextCursor: cursor, counts };
    });
  },

  async openSession({ use, principal: holder, params, body }) {
    const reply = await use(OwnerGateway).open(holder, params["ref"] ?? "", body);
    if (!reply.ok) return answerRefusal(reply);
    return answerCreated(reply.value);
  },

  async openNamedSession({ use, principal: holder, body }) {
    const { externalId, create, onEnded, ...open } = body;
    const args = create === true ? {} : ((create ?? null) as OpenNamedInput["create"]);
    const isFresh = onEnded === "fresh";
    const reply = await use(OwnerGateway).openNamed(holder, {
      externalId,
      create: args,
      isFresh,
      open,
    });
    if (!reply.ok) return answerRefusal(reply);
    const { session, resumeToken, outcome, warning } = reply.value;
    const members = { outcome, warning, resumeToken };
    return outcome === "opened"
      ? answerText(200, withSession(session, members), sessionHeaders(session, resumeToken))
      : answerCreated(reply.value, members);
  },

  async followSessions({ use, principal: holder, query, headers, signal }) {
    const { after = 0, limit, waitMs = 0 } = query;
    const owners = use(OwnerGateway);
    const start = parseStart(headers, after);
    if (!start.ok) return answerProblem(start.error);
    const from = acceptsEventStream(headers) ? (start.value ?? 0) : after;
    const size = limit ?? LIMITS.changesPageDefault;
    // It listens before it reads, so that no change is missed.
    const wakeSignal =
      acceptsEventStream(headers) || waitMs > 0 ? await owners.changeSignal(holder) : null;
    if (wakeSignal?.ok === false) return answerProblem(wakeSignal.failure);
    signal?.addEventListener("abort", () => wakeSignal?.value.close());
    let page = await owners.changes(holder, from, size);
    if (page.ok && from > page.value.head) {
      wakeSignal?.value.close();
      return answerProblem(
        invalid(`after is ${from}, but the last change is ${page.value.head}`, "after"),
      );
    }
    if (wakeSignal !== null && page.ok && acceptsEventStream(headers)) {
      const stream = streamChanges(owners, holder, wakeSignal.value, from, frames);
      return new Response(stream, { headers: STREAM_HEADERS });
    }
    if (wakeSignal !== null && page.ok && page.value.next === from) {
      await wakeSignal.value.wait(waitMs);
      page = await owners.changes(holder, from, size);
    }
    wakeSignal?.value.close();
    if (!page.ok) return answerProblem(page.failure);
    const { changes, next, head } = page.value;
    const lineType = lineTypeIn(headers.get("Accept"));
    if (lineType !== null) {
      const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join("");
      return new Response(lines, {
        headers: { "Content-Type": lineType, "Cache-Control": "no-store" },
      });
    }
    return answerJson(200, { changes, nextAfter: next, head, more: next < head });
  },
} satisfies SomeHandlers;

const frames = (changes: readonly DirectoryChange[]): string =>
  changes.map(({ number, ...data }) => `id: ${number}\ndata: ${JSON.stringify(data)}\n\n`).join("");

/** The routes of an owner's templates. */
const NAME_RULE =
  "a template's name is 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit";

export const templateHandlers = {
  async listTemplates({ use, principal: holder }) {
    return answerReply(await use(OwnerGateway).templates.list(holder), (templates) => ({
      templates,
    }));
  },

  async getTemplate({ use, principal: holder, params }) {
    const reply = await use(OwnerGateway).templates.get(holder, params["name"] ?? "");
    return answerReply(reply, (template) => ({ template }));
  },

  async putTemplate({ use, principal: holder, params, body }) {
    const name = params["name"] ?? "";
    if (!isTemplateName(name)) return answerProblem(invalid(NAME_RULE, "name"));
    const reply = await use(OwnerGateway).templates.put(holder, name, body as never);
    if (!reply.ok) return answerProblem(reply.failure);
    const { template, isNew } = reply.value;
    return answerJson(isNew ? 201 : 200, { template });
  },

  async retireTemplate({ use, principal: holder, params }) {
    const reply = await use(OwnerGateway).templates.retire(holder, params["name"] ?? "");
    return answerReply(reply, (template) => ({ template }));
  },
} satisfies SomeHandlers;
