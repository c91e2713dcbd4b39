/**
 * A thread of 2,000 steps with a state that grows to 5 MB. The stored bytes stay within twice the
 * sum of the changes, no commit comes near the limit of a row, and the state is read back
 * completely.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { uuid6 } from "@langchain/langgraph-checkpoint";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { BatonSaver } = await import(`${process.env.BATON_PACKAGE}/langgraph`);

const STEPS = Number(process.env.STEPS ?? 2_000);
const ROW_BYTES = 1_900_000;
/** Together 5 MB: messages that are added one by one, and a report that changes every 100 steps. */
const MESSAGE_BYTES = 2_000;
const REPORT_BYTES = 1_000_000;

const text = (bytes) =>
  randomUUID()
    .repeat(Math.ceil(bytes / 36))
    .slice(0, bytes);
const baton = Baton.connect(process.env.BATON_URL);
const saver = new BatonSaver({ baton, namespace: "long" });

let changed = 0;
let config = { configurable: { thread_id: "long", checkpoint_ns: "" } };
const values = { messages: [], report: "" };
const versions = {};
for (let step = 1; step <= STEPS; step += 1) {
  const message = {
    role: step % 2 === 0 ? "assistant" : "user",
    content: text(MESSAGE_BYTES),
    step,
  };
  const newVersions = { messages: step };
  values.messages = [...values.messages, message];
  changed += JSON.stringify(message).length;
  if (step % 100 === 1) {
    values.report = text(REPORT_BYTES);
    changed += REPORT_BYTES;
    newVersions.report = step;
  }
  Object.assign(versions, newVersions);
  const checkpoint = {
    v: 4,
    id: uuid6(step),
    ts: new Date().toISOString(),
    channel_values: { ...values },
    channel_versions: { ...versions },
    versions_seen: { agent: { ...versions } },
  };
  config = await saver.put(config, checkpoint, { source: "loop", step, parents: {} }, newVersions);
  await saver.putWrites(config, [["messages", [message]]], randomUUID());
}

const session = await baton.find("langgraph/long/long", {});
let log = 0;
let largest = 0;
const blobs = new Map();
for (let after = 0, more = true; more; ) {
  const page = await session.page({ after, limit: 20_000 });
  for (const event of page.events) {
    const line = JSON.stringify(event);
    log += line.length;
    largest = Math.max(largest, line.length);
    for (const [hash, stored] of event.payload.texts ?? []) {
      if (typeof stored !== "string") blobs.set(hash, stored.size);
    }
  }
  after = page.nextAfter;
  ({ more } = page);
}
const apart = [...blobs.values()].reduce((sum, size) => sum + size, 0);
const state = JSON.stringify(values).length;

// Another process without any state: it reads the thread from the log alone.
const reader = new BatonSaver({
  baton: Baton.connect(process.env.BATON_URL, { store: baton.store }),
  namespace: "long",
});
const startedAt = Date.now();
const tuple = await reader.getTuple({ configurable: { thread_id: "long" } });
const readMs = Date.now() - startedAt;
assert.deepEqual(tuple.checkpoint.channel_values, values);
assert.equal(tuple.pendingWrites.length, 1);

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const stored = log + apart;
console.log(`steps ${STEPS}, state ${megabytes(state)}, sum of changes ${megabytes(changed)}`);
console.log(`stored ${megabytes(stored)}: log ${megabytes(log)}, apart ${megabytes(apart)}`);
console.log(`ratio ${(stored / changed).toFixed(2)}, largest event ${largest} bytes`);
console.log(`whole states would be ${megabytes((state / 2) * STEPS)}; read back in ${readMs} ms`);
assert.ok(stored <= 2 * changed, "stored more than twice of what changed");
assert.ok(largest < ROW_BYTES);
