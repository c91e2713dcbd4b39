/** Writes docs/events.md: every event of the server, from the types of its payloads. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTrimmable, SERVER_NAMESPACES } from "../../src/domain/log/event.ts";
import { isNotice } from "../../src/domain/notices/catalogue.ts";
import { EVENT_EXAMPLES } from "./event-examples.ts";
import { eventsIn, type EventEntry, type Member } from "./payload-types.ts";

const SOURCE = join(import.meta.dirname, "../../src/domain/log/payloads.ts");

/** The names of the source's types in the documents. */
const TYPE_TEXTS: Readonly<Record<string, string>> = {
  Json: "any JSON",
  JsonObject: "object",
  Outcome: "`success`, `failure`, `skipped` or `pending`",
  StopReason: "a reason, see [stops](protocol.md#stops)",
};

export const readEventCatalog = (): readonly EventEntry[] => eventsIn(readFileSync(SOURCE, "utf8"));

export function eventsPage(): string {
  const entries = readEventCatalog();
  const groups = Map.groupBy(entries, ({ type }) => type.split(".")[0] ?? "");
  const unused = [...SERVER_NAMESPACES].filter((name) => !groups.has(name));
  const sections = [...groups].map(
    ([name, events]) => `## ${name}.\\*\n\n${events.map(section).join("\n")}`,
  );
  return `# Events

<!-- Written by \`npm run docs:write\` from src/domain/log/payloads.ts. -->

Everything that happens in a session is an event in its log. An event has these members: \`seq\`, \`type\`, \`at\`, \`actor\`, \`state\`, \`version\`, \`payload\`, and \`trace\` if the request had a \`traceparent\` header. This page lists every type that the server writes, with its payload. [The log](protocol.md#the-log) explains how to read events.

Events marked **notice** are also sent to [endpoints](notices.md). Clients can append events of any other namespaced type, such as \`agent.progress\`. The namespaces of the server are refused: ${[...SERVER_NAMESPACES].map((name) => `\`${name}\``).join(", ")}. Of these, ${unused.map((name) => `\`${name}\``).join(", ")} have no events yet${unused.includes("replay") ? ", except that a stream sends `replay.done` as a marker that is not in the log" : ""}.

| event | meaning | notice |
| --- | --- | --- |
${entries.map(row).join("\n")}

${sections.join("\n")}`;
}

const anchor = (type: string): string => type.replaceAll(".", "");

const row = ({ type, about }: EventEntry): string =>
  `| [\`${type}\`](#${anchor(type)}) | ${about} | ${isNotice(type) ? "yes" : ""} |`;

function section({ type, about, members }: EventEntry): string {
  const { cause, payload } = EVENT_EXAMPLES[type as keyof typeof EVENT_EXAMPLES];
  const marks = [
    isNotice(type) ? "**Notice.**" : "",
    isTrimmable(type) ? "Can be removed by [trimming](protocol.md#trimming)." : "",
  ].filter((mark) => mark !== "");
  return `### ${type}

${[about, ...marks].join(" ")} Cause: ${cause}.

${membersTable(members)}
<!-- run by test/unit/docs-events.test.ts -->

\`\`\`json
${JSON.stringify(payload, null, 2)}
\`\`\`
`;
}

const membersTable = (members: readonly Member[]): string =>
  members.length === 0
    ? "The payload is empty.\n"
    : `| member | type | meaning |\n| --- | --- | --- |\n${members.map(memberRow).join("\n")}\n`;

const memberRow = ({ name, isOptional, type, about }: Member): string =>
  `| \`${name}\`${isOptional ? ", optional" : ""} | ${describeType(type)} | ${about} |`;

function describeType(type: string): string {
  if (TYPE_TEXTS[type] !== undefined) return TYPE_TEXTS[type];
  if (type.startsWith("{") || type.startsWith("Readonly<Record")) return "object";
  const list = /^readonly (\w+)\[\]$/.exec(type)?.[1];
  if (list !== undefined) return /^[A-Z]/.test(list) ? "list of objects" : `list of ${list}s`;
  return type
    .split(" | ")
    .map((one) => (one.startsWith('"') ? `\`${one.slice(1, -1)}\`` : (TYPE_TEXTS[one] ?? one)))
    .join(" or ");
}
