/**
 * Where the objects that serve one owner are kept: its directory and its queues. They hold titles, labels
 * and templates, so they follow the jurisdiction of the owner's entry, as its sessions do.
 */
import { isJurisdiction, type Jurisdiction } from "../session/location";
import { parseOwners } from "./owners";

interface PlaceSettings {
  readonly OWNERS?: string;
  /** The one jurisdiction that this deployment can keep anything in. */
  readonly FILES_JURISDICTION?: string;
}

/**
 * Null: wherever the platform likes. `own` is where a session of the owner is kept: it counts once the
 * entry is gone, so that what the session still tells does not leave its jurisdiction.
 */
export function placeOfOwner(
  { OWNERS, FILES_JURISDICTION: place }: PlaceSettings,
  owner: string | null,
  own?: Jurisdiction,
): Jurisdiction | null {
  // Read only where the answer can be another than null.
  if (owner === null || !isJurisdiction(place)) return null;
  const owners = parseOwners(OWNERS || "[]");
  const entry = owners.ok ? owners.value.find(({ name }) => name === owner) : undefined;
  const wanted = entry === undefined ? own : entry.jurisdiction;
  return wanted === place ? place : null;
}
