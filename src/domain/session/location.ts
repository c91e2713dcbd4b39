/**
 * Where a session's data is kept, where that was asked for: a jurisdiction that it never leaves, and a
 * hint of where most of its requests come from. Fixed at creation.
 *
 * Imports name their files in full, so that scripts can use this file as it is.
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

/** What of several says it first; null where none says anything. */
export function firstLocation(
  ...given: readonly (RequestedLocation | null | undefined)[]
): Location | null {
  const jurisdiction = given.find((one) => one?.jurisdiction !== undefined)?.jurisdiction;
  const locationHint = given.find((one) => one?.locationHint !== undefined)?.locationHint;
  if (jurisdiction === undefined && locationHint === undefined) return null;
  return omitUndefined({ jurisdiction, locationHint });
}
