/**
 * The state in which each operation can succeed, made over HTTP, and the live values that stand for
 * those a generator cannot know. One entry an operation: a new one in the document needs a new one here.
 */
import { randomKey, type Answer, type Client } from "../../support/client.ts";
import { BYTES } from "./swaps.ts";

export interface Swap {
  readonly value: unknown;
  /** Which of the values that fit the document; absent: all of them. */
  readonly when?: (value: unknown) => boolean;
}

export interface Scene {
  readonly path: Readonly<Record<string, string>>;
  readonly token: string;
  readonly version: number;
  readonly head: number;
  readonly swaps: Readonly<Record<string, Swap>>;
  /** Where a session is begun the key must be a long one. */
  readonly key?: string;
  /** A session is begun where none is expected to be, which takes the server's key for that. */
  readonly begins?: true;
  readonly ownerKey: string;
  /** Members without which the hoped-for answer cannot come. */
  readonly adds?: Readonly<Record<string, unknown>>;
}

/** What is known of the request that the scene is for. */
export interface Cue {
  /** The status that specmatic hopes for. */
  readonly wanted: string | null;
  readonly bytes: number;
  readonly type: string;
  /** With which the server lets sessions be begun. */
  readonly ownerKey: string;
}

type Setting = (
  hand: Hand,
  cue: Cue,
) => Promise<Partial<Pick<Scene, "path" | "token" | "swaps" | "adds" | "key" | "begins">>>;

const HOUR_MS = 3_600_000;
const hasHighControl = (value: unknown): boolean =>
  typeof value === "string" && /^[^/\\]*[\u007f-\u009f][^/\\]*$/.test(value);
const isEmptyObject = (value: unknown): boolean => JSON.stringify(value) === "{}";
const isMediaType = (type: string): boolean => /^[\w.+-]+\/[\w.+-]+/.test(type);
const isHttpDate = (value: unknown): boolean =>
  typeof value === "string" && /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value);
/** A date in the past or decades ahead is refused, and the document cannot know what time it is. */
const soon = (): string => new Date(Date.now() + HOUR_MS).toUTCString();

/** The longest and shortest life are a deployment's own choice, which the document cannot name. */
const LIFE = { ttlMs: { value: HOUR_MS } };

/** One participant's line of tokens. */
class Hand {
  readonly client: Client;
  readonly id: string;
  token: string;

  constructor(client: Client, id: string, token: string) {
    this.client = client;
    this.id = id;
    this.token = token;
  }

  static async begin(client: Client, body: unknown): Promise<Hand> {
    const { id, token } = await client.begin(body);
    return new Hand(client, id, token);
  }

  async does(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const options = { token: this.token, headers, ...(body === undefined ? {} : { body }) };
    const answer = await this.client.on(this, method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    if (answer.body?.resumeToken !== undefined) this.token = answer.body.resumeToken;
    return answer;
  }

  async handsOff(...scopes: readonly string[]): Promise<string> {
    const { body } = await this.does("POST", "/handoffs", { to: "agent", scopes });
    return body.participantToken;
  }

  /** For an agent that nobody else knows, so that no other test's executor gets it. */
  async submitsJob(): Promise<{ readonly agent: string; readonly jobId: string }> {
    const agent = `agent-${crypto.randomUUID()}`;
    const { body } = await this.does("POST", "/jobs", { agent, input: { n: 1 } });
    return { agent, jobId: body.job.id };
  }

  async claims(agent: string): Promise<string> {
    const { body } = await this.client.call("POST", `/agents/${agent}/claim`, { body: {} });
    return body.jobToken;
  }
}

const plain: Setting = async () => ({});

const inReview: Setting = async (hand) => {
  await hand.does("POST", "/submit", {});
  return { token: await hand.handsOff("review") };
};

const withCheckpoint: Setting = async (hand) => {
  const { body } = await hand.does("POST", "/checkpoints", { name: "one" });
  const { id } = body.checkpoint;
  const one = { value: id };
  return { path: { checkpointId: id }, swaps: { checkpoint: one, from: one } };
};

/** A file of as many bytes as the request brings; `arrived` puts one there. */
const withUpload =
  (arrived: boolean): Setting =>
  async (hand, { bytes, type }) => {
    const file = arrived
      ? { name: "a.txt", type: "text/plain", size: 5 }
      : { name: "a.bin", type: isMediaType(type) ? type : BYTES, size: Math.max(bytes, 1) };
    const { body } = await hand.does("POST", "/uploads", file);
    const { id } = body.upload;
    if (!arrived) return { path: { uploadId: id } };
    const put = await hand.does("PUT", `/uploads/${id}`, "hello", { "Content-Type": file.type });
    const swaps = {
      size: { value: put.body.size },
      sha256: { value: put.body.sha256 },
    };
    return { path: { uploadId: id }, swaps };
  };

const withConfirmed: Setting = async (hand, cue) => {
  const made = await withUpload(true)(hand, cue);
  await hand.does("POST", `/uploads/${made.path?.["uploadId"]}/confirm`, {});
  return made;
};

const withJob: Setting = async (hand) => {
  const { jobId } = await hand.submitsJob();
  return { path: { jobId } };
};

const executing: Setting = async (hand) => {
  const { agent } = await hand.submitsJob();
  return { token: await hand.claims(agent) };
};

const withOther: Setting = async (hand) => {
  await hand.handsOff("view");
  const other = { value: "par_2" };
  return { path: { handoffId: "hnd_2" }, swaps: { participant: other } };
};

const withLink: Setting = async (hand) => {
  await hand.does("POST", "/handoffs", { to: "human", scopes: ["view"] });
  return { path: { handoffId: "hnd_2" }, swaps: LIFE };
};

/** A generated text is no address, and no secret of a receiver. */
const HOOK = {
  url: { value: "https://hooks.example.com/a" },
  secret: { value: `whsec_${"A".repeat(32)}` },
};

const withEndpoint: Setting = async (hand) => {
  const { body } = await hand.does("POST", "/endpoints", {
    url: HOOK.url.value,
    notices: ["session.finalized"],
  });
  return { path: { endpointId: body.endpoint.id } };
};

export const SCENES: Readonly<Record<string, Setting>> = {
  createSession: async () => ({ swaps: LIFE }),
  getSession: plain,
  // Of maps specmatic makes empty ones only, and to set no field is no change.
  setFields: async () => ({ swaps: { fields: { value: { a: 1 }, when: isEmptyObject } } }),
  purge: plain,
  resume: async (_, { wanted }) => ({
    swaps: {
      lastEventSeq: { value: 1 },
    },
    // Only a token that is no good begins anew.
    ...(wanted === "201"
      ? { token: "rtok_none", key: randomKey(), begins: true, adds: { onInvalid: "fresh" } }
      : {}),
  }),
  resumable: plain,
  validate: plain,
  requestInput: plain,
  submit: plain,
  approve: inReview,
  reject: inReview,
  requestChanges: inReview,
  finalize: async (hand) => {
    await hand.does("POST", "/submit", {});
    const reviewer = new Hand(hand.client, hand.id, await hand.handsOff("review"));
    await reviewer.does("POST", "/approve", {});
    await hand.does("POST", "/resume", {});
    return {};
  },
  cancel: plain,
  pause: plain,
  unpause: async (hand) => {
    await hand.does("POST", "/pause", {});
    return {};
  },
  extend: async () => ({ swaps: LIFE }),
  readEvents: plain,
  appendEvents: plain,
  audit: plain,
  createHandoff: async () => ({ swaps: LIFE }),
  listHandoffs: withOther,
  addEndpoint: async () => ({ swaps: HOOK }),
  listEndpoints: plain,
  getEndpoint: withEndpoint,
  changeEndpoint: async (hand, cue) => ({ ...(await withEndpoint(hand, cue)), swaps: HOOK }),
  removeEndpoint: withEndpoint,
  rotateEndpoint: withEndpoint,
  listDeliveries: withEndpoint,
  replayDeliveries: withEndpoint,
  reissueHandoff: withLink,
  revokeHandoff: withOther,
  revoke: withOther,
  requestUpload: async () => ({
    swaps: {
      field: { value: "file" },
      // The document's pattern leaves out the control characters above ASCII.
      name: { value: "file.txt", when: hasHighControl },
    },
  }),
  putUpload: withUpload(false),
  putBlob: plain,
  getBlob: plain,
  exportSession: plain,
  getProof: plain,
  getReceipt: plain,
  getUpload: withConfirmed,
  removeUpload: withConfirmed,
  confirmUpload: withUpload(true),
  reportStop: async () => ({ swaps: { retryAfter: { value: soon(), when: isHttpDate } } }),
  takeCheckpoint: plain,
  listCheckpoints: withCheckpoint,
  getCheckpoint: withCheckpoint,
  pinCheckpoint: withCheckpoint,
  deleteCheckpoint: withCheckpoint,
  restoreCheckpoint: withCheckpoint,
  trim: withCheckpoint,
  fork: withCheckpoint,
  lineage: plain,
  submitJob: plain,
  listJobs: withJob,
  getJob: withJob,
  cancelJob: withJob,
  claimJob: async (hand, { wanted }) => {
    const { agent } = await hand.submitsJob();
    // Another's queue is empty.
    return { path: { name: wanted === "204" ? `${agent}-idle` : agent } };
  },
  reportJobEvents: executing,
  reportJobHeartbeat: executing,
  reportJobResult: executing,
  reportJobError: executing,
};

/** A field for a file, and a review: neither stands in the way of anything else. */
const BEGINNING = {
  title: "On stage",
  schema: { type: "object", properties: { file: { type: "object", format: "file" } } },
  review: { required: true, approvals: 1 },
};

export async function sceneOf(client: Client, operation: string, cue: Cue): Promise<Scene> {
  const hand = await Hand.begin(client, BEGINNING);
  const made = await SCENES[operation]?.(hand, cue);
  const { body } = await hand.does("GET", "");
  const { version, head } = body.session;
  return {
    path: { ref: hand.id, ...made?.path },
    token: made?.token ?? hand.token,
    ownerKey: cue.ownerKey,
    version,
    head,
    swaps: {
      expectedHead: { value: head },
      ...made?.swaps,
    },
    ...(made?.adds === undefined ? {} : { adds: made.adds }),
    ...(made?.key === undefined ? {} : { key: made.key }),
    ...(made?.begins === undefined ? {} : { begins: made.begins }),
  };
}
