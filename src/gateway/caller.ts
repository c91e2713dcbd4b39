/** Who sends a request, as far as the platform and a proxy in front say so. Nothing here is the client's own word. */
import type { RequestOrigin } from "../domain/participants/binding";
import { isPrivateAddress, networkOf } from "../domain/participants/network";
import type { Identity } from "../domain/participants/identity";
import type { Result } from "../domain/result";
import type { Env } from "../env";
import { telemetryOf, type RequestTelemetry } from "./request-telemetry";
import { identityIn } from "./oidc";
import { isLocalOrigin, isOwnOrigin } from "./public-url";
import { hashProxiedPrincipal } from "./secrets";

export const KEY_HEADER = "Baton-Key";
const BEARER = /^Bearer +(\S+) *$/i;

export const bearerIn = (authorization: string | null): string | null =>
  authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null);

const OWN_TOKEN = /^[rj]tok_/;

export class Caller {
  readonly #headers: Headers;
  readonly #principalHeader: string | undefined;
  #identity: Promise<Result<Identity | null>> | undefined;
  #countedNetwork: string | null | undefined;
  /** What the deployment settles about who asks. */
  readonly settings: Partial<Env>;
  /** What is told of its request. */
  readonly telemetry: RequestTelemetry | null;

  constructor(headers: Headers, env: Partial<Env>, call: RequestTelemetry | null = null) {
    this.#headers = headers;
    this.telemetry = call;
    this.settings = env;
    this.#principalHeader = env.PRINCIPAL_HEADER || undefined;
  }

  static of(request: Request, env: Env): Caller {
    return new Caller(request.headers, env, telemetryOf(request));
  }

  get address(): string | null {
    const { CALLER } = this.settings;
    return CALLER === undefined ? this.#headers.get("CF-Connecting-IP") : CALLER.address;
  }

  /** The network it is told apart by, or null where its address is not known. */
  get network(): string | null {
    const { address } = this;
    return address === null ? null : networkOf(address);
  }

  /** The network its requests are counted for: null on one's own machine and behind a silent proxy. */
  get countedNetwork(): string | null {
    if (this.#countedNetwork === undefined) {
      const { address } = this;
      this.#countedNetwork =
        address === null || isPrivateAddress(address) ? null : networkOf(address);
    }
    return this.#countedNetwork;
  }

  /** Does a browser send this for a page of another site? */
  get isFromOtherOrigin(): boolean {
    const origin = this.#headers.get("Origin");
    return origin !== null && !isOwnOrigin(origin, this.settings);
  }

  /** Does a browser send this for a page that did not come from its own machine? */
  get isFromRemotePage(): boolean {
    const origin = this.#headers.get("Origin");
    return origin !== null && !isLocalOrigin(origin);
  }

  /** Does this deployment know principals at all? */
  get hasPrincipals(): boolean {
    return this.#principalHeader !== undefined;
  }

  get principal(): string | null {
    if (this.#principalHeader === undefined) return null;
    return this.#headers.get(this.#principalHeader)?.trim() || null;
  }

  /** Who sends it, as an OpenID provider signed it; asked once for each request. */
  identity(): Promise<Result<Identity | null>> {
    this.#identity ??= identityIn(this.#headers, this.settings, Date.now());
    return this.#identity;
  }

  /** An owner's key: in its own header, or as bearer where that is no token. */
  get ownerKey(): string | null {
    const own = this.#headers.get(KEY_HEADER);
    if (own !== null) return own;
    const bearer = bearerIn(this.#headers.get("Authorization"));
    return bearer === null || OWN_TOKEN.test(bearer) ? null : bearer;
  }

  /** Hashes only where there is a principal, so that others pay nothing. */
  origin(): RequestOrigin {
    const { address, principal } = this;
    return { address, principal: principal === null ? null : hashProxiedPrincipal(principal) };
  }
}
