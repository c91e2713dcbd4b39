/** What a deployment may set. Everything here is fixed for a session when it is created. */
const DAY_MS = 24 * 60 * 60 * 1000;

export interface Settings {
  readonly defaultTtlMs: number;
  readonly minTtlMs: number;
  readonly maxTtlMs: number;
  /** How long an ended session stays before its storage is emptied. */
  readonly retentionMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  defaultTtlMs: 7 * DAY_MS,
  minTtlMs: 1_000,
  maxTtlMs: 90 * DAY_MS,
  retentionMs: 30 * DAY_MS,
};
