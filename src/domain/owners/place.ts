/**
 * Where objects beside the sessions are kept. Those that serve one owner, its directory and its queues, hold
 * titles, labels and templates, so they follow the jurisdiction of the owner's entry, as its sessions
 * do. Those that serve everybody, the directory of links and the counters of misses, hold hashes and
 * ids, and follow the jurisdiction of the deployment.
 */
import { isJurisdiction, type Jurisdiction } from "../session/location";
import { parseOwners } from "./owners";

interface PlaceSettings {
  readonly OWNERS?: string;
  /** The one jurisdiction that this deployment can keep anything in. */
  readonly FILES_JURISDICTION?: string;
}

/** Of a platform that keeps objects: its names, here or in a jurisdiction. */
interface Names<Id> {
  idFromName(name: string): Id;
}
interface Places<Id> extends Names<Id> {
  jurisdiction(place: Jurisdiction): Names<Id>;
}

/** The id of an object that serves an owner, by its name, in the jurisdiction of that owner. */
export function ownersObject<Id>(
  settings: PlaceSettings,
  places: Places<Id>,
  owner: string | null,
  name: string,
  own?: Jurisdiction,
): Id {
  return idIn(placeOfOwner(settings, owner, own), places, name);
}

/**
 * The id of an object that serves everybody, by its name. It follows the one jurisdiction of the
 * deployment, because whose session or address it is asked about is not known before it has answered.
 */
export function sharedObject<Id>(settings: PlaceSettings, places: Places<Id>, name: string): Id {
  const { FILES_JURISDICTION: place } = settings;
  return idIn(isJurisdiction(place) ? place : null, places, name);
}

function idIn<Id>(place: Jurisdiction | null, places: Places<Id>, name: string): Id {
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
function placeOfOwner(
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
