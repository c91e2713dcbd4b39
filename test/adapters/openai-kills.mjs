/** A conversation of the OpenAI Agents SDK, killed 50 times: no item is lost or duplicated. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { killRepeatedly } from "./killing.mjs";
import { textOf } from "./fake-model.mjs";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { FileTokenStore } = await import(`${process.env.BATON_PACKAGE}/client/node`);
const { BatonSession } = await import(`${process.env.BATON_PACKAGE}/openai-agents`);

const TURNS = 400;
const KILLS = 50;
const folder = join(process.env.BATON_SCRATCH, "openai");
const killed = await killRepeatedly("openai-worker.mjs", [folder, String(TURNS)], KILLS, 250);

const baton = Baton.connect(process.env.BATON_URL, { store: new FileTokenStore(folder) });
const texts = (await new BatonSession({ baton, sessionId: "talk" }).getItems()).map(textOf);
const expected = Array.from({ length: TURNS }, (_, n) => [
  `turn ${n + 1}`,
  `answer ${n + 1}`,
]).flat();
assert.deepEqual(texts, expected);
console.log(`${killed} kills, ${texts.length} items, each once and in order`);
assert.equal(killed, KILLS);
