/** The WebSocket handshake of /arcp. The Worker accepts it; no object is called before the hello. */
import { describeBug } from "../domain/bug";
import type { Env } from "../env";
import { ArcpGateway } from "../gateway/arcp-gateway";
import {
  telemetryOf,
  operationTelemetry,
  type RequestTelemetry,
} from "../gateway/request-telemetry";
import { Caller } from "../gateway/caller";
import {
  acceptClientSocket,
  offeredSubprotocols,
  isUpgradeRequest,
} from "../gateway/client-socket";
import { Gateway } from "../gateway/gateway";
import { JobGateway } from "../gateway/job-gateway";
import { PROBLEM_JSON } from "../protocol/media-types";
import { toProblem } from "../protocol/problem";
import { Connection, type MessageReporter } from "./connection";

const HEARTBEAT_MS = 30_000;
const SUBPROTOCOLS: ReadonlySet<string> = new Set(["arcp", "arcp.v1.1", "arcp.v1", "arcp-1.1"]);

export function serveArcp(request: Request, env: Env): Response {
  if (!isUpgradeRequest(request.headers)) {
    const problem = toProblem({ code: "upgrade_required" });
    const headers = {
      "Content-Type": PROBLEM_JSON,
      Upgrade: "websocket",
      "Cache-Control": "no-store",
    };
    return new Response(JSON.stringify(problem), { status: problem.status, headers });
  }
  const subprotocol =
    offeredSubprotocols(request.headers).find((name) => SUBPROTOCOLS.has(name)) ?? null;
  const { response, socket } = acceptClientSocket(subprotocol);
  const handshakeTelemetry = telemetryOf(request);
  // Time spent in objects counts for the current message. The trace of the handshake belongs to no
  // message.
  const messageTelemetry =
    handshakeTelemetry === null
      ? null
      : { ...operationTelemetry(handshakeTelemetry, Date.now()), trace: null };
  const caller = new Caller(request.headers, env, messageTelemetry);
  const gateways = {
    sessions: new Gateway(env, caller),
    jobs: new JobGateway(env, caller),
    arcp: new ArcpGateway(env, caller),
  };
  const heartbeatMs = Number(env.ARCP_HEARTBEAT_MS ?? HEARTBEAT_MS);
  new Connection(
    gateways,
    socket,
    heartbeatMs,
    messageReporter(handshakeTelemetry, messageTelemetry, env),
  ).listen();
  return response;
}

/** Logs one line per processed message, under the id of the request that opened the connection. */
function messageReporter(
  handshakeTelemetry: RequestTelemetry | null,
  messageTelemetry: RequestTelemetry | null,
  env: Env,
): MessageReporter {
  return ({ type, sessionId, code, startedAt, error }) => {
    if (handshakeTelemetry === null || messageTelemetry === null) return;
    const { trace, requestId } = handshakeTelemetry;
    const telemetry = { ...messageTelemetry, trace, startedAt, ...(sessionId && { sessionId }) };
    messageTelemetry.objectMs = null;
    const bug = { message: "unhandled", requestId, sessionId, operation: type };
    if (error !== undefined && env.LOG !== "off") {
      console.error(JSON.stringify({ ...bug, ...describeBug(error) }));
    }
    // The key is known only if the hello created a session with it.
    const isAuditable = type === "session.hello";
    handshakeTelemetry.report({ telemetry, route: "/arcp", operation: type, code, isAuditable });
  };
}
