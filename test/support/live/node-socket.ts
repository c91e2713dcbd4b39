/** A WebSocket over the network with the npm package `ws`. */
import { WebSocket } from "ws";
import type { AnySocket } from "./test-socket.ts";
import { Unavailable, type Access } from "./connections.ts";

export const connectNodeSocket = (url: string, token: string): Promise<AnySocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, "ws"), "baton.v1", {
      headers: { Authorization: `Bearer ${token}` },
      // Many readers in one process would spend most of their time inflating.
      perMessageDeflate: false,
    });
    socket.once("open", () => resolve(socket));
    socket.once("error", (error) => reject(new Unavailable("no socket", { cause: error })));
  });

export const nodeAccess = (url: string): Omit<Access, "sessionId" | "token"> => ({
  url,
  send: (request) => fetch(request),
  connect: connectNodeSocket,
});
