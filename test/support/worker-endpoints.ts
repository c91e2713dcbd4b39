/** Webhook endpoints in tests inside the runtime, and the requests that arrived at them. */
import { env } from "cloudflare:workers";
import { endpointHexOf } from "../../src/domain/notices/endpoint";
import type { Env } from "../../src/env";
import type { TestAgent } from "./test-agent";
import { bindAt } from "./worker";

const bindings = env as unknown as Env;

interface Posted {
  readonly headers: Record<string, string>;
  readonly text: string;
}

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let paths = 0;
/** The path contains the answer. */
export const newPath = (status = 204): string =>
  `/${status}/endpoints-${crypto.randomUUID()}-${(paths += 1)}`;

export const arrivedAt = async (path: string): Promise<readonly Posted[]> => {
  const network = bindings.PRIVATE_NETWORK;
  if (network === undefined) throw new Error("the test runtime has a receiver");
  return (await network.fetch(`https://receiver.test${path}`)).json();
};

/** Lets a receiver at a path below /held answer, and repairs one below /broken. */
export const release = async (path: string): Promise<void> => {
  await bindings.PRIVATE_NETWORK?.fetch(`https://receiver.test/release${path}`);
};

export const bodiesAt = async (path: string): Promise<readonly Body[]> =>
  (await arrivedAt(path)).map(({ text }) => JSON.parse(text) as Body);

export const typesAt = async (path: string): Promise<readonly string[]> =>
  (await bodiesAt(path)).map(({ type }) => type);

export interface AddedEndpoint {
  readonly endpoint: { readonly id: string; readonly status: string };
  readonly secret: string;
}

export async function addEndpoint(
  agent: TestAgent,
  path: string,
  notices: readonly string[] = ["session.submitted"],
  more: object = {},
): Promise<AddedEndpoint> {
  const body = { url: `https://receiver.test${path}`, notices, ...more };
  return (await agent.call("POST", "/endpoints", body)).body as AddedEndpoint;
}

const LONG_MS = 3_600_000;

/** A failed delivery is retried after an hour, so that a test sees one attempt. */
export async function delayRetries(id: string): Promise<void> {
  const { NOTICE_ENDPOINT } = bindings;
  const stub = NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(endpointHexOf(id) ?? ""));
  await bindAt(stub as never, { WEBHOOK_DELAYS_MS: [0, LONG_MS, LONG_MS, LONG_MS].join() });
}
