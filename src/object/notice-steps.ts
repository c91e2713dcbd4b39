/** What objects tell each other about endpoints. Each step is idempotent and repeated until acknowledged. */
import type { EndpointStatus } from "../domain/notices/endpoint";
import type { Env } from "../env";
import type { Home } from "../storage/delivery-store";
import type { SessionPort } from "./door";
import type { EndpointPort } from "./endpoint-messages";

/** The object of an endpoint, as it is called. */
export const endpointAt = ({ NOTICE_ENDPOINT }: Env, hex: string): EndpointPort =>
  NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex)) as unknown as EndpointPort;

/** An endpoint was suspended or has ended: its home writes that into its log. */
export async function reportStatus(
  { SESSION }: Env,
  home: Home,
  endpoint: string,
  status: EndpointStatus,
): Promise<void> {
  if (!("session" in home)) return;
  const session = SESSION.get(SESSION.idFromString(home.session)) as unknown as SessionPort;
  const reply = await session.write({ kind: "noteEndpoint", endpoint, status });
  // A session that is gone has no log to write it into.
  if (!reply.ok && reply.failure.code !== "gone") throw new Error(reply.failure.code);
}
