/**
 * A proxy that terminates TLS in front of a server: it streams both ways, forwards upgrades, names the
 * caller in X-Forwarded-For and sets its own Host.
 */
import { request as ask, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Certificate } from "./certificate.ts";

export interface TlsProxy {
  readonly url: string;
  close(): void;
}

/** `upstream` is a function, because the server needs the proxy's address before it starts. */
export async function startTlsProxy(
  certificate: Certificate,
  upstream: () => URL,
): Promise<TlsProxy> {
  const server = createServer(certificate);
  const forward = (incoming: IncomingMessage) => {
    const { hostname, port } = upstream();
    return ask({
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: headersFor(incoming),
      // The server may close a keep-alive connection at the moment it is reused.
      agent: false,
    });
  };
  server.on("request", (incoming, answer) => {
    const outgoing = forward(incoming);
    outgoing.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on("error", () => answer.destroy());
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex) => {
    const outgoing = forward(incoming);
    outgoing.on("upgrade", (response, upward, first) => {
      socket.write(head(response));
      socket.write(first);
      upward.pipe(socket).pipe(upward);
      for (const [one, other] of [
        [upward, socket],
        [socket, upward],
      ] as const) {
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
    });
    outgoing.on("response", (response) => socket.end(head(response)));
    outgoing.on("error", () => socket.destroy());
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const headersFor = ({ headers, socket }: IncomingMessage): OutgoingHttpHeaders => ({
  ...headers,
  host: "upstream.invalid",
  "x-forwarded-for": [headers["x-forwarded-for"], socket.remoteAddress].filter(Boolean).join(", "),
  "x-forwarded-proto": "https",
});

function head({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join("")}\r\n`;
}
