/**
 * The receiver of webhooks for tests inside the runtime: it runs beside it and keeps what arrived by
 * path. GET gives what arrived; the path itself says how a POST is answered, as in /500/name.
 */
const arrived = new Map<string, { headers: Record<string, string>; text: string }[]>();

/** Below /held nothing is answered until it is released. */
const held = new Map<string, () => void>();
const RELEASE = "/release";
/** Below /broken everything but a challenge is answered with 500 until it is released. */
const repaired = new Set<string>();

// oxlint-disable-next-line typescript/no-explicit-any -- the runtime's Request and Node's differ in type
export async function receive(request: any): Promise<any> {
  const { pathname } = new URL(request.url);
  const known = arrived.get(pathname) ?? [];
  if (pathname.startsWith(RELEASE)) {
    held.get(pathname.slice(RELEASE.length))?.();
    repaired.add(pathname.slice(RELEASE.length));
    return new Response(null, { status: 204 });
  }
  if (request.method === "GET") return Response.json(known);
  const headers = Object.fromEntries(request.headers) as Record<string, string>;
  const text: string = await request.text();
  arrived.set(pathname, [...known, { headers, text }]);
  const [, status = "204"] = pathname.split("/");
  if (status === "held") {
    await new Promise<void>((settle) => held.set(pathname, settle));
    return new Response(null, { status: 204 });
  }
  // A subscription of MCP Events asks first; what would answer with success repeats the challenge.
  const asked = /^\{"type":"verification","challenge":("[^"]+")\}$/.exec(text)?.[1];
  if (asked !== undefined && /^(2|challenge|broken)/.test(status)) {
    return new Response(`{"challenge":${asked}}`, { status: 200 });
  }
  if (status === "broken") {
    return new Response(null, { status: repaired.has(pathname) ? 204 : 500 });
  }
  // As in /challenge/410/name; 500 where it says nothing.
  const [, , told = ""] = pathname.split("/");
  const refusal = /^4\d\d$/.test(told) ? Number(told) : 500;
  return new Response(null, { status: status === "challenge" ? refusal : Number(status) });
}
