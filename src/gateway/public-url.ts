/** Where this server is reached from outside. Links are made of it, never of the Host header. */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";

export const publicUrlOf = ({ PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): string =>
  (PUBLIC_URL ?? "http://localhost:8787").replace(/\/+$/, "");

export const linkAddresses = (code: LinkCode, publicUrl: string) => ({
  url: `${publicUrl}/h/${code}`,
  code,
  qrUrl: `${publicUrl}/h/${code}/qr.svg`,
});
