/** From when on a wait is shown as long: after a day somebody should look. */
const LONG_MS = 24 * 60 * 60 * 1000;

export const isWaitingLong = (ms: number): boolean => ms >= LONG_MS;
