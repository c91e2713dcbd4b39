/**
 * Whose word counts for who calls: the setting TRUSTED_PROXY. The address of the socket counts, unless
 * it is one of the listed proxies; then its header names the caller. The same header from anybody else
 * is never read.
 */
import { isPrefix, isWithin, parseAddress } from "../domain/participants/network";
import { ok, type Result } from "../domain/result";

interface TrustedProxy {
  /** Addresses and networks of the proxies. */
  readonly from: readonly string[];
  /** A list of addresses, the last added by the proxy itself. */
  readonly header: string;
}

const HEADER = /^[A-Za-z][A-Za-z0-9-]*$/;

/** Null where the setting is empty: then no proxy is trusted. */
export function parseTrustedProxy(text: string | undefined): Result<TrustedProxy | null, string> {
  if (text === undefined || text === "") return ok(null);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return refuse("it is not valid JSON");
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return refuse("it must be an object with `from` and `header`");
  }
  const { from, header, ...rest } = given as Record<string, unknown>;
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

/** The last that was read: a deployment has one. */
let lastRead: { readonly text: string; readonly proxy: TrustedProxy | null } | undefined;

/** A setting that is wrong trusts nobody; a server of one's own does not start with it. */
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
 * The nearest address that is not itself a trusted proxy. Read from the end, because everything before
 * it was written by whoever called. Null where the proxy says nothing that is an address.
 */
export function forwardedFor(headers: Headers, proxy: TrustedProxy): string | null {
  const named = (headers.get(proxy.header) ?? "").split(",").map((part) => part.trim());
  const outside = named.findLast((address) => !isTrusted(address, proxy));
  return outside !== undefined && parseAddress(outside) !== null ? outside : null;
}
