/**
 * Writes docs/errors.md: every error by its code, the target of a problem's `type`. Status and text are
 * those of the server's answers. The conditions come from the table of docs/protocol.md.
 */
import { join } from "node:path";
import type { Failure } from "../../src/domain/failure.ts";
import type { Problem } from "../../src/protocol/problem.ts";
import { buildWorker } from "../build-worker.ts";

type ProblemModule = typeof import("../../src/protocol/problem.ts");
type SamplesModule = typeof import("../../src/protocol/sample-failures.ts");

/** Further cases of a code that have a separate text. */
const OTHER_CASES: readonly Failure[] = [
  { code: "credential_missing", what: "key" },
  { code: "token_invalid", what: "key" },
  { code: "scope_denied", needed: "own", why: "wider_than_own" },
  ...(
    [
      "own_work",
      "not_yours",
      "filled",
      "bound_elsewhere",
      "not_asked",
      "declined",
      "identity_required",
      "identity_invalid",
    ] as const
  ).map((why) => ({ code: "scope_denied", needed: "review", why }) as const),
  { code: "scope_denied", needed: "manage", why: "key_lacks" },
  { code: "scope_denied", needed: "manage", why: "not_by_key" },
  { code: "version_conflict", what: "head", seen: 3, actual: 6 },
  ...(["already_approved", "job_ended"] as const).map(
    (why) =>
      ({
        code: "illegal_transition",
        from: "needs_review",
        operation: "approve",
        allowed: ["reject", "cancel"],
        why,
      }) as const,
  ),
  { code: "replay_gap", changes: 40 },
  { code: "expired", what: "participant", expiresAt: Date.UTC(2026, 10, 24, 9) },
  { code: "expired", what: "ended", expiresAt: Date.UTC(2026, 10, 24, 9) },
  { code: "gone", what: "template" },
  { code: "quota_exceeded", quota: "createsPerMinute", used: 60, allowed: 60 },
  { code: "unsupported_media_type", wanted: "files of type image/png" },
  { code: "idempotency_mismatch", why: "too_old" },
  { code: "idempotency_mismatch", why: "purged" },
  { code: "overloaded", why: "newer_data", retryAfterMs: 1_000 },
  { code: "overloaded", why: "disk_full", retryAfterMs: 1_000 },
];

const ACTOR = { kind: "human", id: "person-2", name: "Ada" };
const NOW = {
  id: "ses_HEy_5LQhhyYcCCxunBoZj7uNqGAi5yd6sSiNKD5NSeU",
  state: "in_progress",
  version: 6,
  head: 6,
  updatedAt: "2026-11-17T09:30:00.000Z",
  updatedBy: ACTOR,
  expiresAt: "2026-11-24T09:00:00.000Z",
};
const MISSED = {
  seq: 6,
  type: "fields.updated",
  at: NOW.updatedAt,
  actor: ACTOR,
  participant: "par_2",
  state: NOW.state,
  version: 6,
  payload: { changes: [{ field: "guests", to: 80 }] },
};

/** The examples show only the outline of the session, because a whole session is long. */
const CONTEXT: Partial<Record<string, { current: unknown; missed?: unknown; more?: boolean }>> = {
  token_superseded: { current: NOW },
  version_conflict: { current: NOW, missed: [MISSED], more: false },
  precondition_failed: { current: NOW, missed: [MISSED], more: false },
  illegal_transition: { current: { ...NOW, state: "submitted" } },
  paused: { current: NOW },
  replay_gap: { current: { ...NOW, head: 58 } },
};

/** Errors without a session: none was found, or the caller must not learn that it exists. */
const WITHOUT_SESSION: ReadonlySet<string> = new Set([
  "invalid_request",
  "credential_missing",
  "token_invalid",
  "quota_exceeded",
  "method_not_allowed",
  "external_id_taken",
  "length_required",
  "too_large",
  "unsupported_media_type",
  "idempotency_mismatch",
  "upgrade_required",
  "rate_limited",
  "internal",
  "not_configured",
  "overloaded",
]);

/** Bundled into one module, because Node cannot load the Worker's sources directly. */
async function load<T>(name: string): Promise<T> {
  const bundled = await buildWorker(join(import.meta.dirname, "../../src/protocol", name));
  const source = `data:text/javascript;base64,${Buffer.from(bundled).toString("base64")}`;
  return (await import(/* @vite-ignore */ source)) as T;
}

/** A row of the table of errors in docs/protocol.md. */
interface Row {
  readonly when: string;
  readonly members: string;
}

function rowsIn(protocol: string): ReadonlyMap<string, Row> {
  const [, section = ""] = protocol.split(/^## Errors$/m);
  const rows = section.matchAll(/^\| `(\w+)` *\| \d{3} *\| (.+?) *\| (.*?) *\|$/gm);
  return new Map(
    [...rows].map(([, code = "", when = "", members = ""]) => [code, { when, members }]),
  );
}

export async function errorsPage(protocol: string): Promise<string> {
  const { STATUS, toProblem } = await load<ProblemModule>("problem.ts");
  const { SAMPLE_FAILURES } = await load<SamplesModule>("sample-failures.ts");
  const rows = rowsIn(protocol);
  const sections = Object.values(SAMPLE_FAILURES).map((failure) => {
    const row = rows.get(failure.code);
    if (row === undefined) throw new Error(`docs/protocol.md does not list ${failure.code}`);
    const others = OTHER_CASES.filter(({ code }) => code === failure.code);
    return section(
      row,
      toProblem(failure, {
        ...(WITHOUT_SESSION.has(failure.code) ? {} : { sessionId: NOW.id }),
        ...CONTEXT[failure.code],
      }),
      others.map((other) => toProblem(other)),
    );
  });
  const list = Object.entries(STATUS).map(
    ([code, status]) => `| [\`${code}\`](#${code}) | ${status} | ${rows.get(code)?.when} |`,
  );
  return `# Errors

<!-- Written by \`npm run docs:write\` from src/protocol/problem-text.ts and the table in protocol.md. -->

Every error of the HTTP API is a JSON document of the type \`application/problem+json\`. Its \`code\` is for programs, and its \`type\` leads to the section of that code on this page. [The protocol](protocol.md#errors) explains the members that all errors have. Numbers such as T-10 are clauses of the protocol. The page of a link is not part of the API: it explains problems in words, and its status is 410 if the link was revoked, was declined or has expired, or if its session has ended.

The examples show \`current\` as an outline to keep them short. A caller that may view the session gets the whole session there, as \`GET /sessions/{id}\` returns it.

| code | status | when |
| --- | --- | --- |
${list.join("\n")}

${sections.join("\n")}`;
}

function section({ when, members }: Row, problem: Problem, others: readonly Problem[]): string {
  const { code, status } = problem;
  const cases = Map.groupBy([problem, ...others], ({ title }) => title);
  return `## ${code}

Status ${status}. Returned when ${when}. ${retryText(problem, others)}${memberText(members)}

${[...cases].map(caseText).join("\n")}
<!-- run by test/unit/docs-errors.test.ts -->

\`\`\`json
${JSON.stringify(problem, null, 2)}
\`\`\`
`;
}

/** Whether repeating helps, in all cases of a code or only in some. */
function retryText(problem: Problem, others: readonly Problem[]): string {
  const cases = [problem, ...others];
  if (cases.every(({ retryable }) => retryable)) return "The same request may succeed later.";
  return cases.some(({ retryable }) => retryable)
    ? "`retryable` says whether the same request may succeed later."
    : "Do not just repeat the request: it would fail again.";
}

/** The members and headers of an error, as the protocol's table lists them. */
function memberText(members: string): string {
  if (members === "") return "";
  if (members.startsWith("never ")) return ` The error never contains ${members.slice(6)}.`;
  const parts = members.split(", ");
  const [headers, fields] = [true, false].map((isHeader) =>
    parts.filter((part) => part.startsWith("header ") === isHeader),
  );
  const contains = fields?.length ? ` The error contains ${joined(fields)}.` : "";
  return headers?.length ? `${contains} The response has the ${joined(headers)}.` : contains;
}

const joined = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** What happened, possible causes, and what to do. */
function caseText([title, problems]: readonly [string, readonly Problem[]]): string {
  const reasons = problems.map(({ detail }) => `- ${sentence(detail)}`);
  const actions = new Set(
    problems.flatMap(({ nextActions }) => nextActions.map((action) => action.replace(...STATES))),
  );
  return `**${sentence(title)}** The \`detail\` is, for example:

${reasons.join("\n")}

What to do: ${[...actions].join(" ")}
`;
}

/** Replaces the operations of one example, which are not general advice. */
const STATES = [/^Possible now: .*$/, "Do one of the operations in `allowed`."] as const;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
