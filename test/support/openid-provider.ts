/** A local OpenID provider: a discovery document, keys, and tokens that it signs. */
import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

interface Key {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const newKey = (kid: string): Key => ({
  kid,
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }),
});

export class OpenIdProvider {
  readonly issuer: string;
  readonly #server: Server;
  readonly #keys: readonly Key[] = [newKey("first")];
  /** The paths of all requests. */
  readonly requestedPaths: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      this.requestedPaths.push(request.url ?? "");
      const keys = this.#keys.map(({ kid, publicKey }) => ({
        ...publicKey.export({ format: "jwk" }),
        kid,
        alg: "ES256",
        use: "sig",
      }));
      const isDiscovery = request.url === "/.well-known/openid-configuration";
      const found = { issuer: this.issuer, jwks_uri: `${this.issuer}/keys` };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(isDiscovery ? found : { keys }));
    });
  }

  static async start(): Promise<OpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OpenIdProvider(server);
  }

  token(claims: Readonly<Record<string, unknown>> = {}): string {
    const [key] = this.#keys as readonly [Key];
    return this.#signed(key, claims);
  }

  /** Signed with an unlisted key under the id of the listed one. */
  forgedToken(claims: Readonly<Record<string, unknown>> = {}): string {
    return this.#signed(newKey(this.#keys[0]?.kid ?? ""), claims);
  }

  #signed({ kid, privateKey }: Key, claims: Readonly<Record<string, unknown>>): string {
    const exp = Math.floor(Date.now() / 1000) + 300;
    const all = { iss: this.issuer, aud: "baton", sub: "ada", exp, ...claims };
    const data = `${base64url({ alg: "ES256", kid })}.${base64url(all)}`;
    const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
    return `${data}.${sign("sha256", Buffer.from(data), key).toString("base64url")}`;
  }

  close(): void {
    this.#server.close();
  }
}
