/**
 * Requests an owner's quota from its directory before the object of a new session is woken: a refused
 * session leaves nothing, not even an empty file. The object creates no session without the permit.
 */
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import type { SessionCreationInput } from "../object/remote-data";
import type { Objects } from "./objects";
import { quotasOf } from "./owner-keys";

export async function requestQuotaPermit(
  objects: Objects,
  env: Pick<Env, "OWNERS">,
  id: DurableObjectId,
  owner: string | null,
): Promise<Result<SessionCreationInput>> {
  const quotas = owner === null ? undefined : quotasOf(env)[owner];
  if (owner === null || quotas === undefined) return ok({});
  const objectIdHex = id.toString();
  const admitted = await objects.ownerDirectory(owner, "admit", objectIdHex, quotas);
  if (!admitted.ok) return refuse(admitted.failure);
  if (admitted.value !== null) return refuse({ code: "quota_exceeded", ...admitted.value });
  const answers = { quotaCheck: { objectIdHex, problem: null } };
  return ok({ quotas: { [owner]: quotas }, answers });
}
