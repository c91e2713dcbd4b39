/** Ports of this machine. Asked before the runtime starts: its own message does not say what to do. */
import { createServer, type AddressInfo } from "node:net";

/** `localhost` may mean either, so a server on the other one would take half of the requests. */
const LOOPBACK = ["127.0.0.1", "::1"] as const;

export async function isPortTaken(port: number, host: string): Promise<boolean> {
  for (const address of new Set([host, ...LOOPBACK])) {
    if ((await tryPort(port, address)) === null) return true;
  }
  return false;
}

/** A port that is free now; somebody else may still take it first. */
export async function findFreePort(host: string): Promise<number> {
  for (;;) {
    const port = await tryPort(0, host);
    if (port !== null && !(await isPortTaken(port, host))) return port;
  }
}

/** The port listened on for a moment, or null where it is taken. An address we lack takes none. */
const tryPort = (port: number, host: string): Promise<number | null> =>
  new Promise((settle, fail) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") settle(null);
      else if (host === "::1") settle(port);
      else fail(error);
    });
    probe.listen(port, host, () => {
      const address = probe.address() as AddressInfo;
      probe.close(() => settle(address.port));
    });
  });
