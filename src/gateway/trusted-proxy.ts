/**
 * The setting TRUSTED_PROXY: who may name the caller's address. The address is that of the socket,
 * unless the socket belongs to a listed proxy; then the proxy's header names it. The header is ignored
 * if anyone else sends it.
 */
import { isPrefix, isWithin, parseAddress } from "../domain/participants/network";
import { ok, type Result } from "../domain/result";

interface TrustedProxy {
  /** Addresses and networks of the proxies. */
  readonly from: readonly string[];
  /** The header with a list of addresses; the proxy adds the last one. */
  readonly header: string;
}

const HEADER = /^[A-Za-z][A-Za-z0-9-]*$/;

/** Null if the setting is empty: then no proxy is trusted. */
export function parseTrustedProxy(text: string | undefined): Result<TrustedProxy | null, string> {
  if (text === undefined || text === "") return ok(null);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("it is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("it must be an object with `from` and `header`");
  }
  const { from, header, ...rest } = value as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return refuse(`it has an unknown member: ${unknown}`);
  const isList = Array.isArray(from) && from.length > 0;
  if (!isList || !from.every((one) => typeof one === "string" && isPrefix(one))) {
    return refuse("`from` must be a list of one or more addresses or networks");
  }
  if (typeof header !== "string" || !HEADER.test(header)) {
    return refuse("`header` must be the name of a header");
  }
  if (header.toLowerCase() === "forwarded") {
    return refuse("the header Forwarded is not supported: let the proxy set X-Forwarded-For");
  }
  return ok({ from: from as string[], header });
}

const refuse = (error: string): Result<never, string> => ({ ok: false, error });

/** The last setting that was parsed: a deployment has one. */
let lastRead: { readonly text: string; readonly proxy: TrustedProxy | null } | undefined;

/** An invalid setting trusts no proxy; a self-hosted server does not start with it. */
export function trustedProxyOf(text = ""): TrustedProxy | null {
  if (lastRead?.text !== text) {
    const read = parseTrustedProxy(text);
    lastRead = { text, proxy: read.ok ? read.value : null };
  }
  return lastRead.proxy;
}

export const isTrusted = (address: string | null, proxy: TrustedProxy | null): boolean =>
  address !== null && proxy?.from.some((prefix) => isWithin(address, prefix)) === true;

/**
 * The last address that is not a trusted proxy. Read from the end, because the caller may have written
 * everything before it. Null if it is not a valid address.
 */
export function forwardedFor(headers: Headers, proxy: TrustedProxy): string | null {
  const addresses = (headers.get(proxy.header) ?? "").split(",").map((part) => part.trim());
  const caller = addresses.findLast((address) => !isTrusted(address, proxy));
  return caller !== undefined && parseAddress(caller) !== null ? caller : null;
}
