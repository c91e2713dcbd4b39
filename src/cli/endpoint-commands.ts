/** What an owner does with its endpoints: where notices of all its sessions are posted. */
import type { EndpointInput } from "../client/index";
import { textOption, UsageError, type Command, type Context } from "./command";
import { pairs } from "./paint";
import { tableOf } from "./table";

const listOf = (text: string): string[] => text.split(",").map((one) => one.trim());

/** What the options say of an endpoint; nothing where they say nothing. */
function wishOf(context: Context): Partial<EndpointInput> {
  const [url, notices] = [textOption(context, "url"), textOption(context, "notices")];
  const format = textOption(context, "format") as EndpointInput["format"];
  return {
    ...(url === undefined ? {} : { url }),
    ...(notices === undefined ? {} : { notices: listOf(notices) as EndpointInput["notices"] }),
    ...(format === undefined ? {} : { format }),
  };
}

const idOf = ({ args: [verb, id] }: Context): string => {
  if (id === undefined) throw new UsageError(`Say which: endpoints ${verb} end_…`);
  return id;
};

type Run = Command["run"];
const HEAD = ["ID", "STATUS", "FORMAT", "ORIGIN"];
const TRIED = ["ID", "STATUS", "NOTICE", "ANSWER", "WEBHOOK-ID"];

const VERBS: Readonly<Record<string, Run>> = {
  async list(context) {
    const endpoints = await (await context.baton()).endpoints.list({ signal: context.signal });
    const rows = endpoints.map((one) => [one.id, one.status, one.format, one.origin]);
    return {
      json: { endpoints },
      text: rows.length === 0 ? "None." : tableOf(HEAD, rows, context.paint),
    };
  },

  async add(context) {
    const { url, notices, ...rest } = wishOf(context);
    if (url === undefined || notices === undefined) {
      throw new UsageError("Say: endpoints add --url <address> --notices <list>");
    }
    const wish = { url, notices, ...rest };
    const made = await (await context.baton()).endpoints.add(wish, { signal: context.signal });
    return { json: made, text: shown(context, made.endpoint.id, made.secret) };
  },

  async change(context) {
    const wish = wishOf(context);
    const changes =
      context.options["resume"] === true ? { ...wish, status: "active" as const } : wish;
    const { endpoints } = await context.baton();
    const endpoint = await endpoints.change(idOf(context), changes, { signal: context.signal });
    return { json: { endpoint }, text: `Changed ${endpoint.id}; it is ${endpoint.status}.` };
  },

  async rotate(context) {
    const { endpoints } = await context.baton();
    const made = await endpoints.rotate(idOf(context), { signal: context.signal });
    return { json: made, text: shown(context, made.endpoint.id, made.secret) };
  },

  async deliveries(context) {
    const { endpoints } = await context.baton();
    const page = await endpoints.deliveries(idOf(context), { signal: context.signal });
    const rows = page.deliveries.map(({ id, status, type, attempts, webhookId }) => {
      const last = attempts.at(-1);
      return [id, status, type, `${last?.status ?? last?.error ?? ""}`, webhookId];
    });
    return { json: page, text: rows.length === 0 ? "None." : tableOf(TRIED, rows, context.paint) };
  },

  async replay(context) {
    const [delivery, since] = [textOption(context, "delivery"), textOption(context, "since")];
    if ((delivery === undefined) === (since === undefined)) {
      throw new UsageError(
        "Say what to send again: --delivery dlv_7, or --since 2026-11-16T09:00:00Z.",
      );
    }
    const wish = delivery === undefined ? { since: since ?? "" } : { delivery };
    const { endpoints } = await context.baton();
    const endpoint = await endpoints.replay(idOf(context), wish, { signal: context.signal });
    return { json: { endpoint }, text: `Sent again from ${endpoint.id}.` };
  },

  async remove(context) {
    const { endpoints } = await context.baton();
    const endpoint = await endpoints.remove(idOf(context), { signal: context.signal });
    return { json: { endpoint }, text: `Removed ${endpoint.id}.` };
  },
};

const shown = ({ paint }: Context, id: string, secret: string): string =>
  pairs(
    [
      ["endpoint", id],
      ["secret", `${secret} (shown only once)`],
    ],
    paint,
  );

export const endpointCommands: readonly Command[] = [
  {
    name: "endpoints",
    group: "Owners",
    summary: "list, add, change, rotate or remove your endpoints, list and replay deliveries",
    usage: `endpoints [${Object.keys(VERBS).join(" | ")}] [<id>]`,
    example:
      "baton endpoints add --url https://agents.example.com/baton --notices handoff.answered",
    takes: [0, 2],
    options: {
      url: { type: "string", value: "<address>", help: "where notices are posted" },
      notices: { type: "string", value: "<list>", help: "a comma-separated list of notices" },
      format: { type: "string", value: "<name>", help: "standard, slack, discord or ntfy" },
      resume: { type: "boolean", help: "with change: end a suspension" },
      delivery: { type: "string", value: "<id>", help: "with replay: one delivery" },
      since: { type: "string", value: "<time>", help: "with replay: all since this time" },
    },
    run(context) {
      const [verb = "list"] = context.args;
      const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
      if (run === undefined) throw new UsageError(`Say one of: ${Object.keys(VERBS).join(", ")}.`);
      return run(context);
    },
  },
];
