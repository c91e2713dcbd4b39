import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { membersOf, replayOlderClient, type ReceivedResponse } from "../support/older-client.ts";
import { RELEASED } from "../support/released-data.ts";
import { sharedServer } from "../support/server.ts";

/** The responses of release 0.1.0 to each request. */
const releasedResponses: readonly ReceivedResponse[] = readFileSync(
  join(RELEASED, "client.jsonl"),
  "utf8",
)
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as ReceivedResponse);

const server = sharedServer();
let currentResponses: readonly ReceivedResponse[];
beforeAll(async () => {
  currentResponses = await replayOlderClient(server.client);
});

/** Members that a client got then and no longer gets, or gets with a new type. */
const missing = (before: ReceivedResponse, after: ReceivedResponse): readonly string[] => [
  ...before.headers.filter((name) => !after.headers.includes(name)),
  ...Object.entries(before.members)
    .filter(([path, types]) => {
      const today = after.members[path];
      return today === undefined || today.some((type) => !types.includes(type));
    })
    .map(([path]) => path),
];

const responseWith = (body: unknown): ReceivedResponse => ({
  name: "x",
  status: 200,
  headers: [],
  members: membersOf(body),
});

describe("a client of release 0.1.0", () => {
  // Shows M-14.
  it("sends every request that it knows, and each is answered with the status it knows", () => {
    expect(releasedResponses.length).toBeGreaterThan(70);
    expect(currentResponses.map(({ name, status }) => [name, status])).toEqual(
      releasedResponses.map(({ name, status }) => [name, status]),
    );
  });

  // Shows M-14.
  it("finds every member and header of each answer at the same path, of the same type", () => {
    const missingMembers = releasedResponses.flatMap((before, index) => {
      const after = currentResponses[index] ?? { ...before, headers: [], members: {} };
      return missing(before, after).map((path) => `${before.name}: ${path}`);
    });
    expect(missingMembers).toEqual([]);
  });

  it("would notice a member that is missing, renamed, or of another type", () => {
    const before = responseWith({ session: { head: 1, participants: [{ id: "a" }] } });
    const same = responseWith({
      session: { head: 2, participants: [{ id: "b", more: 1 }] },
      more: 1,
    });
    const retyped = responseWith({ session: { head: "2", participants: [{ id: "b" }] } });
    const renamed = responseWith({ session: { head: 2, participants: [{ name: "b" }] } });
    expect(missing(before, same)).toEqual([]);
    expect(missing(before, retyped)).toEqual([".session.head"]);
    expect(missing(before, renamed)).toEqual([".session.participants[].id"]);
  });
});
