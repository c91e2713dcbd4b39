/** People identified by an OpenID provider, and a session that waits for their review. */
import { expect } from "vitest";
import type { Env } from "../../src/env";
import { callerFrom } from "./caller";
import type { Answer, Client } from "./client";
import { TestAgent } from "./test-agent";
import { AUDIENCE, type Provider } from "./signed-identity";

export const IDENTITY_HEADER = "X-Identity-Token";

export const oidcOf = ({ issuer }: Provider): Partial<Env> => ({
  OIDC: JSON.stringify({ issuer, audience: AUDIENCE, header: IDENTITY_HEADER }),
  PRIVATE_NETWORK: undefined as never,
});

export const callerWith = (
  provider: Provider,
  token: string | null,
  settings: Partial<Env> = {},
): Client =>
  callerFrom(
    null,
    { ...oidcOf(provider), ...settings },
    token === null ? {} : { [IDENTITY_HEADER]: token },
  );

/** Creates a submitted session and returns the tokens of its reviewers. */
export async function createSubmittedSession(by: Client, reviewers: number, review: object) {
  const owner = await TestAgent.create(by, { review, fields: { a: 1 } });
  const tokens = await createReviewers(owner, reviewers);
  await owner.call("POST", "/submit", {});
  return { owner, tokens };
}

export async function createReviewers(owner: TestAgent, count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let n = 0; n < count; n++) {
    const handoff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["review"] });
    tokens.push(handoff.body.participantToken);
  }
  return tokens;
}

export async function approve(by: Client, id: string, token: string): Promise<Answer> {
  const { body } = await new TestAgent(by, { id, token }).tryCall("POST", "/resume", {});
  return new TestAgent(by, { id, token: body.resumeToken ?? token }).tryCall(
    "POST",
    "/approve",
    {},
  );
}

/** The approval must be refused, because this person did the work. */
export async function expectOwnWorkRefused(by: Client, id: string, token: string): Promise<void> {
  const answer = await approve(by, id, token);
  expect([answer.status, answer.body.code]).toEqual([403, "scope_denied"]);
}
