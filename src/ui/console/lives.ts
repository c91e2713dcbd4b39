/** How long a participant or a session may be given, as a person chooses it. */
const HOUR_MS = 60 * 60 * 1000;

export const LIVES = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
} as const;

/** Undefined for what is none of them. */
export const lifeOf = (name: string): number | undefined =>
  Object.hasOwn(LIVES, name) ? LIVES[name as keyof typeof LIVES] : undefined;
