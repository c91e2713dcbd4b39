/**
 * In bytes. The platform takes 3 MB packed on its free plan; what grows beyond this is loaded, parsed
 * and kept in memory by every instance, so whoever raises it says in its commit what it is for.
 */
export const MAX_BYTES = 1_665_000;
export const MAX_GZIP_BYTES = 452_000;
