/** Where this server is reached from outside. Links are made of it, never of the Host header. */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";

export const publicUrlOf = ({ PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): string =>
  (PUBLIC_URL ?? "http://localhost:8787").replace(/\/+$/, "");

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Does the operator say that only this machine is served? An address that is not set says nothing. */
export const isLoopback = ({ PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): boolean =>
  PUBLIC_URL !== undefined &&
  URL.canParse(PUBLIC_URL) &&
  LOOPBACK.test(new URL(PUBLIC_URL).hostname);

export const linkAddresses = (code: LinkCode, publicUrl: string) => ({
  url: `${publicUrl}/h/${code}`,
  code,
  qrUrl: `${publicUrl}/h/${code}/qr.svg`,
});
