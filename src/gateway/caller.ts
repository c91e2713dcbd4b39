/**
 * The sender of a request, as reported by the platform and by trusted proxies. Nothing here relies on
 * what the client claims.
 */
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
  /** The settings of the deployment that identify callers. */
  readonly settings: Partial<Env>;
  /** The telemetry of its request. */
  readonly telemetry: RequestTelemetry | null;

  constructor(headers: Headers, env: Partial<Env>, telemetry: RequestTelemetry | null = null) {
    this.#headers = headers;
    this.telemetry = telemetry;
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

  /** The network that identifies the caller, or null if the address is unknown. */
  get network(): string | null {
    const { address } = this;
    return address === null ? null : networkOf(address);
  }

  /** The network that rate limits count for: null on the local machine and if a proxy names no address. */
  get countedNetwork(): string | null {
    if (this.#countedNetwork === undefined) {
      const { address } = this;
      this.#countedNetwork =
        address === null || isPrivateAddress(address) ? null : networkOf(address);
    }
    return this.#countedNetwork;
  }

  /** Does a browser send this for a page of another origin? */
  get isFromOtherOrigin(): boolean {
    const origin = this.#headers.get("Origin");
    return origin !== null && !isOwnOrigin(origin, this.settings);
  }

  /** Does a browser send this for a page that was not served from its own machine? */
  get isFromRemotePage(): boolean {
    const origin = this.#headers.get("Origin");
    return origin !== null && !isLocalOrigin(origin);
  }

  /** Is this deployment configured for principals? */
  get hasPrincipals(): boolean {
    return this.#principalHeader !== undefined;
  }

  get principal(): string | null {
    if (this.#principalHeader === undefined) return null;
    return this.#headers.get(this.#principalHeader)?.trim() || null;
  }

  /** The identity that an OpenID provider has signed. It is verified once per request. */
  identity(): Promise<Result<Identity | null>> {
    this.#identity ??= identityIn(this.#headers, this.settings, Date.now());
    return this.#identity;
  }

  /** An owner's key: in its own header, or as bearer unless that is a token. */
  get ownerKey(): string | null {
    const own = this.#headers.get(KEY_HEADER);
    if (own !== null) return own;
    const bearer = bearerIn(this.#headers.get("Authorization"));
    return bearer === null || OWN_TOKEN.test(bearer) ? null : bearer;
  }

  /** Hashes only if there is a principal, so that other requests cost nothing. */
  origin(): RequestOrigin {
    const { address, principal } = this;
    return { address, principal: principal === null ? null : hashProxiedPrincipal(principal) };
  }
}
