/**
 * The endpoints of a session: before a command is sent to the session, addresses are validated, secrets
 * generated, and both sealed here. Later only the origin of the address is shown.
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

/** The queries for endpoints of sessions and of owners. */
export abstract class EndpointQueries<Principal> extends UseCases {
  abstract list(principal: Principal): AsyncReply<readonly EndpointView[]>;

  protected abstract unknown(principal: Principal): GatewayReply<never>;

  async get(principal: Principal, id: string): AsyncReply<EndpointView> {
    const all = await this.list(principal);
    if (!all.ok) return all;
    const found = all.value.find((one) => one.id === id);
    return found === undefined ? this.unknown(principal) : ok(found);
  }

  /** Newest first. The session or the directory must list the endpoint; its object has the deliveries. */
  async deliveries(principal: Principal, id: string, cursor: number | null, limit: number) {
    const found = await this.get(principal, id);
    if (!found.ok) return found;
    const hex = endpointHexOf(id) ?? "";
    const reply = this.calls.objects.endpoint(hex, (one) => one.deliveries(cursor, limit));
    return reply ?? UNKNOWN_ENDPOINT;
  }
}

export class SessionEndpoints extends EndpointQueries<UnverifiedCredential> {
  /** Its `refusal` reports an invalid token before an invalid request. */
  readonly #gateway = new Gateway(this.env, this.caller);

  async add(
    credential: UnverifiedCredential,
    input: EndpointInput,
    options: WriteOptions,
  ): AsyncReply<EndpointWriteAnswer> {
    const hex = this.calls.objects.newEndpoint().toString();
    const sealed = await sealEndpoint(this.env, hex, input);
    if (!sealed.ok) return this.#gateway.refusal(credential, sealed.error);
    const { origin, parts, secret } = sealed.value;
    const { notices, format, labels } = input;
    const command = { operation: "addEndpoint", notices, format, labels, origin } as const;
    const generated = input.secret === undefined ? { secret } : {};
    const secretInput = { identity: input, parts, ...generated };
    const reply = await this.#gateway.write(credential, command, { ...options, secretInput });
    return withSecret(reply, input.secret);
  }

  async change(
    credential: UnverifiedCredential,
    id: string,
    changes: EndpointChanges,
    options: WriteOptions,
  ) {
    const { url: address, ...rest } = changes;
    const prepared = address === undefined ? null : prepareSealing(this.env, address);
    if (prepared?.ok === false) return this.#gateway.refusal(credential, prepared.error);
    const endpoint = endpointHexOf(id) ?? "";
    const parts =
      prepared === null
        ? {}
        : { url: await sealUrl(prepared.value.keyring, endpoint, prepared.value.url) };
    const origin = prepared?.value.url.origin;
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
    const keyring = keyringOf(this.env, "SEALING_KEYS");
    if (!keyring.ok) return this.#gateway.refusal(credential, keyring.error);
    const endpoint = endpointHexOf(id) ?? "";
    const secret = generateSecret();
    // The session refuses an id that is not an endpoint's; nothing can be sealed for it.
    const parts =
      endpoint === "" ? {} : { secret: await sealSecret(keyring.value, endpoint, secret) };
    const command = { operation: "rotateEndpoint", endpoint } as const;
    const secretInput = { parts, secret };
    const reply = await this.#gateway.write(credential, command, { ...options, secretInput });
    return withSecret(reply);
  }

  async replay(
    credential: UnverifiedCredential,
    id: string,
    input: ReplayInput,
    options: WriteOptions,
  ) {
    const replay = parseReplay(input);
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

/** With the secret, which is shown only once. */
function withSecret(
  reply: GatewayReply<WriteAnswer>,
  clientSecret?: string,
): GatewayReply<EndpointWriteAnswer> {
  if (!reply.ok) return reply;
  const { secret: returned } = reply.value;
  const secret = clientSecret ?? (returned === null ? null : formatWebhookSecret(returned));
  return ok({ answer: reply.value, secret });
}
