/**
 * Where objects beside the sessions are kept. Those that serve one owner, its directory and its queues, hold
 * titles, labels and templates, so they follow the jurisdiction of the owner's entry, as its sessions
 * do. Those that serve everybody, the directory of links and the counters of misses, hold hashes and
 * ids, and follow the jurisdiction of the deployment.
 */
import { isJurisdiction, type Jurisdiction } from "../session/location";
import { parseOwners } from "./owners";

interface LocationSettings {
  readonly OWNERS?: string;
  /** The one jurisdiction that this deployment can keep anything in. */
  readonly FILES_JURISDICTION?: string;
}

/** Of a platform that keeps objects: its names, here or in a jurisdiction. */
interface ObjectNames<Id> {
  idFromName(name: string): Id;
}
interface ObjectNamespace<Id> extends ObjectNames<Id> {
  jurisdiction(place: Jurisdiction): ObjectNames<Id>;
}

/** The id of an object that serves an owner, by its name, in the jurisdiction of that owner. */
export function ownerObjectId<Id>(
  settings: LocationSettings,
  places: ObjectNamespace<Id>,
  owner: string | null,
  name: string,
  own?: Jurisdiction,
): Id {
  return idInJurisdiction(jurisdictionOfOwner(settings, owner, own), places, name);
}

/**
 * The id of an object that serves everybody, by its name. It follows the one jurisdiction of the
 * deployment, because whose session or address it is asked about is not known before it has answered.
 */
export function sharedObjectId<Id>(
  settings: LocationSettings,
  places: ObjectNamespace<Id>,
  name: string,
): Id {
  const { FILES_JURISDICTION: place } = settings;
  return idInJurisdiction(isJurisdiction(place) ? place : null, places, name);
}

function idInJurisdiction<Id>(
  place: Jurisdiction | null,
  places: ObjectNamespace<Id>,
  name: string,
): Id {
  try {
    if (place !== null) return places.jurisdiction(place).idFromName(name);
  } catch {
    // A platform without jurisdictions, where no session with one can begin either.
  }
  return places.idFromName(name);
}

/**
 * Null: wherever the platform likes. `own` is where a session of the owner is kept: it counts once the
 * entry is gone, so that what the session still tells does not leave its jurisdiction.
 *
 * Everybody else has no `own` to name, and asks for an owner whose entry is there: the Worker came by
 * one of its keys, and an endpoint sends only while its key is listed. Who asks all the same, such as an
 * executor of an agent that still names the owner, finds an empty object elsewhere and nothing of the
 * owner's in it; once the entry is back, both find the same object again.
 */
function jurisdictionOfOwner(
  { OWNERS, FILES_JURISDICTION: place }: LocationSettings,
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
