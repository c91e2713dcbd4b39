/** Bytes of files on their way to the server and back, as their hashes. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kept } from "./checker/history.ts";
import type { Recorder } from "./recorder.ts";
import { send, type Fate } from "./send.ts";

const hashOf = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");

interface Sending {
  readonly id: string;
  readonly sessionId: string;
  readonly upload: string;
  readonly token: string;
  readonly bytes: string;
}

export async function sendFile(
  url: string,
  recorder: Recorder,
  { id, sessionId, upload, token, bytes }: Sending,
  fate: Fate,
): Promise<void> {
  const invoked = Date.now();
  const headers = { authorization: `Bearer ${token}`, "content-type": "text/plain" };
  const path = `/sessions/${sessionId}/uploads/${upload}`;
  const heard = await send(url, { method: "PUT", path, headers, body: bytes }, fate);
  const isCertain = heard !== null && heard.status < 500;
  const outcome = !isCertain ? "unknown" : heard.status === 200 ? "ok" : "refused";
  recorder.put({ id, upload, sha256: hashOf(bytes), invoked, outcome });
}

/** Asks until it is told; a refusal other than that there is no such file tells nothing. */
export async function fetchFile(
  url: string,
  sessionId: string,
  upload: string,
  token: string,
): Promise<Kept | null> {
  const headers = { authorization: `Bearer ${token}` };
  for (;;) {
    const path = `/sessions/${sessionId}/uploads/${upload}`;
    const heard = await send(url, { method: "GET", path, headers }, "whole");
    if (heard?.status === 200) return { upload, sha256: hashOf(heard.text) };
    if (heard?.status === 404) return { upload, sha256: null };
    if (heard !== null && heard.status < 500) return null;
    await sleep(100);
  }
}
