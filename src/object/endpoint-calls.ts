/**
 * Calls between objects about endpoints. Each call is idempotent and repeated until acknowledged.
 */
import type { EndpointStatus, EndpointOwnerRef } from "../domain/notices/endpoint";
import type { Env } from "../env";
import type { SessionRpc } from "./session-rpc";
import type { NoticeEndpointRpc } from "./endpoint-messages";
import { directoryOf } from "./notify-directory";

/** The RPC stub of an endpoint's object. */
export const endpointAt = ({ NOTICE_ENDPOINT }: Env, hex: string): NoticeEndpointRpc =>
  NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex)) as unknown as NoticeEndpointRpc;

/** An endpoint was suspended or has ended: its home records that and notifies its creator. */
export async function reportStatus(
  env: Env,
  home: EndpointOwnerRef,
  endpoint: string,
  status: EndpointStatus,
): Promise<void> {
  const { SESSION } = env;
  if ("owner" in home) return directoryOf(env, home).recordEndpointStatus(endpoint, status);
  const session = SESSION.get(SESSION.idFromString(home.session)) as unknown as SessionRpc;
  const reply = await session.write({ kind: "recordEndpointStatus", endpoint, status });
  // A purged session has no log to record it in.
  if (!reply.ok && reply.failure.code !== "gone") throw new Error(reply.failure.code);
}
