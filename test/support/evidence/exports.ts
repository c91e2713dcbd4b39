/** Fetches and reads exports in tests of the Worker. */
import { expect } from "vitest";
import type { VerificationKey } from "../../../src/verify/index";
import type { Client } from "../client";
import type { TestAgent } from "../test-agent";

export const bytesOf = (text: string) => [new TextEncoder().encode(text)];

export const keysOf = async (from: Client): Promise<readonly VerificationKey[]> =>
  (await from.call("GET", "/.well-known/baton-keys.json")).body.keys;

export const exported = async (agent: TestAgent, query = ""): Promise<string> => {
  const answer = await agent.call("GET", `/export${query}`);
  expect(answer.headers.get("Content-Type")).toBe("application/x-ndjson");
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  return answer.text;
};

export const kindsIn = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => Object.keys(JSON.parse(line))[0] ?? "");
