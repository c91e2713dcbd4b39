/**
 * The cause of each event of the server, and an example of its payload. The types are those of the
 * catalogue of payloads: a missing event, or an example that does not fit, does not compile.
 */
import type { EventPayloads, EventType } from "../../src/domain/log/payloads.ts";

const JOB = { jobId: "job_pKQ-KN7KcNM8yMqyupNA3m-ir7VeDUPz6HQoTxSkGt0AAAAB" };
const HANDOFF = { handoffId: "hnd_2", participant: "par_2" };
const TOKEN = { participant: "par_1", tokenHash: "pu_5gyKUmJdn" };
const ENDPOINT = { endpointId: "end_ttCsSMsGxlW3GOXhVDCGLtmt3AKYJHMVpZ8Mc9C2ofA" };
const SHA256 = "487aaa40b02ca565c1a630881855e198618c828cfe8ea4435be53836af367a6a";
const CHILD = "ses_Zsb__8W2LuhRFDdSKWlQGUoLlzuA2Ne6OsrRDVJV2l0";
const FILE = {
  upload: "upl_1",
  field: "scan",
  name: "scan.txt",
  type: "text/plain",
  size: 19,
  sha256: SHA256,
};

export const EVENT_EXAMPLES: {
  readonly [T in EventType]: {
    /** The cause of the event. */
    readonly cause: string;
    readonly payload: EventPayloads[T];
  };
} = {
  "session.created": {
    cause: "create, or the fork of another session",
    payload: {
      title: "Water damage, Oak Street",
      schema: { type: "object", properties: { damage: { type: "string" } } },
      review: { required: false, approvals: 1 },
      nextStep: null,
      expiresAt: "2026-11-24T00:18:53.986Z",
      retentionMs: 2592000000,
      policy: null,
      parent: null,
    },
  },
  "session.updated": {
    cause: "setting fields with a title or a next step",
    payload: { title: "Water damage, Oak Street", nextStep: { call: "the plumber" } },
  },
  "private.erased": {
    cause: "erasing a private value",
    payload: { field: "iban", hash: "9f2c…", outcome: "success" },
  },
  "session.labelled": { cause: "setting labels", payload: { labels: { team: "claims" } } },
  "session.input_requested": {
    cause: "request input",
    payload: { note: "Which street?", fields: ["street"], ask: ["street"] },
  },
  "session.awaiting_input": {
    cause: "entering the state `awaiting_input`",
    payload: { cause: "session.input_requested" },
  },
  "session.submitted": { cause: "submit", payload: {} },
  "session.needs_review": {
    cause: "entering the state `needs_review`",
    payload: { cause: "session.submitted" },
  },
  "session.changes_requested": {
    cause: "request changes",
    payload: { cause: "review.changes_requested" },
  },
  "session.approved": {
    cause: "entering the state `approved`",
    payload: { cause: "review.approved" },
  },
  "session.rejected": {
    cause: "entering the state `rejected`",
    payload: { cause: "review.rejected" },
  },
  "session.finalized": {
    cause: "finalize, or a fork with `finalizeParent`",
    payload: { reason: "paid" },
  },
  "session.cancelled": { cause: "cancel", payload: { reason: "withdrawn by the customer" } },
  "session.paused": {
    cause: "pause",
    payload: { outcome: "success", reason: "the budget is spent" },
  },
  "session.unpaused": { cause: "unpause", payload: { outcome: "success" } },
  "session.extended": {
    cause: "extend, or use of a session with `idleTtlMs`",
    payload: { from: "2026-11-24T00:18:53.986Z", expiresAt: "2026-12-01T00:18:53.986Z" },
  },
  "session.expiring": { cause: "the clock", payload: { expiresAt: "2026-11-24T00:18:53.986Z" } },
  "session.expired": { cause: "the clock", payload: { expiresAt: "2026-11-24T00:18:53.986Z" } },
  "session.forked": {
    cause: "fork",
    payload: { child: CHILD, reason: "try another supplier", outcome: "success" },
  },
  "session.trimmed": {
    cause: "trim",
    payload: {
      floor: 40,
      checkpoint: { id: "chk_1", name: "half-way", seq: 41 },
      removed: { commits: 12, events: 30, sha256: SHA256 },
      outcome: "success",
    },
  },
  "fields.updated": {
    cause: "create with fields, set fields, or a confirmed or removed file",
    payload: { changes: [{ field: "street", from: "Oak Street", to: "Oak Avenue" }] },
  },
  "review.approved": {
    cause: "approve",
    payload: { participant: "par_2", given: 1, needed: 1, comment: "Well done" },
  },
  "review.rejected": { cause: "reject", payload: { reason: "Out of scope" } },
  "review.changes_requested": {
    cause: "request changes",
    payload: { fields: { street: "Is this the billing address?" }, comment: "Nearly there" },
  },
  "upload.requested": { cause: "request upload", payload: FILE },
  "upload.confirmed": { cause: "confirm upload", payload: FILE },
  "upload.removed": { cause: "remove upload", payload: FILE },
  "handoff.created": {
    cause: "handoff",
    payload: {
      ...HANDOFF,
      madeBy: "par_1",
      to: "agent",
      scopes: ["view", "append"],
      events: { append: ["chat.request"], read: ["chat.*"] },
    },
  },
  "handoff.link_issued": {
    cause: "handoff to a person",
    payload: {
      ...HANDOFF,
      madeBy: "par_1",
      to: "human",
      scopes: ["view", "append", "fill"],
      expiresAt: "2026-11-18T00:18:58.161Z",
      singleUse: false,
      takeover: false,
    },
  },
  "handoff.reissued": {
    cause: "reissue",
    payload: { ...HANDOFF, expiresAt: "2026-11-18T00:18:58.161Z" },
  },
  "handoff.opened": { cause: "opening a link", payload: HANDOFF },
  "handoff.resumed": {
    cause: "opening a link with `takeover`",
    payload: { ...HANDOFF, takenOver: true },
  },
  "handoff.answered": {
    cause: "submit, save, review or handing back by a person who opened a link",
    payload: { ...HANDOFF, answer: "submitted" },
  },
  "handoff.declined": { cause: "decline", payload: { ...HANDOFF, reason: "I am on leave" } },
  "handoff.expired": {
    cause: "the clock",
    payload: { ...HANDOFF, opened: true, expiresAt: "2026-11-18T00:18:58.161Z" },
  },
  "handoff.reminded": {
    cause: "the clock, after `remindAfterMs`",
    payload: { for: "handoff", ...HANDOFF, to: "human" },
  },
  "handoff.revoked": {
    cause: "revoke",
    payload: { participants: ["par_2", "par_3"], outcome: "success" },
  },
  "token.issued": {
    cause: "create, handoff to an agent, resume, opening a link, opening by an owner's key",
    payload: TOKEN,
  },
  "token.accessed": {
    cause: "resume, or opening a link",
    payload: { ...TOKEN, by: "resume", auto: false },
  },
  "token.expired": { cause: "the session's expiry", payload: TOKEN },
  "token.revoked": { cause: "revoke, or making room for a new participant", payload: TOKEN },
  "job.submitted": {
    cause: "submit a job",
    payload: { ...JOB, agent: "summarizer", closePolicy: "cancel", maxRuntimeMs: 60000 },
  },
  "job.started": { cause: "claim", payload: { ...JOB, attempt: 1, leaseMs: 60000 } },
  "job.event": {
    cause: "job events",
    payload: { eventSeq: 1, ...JOB, kind: "log", body: { line: "page 3 of 8" } },
  },
  "job.result": {
    cause: "job result",
    payload: { eventSeq: 2, ...JOB, finalStatus: "success", result: { pages: 8 } },
  },
  "job.error": {
    cause: "job error, cancel, or a lease or time limit that ran out",
    payload: {
      eventSeq: 1,
      ...JOB,
      finalStatus: "cancelled",
      code: "CANCELLED",
      message: "The job was cancelled.",
      retryable: false,
      outcome: "success",
    },
  },
  "job.requeued": {
    cause: "a lease that ran out",
    payload: { ...JOB, attempt: 1, reason: "lease_expired", outcome: "failure" },
  },
  "job.ended": { cause: "`job.result` or `job.error`", payload: { cause: "job.result", ...JOB } },
  "lease.taken": {
    cause: "taking a lease",
    payload: { name: "worker", expiresAt: "2026-11-17T00:20:46.625Z" },
  },
  "lease.released": { cause: "releasing a lease", payload: { name: "worker", number: 12 } },
  "once.started": {
    cause: "starting an effect that happens once",
    payload: { key: "invoice-17", lease: "worker", number: 12 },
  },
  "once.done": {
    cause: "recording the result of an effect",
    payload: { key: "invoice-17", number: 12, result: { id: "in_42" } },
  },
  "checkpoint.created": {
    cause: "checkpoint, or a restore, which first saves the current document",
    payload: {
      id: "chk_1",
      name: "half-way",
      seq: 12,
      version: 9,
      createdAt: "2026-11-17T00:19:46.625Z",
      automatic: false,
      pinned: false,
      bytes: 57,
      sha256: "979fa53c78ad3a5175cf54d362758722859fe97c464a95c71a0455dbe15e0ecb",
      outcome: "success",
    },
  },
  "checkpoint.failed": {
    cause: "an automatic checkpoint that could not be verified",
    payload: {
      name: "20261117-001947",
      automatic: true,
      outcome: "failure",
      reason: "the automatic checkpoint could not be verified",
    },
  },
  "checkpoint.pinned": { cause: "pin", payload: { id: "chk_3", outcome: "success" } },
  "checkpoint.unpinned": { cause: "unpin", payload: { id: "chk_3", outcome: "success" } },
  "checkpoint.deleted": {
    cause: "delete checkpoint",
    payload: { id: "chk_2", outcome: "success" },
  },
  "checkpoint.restored": {
    cause: "restore",
    payload: {
      id: "chk_1",
      document: { fieldMeta: {}, fields: {}, nextStep: null, title: null },
      outcome: "success",
    },
  },
  "stop.reported": {
    cause: "report stop",
    payload: {
      reason: "rate_limit",
      attempt: 1,
      retryAfterMs: 30000,
      decision: {
        strategy: "same_session",
        resumeAt: "2026-11-17T00:20:16.000Z",
        waitMs: 30000,
        attempt: 2,
        why: "the provider asked to wait",
      },
      failures: [],
      outcome: "pending",
    },
  },
  "resume.due": {
    cause: "the clock",
    payload: { attempt: 2, scheduledFor: "2026-11-17T00:20:16.000Z", outcome: "success" },
  },
  "resume.suspended": {
    cause: "report stop",
    payload: {
      failures: 5,
      windowMs: 600000,
      outcome: "failure",
      reason: "too many resumes failed in a short time",
    },
  },
  "wait.long": {
    cause: "the clock",
    payload: { for: "person", since: "2026-11-16T00:18:53.986Z" },
  },
  "owner.opened": {
    cause: "open by an owner's key",
    payload: {
      participant: "par_2",
      owner: "acme",
      key: "console",
      scopes: ["view"],
      expiresAt: "2026-11-18T00:18:53.986Z",
    },
  },
  "endpoint.created": {
    cause: "register endpoint",
    payload: {
      ...ENDPOINT,
      origin: "https://hooks.example",
      notices: ["session.needs_review"],
      format: "standard",
    },
  },
  "endpoint.changed": {
    cause: "change endpoint",
    payload: {
      ...ENDPOINT,
      origin: "https://hooks.example",
      notices: ["session.needs_review", "session.submitted"],
      format: "standard",
    },
  },
  "endpoint.rotated": { cause: "rotate", payload: ENDPOINT },
  "endpoint.replayed": { cause: "replay", payload: ENDPOINT },
  "endpoint.removed": { cause: "remove endpoint", payload: ENDPOINT },
  "endpoint.suspended": {
    cause: "failed deliveries for five days",
    payload: { ...ENDPOINT, origin: "https://hooks.example" },
  },
  "endpoint.ended": {
    cause: "a 410 response",
    payload: { ...ENDPOINT, origin: "https://hooks.example" },
  },
};
