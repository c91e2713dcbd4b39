/**
 * The endpoints of a session: addresses are checked, secrets drawn and both sealed here, before a
 * command goes to the session. What is shown later is the origin of the address and nothing more.
 */
import { endpointHexOf, type EndpointView } from "../domain/notices/endpoint";
import { ok } from "../domain/result";
import { deliveryProblem, readyToSeal, replayOf, sealedWish } from "./endpoint-wishes";
import type { Changes, ReplayWish, Wanted } from "./endpoint-wishes";
import { Gateway } from "./gateway";
import { keysOf } from "./keyring";
import { type Presented, UseCases, type Answered, type GatewayReply } from "./session-calls";
import { formatWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { drawSecret } from "./secrets";
import type { WriteAnswer, WriteOptions } from "./write-answer";

interface EndpointAnswer {
  readonly answer: WriteAnswer;
  readonly secret: string | null;
}

export const UNKNOWN = { ok: false, failure: { code: "not_found", what: "endpoint" } } as const;

/** What is read of endpoints, whoever they belong to. */
export abstract class EndpointReads<Who> extends UseCases {
  abstract list(who: Who): Answered<readonly EndpointView[]>;

  protected abstract unknown(who: Who): GatewayReply<never>;

  async get(who: Who, id: string): Answered<EndpointView> {
    const all = await this.list(who);
    if (!all.ok) return all;
    const found = all.value.find((one) => one.id === id);
    return found === undefined ? this.unknown(who) : ok(found);
  }

  /** Newest first. Who lists the endpoint is asked first; its object knows what became of each. */
  async deliveries(who: Who, id: string, cursor: number | null, limit: number) {
    const found = await this.get(who, id);
    if (!found.ok) return found;
    const hex = endpointHexOf(id) ?? "";
    const asked = this.calls.objects.endpoint(hex, (one) => one.deliveries(cursor, limit));
    return asked ?? UNKNOWN;
  }
}

export class Endpoints extends EndpointReads<Presented> {
  /** Its `refusal` tells a wrong token before what is wrong with the rest of its request. */
  readonly #gateway = new Gateway(this.env, this.caller);

  async add(presented: Presented, wanted: Wanted, options: WriteOptions): Answered<EndpointAnswer> {
    const hex = this.calls.objects.newEndpoint().toString();
    const sealed = await sealedWish(this.env, hex, wanted);
    if (!sealed.ok) return this.#gateway.refusal(presented, sealed.error);
    const { origin, parts, secret } = sealed.value;
    const { notices, format, labels } = wanted;
    const command = { operation: "addEndpoint", notices, format, labels, origin } as const;
    const drawn = wanted.secret === undefined ? { secret } : {};
    const brings = { identity: wanted, parts, ...drawn };
    const reply = await this.#gateway.write(presented, command, { ...options, brings });
    return answered(reply, wanted.secret);
  }

  async change(presented: Presented, id: string, changes: Changes, options: WriteOptions) {
    const { url: given, ...rest } = changes;
    const ready = given === undefined ? null : readyToSeal(this.env, given);
    if (ready?.ok === false) return this.#gateway.refusal(presented, ready.error);
    const endpoint = endpointHexOf(id) ?? "";
    const parts =
      ready === null ? {} : { url: await sealUrl(ready.value.ring, endpoint, ready.value.url) };
    const origin = ready?.value.url.origin;
    const command = { operation: "changeEndpoint", endpoint, ...rest, origin } as const;
    const brings = { identity: { id, ...changes }, parts };
    const reply = await this.#gateway.write(presented, command, { ...options, brings });
    return answered(reply);
  }

  async rotate(presented: Presented, id: string, options: WriteOptions): Answered<EndpointAnswer> {
    const ring = keysOf(this.env, "SEALING_KEYS");
    if (!ring.ok) return this.#gateway.refusal(presented, ring.error);
    const endpoint = endpointHexOf(id) ?? "";
    const secret = drawSecret();
    // What is not an endpoint's id is refused by the session; nothing can be sealed for it.
    const parts = endpoint === "" ? {} : { secret: await sealSecret(ring.value, endpoint, secret) };
    const command = { operation: "rotateEndpoint", endpoint } as const;
    const brings = { parts, secret };
    const reply = await this.#gateway.write(presented, command, { ...options, brings });
    return answered(reply);
  }

  async replay(presented: Presented, id: string, wish: ReplayWish, options: WriteOptions) {
    const replay = replayOf(wish);
    if (!replay.ok) return this.#gateway.refusal(presented, replay.error);
    const endpoint = endpointHexOf(id) ?? "";
    const missing = await deliveryProblem(this.calls.objects, endpoint, replay.value);
    if (missing !== null) {
      const found = await this.get(presented, id);
      return found.ok ? this.#gateway.refusal(presented, missing) : found;
    }
    const command = { operation: "replayEndpoint", endpoint, replay: replay.value } as const;
    return this.#gateway.write(presented, command, options);
  }

  remove(presented: Presented, id: string, options: WriteOptions): Answered<WriteAnswer> {
    const endpoint = endpointHexOf(id) ?? "";
    return this.#gateway.write(presented, { operation: "removeEndpoint", endpoint }, options);
  }

  list(presented: Presented): Answered<readonly EndpointView[]> {
    return this.calls.read(presented, "endpoints", {});
  }

  protected override unknown({ sessionId }: Presented) {
    return { ...UNKNOWN, sessionId };
  }
}

/** With the secret, which is shown this once. */
function answered(reply: GatewayReply<WriteAnswer>, given?: string): GatewayReply<EndpointAnswer> {
  if (!reply.ok) return reply;
  const { brought } = reply.value;
  const secret = given ?? (brought === null ? null : formatWebhookSecret(brought));
  return ok({ answer: reply.value, secret });
}
