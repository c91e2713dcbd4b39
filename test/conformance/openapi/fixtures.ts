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

export interface Fixture {
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
export interface FixtureRequest {
  /** The status that specmatic hopes for. */
  readonly wanted: string | null;
  readonly bytes: number;
  readonly type: string;
  /** With which the server lets sessions be begun. */
  readonly ownerKey: string;
}

type FixtureBuilder = (
  hand: TestAgent,
  cue: FixtureRequest,
) => Promise<Partial<Pick<Fixture, "path" | "token" | "swaps" | "adds" | "key" | "begins">>>;

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
const TTL_SWAP = { ttlMs: { value: HOUR_MS } };

/** One participant's line of tokens. */
class TestAgent {
  readonly client: Client;
  readonly id: string;
  token: string;

  constructor(client: Client, id: string, token: string) {
    this.client = client;
    this.id = id;
    this.token = token;
  }

  static async create(client: Client, body: unknown): Promise<TestAgent> {
    const { id, token } = await client.create(body);
    return new TestAgent(client, id, token);
  }

  async call(
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

  async handOff(...scopes: readonly string[]): Promise<string> {
    const { body } = await this.call("POST", "/handoffs", { to: "agent", scopes });
    return body.participantToken;
  }

  /** For an agent that nobody else knows, so that no other test's executor gets it. */
  async submitJob(): Promise<{ readonly agent: string; readonly jobId: string }> {
    const agent = `agent-${crypto.randomUUID()}`;
    const { body } = await this.call("POST", "/jobs", { agent, input: { n: 1 } });
    return { agent, jobId: body.job.id };
  }

  async claimJob(agent: string): Promise<string> {
    const { body } = await this.client.call("POST", `/agents/${agent}/claim`, { body: {} });
    return body.jobToken;
  }
}

const unchanged: FixtureBuilder = async () => ({});

const inReview: FixtureBuilder = async (hand) => {
  await hand.call("POST", "/submit", {});
  return { token: await hand.handOff("review") };
};

const withCheckpoint: FixtureBuilder = async (hand) => {
  const { body } = await hand.call("POST", "/checkpoints", { name: "one" });
  const { id } = body.checkpoint;
  const one = { value: id };
  return { path: { checkpointId: id }, swaps: { checkpoint: one, from: one } };
};

/** A file of as many bytes as the request brings; `arrived` puts one there. */
const withUpload =
  (arrived: boolean): FixtureBuilder =>
  async (hand, { bytes, type }) => {
    const file = arrived
      ? { name: "a.txt", type: "text/plain", size: 5 }
      : { name: "a.bin", type: isMediaType(type) ? type : BYTES, size: Math.max(bytes, 1) };
    const { body } = await hand.call("POST", "/uploads", file);
    const { id } = body.upload;
    if (!arrived) return { path: { uploadId: id } };
    const put = await hand.call("PUT", `/uploads/${id}`, "hello", { "Content-Type": file.type });
    const swaps = {
      size: { value: put.body.size },
      sha256: { value: put.body.sha256 },
    };
    return { path: { uploadId: id }, swaps };
  };

const withConfirmed: FixtureBuilder = async (hand, cue) => {
  const made = await withUpload(true)(hand, cue);
  await hand.call("POST", `/uploads/${made.path?.["uploadId"]}/confirm`, {});
  return made;
};

const withJob: FixtureBuilder = async (hand) => {
  const { jobId } = await hand.submitJob();
  return { path: { jobId } };
};

const executing: FixtureBuilder = async (hand) => {
  const { agent } = await hand.submitJob();
  return { token: await hand.claimJob(agent) };
};

const withOther: FixtureBuilder = async (hand) => {
  await hand.handOff("view");
  const other = { value: "par_2" };
  return { path: { handoffId: "hnd_2" }, swaps: { participant: other } };
};

const withLink: FixtureBuilder = async (hand) => {
  await hand.call("POST", "/handoffs", { to: "human", scopes: ["view"] });
  return { path: { handoffId: "hnd_2" }, swaps: TTL_SWAP };
};

/** A generated text is no address, and no secret of a receiver. */
const ENDPOINT_SWAPS = {
  url: { value: "https://hooks.example.com/a" },
  secret: { value: `whsec_${"A".repeat(32)}` },
};

const withEndpoint: FixtureBuilder = async (hand) => {
  const { body } = await hand.call("POST", "/endpoints", {
    url: ENDPOINT_SWAPS.url.value,
    notices: ["session.finalized"],
  });
  return { path: { endpointId: body.endpoint.id } };
};

export const FIXTURES: Readonly<Record<string, FixtureBuilder>> = {
  createSession: async () => ({ swaps: TTL_SWAP }),
  getSession: unchanged,
  // Of maps specmatic makes empty ones only, and to set no field is no change.
  setFields: async () => ({ swaps: { fields: { value: { a: 1 }, when: isEmptyObject } } }),
  purge: unchanged,
  resume: async (_, { wanted }) => ({
    swaps: {
      lastEventSeq: { value: 1 },
    },
    // Only a token that is no good begins anew.
    ...(wanted === "201"
      ? { token: "rtok_none", key: randomKey(), begins: true, adds: { onInvalid: "fresh" } }
      : {}),
  }),
  resumable: unchanged,
  validate: unchanged,
  requestInput: unchanged,
  submit: unchanged,
  approve: inReview,
  reject: inReview,
  requestChanges: inReview,
  finalize: async (hand) => {
    await hand.call("POST", "/submit", {});
    const reviewer = new TestAgent(hand.client, hand.id, await hand.handOff("review"));
    await reviewer.call("POST", "/approve", {});
    await hand.call("POST", "/resume", {});
    return {};
  },
  cancel: unchanged,
  pause: unchanged,
  unpause: async (hand) => {
    await hand.call("POST", "/pause", {});
    return {};
  },
  extend: async () => ({ swaps: TTL_SWAP }),
  readEvents: unchanged,
  appendEvents: unchanged,
  audit: unchanged,
  createHandoff: async () => ({ swaps: TTL_SWAP }),
  listHandoffs: withOther,
  addEndpoint: async () => ({ swaps: ENDPOINT_SWAPS }),
  listEndpoints: unchanged,
  getEndpoint: withEndpoint,
  changeEndpoint: async (hand, cue) => ({
    ...(await withEndpoint(hand, cue)),
    swaps: ENDPOINT_SWAPS,
  }),
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
  putBlob: unchanged,
  getBlob: unchanged,
  exportSession: unchanged,
  getProof: unchanged,
  getReceipt: unchanged,
  getUpload: withConfirmed,
  removeUpload: withConfirmed,
  confirmUpload: withUpload(true),
  reportStop: async () => ({ swaps: { retryAfter: { value: soon(), when: isHttpDate } } }),
  takeCheckpoint: unchanged,
  listCheckpoints: withCheckpoint,
  getCheckpoint: withCheckpoint,
  pinCheckpoint: withCheckpoint,
  deleteCheckpoint: withCheckpoint,
  restoreCheckpoint: withCheckpoint,
  trim: withCheckpoint,
  fork: withCheckpoint,
  lineage: unchanged,
  submitJob: unchanged,
  listJobs: withJob,
  getJob: withJob,
  cancelJob: withJob,
  claimJob: async (hand, { wanted }) => {
    const { agent } = await hand.submitJob();
    // Another's queue is empty.
    return { path: { name: wanted === "204" ? `${agent}-idle` : agent } };
  },
  reportJobEvents: executing,
  reportJobHeartbeat: executing,
  reportJobResult: executing,
  reportJobError: executing,
};

/** A field for a file, and a review: neither stands in the way of anything else. */
const SESSION_INPUT = {
  title: "On stage",
  schema: { type: "object", properties: { file: { type: "object", format: "file" } } },
  review: { required: true, approvals: 1 },
};

export async function createFixture(
  client: Client,
  operation: string,
  cue: FixtureRequest,
): Promise<Fixture> {
  const hand = await TestAgent.create(client, SESSION_INPUT);
  const made = await FIXTURES[operation]?.(hand, cue);
  const { body } = await hand.call("GET", "");
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
