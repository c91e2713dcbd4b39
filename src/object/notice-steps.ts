/** What objects tell each other about endpoints. Each step is idempotent and repeated until acknowledged. */
import type { EndpointStatus, Home } from "../domain/notices/endpoint";
import type { Env } from "../env";
import type { SessionPort } from "./door";
import type { EndpointPort } from "./endpoint-messages";
import { directoryOf } from "./tell-directory";

/** The object of an endpoint, as it is called. */
export const endpointAt = ({ NOTICE_ENDPOINT }: Env, hex: string): EndpointPort =>
  NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex)) as unknown as EndpointPort;

/** An endpoint was suspended or has ended: its home writes that down and tells who asked for it. */
export async function reportStatus(
  env: Env,
  home: Home,
  endpoint: string,
  status: EndpointStatus,
): Promise<void> {
  const { SESSION } = env;
  if ("owner" in home) return directoryOf(env, home).noteEndpoint(endpoint, status);
  const session = SESSION.get(SESSION.idFromString(home.session)) as unknown as SessionPort;
  const reply = await session.write({ kind: "noteEndpoint", endpoint, status });
  // A session that is gone has no log to write it into.
  if (!reply.ok && reply.failure.code !== "gone") throw new Error(reply.failure.code);
}
