/** The handshake of /arcp: accepted in the Worker; nothing behind it is reached before the hello. */
import type { Env } from "../env";
import { ArcpGateway } from "../gateway/arcp-gateway";
import { Caller } from "../gateway/caller";
import { acceptClientSocket } from "../gateway/client-socket";
import { Gateway } from "../gateway/gateway";
import { JobGateway } from "../gateway/job-gateway";
import { PROBLEM_JSON } from "../protocol/media";
import { toProblem } from "../protocol/problem";
import { Connection } from "./connection";

const HEARTBEAT_MS = 30_000;
const SUBPROTOCOLS: ReadonlySet<string> = new Set(["arcp", "arcp.v1.1", "arcp.v1", "arcp-1.1"]);

export function serveArcp(request: Request, env: Env): Response {
  if (request.headers.get("Upgrade")?.toLowerCase() !== "websocket") {
    const problem = toProblem({ code: "upgrade_required" });
    const headers = {
      "Content-Type": PROBLEM_JSON,
      Upgrade: "websocket",
      "Cache-Control": "no-store",
    };
    return new Response(JSON.stringify(problem), { status: problem.status, headers });
  }
  const offered = (request.headers.get("Sec-WebSocket-Protocol") ?? "")
    .split(",")
    .map((name) => name.trim());
  const subprotocol = offered.find((name) => SUBPROTOCOLS.has(name)) ?? null;
  const { response, socket } = acceptClientSocket(subprotocol);
  const caller = new Caller(request.headers, env);
  const gateways = {
    sessions: new Gateway(env, caller),
    jobs: new JobGateway(env, caller),
    arcp: new ArcpGateway(env, caller),
  };
  const heartbeatMs = Number(env.ARCP_HEARTBEAT_MS ?? HEARTBEAT_MS);
  new Connection(gateways, socket, heartbeatMs).listen();
  return response;
}
