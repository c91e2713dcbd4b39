/** Where shared objects are stored: they follow the jurisdiction of the deployment. */
import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env";
import { callerFrom, publicAddress } from "../support/caller";
import type { CreatedSession, Client } from "../support/client";
import { recordedLocations, createRecorder } from "../support/recording";
import { bindIn } from "../support/worker";

const { HANDOFFS, MISSES } = env as unknown as Env;

/** Links and wrong codes of a deployment, with a record of the locations that are used. */
function deployment(jurisdiction: string) {
  const [links, misses] = [createRecorder(HANDOFFS), createRecorder(MISSES)];
  const settings = {
    HANDOFFS: links.namespace,
    MISSES: misses.namespace,
    FILES_JURISDICTION: jurisdiction,
  };
  return { links, misses, settings, client: callerFrom(publicAddress(), settings) };
}

/** The session lists its link by its own settings, which are those of the deployment. */
async function linkIn(client: Client, settings: Partial<Env>): Promise<string> {
  const session: CreatedSession = await client.create();
  await bindIn(session, settings);
  const body = { to: "human", scopes: ["fill"] };
  const handedOff = await client.on(session, "POST", "/handoffs", { token: session.token, body });
  expect(handedOff.status, handedOff.text).toBe(201);
  return handedOff.body.handoff.code as string;
}

describe("links and the counters of wrong codes", () => {
  it.each([
    ["eu", "eu"],
    ["", "anywhere"],
    // Shows C-14.
  ])("of a deployment in %j are stored there", async (jurisdiction, place) => {
    const { links, misses, settings, client } = deployment(jurisdiction);
    const code = await linkIn(client, settings);
    expect(recordedLocations(links)).toEqual([`${place} named`]);
    expect((await client.call("GET", `/h/${code}`)).status).toBe(200);
    expect(recordedLocations(misses)).toEqual([`${place} named`]);
  });

  // Shows C-14.
  it("that were listed before the deployment had a jurisdiction still open", async () => {
    const before = deployment("");
    const code = await linkIn(before.client, before.settings);
    const later = deployment("eu");
    expect((await later.client.call("GET", `/h/${code}`)).status).toBe(200);
    expect(recordedLocations(later.links)).toEqual(["eu named", "anywhere named"]);
  });

  it("are served if the runtime has no jurisdictions", async () => {
    const settings = { FILES_JURISDICTION: "eu" };
    const client = callerFrom(publicAddress(), settings);
    const code = await linkIn(client, settings);
    expect((await client.call("GET", `/h/${code}`)).status).toBe(200);
  });
});
