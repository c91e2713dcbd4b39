/**
 * Verifies that an address wants what a subscription will send: it must repeat a random challenge. The
 * subscriber learns only the kind of failure, nothing else of the response.
 */
import { encodeBase64url } from "../domain/base64url";
import type { Env } from "../env";
import { subscriptionMessage } from "./webhook-sender";
import { generateSecret } from "./secrets";
import { postSigned } from "./signed-post";

/** The draft's codes for problems of a callback address. */
export type CallbackProblem =
  | "connection_refused"
  | "timeout"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

/** A response contains the challenge and little more; the rest of a longer one is not read. */
const MAX_ANSWER_BYTES = 4_096;
const encoder = new TextEncoder();

/** Null if the receiver repeated the challenge. */
export async function challengeReceiver(
  env: Env,
  url: URL,
  secret: Uint8Array,
  subscriptionId: string,
): Promise<CallbackProblem | null> {
  const nonce = encodeBase64url(generateSecret());
  const id = `msg_verification_${encodeBase64url(generateSecret())}`;
  const message = subscriptionMessage(subscriptionId, { type: "verification", challenge: nonce });
  const answer = await postSigned(env, url, [secret], { id, ...message }, async (response) => ({
    status: response.status,
    text: await readPrefix(response),
  }));
  if ("error" in answer) return answer.error === "timeout" ? "timeout" : "connection_refused";
  const { status, text } = answer as { readonly status: number; readonly text: string };
  if (status >= 500) return "http_5xx";
  if (status >= 400) return "http_4xx";
  return status >= 200 && status < 300 && echoesNonce(text, nonce) ? null : "challenge_failed";
}

function echoesNonce(text: string, nonce: string): boolean {
  let echoed: unknown;
  try {
    echoed = (JSON.parse(text) as { readonly challenge?: unknown } | null)?.challenge;
  } catch {
    return false;
  }
  const [actual, expected] = [
    encoder.encode(typeof echoed === "string" ? echoed : ""),
    encoder.encode(nonce),
  ];
  return actual.length === expected.length && crypto.subtle.timingSafeEqual(actual, expected);
}

async function readPrefix({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (bytes >= MAX_ANSWER_BYTES) return text;
  }
  return text + decoder.decode();
}
