/** A purge that could not be reported to its owner's directory. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, it } from "vitest";
import { createOwner } from "../support/test-owner";
import { bindIn, inside, stubOf } from "../support/worker";

const UNREACHABLE = {
  idFromName: () => "",
  get: () => {
    throw new Error("the directory cannot be reached");
  },
};

/** Gives the session's object another directory and returns the previous one. */
const bindDirectory = async (session: { readonly id: string }, OWNER_DIRECTORY: unknown) =>
  (await bindIn(session, { OWNER_DIRECTORY })).OWNER_DIRECTORY;

it("a purge while the directory cannot be reached is reported later, and the session is gone already", async () => {
  const owner = createOwner();
  const body = { title: "Secret claim", externalId: "claim-1", labels: { team: "blue" } };
  const session = await owner.create(body);
  await expect.poll(async () => (await owner.row(session.id))?.title).toBe("Secret claim");
  const { changes: before } = (await owner.call("GET", "/sessions/changes")).body;
  const reachable = await bindDirectory(session, UNREACHABLE);

  const purged = await owner.client.on(session, "DELETE", "", { token: session.token });
  expect(purged.status, purged.text).toBe(200);
  const gone = await owner.client.on(session, "GET", "", { token: session.token });
  expect([gone.status, gone.body.code]).toEqual([410, "gone"]);
  expect(await owner.row(session.id), "not reported yet").toBeDefined();
  // The alarm retries, and stays set for as long as it fails.
  await runDurableObjectAlarm(stubOf(session));
  expect(await owner.row(session.id)).toBeDefined();
  const armed = await inside(session as never, (_, { storage }) => storage.getAlarm());
  expect(armed).not.toBeNull();

  await bindDirectory(session, reachable);
  await runDurableObjectAlarm(stubOf(session));
  expect(await owner.row(session.id)).toBeUndefined();
  const after = before.at(-1).number;
  const { changes } = (await owner.call("GET", `/sessions/changes?after=${after}`)).body;
  expect(changes).toEqual([{ number: after + 1, removed: true, session: { id: session.id } }]);
  const repeated = await owner.call("POST", "/sessions/open", {
    body: { externalId: "claim-1", create: true },
  });
  expect([repeated.status, repeated.body.outcome]).toEqual([201, "created"]);
  expect(repeated.body.session.id).not.toBe(session.id);
});
