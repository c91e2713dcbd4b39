/** From what came over the socket to an envelope, or what is wrong with it and which message it was. */
import { invalid, type Failure } from "../domain/failure";
import { isJsonObject, utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { Result } from "../domain/result";
import { parseAs, parseGuarded } from "../protocol/json-guard";
import { envelope, type Envelope } from "./frame";

interface BadFrame {
  readonly failure: Failure;
  readonly id: string | null;
}

const bad = (failure: Failure, id: string | null = null): Result<never, BadFrame> => ({
  ok: false,
  error: { failure, id },
});

export function readFrame(data: unknown): Result<Envelope, BadFrame> {
  if (typeof data !== "string") return bad(invalid("a frame must be JSON text"));
  if (utf8Bytes(data) > LIMITS.arcpFrameBytes) {
    return bad({ code: "too_large", what: "a frame, in bytes", limit: LIMITS.arcpFrameBytes });
  }
  const value = parseGuarded(data);
  if (!value.ok) return bad(value.error);
  const parsed = parseAs(envelope, value.value);
  if (parsed.ok) return parsed;
  const id = isJsonObject(value.value) ? value.value["id"] : undefined;
  return bad(parsed.error, typeof id === "string" && id.length <= LIMITS.textLength ? id : null);
}
