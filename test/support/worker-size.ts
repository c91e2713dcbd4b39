/**
 * In bytes. The platform accepts 3 MB compressed on its free plan. Every instance loads and parses the
 * whole Worker, so a commit that raises this limit must give the reason.
 */
export const MAX_BYTES = 1_693_000;
export const MAX_GZIP_BYTES = 462_000;
/** What wrangler uploads is not minified, so that stack traces can be read; gzip makes it about 530 KB. */
export const MAX_DEPLOYED_BYTES = 2_250_000;
