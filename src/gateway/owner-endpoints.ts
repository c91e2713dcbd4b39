/** The endpoints of an owner, managed by a key: sealed here, stored by the owner's directory. */
import type { Failure } from "../domain/failure";
import { endpointHexOf, type EndpointView } from "../domain/notices/endpoint";
import type { OwnerEndpointCommand } from "../domain/notices/owner-endpoint";
import type { Reply } from "../object/messages";
import { deliveryProblem, prepareSealing, parseReplay, sealEndpoint } from "./endpoint-input";
import type { EndpointChanges, ReplayInput, EndpointInput } from "./endpoint-input";
import { EndpointQueries, UNKNOWN_ENDPOINT } from "./session-endpoints";
import { keyringOf } from "./keyring";
import type { Holder } from "./owner-keys";
import { formatWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { generateSecret } from "./secrets";
import type { SessionCalls } from "./session-calls";

interface EndpointWithSecret {
  readonly endpoint: EndpointView;
  /** Shown only once. */
  readonly secret: string;
}

const refusal = (failure: Failure): Reply<never> => ({ ok: false, failure });

export class OwnerEndpoints extends EndpointQueries<Holder> {
  async add(holder: Holder, input: EndpointInput): Promise<Reply<EndpointWithSecret>> {
    const hex = this.calls.objects.newEndpoint().toString();
    const sealed = await sealEndpoint(this.env, hex, input);
    if (!sealed.ok) return refusal(sealed.error);
    const { origin, parts, secret } = sealed.value;
    const { notices, format = "standard", labels = {} } = input;
    const secrets = [{ sealed: parts.secret, until: null }];
    const settings = { notices, format, labels, origin, url: parts.url, secrets };
    const reply = await this.#command(holder, { kind: "add", hex, settings });
    return withSecret(reply, input.secret ?? formatWebhookSecret(secret));
  }

  async change(holder: Holder, id: string, changes: EndpointChanges): Promise<Reply<EndpointView>> {
    const hex = endpointHexOf(id);
    const { url: address, ...rest } = changes;
    const prepared = address === undefined ? null : prepareSealing(this.env, address);
    if (prepared?.ok === false) return refusal(prepared.error);
    if (hex === null) return UNKNOWN_ENDPOINT;
    if (prepared === null) return this.#command(holder, { kind: "change", hex, ...rest });
    const { keyring, url } = prepared.value;
    const sealed = { url: await sealUrl(keyring, hex, url), origin: url.origin };
    return this.#command(holder, { kind: "change", hex, ...rest, ...sealed });
  }

  async rotate(holder: Holder, id: string): Promise<Reply<EndpointWithSecret>> {
    const keyring = keyringOf(this.env, "SEALING_KEYS");
    if (!keyring.ok) return refusal(keyring.error);
    const hex = endpointHexOf(id);
    if (hex === null) return UNKNOWN_ENDPOINT;
    const secret = generateSecret();
    const sealed = await sealSecret(keyring.value, hex, secret);
    const reply = await this.#command(holder, { kind: "rotate", hex, secret: sealed });
    return withSecret(reply, formatWebhookSecret(secret));
  }

  async replay(holder: Holder, id: string, input: ReplayInput): Promise<Reply<EndpointView>> {
    const replay = parseReplay(input);
    if (!replay.ok) return refusal(replay.error);
    const hex = endpointHexOf(id);
    if (hex === null) return UNKNOWN_ENDPOINT;
    const missing = await deliveryProblem(this.calls.objects, hex, replay.value);
    if (missing !== null) {
      const found = await this.get(holder, id);
      return found.ok ? refusal(missing) : found;
    }
    return this.#command(holder, { kind: "replay", hex, replay: replay.value });
  }

  async remove(holder: Holder, id: string): Promise<Reply<EndpointView>> {
    const hex = endpointHexOf(id);
    return hex === null ? UNKNOWN_ENDPOINT : this.#command(holder, { kind: "remove", hex });
  }

  /** With the failing status from each endpoint's object, if it can be reached. */
  async list({ owner }: Holder): Promise<Reply<readonly EndpointView[]>> {
    const { objects } = this.calls;
    const listed = await objects.ownerDirectory(owner.name, "endpoints");
    if (!listed.ok) return listed;
    const views = listed.value.map(async (one) => {
      const hex = endpointHexOf(one.id) ?? "";
      const failing = await objects.endpoint(hex, (endpoint) => endpoint.failing());
      return failing?.ok && failing.value !== null ? { ...one, failing: failing.value } : one;
    });
    return { ok: true, value: await Promise.all(views) };
  }

  protected override unknown(): Reply<never> {
    return UNKNOWN_ENDPOINT;
  }

  #command(holder: Holder, command: OwnerEndpointCommand): Promise<Reply<EndpointView>> {
    return commandEndpoint(this.calls, holder, command);
  }
}

export async function commandEndpoint(
  { objects }: SessionCalls,
  { owner }: Holder,
  command: OwnerEndpointCommand,
): Promise<Reply<EndpointView>> {
  const reply = await objects.ownerDirectory(owner.name, "commandEndpoint", owner.name, command);
  if (!reply.ok) return reply;
  return reply.value.ok ? reply.value : refusal(reply.value.error);
}

const withSecret = (reply: Reply<EndpointView>, secret: string): Reply<EndpointWithSecret> =>
  reply.ok ? { ok: true, value: { endpoint: reply.value, secret } } : reply;
