/** What objects tell each other about endpoints. Each step is idempotent and repeated until acknowledged. */
import type { EndpointStatus, EndpointOwnerRef } from "../domain/notices/endpoint";
import type { Env } from "../env";
import type { SessionRpc } from "./session-rpc";
import type { NoticeEndpointRpc } from "./endpoint-messages";
import { directoryOf } from "./notify-directory";

/** The object of an endpoint, as it is called. */
export const endpointAt = ({ NOTICE_ENDPOINT }: Env, hex: string): NoticeEndpointRpc =>
  NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex)) as unknown as NoticeEndpointRpc;

/** An endpoint was suspended or has ended: its home writes that down and tells who asked for it. */
export async function reportStatus(
  env: Env,
  home: EndpointOwnerRef,
  endpoint: string,
  status: EndpointStatus,
): Promise<void> {
  const { SESSION } = env;
  if ("owner" in home) return directoryOf(env, home).noteEndpoint(endpoint, status);
  const session = SESSION.get(SESSION.idFromString(home.session)) as unknown as SessionRpc;
  const reply = await session.write({ kind: "noteEndpoint", endpoint, status });
  // A session that is gone has no log to write it into.
  if (!reply.ok && reply.failure.code !== "gone") throw new Error(reply.failure.code);
}
