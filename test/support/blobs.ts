/** Large content of a session, sent by a test in a worker. */
import { env } from "cloudflare:workers";
import { bytesToHex } from "../../src/domain/base64url";
import { objectIdHexOf } from "../../src/domain/ids";
import type { Env } from "../../src/env";
import type { Answer, CreatedSession } from "./client";
import { client } from "./worker";

const { UPLOADS } = env as unknown as Env;

export const hashOf = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));

export interface TestParticipant extends Pick<CreatedSession, "id" | "token"> {}

export const putBlob = (
  { id, token }: TestParticipant,
  hash: string,
  body: string,
  length = String(new TextEncoder().encode(body).length),
): Promise<Answer> =>
  client.on({ id }, "PUT", `/blobs/${hash}`, {
    token,
    body,
    headers: { "Content-Length": length },
  });

export const countFiles = async ({ id }: Pick<CreatedSession, "id">): Promise<number> =>
  (await UPLOADS.list({ prefix: `${objectIdHexOf(id)}/` })).objects.length;
