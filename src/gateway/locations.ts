/** Where a new session is kept: what was asked for, else what its owner's entry says, if it can be had. */
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
 * A session with a name of its owner's own is found by that name alone, so it is where the owner's
 * entry says. Files must be able to follow: the bucket has to be in the same jurisdiction.
 */
export function resolveLocation(
  objects: Objects,
  settings: Settings,
  asked: Location,
  owner: Owner | null,
  isNamed: boolean,
): Result<Location | null> {
  const location = firstLocation(asked, owner);
  if (location === null) return ok(null);
  const { jurisdiction } = location;
  if (settings.RUNTIME === "self-hosted") return refuse(unsupportedLocation(asked));
  if (isNamed && jurisdiction !== owner?.jurisdiction) {
    return refuse(
      invalid(
        "a session with an externalId is kept in the jurisdiction of its owner",
        "jurisdiction",
      ),
    );
  }
  if (jurisdiction === undefined) return ok(location);
  if (!objects.hasJurisdiction(jurisdiction)) return refuse(unsupportedLocation(asked));
  if (settings.FILES_JURISDICTION !== jurisdiction) {
    const why = `This server does not keep files in the jurisdiction ${jurisdiction}, so it cannot keep sessions there.`;
    return refuse({ code: "not_configured", setting: "FILES_JURISDICTION", why });
  }
  return ok(location);
}

/** A child is kept where its parent is, which only the parent knows: it takes the id that is right. */
export function childObjectIds(
  objects: Objects,
  { RUNTIME, FILES_JURISDICTION: jurisdiction }: Settings,
): Pick<WriteRequest, "child" | "childIn"> {
  const child = objects.newSession().toString();
  if (RUNTIME === "self-hosted" || !isJurisdiction(jurisdiction)) return { child };
  if (!objects.hasJurisdiction(jurisdiction)) return { child };
  return { child, childIn: { jurisdiction, child: objects.newSession(jurisdiction).toString() } };
}

/** To who asked for it, or of the entry that did. */
function unsupportedLocation(asked: Location): Failure {
  if (asked.jurisdiction !== undefined) return invalid(NO_LOCATIONS, "jurisdiction");
  if (asked.locationHint !== undefined) return invalid(NO_LOCATIONS, "locationHint");
  const why =
    "The owner's entry in OWNERS names a jurisdiction or a location hint, and this server supports neither.";
  return { code: "not_configured", setting: "OWNERS", why };
}
