/**
 * Asks an address whether it wants what a subscription will send: it has to repeat a number that is
 * drawn anew each time. Nothing of what it answers is told to the subscriber but the kind of failure.
 */
import { encodeBase64url } from "../domain/base64url";
import type { Env } from "../env";
import { subscriptionMessage } from "./webhook-sender";
import { generateSecret } from "./secrets";
import { postSigned } from "./signed-post";

/** The words of the draft for what can be wrong with an address. */
export type CallbackProblem =
  | "connection_refused"
  | "timeout"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

/** An answer holds the challenge and little more; the rest of a longer one is not read. */
const MAX_ANSWER_BYTES = 4_096;
const encoder = new TextEncoder();

/** Null where it repeated the challenge. */
export async function challengeReceiver(
  env: Env,
  url: URL,
  secret: Uint8Array,
  subscriptionId: string,
): Promise<CallbackProblem | null> {
  const nonce = encodeBase64url(generateSecret());
  const id = `msg_verification_${encodeBase64url(generateSecret())}`;
  const post = subscriptionMessage(subscriptionId, { type: "verification", challenge: nonce });
  const answer = await postSigned(env, url, [secret], { id, ...post }, async (response) => ({
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
  let given: unknown;
  try {
    given = (JSON.parse(text) as { readonly challenge?: unknown } | null)?.challenge;
  } catch {
    return false;
  }
  const [said, wanted] = [
    encoder.encode(typeof given === "string" ? given : ""),
    encoder.encode(nonce),
  ];
  return said.length === wanted.length && crypto.subtle.timingSafeEqual(said, wanted);
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
