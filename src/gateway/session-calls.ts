/**
 * Calls of a session on behalf of who is presented: what is barred is not called, a wrong secret is
 * counted, and a refusal names the session only to those who may know it.
 */
import type { SessionId } from "../domain/ids";
import type { Env } from "../env";
import type { Asking, Reads, Writes } from "../object/door";
import type { Appended, AppendRequest, Refusal, Reply } from "../object/messages";
import type { Caller } from "./caller";
import { counted, Guard } from "./guard";
import type { Listening } from "./feed";
import { Objects } from "./objects";
import type { Presented } from "./presented";

/** A refusal as a face shows it: the session's id only where the caller may know it. */
export interface GatewayRefusal extends Refusal {
  readonly sessionId?: SessionId;
}
export type GatewayReply<T> = { readonly ok: true; readonly value: T } | GatewayRefusal;

/** What is asked, without who asks. */
export type Unsigned<T> = Omit<T, "credential" | "kind">;

export class SessionCalls {
  readonly objects: Objects;
  readonly guard: Guard;

  constructor(env: Env, caller: Caller) {
    this.objects = new Objects(env, caller.call);
    this.guard = new Guard(env, caller);
  }

  write<K extends keyof Writes>(
    presented: Presented,
    kind: K,
    rest: Unsigned<Writes[K]["request"]>,
  ): Promise<GatewayReply<Writes[K]["value"]>> {
    const command = { kind, ...rest, credential: presented.credential };
    return this.#known(presented, () =>
      this.objects.write(presented.objectId, command as unknown as Asking<Writes, K>),
    );
  }

  append(
    presented: Presented,
    batch: Omit<AppendRequest, "credential">,
  ): Promise<GatewayReply<Appended>> {
    const { credential, objectId } = presented;
    return this.#known(presented, () => this.objects.append(objectId, { ...batch, credential }));
  }

  read<K extends keyof Reads>(
    presented: Presented,
    kind: K,
    rest: Unsigned<Reads[K]["request"]>,
  ): Promise<GatewayReply<Reads[K]["value"]>> {
    const query = { kind, ...rest, credential: presented.credential };
    return this.#known(presented, () =>
      this.objects.read(presented.objectId, query as unknown as Asking<Reads, K>),
    );
  }

  listen(presented: Presented): Promise<GatewayReply<Listening>> {
    const { credential, objectId } = presented;
    return this.#known(presented, () => this.objects.listen(objectId, credential));
  }

  async #known<T>(
    { objectIdHex, sessionId }: Presented,
    ask: () => Promise<Reply<T>>,
  ): Promise<GatewayReply<T>> {
    // A cookie comes here without having been looked at before.
    const barred = this.guard.barred("wrongToken", objectIdHex);
    if (barred !== null) return { ok: false, failure: barred };
    const reply = await ask();
    // A holder of a wrong secret learns nothing, not even that the id is right.
    if (reply.ok || reply.failure.code !== "token_invalid") {
      return reply.ok ? reply : { ...reply, sessionId };
    }
    return counted(this.guard, objectIdHex, reply);
  }
}
