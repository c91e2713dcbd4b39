/** The life of one session: begun, handed off, played on by all at once, read, and checked in the end. */
import { setTimeout as sleep } from "node:timers/promises";
import { TRANSPORTS } from "../live/connections.ts";
import { Random } from "../live/random.ts";
import { check } from "./checker/check.ts";
import type { Violation } from "./checker/history.ts";
import { isAfterlife } from "./checker/operations.ts";
import { trimsIn } from "./checker/trims.ts";
import { readDump } from "./dump.ts";
import { gather } from "./gather.ts";
import { Hand } from "./hand.ts";
import { drawSession, drawStep, ROLES, type SessionPlan, type Step } from "./plan.ts";
import { purge } from "./purge.ts";
import { Reader } from "./reader.ts";
import { Recorder } from "./recorder.ts";
import { objectIdOf, readAnswer, requestOf, tokenParts } from "./requests.ts";
import { send } from "./send.ts";
import type { World } from "./world.ts";

/** Requests that were cut off may still be at work for a moment. */
const SETTLE_MS = 300;
/** How long a reader may need to catch up, with kills in between. */
const CATCH_UP_MS = 60_000;
/** Past its end, so that the alarm has a chance to come, once or twice. */
const LINGER_MS = 1_200;

export async function liveSession(
  world: World,
  slot: number,
  seed: number,
  isShort: boolean,
): Promise<void> {
  const random = new Random(seed);
  const plan = drawSession(random, isShort);
  const recorder = new Recorder(world.clock, world.figures);
  const tag = `s${seed.toString(36)}`;
  const begun = await begin(world, recorder, plan, tag);
  if (begun === null) return;
  const session = { id: begun.id, tag };
  world.objects[slot] = objectIdOf(session.id);
  const hands = [new Hand(world, recorder, session, begun.token, random.fork())];
  recorder.scopes.set(1, ROLES[0]?.implied ?? []);
  for (const role of ROLES.slice(1)) {
    const whim = random.fork();
    const made = await (hands[0] as Hand).handOff(role.scopes);
    const token = made?.madeToken ?? null;
    // Its life was too short for so many.
    if (token === null) break;
    recorder.scopes.set(tokenParts(token).participant, role.implied);
    hands.push(new Hand(world, recorder, session, token, whim));
  }
  const viewer = hands.at(-1) as Hand;
  const readers = TRANSPORTS.map(
    (transport) =>
      new Reader(
        transport,
        world.streamUrl,
        { id: session.id, token: viewer.token },
        random.fork(),
      ),
  );
  await Promise.all(
    hands.map((hand, index) => play(world, hand, ROLES[index], plan, random.fork())),
  );
  if (plan.ttlMs !== null) await sleep(LINGER_MS);
  await finish(world, recorder, session.id, readers, hands, plan, random);
  world.objects[slot] = null;
}

async function begin(
  world: World,
  recorder: Recorder,
  { body }: SessionPlan,
  tag: string,
): Promise<{ id: string; token: string } | null> {
  const key = `${tag}-create-key-of-this-run`;
  const asked = {
    name: "create",
    way: "http",
    sessionId: "",
    token: "",
    key,
    ifMatch: null,
    body,
  } as const;
  const invoked = Date.now();
  for (let hasLostAttempt = false; !world.isOver(); hasLostAttempt = true) {
    const heard = await send(world.server.url, requestOf(asked), "whole");
    const answer = heard === null ? null : readAnswer("http", heard);
    if (answer?.code === null && answer.token !== null && heard !== null) {
      const { token, replayed, shown } = answer;
      const outcome = { kind: "ok", commit: 1, replayed, ...(shown && { shown }) } as const;
      const operation = {
        id: `${tag}create`,
        name: "create",
        participant: 1,
        token: 0,
        ifMatch: null,
        mark: null,
      };
      recorder.operation("http", { ...operation, hasLostAttempt, invoked, outcome });
      return { id: (JSON.parse(heard.text) as { session: { id: string } }).session.id, token };
    }
    // A session of short life may be over before its creator is told of it.
    if (answer !== null) return null;
    await sleep(50);
  }
  return null;
}

async function play(
  world: World,
  hand: Hand,
  role: (typeof ROLES)[number] | undefined,
  { steps, ttlMs }: SessionPlan,
  random: Random,
): Promise<void> {
  if (role === undefined || Object.keys(role.weights).length === 0) return;
  for (let n = 0; n < steps && !hand.isDone && !world.isOver(); n++) {
    const step = drawStep(random, role);
    // A short life stays short, or its end could not be told from outside.
    const isKept = step.name !== "extend" || ttlMs === null;
    await hand.take(isKept ? step : { ...step, name: "pause" });
    if (step.pauseMs > 0) await sleep(step.pauseMs);
  }
}

async function finish(
  world: World,
  recorder: Recorder,
  id: string,
  readers: readonly Reader[],
  hands: readonly Hand[],
  { ttlMs, isPurged }: SessionPlan,
  random: Random,
): Promise<void> {
  await sleep(SETTLE_MS);
  const { server, figures } = world;
  const object = objectIdOf(id);
  const viewer = hands.at(-1) as Hand;
  for (const hand of hands) await hand.probeMade();
  const { commits } = readDump(await server.dump(object));
  // Who was told that the session has ended need not come back for a fork of it.
  const target = commits.findLast((commit) => !isAfterlife(commit))?.last ?? 0;
  // What expired shows nobody anything any more, so nobody can be asked to have read it all.
  const mustReadAll = ttlMs === null;
  for (const reader of readers) reader.stopAt(mustReadAll ? target : 0);
  const late: Violation[] = [];
  await Promise.race([Promise.all(readers.map(({ done }) => done)), sleep(CATCH_UP_MS)]);
  const floor = trimsIn(commits).at(-1)?.floor ?? 0;
  for (const reader of readers) {
    const { transport, last, refusal, connections, events } = reader;
    // Turned away, and told why: the log no longer has what comes next for it.
    const isTrimmedAway = last < floor && refusal?.includes("replay_gap") === true;
    if (isTrimmedAway) figures.count("readers", `${transport}: below the floor`);
    if (mustReadAll && last < target && !isTrimmedAway) {
      const what = `${transport} stands at ${last} of ${target}${refusal === null ? "" : `: ${refusal}`}`;
      late.push({ rule: "readers are not left behind", what });
      reader.stopAt(0);
    }
    recorder.streams.push({ id: transport, after: 0, events });
    figures.count("readers", transport);
    figures.count("readers", `${transport}: connections`, connections);
    figures.count("readers", `${transport}: events`, events.length);
  }
  await viewer.take({ name: "get", way: "http", fate: "whole", arg: 0 } as Step);
  const beside = await gather(world, recorder, id, viewer.token, commits);
  const history = recorder.history(id, { ...readDump(await server.dump(object)), ...beside });
  const purged = isPurged ? await purge(world, recorder, id, hands, random) : [];
  figures.found(id, [...late, ...check(history), ...purged]);
  figures.count("checked", "sessions");
  figures.count("checked", `ended ${history.stored?.state}`);
  figures.count("checked", "commits", history.commits.length);
  figures.count("checked", "events", history.stored?.head ?? 0);
  figures.count("checked", "files", beside.kept.length);
  figures.count("checked", "children", beside.children.length);
  const trimmed = history.commits.filter(({ isTrimmed }) => isTrimmed === true).length;
  figures.count("checked", "commits trimmed", trimmed);
}
