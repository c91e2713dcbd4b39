/** Endpoints of a session in tests inside the runtime, and what arrived at them. */
import { env } from "cloudflare:workers";
import type { Env } from "../../src/env";
import type { Hand } from "./hand";

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
/** How it is answered is part of the path. */
export const newPath = (status = 204): string =>
  `/${status}/endpoints-${crypto.randomUUID()}-${(paths += 1)}`;

export const arrivedAt = async (path: string): Promise<readonly Posted[]> => {
  const network = bindings.PRIVATE_NETWORK;
  if (network === undefined) throw new Error("the test runtime has a receiver");
  return (await network.fetch(`https://receiver.test${path}`)).json();
};

/** Lets a receiver at a path below /held answer, and mends one below /broken. */
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

export async function endpointOf(
  hand: Hand,
  path: string,
  notices: readonly string[] = ["session.submitted"],
  more: object = {},
): Promise<AddedEndpoint> {
  const body = { url: `https://receiver.test${path}`, notices, ...more };
  return (await hand.does("POST", "/endpoints", body)).body as AddedEndpoint;
}
