/** A client's WebSocket, accepted in the Worker: no object is called before the client has sent a token. */
interface ClientSocket {
  /** The response that completes the handshake. */
  readonly response: Response;
  readonly socket: WebSocket;
}

export const isUpgradeRequest = (headers: Headers): boolean =>
  headers.get("Upgrade")?.toLowerCase() === "websocket";

/** The subprotocols that the client offers, in its order. */
export const offeredSubprotocols = (headers: Headers): readonly string[] =>
  (headers.get("Sec-WebSocket-Protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

const GOING_AWAY = 1001;

export function acceptClientSocket(subprotocol: string | null): ClientSocket {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  ours.accept();
  // Without this, the runtime reports a hanging request if the client vanishes without a close frame.
  for (const end of ["close", "error"] as const) {
    ours.addEventListener(end, () => ours.close(GOING_AWAY));
  }
  const headers = subprotocol === null ? {} : { "Sec-WebSocket-Protocol": subprotocol };
  return {
    response: new Response(null, { status: 101, webSocket: theirs, headers }),
    socket: ours,
  };
}
