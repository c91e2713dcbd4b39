/** The handshake of …/socket: refused in plain HTTP if possible, never with a token in the URL. */
import { invalid } from "../domain/failure";
import { refuse, type Result } from "../domain/result";
import {
  acceptClientSocket,
  offeredSubprotocols,
  isUpgradeRequest,
} from "../gateway/client-socket";
import type { Gateway } from "../gateway/gateway";
import { underLease, type UnverifiedCredential } from "../gateway/session-calls";
import { TOKEN_PREFIX } from "../gateway/token";
import { SUBPROTOCOL } from "../protocol/socket";
import { answerProblem } from "./answers";
import { leaseOf } from "./conditions";
import { answerRefusal } from "./handler";
import { SocketConversation } from "./socket";

export async function upgradeSocket(
  gateway: Gateway,
  ref: string,
  headers: Headers,
): Promise<Response> {
  if (!isUpgradeRequest(headers)) return answerProblem({ code: "upgrade_required" });
  if (ref.startsWith(TOKEN_PREFIX)) {
    const detail =
      "send a socket's token in the Authorization header, as the second subprotocol or in the hello, not in the path";
    return answerProblem(invalid(detail, "ref"));
  }
  const offered = offeredSubprotocols(headers);
  if (offered.length > 0 && !offered.includes(SUBPROTOCOL)) {
    return answerProblem(
      invalid(`the subprotocol must be ${SUBPROTOCOL}`, "Sec-WebSocket-Protocol"),
    );
  }
  const lease = leaseOf(headers);
  const credential = await credentialInHandshake(gateway, ref, headers, offered);
  if (credential !== null) {
    if (!credential.ok) return answerProblem(credential.error);
    if (!lease.ok) return answerRefusal(await gateway.refusal(credential.value, lease.error));
    const session = await gateway.get(
      lease.value === null ? credential.value : underLease(credential.value, lease.value),
    );
    if (!session.ok) return answerRefusal(session);
  }
  const { response, socket } = acceptClientSocket(offered.length > 0 ? SUBPROTOCOL : null);
  new SocketConversation(gateway, ref, socket, credential?.value ?? null).listen();
  return response;
}

/** The credential in the handshake, or null if the hello will have it. */
async function credentialInHandshake(
  gateway: Gateway,
  ref: string,
  headers: Headers,
  offered: readonly string[],
): Promise<Result<UnverifiedCredential> | null> {
  const authorization = headers.get("Authorization");
  const token = offered.find((name) => name.startsWith(TOKEN_PREFIX));
  if (authorization !== null && token !== undefined && authorization !== `Bearer ${token}`) {
    return refuse(invalid("the header and the subprotocol carry different tokens"));
  }
  if (authorization !== null) return gateway.readCredential(ref, authorization);
  return token === undefined ? null : gateway.readCredential(ref, `Bearer ${token}`);
}
