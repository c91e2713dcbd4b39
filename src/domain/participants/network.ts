/** IPv4 and IPv6 addresses and networks as text, compared by their leading bits. */

/** The size of a caller's network: one IPv4 address, or the usual allocation of an IPv6 customer. */
const CALLER_BITS = { 4: 32, 16: 64 } as const;

interface Prefix {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** 4 or 16 bytes. An IPv4-mapped IPv6 address is returned as IPv4. */
export function parseAddress(text: string): readonly number[] | null {
  if (!text.includes(":")) return parseIpv4(text);
  const bytes = parseIpv6(text);
  const isMapped = bytes?.slice(0, 10).every((byte) => byte === 0) === true;
  return isMapped && bytes?.[10] === 255 && bytes[11] === 255 ? bytes.slice(12) : bytes;
}

function parseIpv4(text: string): readonly number[] | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) === true ? parts : null;
}

function parseIpv6(text: string): readonly number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half, at) => groupsIn(half, at === halves.length - 1));
  if (head === null || head === undefined || tail === null) return null;
  if (tail === undefined) return head.length === 16 ? head : null;
  const missing = 16 - head.length - tail.length;
  return missing < 2 ? null : [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** The bytes of groups between colons. The last group of an address may be an IPv4 address. */
function groupsIn(text: string, isLastHalf: boolean): readonly number[] | null {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [at, group] of groups.entries()) {
    const ipv4 = isLastHalf && at === groups.length - 1 ? parseIpv4(group) : null;
    if (ipv4 !== null) bytes.push(...ipv4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else return null;
  }
  return bytes.length > 16 ? null : bytes;
}

function parsePrefix(text: string): Prefix | null {
  const [address = "", length, ...rest] = text.split("/");
  const bytes = parseAddress(address);
  if (bytes === null || rest.length > 0) return null;
  const maxBits = bytes.length * 8;
  if (length === undefined) return { bytes, bits: maxBits };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : 0;
  return bits >= 1 && bits <= maxBits ? { bytes, bits } : null;
}

/** `203.0.113.0/24`, `2001:db8::/48`, or one address. */
export const isPrefix = (text: string): boolean => parsePrefix(text) !== null;

/**
 * The caller's network in its canonical form: an IPv4 address, or an IPv6 /64. Null if it is not an
 * address.
 */
export function networkOf(address: string): string | null {
  const bytes = parseAddress(address);
  if (bytes === null) return null;
  if (bytes.length === 4) return `${bytes.join(".")}/${CALLER_BITS[4]}`;
  const groups = Array.from({ length: 4 }, (_, n) =>
    (((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0)).toString(16),
  );
  return `${groups.join(":")}::/${CALLER_BITS[16]}`;
}

export function isWithin(address: string, prefix: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && containsAddress(parsePrefix(prefix), bytes);
}

/** Whether every address of the inner network is also in the outer one. */
export function isNetworkWithin(inner: string, outer: string): boolean {
  const prefix = parsePrefix(inner);
  const outerPrefix = parsePrefix(outer);
  return (
    prefix !== null &&
    outerPrefix !== null &&
    prefix.bits >= outerPrefix.bits &&
    containsAddress(outerPrefix, prefix.bytes)
  );
}

function containsAddress(prefix: Prefix | null, bytes: readonly number[]): boolean {
  if (prefix?.bytes.length !== bytes.length) return false;
  return bytes.every((byte, at) => {
    const bits = Math.min(8, Math.max(0, prefix.bits - at * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === ((prefix.bytes[at] ?? 0) & mask);
  });
}

/** Loopback and private networks. Callers from the internet have no such address. */
const PRIVATE_NETWORKS = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
].map(parsePrefix);

export function isPrivateAddress(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && PRIVATE_NETWORKS.some((prefix) => containsAddress(prefix, bytes));
}
