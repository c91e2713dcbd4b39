/** The settings of a deployment. They are fixed for a session at its creation. */
const DAY_MS = 24 * 60 * 60 * 1000;

export interface Settings {
  readonly defaultTtlMs: number;
  readonly minTtlMs: number;
  readonly maxTtlMs: number;
  /** How long an ended session is stored before its storage is deleted. */
  readonly retentionMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  defaultTtlMs: 7 * DAY_MS,
  minTtlMs: 1_000,
  maxTtlMs: 90 * DAY_MS,
  retentionMs: 30 * DAY_MS,
};
