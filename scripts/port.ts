/** Checks ports before the runtime starts, because the runtime's own error does not help the user. */
import { createServer, type AddressInfo } from "node:net";

/** `localhost` may mean either, so a server on the other address would receive half of the requests. */
const LOOPBACK = ["127.0.0.1", "::1"] as const;

export async function isPortTaken(port: number, host: string): Promise<boolean> {
  for (const address of new Set([host, ...LOOPBACK])) {
    if ((await tryPort(port, address)) === null) return true;
  }
  return false;
}

/** A port that is free now. Another process may still take it first. */
export async function findFreePort(host: string): Promise<number> {
  for (;;) {
    const port = await tryPort(0, host);
    if (port !== null && !(await isPortTaken(port, host))) return port;
  }
}

/** Listens on the port for a moment. Null if it is taken. A missing address counts as free. */
const tryPort = (port: number, host: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else if (host === "::1") resolve(port);
      else reject(error);
    });
    probe.listen(port, host, () => {
      const address = probe.address() as AddressInfo;
      probe.close(() => resolve(address.port));
    });
  });
