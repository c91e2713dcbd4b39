/** Webhook endpoints: those of the session, or with --owner those of the owner. */
import { omitUndefined } from "../domain/result";
import type { EndpointInput, EndpointMade, Endpoints as OwnerEndpoints } from "../client/index";
import { flag, readLabel, listOption, textOption, UsageError } from "./command";
import type { Command, Context, CommandOutput } from "./command";
import { formatPairs } from "./paint";
import { formatTable } from "./table";

/** The methods of both kinds, so that verbs need not distinguish them. */
type Endpoints = Pick<OwnerEndpoints, "list" | "add" | "change" | "rotate" | "deliveries"> & {
  remove(...args: Parameters<OwnerEndpoints["remove"]>): Promise<unknown>;
  replay(...args: Parameters<OwnerEndpoints["replay"]>): Promise<unknown>;
};

async function endpointsFor(context: Context): Promise<Endpoints> {
  if (context.has("owner")) return (await context.baton()).endpoints;
  const session = await context.session();
  return {
    list: (options) => session.endpoints(options),
    add: (input, options) => session.addEndpoint(input, options),
    change: (id, changes, options) => session.changeEndpoint(id, changes, options),
    rotate: (id, options) => session.rotateEndpoint(id, options),
    remove: (id, options) => session.removeEndpoint(id, options),
    deliveries: (id, query) => session.deliveries(id, query),
    replay: (id, input, options) => session.replayDeliveries(id, input, options),
  };
}

/** Reads the options for an endpoint; the server checks the values. */
function endpointInputFrom(context: Context): Partial<EndpointInput> {
  const notices = context.text("notices")?.split(",");
  const labels = context.list("label").map((text) => {
    const { name, value } = readLabel(text);
    return [name, value];
  });
  return omitUndefined({
    url: context.text("to"),
    notices: notices as EndpointInput["notices"] | undefined,
    format: context.text("format") as EndpointInput["format"],
    labels: labels.length === 0 ? undefined : Object.fromEntries(labels),
  });
}

type Verb = (context: Context, endpoints: Endpoints, id: string) => Promise<CommandOutput>;

const COLUMNS = ["ID", "STATUS", "FORMAT", "POSTS TO"];
const DELIVERY_COLUMNS = ["ID", "STATUS", "NOTICE", "LAST ANSWER", "WEBHOOK-ID"];

const list: Verb = async ({ signal, paint }, endpoints) => {
  const listed = await endpoints.list({ signal });
  const rows = listed.map((endpoint) => [
    endpoint.id,
    endpoint.failing ? "failing" : endpoint.status,
    endpoint.format,
    endpoint.origin,
  ]);
  const text = rows.length === 0 ? "No endpoints." : formatTable(COLUMNS, rows, paint);
  return { json: { endpoints: listed }, text };
};

const add: Verb = async (context, endpoints) => {
  const { url, notices, ...rest } = endpointInputFrom(context);
  if (url === undefined || notices === undefined) {
    throw new UsageError("Write: endpoints add --to <address> --notices <list>");
  }
  const created = await endpoints.add({ url, notices, ...rest }, { signal: context.signal });
  return secretOutput(created, context);
};

/** Verbs that take the id of an endpoint. */
const ENDPOINT_VERBS: Readonly<Record<string, Verb>> = {
  async change(context, endpoints, id) {
    const status = context.has("activate") ? { status: "active" as const } : {};
    const changes = { ...endpointInputFrom(context), ...status };
    if (Object.keys(changes).length === 0) {
      throw new UsageError("Say what to change: --to, --notices, --format, --label or --activate.");
    }
    const endpoint = await endpoints.change(id, changes, { signal: context.signal });
    return { json: { endpoint }, text: `Changed ${endpoint.id}: ${endpoint.status}` };
  },

  rotate: async (context, endpoints, id) =>
    secretOutput(await endpoints.rotate(id, { signal: context.signal }), context),

  async remove({ signal }, endpoints, id) {
    await endpoints.remove(id, { signal });
    return { json: { removed: id }, text: `Removed ${id}` };
  },

  async deliveries(context, endpoints, id) {
    const [cursor, limit] = [context.number("cursor"), context.number("limit")];
    const page = await endpoints.deliveries(id, {
      signal: context.signal,
      ...omitUndefined({ cursor, limit }),
    });
    const rows = page.deliveries.map(({ id: one, status, type, attempts, webhookId }) => {
      const lastAttempt = attempts.at(-1);
      return [
        one,
        status,
        type,
        String(lastAttempt?.status ?? lastAttempt?.error ?? ""),
        webhookId,
      ];
    });
    const { paint } = context;
    const more =
      page.nextCursor === null
        ? ""
        : `\n${paint.dim(`For the next page: --cursor ${page.nextCursor}`)}`;
    const text =
      rows.length === 0 ? "No deliveries." : formatTable(DELIVERY_COLUMNS, rows, paint) + more;
    return { json: page, text };
  },

  async replay(context, endpoints, id) {
    const [delivery, since] = [context.text("delivery"), context.text("since")];
    if ((delivery === undefined) === (since === undefined)) {
      throw new UsageError(
        "Say what to send again: --delivery dlv_7, or --since 2026-11-16T09:00:00Z.",
      );
    }
    const input = delivery === undefined ? { since: since ?? "" } : { delivery };
    await endpoints.replay(id, input, { signal: context.signal });
    return { json: { replayed: id, ...input }, text: `Sending again: ${delivery ?? since}` };
  },
};

const secretOutput = ({ endpoint, secret }: EndpointMade, { paint }: Context): CommandOutput => ({
  json: { endpoint, secret },
  text: `The secret that signs its deliveries. It is shown only once:\n${formatPairs([[endpoint.id, secret]], paint)}`,
});

export const endpointsCommand: Command = {
  name: "endpoints",
  summary: "list, add, change or remove webhooks, rotate a secret, list or replay deliveries",
  usage: `endpoints [add | ${Object.keys(ENDPOINT_VERBS).join(" <id> | ")} <id>]`,
  example:
    "baton endpoints add --to https://agents.example.com/baton --notices handoff.answered,session.approved",
  arity: [0, 2],
  options: {
    owner: flag(
      "endpoints for all your sessions, instead of this session; needs your key in BATON_KEY",
    ),
    to: textOption("<address>", "where notices are posted"),
    notices: textOption("<list>", "a comma-separated list of notices"),
    format: textOption("<name>", "standard, slack, discord or ntfy"),
    label: listOption("<name:value>", "only notices of sessions with this label"),
    activate: flag("with change: end a suspension"),
    delivery: textOption("<id>", "with replay: send this delivery again"),
    since: textOption("<time>", "with replay: send all since this time"),
    limit: textOption("<n>", "with deliveries: at most this many"),
    cursor: textOption("<n>", "with deliveries: the next page"),
  },
  async run(context) {
    const [verb = "list", id = ""] = context.args;
    const endpointVerb = Object.hasOwn(ENDPOINT_VERBS, verb) ? ENDPOINT_VERBS[verb] : undefined;
    const run = endpointVerb ?? { list, add }[verb];
    if (run === undefined) {
      const verbs = ["list", "add", ...Object.keys(ENDPOINT_VERBS)].join(", ");
      throw new UsageError(`"endpoints ${verb}" does not exist. Use one of: ${verbs}.`);
    }
    if (endpointVerb !== undefined && id === "") {
      throw new UsageError(`Name the endpoint: endpoints ${verb} end_…`);
    }
    return run(context, await endpointsFor(context), id);
  },
};
