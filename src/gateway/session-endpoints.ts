/**
 * The endpoints of a session: addresses are checked, secrets drawn and both sealed here, before a
 * command goes to the session. What is shown later is the origin of the address and nothing more.
 */
import { endpointHexOf, type EndpointView } from "../domain/notices/endpoint";
import { ok } from "../domain/result";
import { deliveryProblem, prepareSealing, parseReplay, sealEndpoint } from "./endpoint-input";
import type { EndpointChanges, ReplayInput, EndpointInput } from "./endpoint-input";
import { Gateway } from "./gateway";
import { keyringOf } from "./keyring";
import {
  type UnverifiedCredential,
  UseCases,
  type AsyncReply,
  type GatewayReply,
} from "./session-calls";
import { formatWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { generateSecret } from "./secrets";
import type { WriteAnswer, WriteOptions } from "./write-answer";

interface EndpointWriteAnswer {
  readonly answer: WriteAnswer;
  readonly secret: string | null;
}

export const UNKNOWN_ENDPOINT = {
  ok: false,
  failure: { code: "not_found", what: "endpoint" },
} as const;

/** What is read of endpoints, whoever they belong to. */
export abstract class EndpointQueries<Who> extends UseCases {
  abstract list(who: Who): AsyncReply<readonly EndpointView[]>;

  protected abstract unknown(who: Who): GatewayReply<never>;

  async get(who: Who, id: string): AsyncReply<EndpointView> {
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
    return asked ?? UNKNOWN_ENDPOINT;
  }
}

export class SessionEndpoints extends EndpointQueries<UnverifiedCredential> {
  /** Its `refusal` tells a wrong token before what is wrong with the rest of its request. */
  readonly #gateway = new Gateway(this.env, this.caller);

  async add(
    credential: UnverifiedCredential,
    wanted: EndpointInput,
    options: WriteOptions,
  ): AsyncReply<EndpointWriteAnswer> {
    const hex = this.calls.objects.newEndpoint().toString();
    const sealed = await sealEndpoint(this.env, hex, wanted);
    if (!sealed.ok) return this.#gateway.refusal(credential, sealed.error);
    const { origin, parts, secret } = sealed.value;
    const { notices, format, labels } = wanted;
    const command = { operation: "addEndpoint", notices, format, labels, origin } as const;
    const drawn = wanted.secret === undefined ? { secret } : {};
    const secretInput = { identity: wanted, parts, ...drawn };
    const reply = await this.#gateway.write(credential, command, { ...options, secretInput });
    return withSecret(reply, wanted.secret);
  }

  async change(
    credential: UnverifiedCredential,
    id: string,
    changes: EndpointChanges,
    options: WriteOptions,
  ) {
    const { url: given, ...rest } = changes;
    const ready = given === undefined ? null : prepareSealing(this.env, given);
    if (ready?.ok === false) return this.#gateway.refusal(credential, ready.error);
    const endpoint = endpointHexOf(id) ?? "";
    const parts =
      ready === null ? {} : { url: await sealUrl(ready.value.ring, endpoint, ready.value.url) };
    const origin = ready?.value.url.origin;
    const command = { operation: "changeEndpoint", endpoint, ...rest, origin } as const;
    const secretInput = { identity: { id, ...changes }, parts };
    const reply = await this.#gateway.write(credential, command, { ...options, secretInput });
    return withSecret(reply);
  }

  async rotate(
    credential: UnverifiedCredential,
    id: string,
    options: WriteOptions,
  ): AsyncReply<EndpointWriteAnswer> {
    const ring = keyringOf(this.env, "SEALING_KEYS");
    if (!ring.ok) return this.#gateway.refusal(credential, ring.error);
    const endpoint = endpointHexOf(id) ?? "";
    const secret = generateSecret();
    // What is not an endpoint's id is refused by the session; nothing can be sealed for it.
    const parts = endpoint === "" ? {} : { secret: await sealSecret(ring.value, endpoint, secret) };
    const command = { operation: "rotateEndpoint", endpoint } as const;
    const secretInput = { parts, secret };
    const reply = await this.#gateway.write(credential, command, { ...options, secretInput });
    return withSecret(reply);
  }

  async replay(
    credential: UnverifiedCredential,
    id: string,
    wish: ReplayInput,
    options: WriteOptions,
  ) {
    const replay = parseReplay(wish);
    if (!replay.ok) return this.#gateway.refusal(credential, replay.error);
    const endpoint = endpointHexOf(id) ?? "";
    const missing = await deliveryProblem(this.calls.objects, endpoint, replay.value);
    if (missing !== null) {
      const found = await this.get(credential, id);
      return found.ok ? this.#gateway.refusal(credential, missing) : found;
    }
    const command = { operation: "replayEndpoint", endpoint, replay: replay.value } as const;
    return this.#gateway.write(credential, command, options);
  }

  remove(
    credential: UnverifiedCredential,
    id: string,
    options: WriteOptions,
  ): AsyncReply<WriteAnswer> {
    const endpoint = endpointHexOf(id) ?? "";
    return this.#gateway.write(credential, { operation: "removeEndpoint", endpoint }, options);
  }

  list(credential: UnverifiedCredential): AsyncReply<readonly EndpointView[]> {
    return this.calls.read(credential, "endpoints", {});
  }

  protected override unknown({ sessionId }: UnverifiedCredential) {
    return { ...UNKNOWN_ENDPOINT, sessionId };
  }
}

/** With the secret, which is shown this once. */
function withSecret(
  reply: GatewayReply<WriteAnswer>,
  given?: string,
): GatewayReply<EndpointWriteAnswer> {
  if (!reply.ok) return reply;
  const { secret: brought } = reply.value;
  const secret = given ?? (brought === null ? null : formatWebhookSecret(brought));
  return ok({ answer: reply.value, secret });
}
