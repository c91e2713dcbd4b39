/**
 * Calls of a session's object on behalf of who is presented: what is barred is not called, a wrong
 * secret is counted, and a refusal names the session only to those who may know it.
 */
import type { Failure } from "../domain/failure";
import { CREDENTIAL_HEADER } from "../domain/live-wire";
import type { Env } from "../env";
import type { Refusal, Reply, SessionPort } from "../object/messages";
import type { Call } from "./call";
import type { GatewayReply } from "./gateway";
import { counted, type Guard } from "./guard";
import { callObject } from "./platform-call";
import type { Presented } from "./presented";

export class SessionCalls {
  readonly #sessions: Env["SESSION"];
  readonly #guard: Guard;
  /** Of the request that is served: it keeps the time spent waiting for objects. */
  readonly #request: Call | null;

  constructor(sessions: Env["SESSION"], guard: Guard, request: Call | null) {
    this.#sessions = sessions;
    this.#guard = guard;
    this.#request = request;
  }

  async as<T>(
    presented: Presented,
    isRepeatable: boolean,
    call: (object: SessionPort) => Promise<Reply<T>>,
  ): Promise<GatewayReply<T>> {
    const { objectId, objectIdHex, sessionId } = presented;
    // A cookie comes here without having been looked at before.
    const barred = this.#guard.barred("wrongToken", objectIdHex);
    if (barred !== null) return { ok: false, failure: barred };
    const reply = await this.to(objectId, isRepeatable, call);
    if (reply.ok) return reply;
    if (mayKnowSession(reply.failure)) return { ...reply, sessionId };
    return counted(this.#guard, objectIdHex, reply);
  }

  async to<T>(
    objectId: DurableObjectId,
    isRepeatable: boolean,
    call: (object: SessionPort) => Promise<Reply<T>>,
  ): Promise<Reply<T>> {
    const connect = () => this.#sessions.get(objectId) as unknown as SessionPort;
    return callObject(connect, isRepeatable, call, this.#request);
  }

  /** A socket on which the object announces what it commits. */
  async listen(presented: Presented): Promise<GatewayReply<WebSocket>> {
    const { objectId, objectIdHex, credential, sessionId } = presented;
    const headers = { Upgrade: "websocket", [CREDENTIAL_HEADER]: JSON.stringify(credential) };
    const reply = await callObject(
      () => this.#sessions.get(objectId),
      true,
      async (stub) => {
        const response = await stub.fetch("http://object/listen", { headers });
        const socket = response.webSocket;
        if (socket === null) return (await response.json()) as Refusal;
        socket.accept();
        return { ok: true, value: socket } as const;
      },
      this.#request,
    );
    if (reply.ok) return reply;
    if (mayKnowSession(reply.failure)) return { ...reply, sessionId };
    return counted(this.#guard, objectIdHex, reply);
  }
}

/** A holder of a wrong secret learns nothing, not even that the id is right. */
const mayKnowSession = ({ code }: Failure): boolean => code !== "token_invalid";
