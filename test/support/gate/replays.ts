/**
 * Every request whose answer is replayed for the same key, as data: its preparation and the request
 * itself. The participant that repeats it may have lost its right meanwhile.
 */
import type { ApiRouteId } from "../../../src/protocol/api-routes";
import type { TestAgent } from "../test-agent";
import { announceFile, type GateFixture, type FixtureOptions } from "./fixture";
import { ENDPOINT, type HttpCall } from "./access-paths";

export interface Replay extends FixtureOptions {
  readonly name: string;
  readonly covers: ApiRouteId;
  /** The request ends the session, so nothing can be revoked or resumed afterwards, and it does not expire. */
  readonly ends?: true;
  readonly call: (fixture: GateFixture) => HttpCall;
}

const replay = (
  covers: ApiRouteId,
  method: string,
  path: string | ((fixture: GateFixture) => string),
  body: unknown,
  more: FixtureOptions & { readonly ends?: true; readonly name?: string } = {},
): Replay => ({
  name: covers,
  contents: [],
  ...more,
  covers,
  call: (fixture) => ({
    method,
    path: typeof path === "string" ? path : path(fixture),
    options: body === undefined ? {} : { body },
  }),
});

const submitted = { prepare: (owner: TestAgent) => owner.call("POST", "/submit", {}) } as const;
const inReview = {
  ...submitted,
  create: { review: { required: true, approvals: 2 } },
  scopes: ["review"],
} as const;

/** The id of the newest endpoint. Fixtures are created one after another. */
let endpointId = "";
const withEndpoint: FixtureOptions = {
  prepare: async (owner) => {
    endpointId = (await owner.call("POST", "/endpoints", ENDPOINT)).body.endpoint.id;
  },
};
const withCheckpoints: FixtureOptions = { contents: ["checkpoints"] };

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
  replay("unpause", "POST", "/unpause", {}, { prepare: (owner) => owner.call("POST", "/pause") }),
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
      prepare: (owner) => owner.call("POST", "/handoffs", { to: "human", scopes: ["view"] }),
    },
  ),
  replay("addEndpoint", "POST", "/endpoints", ENDPOINT),
  replay(
    "changeEndpoint",
    "PATCH",
    () => `/endpoints/${endpointId}`,
    { format: "slack" },
    withEndpoint,
  ),
  replay("removeEndpoint", "DELETE", () => `/endpoints/${endpointId}`, undefined, withEndpoint),
  replay(
    "rotateEndpoint",
    "POST",
    () => `/endpoints/${endpointId}/rotate`,
    undefined,
    withEndpoint,
  ),
  replay(
    "replayDeliveries",
    "POST",
    () => `/endpoints/${endpointId}/replay`,
    { since: "2026-01-01T00:00:00Z" },
    withEndpoint,
  ),
  replay("revokeHandoff", "DELETE", ({ spare }) => `/handoffs/${spare.handoff}`, undefined, {
    contents: ["spare"],
  }),
  {
    name: "revoke",
    covers: "revoke",
    contents: ["spare"],
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
      prepare: (owner) => announceFile(owner, 1, "other bytes"),
    },
  ),
  replay("removeUpload", "DELETE", "/uploads/upl_1", undefined, { contents: ["file"] }),
  replay("erasePrivate", "DELETE", "/private/hidden", undefined),
  replay("takeCheckpoint", "POST", "/checkpoints", {}),
  replay("pinCheckpoint", "PATCH", "/checkpoints/chk_1", { pinned: true }, withCheckpoints),
  replay("deleteCheckpoint", "DELETE", "/checkpoints/chk_1", undefined, withCheckpoints),
  replay("restoreCheckpoint", "POST", "/checkpoints/chk_1/restore", {}, withCheckpoints),
  replay("trim", "POST", "/trim", { checkpoint: "chk_2" }, withCheckpoints),
  replay("fork", "POST", "/fork", { reason: "another way", template: "{description}" }),
];

/** These spend no token and are recognized by their key alone. */
export const KEYED: readonly Replay[] = [
  replay("appendEvents", "POST", "/events", { events: [{ type: "agent.note" }] }),
  replay("reportStop", "POST", "/stops", { reason: "crash" }),
  replay("takeLease", "POST", "/leases/gate", { ttlMs: 60_000 }),
];
