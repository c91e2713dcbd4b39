/** Resolves where a new session is stored: the requested location, or else that of its owner's entry. */
import { invalid, type Failure } from "../domain/failure";
import type { Owner } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import { firstLocation, isJurisdiction, type Location } from "../domain/session/location";
import type { Env } from "../env";
import type { WriteRequest } from "../object/messages";
import type { Objects } from "./objects";

type Settings = Pick<Env, "RUNTIME" | "FILES_JURISDICTION">;

const NO_LOCATIONS =
  "this server stores everything where it runs: it has no jurisdictions and no location hints";

/**
 * A session with an externalId is found by that name alone, so it is stored where the owner's entry
 * says. The bucket must be in the same jurisdiction, so that files can be stored there too.
 */
export function resolveLocation(
  objects: Objects,
  settings: Settings,
  requested: Location,
  owner: Owner | null,
  isNamed: boolean,
): Result<Location | null> {
  const location = firstLocation(requested, owner);
  if (location === null) return ok(null);
  const { jurisdiction } = location;
  if (settings.RUNTIME === "self-hosted") return refuse(unsupportedLocation(requested));
  if (isNamed && jurisdiction !== owner?.jurisdiction) {
    return refuse(
      invalid(
        "a session with an externalId is kept in the jurisdiction of its owner",
        "jurisdiction",
      ),
    );
  }
  if (jurisdiction === undefined) return ok(location);
  if (!objects.hasJurisdiction(jurisdiction)) return refuse(unsupportedLocation(requested));
  if (settings.FILES_JURISDICTION !== jurisdiction) {
    const detail = `This server does not keep files in the jurisdiction ${jurisdiction}, so it cannot keep sessions there.`;
    return refuse({ code: "not_configured", setting: "FILES_JURISDICTION", detail });
  }
  return ok(location);
}

/** A child is stored where its parent is. Only the parent knows its location, so it gets an id for each. */
export function childObjectIds(
  objects: Objects,
  { RUNTIME, FILES_JURISDICTION: jurisdiction }: Settings,
): Pick<WriteRequest, "child" | "childIn"> {
  const child = objects.newSession().toString();
  if (RUNTIME === "self-hosted" || !isJurisdiction(jurisdiction)) return { child };
  if (!objects.hasJurisdiction(jurisdiction)) return { child };
  return { child, childIn: { jurisdiction, child: objects.newSession(jurisdiction).toString() } };
}

/** The failure for the caller who requested it, or for the operator whose entry did. */
function unsupportedLocation(requested: Location): Failure {
  if (requested.jurisdiction !== undefined) return invalid(NO_LOCATIONS, "jurisdiction");
  if (requested.locationHint !== undefined) return invalid(NO_LOCATIONS, "locationHint");
  const detail =
    "The owner's entry in OWNERS names a jurisdiction or a location hint, and this server supports neither.";
  return { code: "not_configured", setting: "OWNERS", detail };
}
