/** A TCP proxy in front of a server that can cut every connection, as a bad network does. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Proxy {
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: number;
  /** Ends every open connection immediately, without a close. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startProxy(target: string): Promise<Proxy> {
  const { port: targetPort } = new URL(target);
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(Number(targetPort), "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    cut,
    stop: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}
