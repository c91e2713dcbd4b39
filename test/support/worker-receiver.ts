/**
 * The webhook receiver for tests inside the runtime. It runs outside the runtime and stores requests by
 * path. GET returns them; the path itself defines the answer to a POST, as in /500/name.
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
    await new Promise<void>((resolve) => held.set(pathname, resolve));
    return new Response(null, { status: 204 });
  }
  // A subscription of MCP Events sends a challenge first. A path with a success status echoes it.
  const challenge = /^\{"type":"verification","challenge":("[^"]+")\}$/.exec(text)?.[1];
  if (challenge !== undefined && /^(2|challenge|broken)/.test(status)) {
    return new Response(`{"challenge":${challenge}}`, { status: 200 });
  }
  if (status === "broken") {
    return new Response(null, { status: repaired.has(pathname) ? 204 : 500 });
  }
  // As in /challenge/410/name. Default: 500.
  const [, , requested = ""] = pathname.split("/");
  const refusal = /^4\d\d$/.test(requested) ? Number(requested) : 500;
  return new Response(null, { status: status === "challenge" ? refusal : Number(status) });
}
