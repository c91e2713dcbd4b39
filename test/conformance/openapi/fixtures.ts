/**
 * Creates, over HTTP, the state in which each operation can succeed, and provides the real values
 * that a generator cannot know. There is one entry per operation: a new operation in the document
 * needs a new entry here.
 */
import { randomKey, type Answer, type Client } from "../../support/client.ts";
import { BYTES } from "./swaps.ts";

export interface Swap {
  readonly value: unknown;
  /** Selects among the values that fit the document; absent: all of them. */
  readonly when?: (value: unknown) => boolean;
}

export interface Fixture {
  readonly path: Readonly<Record<string, string>>;
  readonly token: string;
  readonly version: number;
  readonly head: number;
  readonly swaps: Readonly<Record<string, Swap>>;
  /** If a session is created, the key must be a long one. */
  readonly key?: string;
  /** A session is created by an operation that usually creates none; this needs the server's key. */
  readonly createsSession?: true;
  readonly ownerKey: string;
  /** Members that the expected answer requires. */
  readonly adds?: Readonly<Record<string, unknown>>;
}

/** The facts about the request that the fixture is for. */
export interface FixtureRequest {
  /** The status that specmatic expects. */
  readonly expectedStatus: string | null;
  readonly bytes: number;
  readonly type: string;
  /** The key that the server requires for creating sessions. */
  readonly ownerKey: string;
}

type FixtureBuilder = (
  participant: TestAgent,
  request: FixtureRequest,
) => Promise<
  Partial<Pick<Fixture, "path" | "token" | "swaps" | "adds" | "key" | "createsSession">>
>;

const HOUR_MS = 3_600_000;
const hasHighControl = (value: unknown): boolean =>
  typeof value === "string" && /^[^/\\]*[\u007f-\u009f][^/\\]*$/.test(value);
const isEmptyObject = (value: unknown): boolean => JSON.stringify(value) === "{}";
const isMediaType = (type: string): boolean => /^[\w.+-]+\/[\w.+-]+/.test(type);
const isHttpDate = (value: unknown): boolean =>
  typeof value === "string" && /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value);
/** A date in the past or decades ahead is refused, and the document cannot know what time it is. */
const soon = (): string => new Date(Date.now() + HOUR_MS).toUTCString();

/** The longest and the shortest lifetime are settings of a deployment, so the document cannot name them. */
const TTL_SWAP = { ttlMs: { value: HOUR_MS } };

/** One participant with its newest token. */
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

  /** The agent's name is unique, so that no other test's executor claims the job. */
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

const inReview: FixtureBuilder = async (participant) => {
  await participant.call("POST", "/submit", {});
  return { token: await participant.handOff("review") };
};

const withCheckpoint: FixtureBuilder = async (participant) => {
  const { body } = await participant.call("POST", "/checkpoints", { name: "one" });
  const { id } = body.checkpoint;
  const one = { value: id };
  return { path: { checkpointId: id }, swaps: { checkpoint: one, from: one } };
};

/** A file of the size that the request has; if `arrived`, its bytes are uploaded too. */
const withUpload =
  (arrived: boolean): FixtureBuilder =>
  async (participant, { bytes, type }) => {
    const file = arrived
      ? { name: "a.txt", type: "text/plain", size: 5 }
      : { name: "a.bin", type: isMediaType(type) ? type : BYTES, size: Math.max(bytes, 1) };
    const { body } = await participant.call("POST", "/uploads", file);
    const { id } = body.upload;
    if (!arrived) return { path: { uploadId: id } };
    const put = await participant.call("PUT", `/uploads/${id}`, "hello", {
      "Content-Type": file.type,
    });
    const swaps = {
      size: { value: put.body.size },
      sha256: { value: put.body.sha256 },
    };
    return { path: { uploadId: id }, swaps };
  };

const withConfirmed: FixtureBuilder = async (participant, request) => {
  const upload = await withUpload(true)(participant, request);
  await participant.call("POST", `/uploads/${upload.path?.["uploadId"]}/confirm`, {});
  return upload;
};

const withJob: FixtureBuilder = async (participant) => {
  const { jobId } = await participant.submitJob();
  return { path: { jobId } };
};

const executing: FixtureBuilder = async (participant) => {
  const { agent } = await participant.submitJob();
  return { token: await participant.claimJob(agent) };
};

const withOther: FixtureBuilder = async (participant) => {
  await participant.handOff("view");
  const other = { value: "par_2" };
  return { path: { handoffId: "hnd_2" }, swaps: { participant: other } };
};

const withLink: FixtureBuilder = async (participant) => {
  await participant.call("POST", "/handoffs", { to: "human", scopes: ["view"] });
  return { path: { handoffId: "hnd_2" }, swaps: TTL_SWAP };
};

/** A generated text is neither an address nor a receiver's secret. */
const ENDPOINT_SWAPS = {
  url: { value: "https://hooks.example.com/a" },
  secret: { value: `whsec_${"A".repeat(32)}` },
};

const withEndpoint: FixtureBuilder = async (participant) => {
  const { body } = await participant.call("POST", "/endpoints", {
    url: ENDPOINT_SWAPS.url.value,
    notices: ["session.finalized"],
  });
  return { path: { endpointId: body.endpoint.id } };
};

export const FIXTURES: Readonly<Record<string, FixtureBuilder>> = {
  createSession: async () => ({ swaps: TTL_SWAP }),
  getSession: unchanged,
  // Specmatic generates only empty maps, and an update without a field is no change.
  setFields: async () => ({ swaps: { fields: { value: { a: 1 }, when: isEmptyObject } } }),
  purge: unchanged,
  resume: async (_, { expectedStatus }) => ({
    swaps: {
      lastEventSeq: { value: 1 },
    },
    // A resume creates a session only if the token is invalid.
    ...(expectedStatus === "201"
      ? { token: "rtok_none", key: randomKey(), createsSession: true, adds: { onInvalid: "fresh" } }
      : {}),
  }),
  resumable: unchanged,
  validate: unchanged,
  requestInput: unchanged,
  submit: unchanged,
  approve: inReview,
  reject: inReview,
  requestChanges: inReview,
  finalize: async (participant) => {
    await participant.call("POST", "/submit", {});
    const reviewer = new TestAgent(
      participant.client,
      participant.id,
      await participant.handOff("review"),
    );
    await reviewer.call("POST", "/approve", {});
    await participant.call("POST", "/resume", {});
    return {};
  },
  cancel: unchanged,
  pause: unchanged,
  unpause: async (participant) => {
    await participant.call("POST", "/pause", {});
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
  changeEndpoint: async (participant, request) => ({
    ...(await withEndpoint(participant, request)),
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
  takeLease: unchanged,
  releaseLease: unchanged,
  startOnce: unchanged,
  endOnce: unchanged,
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
  claimJob: async (participant, { expectedStatus }) => {
    const { agent } = await participant.submitJob();
    // The queue of another name is empty.
    return { path: { name: expectedStatus === "204" ? `${agent}-idle` : agent } };
  },
  reportJobEvents: executing,
  reportJobHeartbeat: executing,
  reportJobResult: executing,
  reportJobError: executing,
};

/** A field for a file, and a review: neither prevents any other operation. */
const SESSION_INPUT = {
  title: "On stage",
  schema: { type: "object", properties: { file: { type: "object", format: "file" } } },
  review: { required: true, approvals: 1 },
};

export async function createFixture(
  client: Client,
  operation: string,
  request: FixtureRequest,
): Promise<Fixture> {
  const participant = await TestAgent.create(client, SESSION_INPUT);
  const built = await FIXTURES[operation]?.(participant, request);
  const { body } = await participant.call("GET", "");
  const { version, head } = body.session;
  return {
    path: { ref: participant.id, ...built?.path },
    token: built?.token ?? participant.token,
    ownerKey: request.ownerKey,
    version,
    head,
    swaps: {
      expectedHead: { value: head },
      ...built?.swaps,
    },
    ...(built?.adds === undefined ? {} : { adds: built.adds }),
    ...(built?.key === undefined ? {} : { key: built.key }),
    ...(built?.createsSession === undefined ? {} : { createsSession: built.createsSession }),
  };
}
