/**
 * Where objects other than sessions are stored. An owner's directory and queues contain titles,
 * labels and templates, so they follow the jurisdiction of the owner's entry, as its sessions do.
 * Shared objects, the directory of links and the counters of misses, contain hashes and ids, and
 * follow the jurisdiction of the deployment.
 */
import { isJurisdiction, type Jurisdiction } from "../session/location";
import { parseOwners } from "./owners";

interface LocationSettings {
  readonly OWNERS?: string;
  /** The only jurisdiction that this deployment can store data in. */
  readonly FILES_JURISDICTION?: string;
}

/** The part of a Durable Object namespace that is used here. */
interface ObjectNames<Id> {
  idFromName(name: string): Id;
}
interface ObjectNamespace<Id> extends ObjectNames<Id> {
  jurisdiction(jurisdiction: Jurisdiction): ObjectNames<Id>;
}

/** The id of an owner's object, by its name, in the jurisdiction of that owner. */
export function ownerObjectId<Id>(
  settings: LocationSettings,
  namespace: ObjectNamespace<Id>,
  owner: string | null,
  name: string,
  own?: Jurisdiction,
): Id {
  return idInJurisdiction(jurisdictionOfOwner(settings, owner, own), namespace, name);
}

/**
 * The id of a shared object, by its name. It follows the jurisdiction of the deployment, because
 * the owner of the session or address is not known before the object has answered.
 */
export function sharedObjectId<Id>(
  settings: LocationSettings,
  namespace: ObjectNamespace<Id>,
  name: string,
): Id {
  const { FILES_JURISDICTION: jurisdiction } = settings;
  return idInJurisdiction(isJurisdiction(jurisdiction) ? jurisdiction : null, namespace, name);
}

function idInJurisdiction<Id>(
  jurisdiction: Jurisdiction | null,
  namespace: ObjectNamespace<Id>,
  name: string,
): Id {
  try {
    if (jurisdiction !== null) return namespace.jurisdiction(jurisdiction).idFromName(name);
  } catch {
    // A platform without jurisdictions. No session with a jurisdiction can be created there either.
  }
  return namespace.idFromName(name);
}

/**
 * Null: the platform chooses. `own` is the jurisdiction of a session of this owner. It applies if
 * the owner's entry is gone, so that the session's messages do not leave its jurisdiction.
 *
 * Other callers have no `own`, and call only for owners that are listed: the Worker was called with
 * one of the owner's keys, and an endpoint sends only while its key is listed. Any other caller,
 * such as an executor of an agent that still names the owner, finds an empty object in another
 * location. Once the entry is back, both find the same object again.
 */
function jurisdictionOfOwner(
  { OWNERS, FILES_JURISDICTION: available }: LocationSettings,
  owner: string | null,
  own?: Jurisdiction,
): Jurisdiction | null {
  // The setting is read only if the result can differ from null.
  if (owner === null || !isJurisdiction(available)) return null;
  const owners = parseOwners(OWNERS || "[]");
  const entry = owners.ok ? owners.value.find(({ name }) => name === owner) : undefined;
  const requested = entry === undefined ? own : entry.jurisdiction;
  return requested === available ? available : null;
}
