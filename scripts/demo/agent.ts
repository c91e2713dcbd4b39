/**
 * The demo's agent: adds up receipts, one per step, and asks a person to approve the sum. It stores only
 * its token, in a file, and reads everything else from the session.
 *
 *   BATON_URL, BATON_STATE (a folder), PACE_MS (how long reading a receipt takes)
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Baton, unwrap, type Session } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import type { Receipt, AgentMessage, ReportedEvent } from "./agent-messages.ts";

const { BATON_URL = "", BATON_STATE = "", PACE_MS = "0" } = process.env;
const RECEIPTS: readonly Receipt[] = [
  { what: "Train to Lyon", amount: 84 },
  { what: "Hotel, two nights", amount: 212 },
  { what: "Taxi to the fair", amount: 31.5 },
  { what: "Lunch with a client", amount: 46.2 },
  { what: "Fair, day ticket", amount: 59 },
  { what: "Train back", amount: 84 },
];
/** The receipt at which its model provider reports a rate limit. */
const LIMITED_AT = 4;
const RETRY_AFTER_S = Number(PACE_MS) === 0 ? 1 : 3;
const SCHEMA = {
  type: "object",
  required: ["traveller", "receipts", "total"],
  properties: {
    traveller: { type: "string", title: "Traveller" },
    receipts: { type: "integer", title: "Receipts" },
    total: { type: "number", title: "Total in euro" },
  },
};

const report = (message: AgentMessage): void => console.log(JSON.stringify(message));
const sumOf = (receipts: readonly Receipt[]): number =>
  Math.round(receipts.reduce((sum, { amount }) => sum + amount, 0) * 100) / 100;

class RateLimited extends Error {
  override readonly name = "RateLimitError";
  readonly status = 429;
  readonly headers = new Headers({ "Retry-After": String(RETRY_AFTER_S) });
}

async function readReceipts(session: Session, attempt: number): Promise<void> {
  let read = 0;
  const log = { after: 0, types: ["receipt.read"], untilReplayed: true };
  for await (const _ of session.events(log)) read += 1;
  for (; read < RECEIPTS.length; read++) {
    if (read === LIMITED_AT && attempt === 1) throw new RateLimited("429 Too Many Requests");
    const receipt = RECEIPTS[read];
    if (receipt === undefined) throw new Error("there is a receipt for each step");
    report({ type: "reads", receipt });
    await sleep(Number(PACE_MS));
    await session.append({ type: "receipt.read", payload: { ...receipt } });
    report({ type: "saves", read: read + 1 });
    const total = sumOf(RECEIPTS.slice(0, read + 1));
    unwrap(await session.setFields({ receipts: read + 1, total }));
    report({ type: "saved", total });
  }
}

async function followDecision(session: Session): Promise<string> {
  for await (const { type, actor } of session.events({ after: session.state?.head ?? 0 })) {
    if (!/^review\.(approved|rejected|changes_requested)$/.test(type)) continue;
    report({ type: "decided", decision: type, by: actor.name ?? actor.id });
    return type;
  }
  return "ended";
}

const baton = Baton.connect(BATON_URL, { store: new FileTokenStore(BATON_STATE) });
const session = await baton.open("expenses", {
  title: "Expenses: the fair in Lyon",
  actor: { id: "claims", name: "Claims agent" },
  schema: SCHEMA,
  fields: { traveller: "Ada" },
  review: { required: true },
});
if (session.resumed === null) report({ type: "created", id: session.id });
else {
  const read = Number(session.state?.fields["receipts"] ?? 0);
  report({ type: "resumed", read, unanswered: session.recovered !== null });
}

await session.runWithResume(({ session, attempt }) => readReceipts(session, attempt), {
  onProgress(progress) {
    if (progress.kind === "stopped")
      report({ type: "stopped", evidence: progress.stop.evidence ?? progress.stop.reason });
    if (progress.kind === "delayed")
      report({ type: "waits", waitMs: progress.waitMs, why: progress.why });
    if (progress.kind === "started" && progress.attempt > 1)
      report({ type: "continues", attempt: progress.attempt });
  },
});
unwrap(await session.submit());
const note = "Six receipts, all readable. May I pay this out?";
const { handoff } = await session.handoffToPerson({ scopes: ["review"], note });
report({ type: "link", url: handoff.url });
const decision = await followDecision(session);
await session.resume();
if (decision === "review.approved") unwrap(await session.finalize());
report({ type: "ended", state: session.state?.state ?? "unknown" });
const events: ReportedEvent[] = [];
for await (const event of session.events({ after: 0, untilReplayed: true })) events.push(event);
report({ type: "log", events });
