/** What an owner may have: asked of its directory before a session begins, on whichever face. */
import type { Failure } from "../domain/failure";
import type { Objects } from "./objects";
import type { Creator } from "./owner-keys";

/** Creates that are under way at the same time may pass it. */
export async function quotaProblem(
  objects: Objects,
  id: DurableObjectId,
  { holder }: Creator,
): Promise<Failure | null> {
  if (holder === null) return null;
  const { name, quotas } = holder.owner;
  if (quotas.openSessions === null && quotas.createsPerMinute === null) return null;
  const admitted = await objects.ownerDirectory(name, (directory) =>
    directory.admit(id.toString(), quotas),
  );
  if (!admitted.ok) return admitted.failure;
  return admitted.value === null ? null : { code: "quota_exceeded", ...admitted.value };
}
