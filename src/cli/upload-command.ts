/**
 * Uploads a file: announces it, streams it from disk with its length, confirms it. Shows a progress
 * bar on a terminal.
 */
import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { basename, extname } from "node:path";
import { pipeline } from "node:stream/promises";
import { Transform } from "node:stream";
import { omitUndefined } from "../domain/result";
import { WireError, type Problem, type Session } from "../client/index";
import { successOutput, textOption, UsageError, type Command, type Context } from "./command";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".txt": "text/plain",
  ".zip": "application/zip",
};
const BAR_WIDTH = 24;

export const uploadCommand: Command = {
  name: "upload",
  summary: "upload a file to the session",
  usage: "upload <file>",
  example: "baton upload contract.pdf --field contract",
  arity: [1, 1],
  options: {
    field: textOption("<name>", "the field for the file"),
    type: textOption("<media type>", "default: from the file's extension"),
    name: textOption("<name>", "default: the file's own name"),
  },
  async run(context) {
    const [path = ""] = context.args;
    const size = sizeOf(path);
    const type =
      context.text("type") ??
      MEDIA_TYPES[extname(path).toLowerCase()] ??
      "application/octet-stream";
    const session = await context.session();
    const { signal } = context;
    const { upload } = await session.requestUpload(
      {
        name: context.text("name") ?? basename(path),
        type,
        size,
        sha256: await hashOf(path),
        ...omitUndefined({ field: context.text("field") }),
      },
      { signal },
    );
    await sendFile(session, upload.id, { path, size, type }, context);
    const confirmed = await session.confirmUpload(upload.id, { signal });
    const { id, name } = confirmed.upload;
    return successOutput(context, "Sent", ` ${name} as ${id}, ${size} bytes`, confirmed);
  },
};

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) throw new UsageError(`There is no file ${path}.`);
  if (found.size === 0) throw new UsageError(`${path} is empty.`);
  return found.size;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Not with fetch, which neither reports progress nor sends a stream with its length. */
async function sendFile(
  session: Session,
  id: string,
  { path, size, type }: { readonly path: string; readonly size: number; readonly type: string },
  context: Context,
): Promise<void> {
  const url = `${session.url}/sessions/${session.id}/uploads/${id}`;
  const createRequest = url.startsWith("https:") ? httpsRequest : httpRequest;
  const outgoing = createRequest(url, {
    method: "PUT",
    signal: context.signal,
    headers: {
      Authorization: `Bearer ${session.token}`,
      "Content-Type": type,
      "Content-Length": size,
    },
  });
  const response = new Promise<{ status: number; text: string }>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (part: string) => (text += part));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
  });
  let sent = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _, pass) {
      sent += chunk.length;
      showProgress(context, sent, size);
      pass(null, chunk);
    },
  });
  const [{ status, text }] = await Promise.all([
    response,
    pipeline(createReadStream(path), counter, outgoing),
  ]);
  if (status !== 200) throw new WireError(JSON.parse(text) as Problem);
}

function showProgress({ isJson, note }: Context, sent: number, size: number): void {
  if (isJson || !process.stderr.isTTY) return;
  const done = Math.round((sent / size) * BAR_WIDTH);
  const bar = "█".repeat(done) + "░".repeat(BAR_WIDTH - done);
  note(`\r${bar} ${Math.floor((sent / size) * 100)} %${sent === size ? "\n" : ""}`);
}
