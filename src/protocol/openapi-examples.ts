/**
 * Generates the examples of all requests and responses in OpenAPI from their schemas. A member has the
 * same value in every example, so that all of them show one session. A test checks every example
 * against its schema.
 */
import type { FailureCode } from "../domain/failure";
import { NDJSON, EVENT_STREAM, PROBLEM_JSON } from "./media-types";
import { toProblem } from "./problem";
import { SAMPLE_FAILURES } from "./sample-failures";

type Doc = Readonly<Record<string, unknown>>;
type Media = Readonly<Record<string, { readonly schema: unknown }>>;

const SESSION = "ses_HEy_5LQhhyYcCCxunBoZj7uNqGAi5yd6sSiNKD5NSeU";
const ENDPOINT = "end_ttCsSMsGxlW3GOXhVDCGLtmt3AKYJHMVpZ8Mc9C2ofA";
const JOB = "job_pKQ-KN7KcNM8yMqyupNA3m-ir7VeDUPz6HQoTxSkGt0AAAAB";
const SHA256 = "487aaa40b02ca565c1a630881855e198618c828cfe8ea4435be53836af367a6a";

/** By a member's name, or by `Schema.member` if the value differs in that schema. */
const VALUES: Readonly<Record<string, unknown>> = {
  "Actor.id": "agent-a",
  "ActorClaim.id": "agent-a",
  "Checkpoint.id": "chk_1",
  "Checkpoint.name": "half-way",
  "Claimed.input": { claim: "4711" },
  "Delivery.id": "dlv_1",
  "Job.traceId": null,
  "Participant.expiresAt": null,
  "Participant.madeBy": null,
  "Participant.scopes": ["view", "append", "fill", "handoff", "own"],
  "Event.type": "fields.updated",
  "Event.payload": { changes: [{ field: "guests", to: 80 }] },
  "Handoff.id": "hnd_2",
  "Job.id": JOB,
  "JobError.code": "MODEL_ERROR",
  "Lease.name": "worker",
  "Lease.number": 12,
  "NoticeEndpoint.id": ENDPOINT,
  "Once.key": "invoice-17",
  "Once.status": "done",
  "Once.result": { id: "in_42" },
  "Participant.id": "par_1",
  "RequestChanges.fields": { guests: "Is this with the children?" },
  "RequestInput.fields": ["date"],
  "RequestUpload.type": "text/plain",
  "Review.approvedBy": [],
  "Session.fieldMeta": {
    guests: { actor: { kind: "agent", id: "agent-a" }, at: "2026-11-17T09:00:00.000Z" },
  },
  "Session.missingFields": [],
  "Session.nextStep": null,
  "Session.parent": null,
  "Session.schema": null,
  "TakeLease.number": 12,
  "TakeLease.ttlMs": 60_000,
  "Upload.id": "upl_1",
  "Upload.type": "text/plain",
  agent: "summarizer",
  approvals: 1,
  at: "2026-11-17T09:30:00.000Z",
  attempt: 1,
  attempts: 1,
  blobs: [],
  bytes: 57,
  chain: SHA256,
  checkpoint: "chk_1",
  children: [],
  childToken: "rtok_…",
  comment: "Nearly there.",
  createdAt: "2026-11-17T09:00:00.000Z",
  createdBy: "par_1",
  expiresAt: "2026-11-24T09:00:00.000Z",
  externalId: "claim-4711",
  field: "guests",
  fields: { guests: 80 },
  files: [],
  first: 6,
  floor: 40,
  hash: SHA256,
  head: 7,
  id: SESSION,
  jobToken: "jtok_…",
  keyId: "2026-11",
  kind: "log",
  labels: { team: "claims" },
  last: 7,
  lastEventSeq: 7,
  leaseExpiresAt: "2026-11-17T09:31:00.000Z",
  leaseMs: 60_000,
  madeBy: "par_1",
  message: "must be a number",
  name: "scan.txt",
  nextAfter: 7,
  nextCursor: "24",
  note: "Which day suits you?",
  number: 12,
  origin: "https://hooks.example",
  participant: "par_2",
  participantToken: "rtok_…",
  prompt: "Continue the session that this one was forked from.",
  question: "Which day suits you?",
  reason: "The budget is spent.",
  resumeToken: "rtok_…",
  retryAfterMs: 30_000,
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  seq: 6,
  sessionId: SESSION,
  sha256: SHA256,
  signature: "kfTz3Yw0oQmZ1x_9vJc2uQ",
  since: "2026-11-17T09:00:00.000Z",
  size: 19,
  state: "in_progress",
  title: "Book the hall",
  total: 1,
  ttlMs: 604_800_000,
  type: "agent.progress",
  url: "https://hooks.example/baton",
  salt: "x7Jt0W2cQe",
  value: "1990-05-01",
  version: 6,
  waitMs: 30_000,
  webhookId: `${SESSION}:6`,
  why: "The provider asked to wait.",
};

/** Optional members that an example shows anyway, because a request without them shows little. */
const SHOWN_OPTIONAL_MEMBERS: ReadonlySet<string> = new Set(
  (
    "actor comment fields labels maxRuntimeMs note notices participantToken question reason " +
    "retryAfterMs title ttlMs"
  ).split(" "),
);

/** Members that differ in a session that was just created. */
const NEW_SESSION = { state: "draft", version: 2, head: 3, updatedAt: VALUES["createdAt"] };

export function withExamples(
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  schemas: Readonly<Record<string, unknown>>,
): Doc {
  const examples = new Examples(schemas);
  const media = (content: Media, description: string): Doc =>
    Object.fromEntries(
      Object.entries(content).map(([type, entry]) => [
        type,
        { ...entry, ...exampleFor(type, entry.schema, description, examples) },
      ]),
    );
  const part = (value: Doc): Doc =>
    value["content"] === undefined
      ? value
      : { ...value, content: media(value["content"] as Media, String(value["description"])) };
  const operation = (value: Doc): Doc => ({
    ...value,
    ...(value["requestBody"] === undefined
      ? {}
      : { requestBody: part(value["requestBody"] as Doc) }),
    responses: mapValues(value["responses"] as Doc, (one) => part(one as Doc)),
  });
  return mapValues(paths, (methods) =>
    mapValues(methods as Doc, (one) => {
      const done = operation(one as Doc);
      return done["operationId"] === "createSession" ? withNewSession(done) : done;
    }),
  );
}

interface CreatedResponse {
  readonly content: Readonly<Record<string, { readonly example: { readonly session: Doc } }>>;
}

/** The response to a create shows the new session, not the later state of the other examples. */
function withNewSession(operation: Doc): Doc {
  const responses = operation["responses"] as Doc;
  const created = responses["201"] as CreatedResponse;
  const content = mapValues(created.content, (entry) => {
    const { example, ...rest } = entry as CreatedResponse["content"][string];
    return { ...rest, example: { ...example, session: { ...example.session, ...NEW_SESSION } } };
  });
  return { ...operation, responses: { ...responses, "201": { ...created, content } } };
}

const mapValues = (doc: Doc, change: (value: unknown) => unknown): Doc =>
  Object.fromEntries(Object.entries(doc).map(([name, value]) => [name, change(value)]));

function exampleFor(type: string, schema: unknown, description: string, examples: Examples): Doc {
  switch (type) {
    case "application/json":
      return { example: examples.of(schema) };
    case PROBLEM_JSON:
      // The description of a problem response lists its codes.
      return {
        examples: Object.fromEntries(
          description
            .split(", ")
            .map((code) => [code, { value: toProblem(SAMPLE_FAILURES[code as FailureCode]) }]),
        ),
      };
    case NDJSON:
      return { example: `${JSON.stringify(examples.event())}\n` };
    case EVENT_STREAM:
      return {
        example: `id: 6\nevent: fields.updated\ndata: ${JSON.stringify(examples.event())}\n\n`,
      };
    case "text/html":
      return { example: "<!doctype html>…" };
    default:
      return { example: "the bytes of the file" };
  }
}

class Examples {
  readonly #schemas: Readonly<Record<string, unknown>>;

  constructor(schemas: Readonly<Record<string, unknown>>) {
    this.#schemas = schemas;
  }

  /** `owner` is the name of the schema that contains this one, `member` its name there. */
  of(schema: unknown, owner = "", member = ""): unknown {
    const doc = schema as Doc;
    const own = VALUES[`${owner}.${member}`];
    if (own !== undefined) return own;
    const ref = doc["$ref"];
    if (typeof ref === "string") return this.#named(ref.split("/").at(-1) ?? "", owner, member);
    if (doc["const"] !== undefined) return doc["const"];
    const known = VALUES[member];
    if (known !== undefined && fitsSchema(known, doc)) return known;
    if (Array.isArray(doc["enum"])) return doc["enum"][0] as unknown;
    const [first] = (doc["oneOf"] ?? doc["anyOf"] ?? doc["allOf"] ?? []) as readonly Doc[];
    if (first !== undefined) return this.of(first, owner, member);
    return this.#plain(doc, owner, member);
  }

  event(): unknown {
    return this.of({ $ref: "#/components/schemas/Event" });
  }

  #named(name: string, owner: string, member: string): unknown {
    const schema = this.#schemas[name] as Doc;
    return schema["type"] === "object" || schema["properties"] !== undefined
      ? this.of(schema, name)
      : this.of(schema, schema["oneOf"] === undefined ? owner : name, member);
  }

  #plain(doc: Doc, owner: string, member: string): unknown {
    switch ([doc["type"]].flat()[0]) {
      case "object":
        return this.#object(doc, owner);
      case "array":
        return doc["items"] === undefined ? [] : [this.of(doc["items"], owner, `${member}[]`)];
      case "integer":
      case "number":
        return Math.max(Number(doc["minimum"] ?? 0), 0);
      case "boolean":
        return false;
      case "string":
        return doc["format"] === "date-time" ? VALUES["at"] : "text";
      case "null":
        return null;
      default:
        return {};
    }
  }

  #object(doc: Doc, owner: string): unknown {
    const members = (doc["properties"] ?? {}) as Doc;
    const required = new Set((doc["required"] ?? []) as readonly string[]);
    return Object.fromEntries(
      Object.entries(members)
        .filter(([name]) => required.has(name) || SHOWN_OPTIONAL_MEMBERS.has(name))
        .map(([name, schema]) => [name, this.of(schema, owner, name)]),
    );
  }
}

/** Compares types only: the same member name can be a list in one schema and a string in another. */
function fitsSchema(
  value: unknown,
  { type, anyOf, oneOf, pattern, format, ...rest }: Doc,
): boolean {
  if (anyOf !== undefined || oneOf !== undefined) return false;
  if (rest["enum"] !== undefined) return (rest["enum"] as unknown[]).includes(value);
  const kind = Array.isArray(value) ? "array" : typeof value;
  const types = new Set([type].flat());
  const isKind = types.has(kind) || (kind === "number" && types.has("integer"));
  if (!isKind && type !== undefined) return false;
  if (typeof pattern === "string" && format !== "date-time") {
    return new RegExp(pattern, "u").test(String(value));
  }
  return true;
}
