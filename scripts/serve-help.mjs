/** The text of `npm start -- --help`. Plain JavaScript, because it is printed before anything is installed. */
export const HELP = `Usage: npm start -- [--port 8787] [--data .baton] [--host 127.0.0.1] [--timing]

  --port    where to listen (or PORT in the environment; default 8787)
  --data    the folder for the data (default .baton)
  --host    the address to listen on (default 127.0.0.1, this machine only)
  --timing  prints how long each part of the start took

Settings come from the environment. PUBLIC_URL is the address that people and agents use (default
http://localhost:<port>). If other machines must reach it, also set OWNERS or OPEN_CREATE=true, and
AGENTS; behind a proxy, TRUSTED_PROXY. docs/guides/self-hosting.md explains each. If a setting is
wrong, the server prints its name and an example, and exits with status 2.`;

/** Added to the exit status if `--check` refuses. A Node that cannot run the check exits with a lower one. */
export const CHECK_REFUSED = 64;

/** @param {readonly string[]} args */
export const asksForHelp = (args) => args.includes("--help") || args.includes("-h");
