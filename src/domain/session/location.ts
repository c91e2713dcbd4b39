/**
 * Where a session's data is stored, if requested: a jurisdiction that it never leaves, and a hint
 * of where most of its requests come from. Fixed at creation.
 *
 * Imports have file extensions, so that scripts can use this file directly.
 */
import { omitUndefined } from "../result.ts";

export const JURISDICTIONS = ["eu", "us", "fedramp", "fedramp-high"] as const;
export type Jurisdiction = (typeof JURISDICTIONS)[number];

// prettier-ignore
export const LOCATION_HINTS = [
  "wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me",
] as const;
export type LocationHint = (typeof LOCATION_HINTS)[number];

export interface RequestedLocation {
  readonly jurisdiction?: Jurisdiction | undefined;
  readonly locationHint?: LocationHint | undefined;
}

export interface Location {
  readonly jurisdiction?: Jurisdiction;
  readonly locationHint?: LocationHint;
}

export const isJurisdiction = (value: unknown): value is Jurisdiction =>
  JURISDICTIONS.some((one) => one === value);

export const isLocationHint = (value: unknown): value is LocationHint =>
  LOCATION_HINTS.some((one) => one === value);

/** The first given value of each member; null if there is none. */
export function firstLocation(
  ...locations: readonly (RequestedLocation | null | undefined)[]
): Location | null {
  const jurisdiction = locations.find((one) => one?.jurisdiction !== undefined)?.jurisdiction;
  const locationHint = locations.find((one) => one?.locationHint !== undefined)?.locationHint;
  if (jurisdiction === undefined && locationHint === undefined) return null;
  return omitUndefined({ jurisdiction, locationHint });
}
