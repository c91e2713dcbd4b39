/**
 * Every request whose answer can be asked for again with the same key, as data: what must have
 * happened before, and the request itself. Whoever repeats it may have lost the right meanwhile.
 */
import type { ApiRouteId } from "../../../src/protocol/api-routes";
import type { Hand } from "../hand";
import { announceFile, type Stage, type StageOptions } from "./stage";
import { ENDPOINT, type Call } from "./ways";

export interface Replay extends StageOptions {
  readonly name: string;
  readonly covers: ApiRouteId;
  /** The session has ended with it: it can be neither revoked from nor resumed, and does not expire. */
  readonly ends?: true;
  readonly call: (stage: Stage) => Call;
}

const replay = (
  covers: ApiRouteId,
  method: string,
  path: string | ((stage: Stage) => string),
  body: unknown,
  more: StageOptions & { readonly ends?: true; readonly name?: string } = {},
): Replay => ({
  name: covers,
  holds: [],
  ...more,
  covers,
  call: (stage) => ({
    method,
    path: typeof path === "string" ? path : path(stage),
    options: body === undefined ? {} : { body },
  }),
});

const submitted = { before: (owner: Hand) => owner.does("POST", "/submit", {}) } as const;
const inReview = {
  ...submitted,
  create: { review: { required: true, approvals: 2 } },
  scopes: ["review"],
} as const;

/** Its id is drawn when it is made; stages are set one after another. */
let added = "";
const withEndpoint: StageOptions = {
  before: async (owner) => {
    added = (await owner.does("POST", "/endpoints", ENDPOINT)).body.endpoint.id;
  },
};
const kept: StageOptions = { holds: ["checkpoints"] };

export const REPLAYS: readonly Replay[] = [
  replay("resume", "POST", "/resume", { lastEventSeq: 0 }),
  replay("setFields", "PATCH", "", { fields: { other: "x" } }),
  replay("requestInput", "POST", "/request-input", { note: "please" }),
  replay("submit", "POST", "/submit", {}),
  replay("approve", "POST", "/approve", {}, inReview),
  replay("requestChanges", "POST", "/request-changes", {}, inReview),
  replay("reject", "POST", "/reject", {}, { ...inReview, ends: true }),
  replay("finalize", "POST", "/finalize", {}, { ...submitted, ends: true }),
  replay("cancel", "POST", "/cancel", {}, { ends: true }),
  replay("pause", "POST", "/pause", {}),
  replay("unpause", "POST", "/unpause", {}, { before: (owner) => owner.does("POST", "/pause") }),
  replay("extend", "POST", "/extend", { ttlMs: 24 * 60 * 60 * 1000 }),
  replay("createHandoff", "POST", "/handoffs", { to: "agent", scopes: ["view"] }),
  replay(
    "createHandoff",
    "POST",
    "/handoffs",
    { to: "human", scopes: ["view"] },
    {
      name: "createHandoff for a person",
    },
  ),
  replay(
    "reissueHandoff",
    "POST",
    "/handoffs/hnd_2/reissue",
    {},
    {
      before: (owner) => owner.does("POST", "/handoffs", { to: "human", scopes: ["view"] }),
    },
  ),
  replay("addEndpoint", "POST", "/endpoints", ENDPOINT),
  replay("changeEndpoint", "PATCH", () => `/endpoints/${added}`, { format: "slack" }, withEndpoint),
  replay("removeEndpoint", "DELETE", () => `/endpoints/${added}`, undefined, withEndpoint),
  replay("rotateEndpoint", "POST", () => `/endpoints/${added}/rotate`, undefined, withEndpoint),
  replay(
    "replayDeliveries",
    "POST",
    () => `/endpoints/${added}/replay`,
    { since: "2026-01-01T00:00:00Z" },
    withEndpoint,
  ),
  replay("revokeHandoff", "DELETE", ({ spare }) => `/handoffs/${spare.handoff}`, undefined, {
    holds: ["spare"],
  }),
  {
    name: "revoke",
    covers: "revoke",
    holds: ["spare"],
    call: ({ spare }) => ({
      method: "POST",
      path: "/revoke",
      options: { body: { participant: spare.participant } },
    }),
  },
  replay("requestUpload", "POST", "/uploads", { name: "a.txt", type: "text/plain", size: 1 }),
  replay(
    "confirmUpload",
    "POST",
    "/uploads/upl_1/confirm",
    {},
    {
      before: (owner) => announceFile(owner, 1, "other bytes"),
    },
  ),
  replay("removeUpload", "DELETE", "/uploads/upl_1", undefined, { holds: ["file"] }),
  replay("erasePrivate", "DELETE", "/private/hidden", undefined),
  replay("takeCheckpoint", "POST", "/checkpoints", {}),
  replay("pinCheckpoint", "PATCH", "/checkpoints/chk_1", { pinned: true }, kept),
  replay("deleteCheckpoint", "DELETE", "/checkpoints/chk_1", undefined, kept),
  replay("restoreCheckpoint", "POST", "/checkpoints/chk_1/restore", {}, kept),
  replay("trim", "POST", "/trim", { checkpoint: "chk_2" }, kept),
  replay("fork", "POST", "/fork", { reason: "another way", template: "{description}" }),
];

/** These spend no token, and are known again by their key alone. */
export const KEYED: readonly Replay[] = [
  replay("appendEvents", "POST", "/events", { events: [{ type: "agent.note" }] }),
  replay("reportStop", "POST", "/stops", { reason: "crash" }),
];
