/** Bytes of files on their way to the server and back, as their hashes, and what is left of children. */
import { createHash } from "node:crypto";
import type { Gathered } from "../driver.ts";
import type { Child, LoggedCommit, StoredFile } from "../history.ts";
import type { Fate } from "../plan.ts";
import type { Recorder } from "../recorder.ts";
import { sleep } from "../sleep.ts";
import { readDump, type Dump } from "./dump.ts";
import type { Exchange } from "./http-driver.ts";
import { objectIdOf, objectOfToken, type HttpRequest, type HttpResponse } from "./wire.ts";

const hashOf = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");

export interface FileToSend {
  readonly id: string;
  readonly sessionId: string;
  readonly upload: string;
  readonly token: string;
  readonly bytes: string;
}

export async function sendFile(
  exchange: Exchange,
  recorder: Recorder,
  { id, sessionId, upload, token, bytes }: FileToSend,
  fate: Fate,
): Promise<void> {
  const invoked = Date.now();
  const headers = { authorization: `Bearer ${token}`, "content-type": "text/plain" };
  const path = `/sessions/${sessionId}/uploads/${upload}`;
  const response = await exchange({ method: "PUT", path, headers, body: bytes }, fate);
  const isCertain = response !== null && response.status < 500;
  const outcome = !isCertain ? "unknown" : response.status === 200 ? "ok" : "refused";
  recorder.put({ id, upload, sha256: hashOf(bytes), invoked, outcome });
}

export interface GatherOptions {
  readonly exchange: Exchange;
  readonly dump: (objectId: string) => Promise<Dump>;
  /** First tokens of children, as their makers received them. */
  readonly childTokens: readonly string[];
}

/** What there is at the end outside a session's own rows: its files, and the children of its forks. */
export async function gather(
  options: GatherOptions,
  sessionId: string,
  commits: readonly LoggedCommit[],
  token: string,
): Promise<Gathered> {
  const events = commits.flatMap((commit) => commit.events);
  const files: StoredFile[] = [];
  for (const { payload } of events.filter(({ type }) => type === "upload.requested")) {
    const file = await fetchFile(options.exchange, sessionId, String(payload["upload"]), token);
    if (file !== null) files.push(file);
  }
  const children: Child[] = [];
  for (const { payload } of events.filter(({ type }) => type === "session.forked")) {
    children.push(await childNamed(options, String(payload["child"])));
  }
  return { files, children };
}

/** Null if the answer says nothing about the file. */
async function fetchFile(
  exchange: Exchange,
  sessionId: string,
  upload: string,
  token: string,
): Promise<StoredFile | null> {
  const path = `/sessions/${sessionId}/uploads/${upload}`;
  const headers = { authorization: `Bearer ${token}` };
  const { status, text } = await untilCertain(exchange, { method: "GET", path, headers });
  if (status === 200) return { upload, sha256: hashOf(text) };
  return status === 404 ? { upload, sha256: null } : null;
}

/** A promised child comes before the answer, or by an alarm, which may come late or fail. */
const CHILD_MS = 30_000;

async function childNamed(
  { exchange, dump, childTokens }: GatherOptions,
  id: string,
): Promise<Child> {
  const object = objectIdOf(id);
  const token = childTokens.find((one) => objectOfToken(one) === object);
  const request = { method: "GET", path: `/sessions/${token}`, headers: {} };
  const status = token === undefined ? null : (await untilCertain(exchange, request)).status;
  for (const started = Date.now(); ; ) {
    const { stored } = readDump(await dump(object));
    if (stored !== null || Date.now() - started > CHILD_MS) return { id, stored, status };
    await sleep(200);
  }
}

export async function untilCertain(
  exchange: Exchange,
  request: HttpRequest,
): Promise<HttpResponse> {
  for (;;) {
    const response = await exchange(request, "whole");
    if (response !== null && response.status < 500 && response.status !== 429) return response;
    await sleep(100);
  }
}
