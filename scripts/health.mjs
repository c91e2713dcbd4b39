/**
 * Exits with 0 if the server on this machine answers its health check. For container engines and cron.
 *
 *   node scripts/health.mjs [http://localhost:8787]
 */
const url = process.argv[2] ?? `http://localhost:${process.env["PORT"] || 8787}`;
const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(4_000) }).catch(
  (error) => ({ ok: false, status: error.cause?.code ?? error.name }),
);
if (!answer.ok) {
  console.error(`${url} does not answer: ${answer.status}`);
  process.exit(1);
}
