/** The endpoints of an owner, by a key: sealed here, kept by the owner's directory. */
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
  /** Shown this once. */
  readonly secret: string;
}

const refusal = (failure: Failure): Reply<never> => ({ ok: false, failure });

export class OwnerEndpoints extends EndpointQueries<Holder> {
  async add(holder: Holder, wanted: EndpointInput): Promise<Reply<EndpointWithSecret>> {
    const hex = this.calls.objects.newEndpoint().toString();
    const sealed = await sealEndpoint(this.env, hex, wanted);
    if (!sealed.ok) return refusal(sealed.error);
    const { origin, parts, secret } = sealed.value;
    const { notices, format = "standard", labels = {} } = wanted;
    const secrets = [{ sealed: parts.secret, until: null }];
    const settings = { notices, format, labels, origin, url: parts.url, secrets };
    const reply = await this.#command(holder, { kind: "add", hex, settings });
    return withSecret(reply, wanted.secret ?? formatWebhookSecret(secret));
  }

  async change(holder: Holder, id: string, changes: EndpointChanges): Promise<Reply<EndpointView>> {
    const hex = endpointHexOf(id);
    const { url: given, ...rest } = changes;
    const ready = given === undefined ? null : prepareSealing(this.env, given);
    if (ready?.ok === false) return refusal(ready.error);
    if (hex === null) return UNKNOWN_ENDPOINT;
    if (ready === null) return this.#command(holder, { kind: "change", hex, ...rest });
    const { ring, url } = ready.value;
    const sealed = { url: await sealUrl(ring, hex, url), origin: url.origin };
    return this.#command(holder, { kind: "change", hex, ...rest, ...sealed });
  }

  async rotate(holder: Holder, id: string): Promise<Reply<EndpointWithSecret>> {
    const ring = keyringOf(this.env, "SEALING_KEYS");
    if (!ring.ok) return refusal(ring.error);
    const hex = endpointHexOf(id);
    if (hex === null) return UNKNOWN_ENDPOINT;
    const secret = generateSecret();
    const sealed = await sealSecret(ring.value, hex, secret);
    const reply = await this.#command(holder, { kind: "rotate", hex, secret: sealed });
    return withSecret(reply, formatWebhookSecret(secret));
  }

  async replay(holder: Holder, id: string, wish: ReplayInput): Promise<Reply<EndpointView>> {
    const replay = parseReplay(wish);
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

  /** With what each object says of its attempts; nothing where it cannot be asked. */
  async list({ owner }: Holder): Promise<Reply<readonly EndpointView[]>> {
    const { objects } = this.calls;
    const listed = await objects.ownerDirectory(owner.name, "endpoints");
    if (!listed.ok) return listed;
    const shown = listed.value.map(async (one) => {
      const hex = endpointHexOf(one.id) ?? "";
      const failing = await objects.endpoint(hex, (endpoint) => endpoint.failing());
      return failing?.ok && failing.value !== null ? { ...one, failing: failing.value } : one;
    });
    return { ok: true, value: await Promise.all(shown) };
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
