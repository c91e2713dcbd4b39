import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EMPTY_HISTORY, type LoggedEvent } from "../support/model/history.ts";
import { checkRun } from "../support/model/laws.ts";
import type { ExportObservation } from "../support/model/laws/evidence.ts";
import {
  answerProblem,
  unhandledIn,
  type MalformedAnswer,
  type MalformedObservation,
} from "../support/model/laws/malformed.ts";
import type { EndpointObservation, WebhookObservation } from "../support/model/laws/notices.ts";
import type { DirectoryObservation, OwnedSession } from "../support/model/laws/owners.ts";
import type { Observations } from "../support/model/observer.ts";

const found = (observations: Observations, sessions = [EMPTY_HISTORY]): readonly string[] =>
  checkRun({ sessions, observations }).map(({ what }) => what);

const row = (id: string, seq: number, state = "in_progress") => ({
  id,
  seq,
  title: "T",
  state,
  labels: { b: "2", a: "1" },
  expiresAt: "2026-11-17T00:00:00.000Z",
});

describe("an owner's list", () => {
  const change = (number: number, id: string, seq: number, state?: string) => ({
    number,
    id,
    row: row(id, seq, state),
  });
  const removal = { number: 4, id: "two", row: null };
  const [first, second, third] = [
    change(1, "one", 2, "draft"),
    change(2, "two", 2),
    change(3, "one", 4),
  ];
  const GOOD: DirectoryObservation = {
    sessions: [
      {
        id: "one",
        status: "shown",
        shown: { ...row("one", 9), labels: { a: "1", b: "2" } },
        states: ["draft", "draft", "in_progress"],
      },
      { id: "two", status: "gone", shown: null, states: [] },
    ],
    listed: [row("one", 4)],
    followed: [first, second, third, removal],
    connections: 1,
    changes: [first, third, removal],
    traces: [],
    searched: 1,
    findsLiving: true,
  };

  it("agrees with the sessions, and its changes may hold more of what was purged", () => {
    expect(found({ directory: GOOD })).toEqual([]);
  });

  const expired = { id: "one", status: "expired", shown: null, states: ["draft", "in_progress"] };
  it.each(
    Object.entries<Partial<DirectoryObservation>>({
      "one is not listed": { listed: [] },
      "two is listed and gone": { listed: [row("one", 4), row("two", 2)] },
      "the list shows a session twice": { listed: [row("one", 4), row("one", 4)] },
      "one is listed with an old state": { listed: [row("one", 2, "draft")] },
      "one is not listed as expired": { sessions: [expired as OwnedSession] },
      "change 3 of one never came": { followed: [first, second, removal] },
      "change 1 came after 1": { followed: [first, first, second, third, removal] },
      "change 1 came after 3": { followed: [third, first, second, removal] },
      "change 5 was invented": { followed: [...GOOD.followed, change(5, "one", 6)] },
      "the last change of two is not its removal": { followed: GOOD.followed.slice(0, 3) },
      "one was shown as in_progress, was draft,in_progress": {
        followed: [third, removal],
        changes: [third, removal],
      },
      "a text of two is in a.sqlite": { traces: [{ id: "two", file: "a.sqlite" }] },
      "no text of any session was found: the search is blind": { findsLiving: false },
    }),
  )("reports: %s", (problem, part) => {
    expect(found({ directory: { ...GOOD, ...part } })).toContain(problem);
  });
});

const arrival = (id: string, answered = "204", at = 1) => ({ id, answered, at, isSigned: true });
const delivery = (webhookId: string, status = "delivered", isFirstAnswered = true) => ({
  webhookId,
  status,
  isFirstAnswered,
});

describe("an endpoint", () => {
  const ENDPOINT: EndpointObservation = {
    name: "/owner",
    status: "active",
    expected: new Map([["ses_a", ["ses_a:2", "ses_a:5"]]]),
    arrivals: [arrival("ses_a:2", "500"), arrival("ses_a:5", "half"), arrival("ses_a:2")],
    deliveries: [delivery("ses_a:2"), delivery("ses_a:5")],
    canReplay: true,
  };
  const GONE = { ...ENDPOINT, name: "/gone", status: "ended" };
  const seen = (
    part: Partial<EndpointObservation>,
    rest: Partial<WebhookObservation> = {},
  ): readonly string[] => {
    const endpoints = [{ ...ENDPOINT, ...part }];
    const webhooks = { endpoints, goneEndpoint: GONE, purged: new Set<string>(), clockSetBack: [] };
    return found({ webhooks: { ...webhooks, ...rest } });
  };
  const swapped = { arrivals: [arrival("ses_a:5"), arrival("ses_a:2")] };

  it("receives every notice at least once, in the order of the log", () => {
    expect(seen({})).toEqual([]);
  });

  it("need not receive what is gone with its session", () => {
    expect(seen({ arrivals: [], deliveries: [] }, { purged: new Set(["ses_a"]) })).toEqual([]);
  });

  const { arrivals: came, deliveries: listed } = ENDPOINT;
  it.each(
    Object.entries<Partial<EndpointObservation>>({
      "ses_a:5 was never accepted": { arrivals: [arrival("ses_a:2"), arrival("ses_a:5", "500")] },
      "ses_a:5 is not listed": { deliveries: [delivery("ses_a:2")] },
      "ses_a:9 is listed as delivered and never was": {
        deliveries: [delivery("ses_a:9"), ...(listed ?? [])],
      },
      "ses_a:7 is in no log": { arrivals: [...came, arrival("ses_a:7")] },
      "ses_a:2 is not signed correctly": {
        arrivals: [...came, { ...arrival("ses_a:2"), isSigned: false }],
      },
      "ses_a:5 came before ses_a:2": swapped,
    }),
  )("reports: %s", (problem, part) => {
    expect(seen(part)).toContain(`/owner: ${problem}`);
  });

  it("may have given one up only if it cannot be sent again", () => {
    const arrivals = [arrival("ses_a:2"), arrival("ses_a:5", "500")];
    const deliveries = [delivery("ses_a:2"), delivery("ses_a:5", "given_up")];
    expect(seen({ arrivals, deliveries, canReplay: false })).toEqual([]);
    expect(seen({ arrivals, deliveries })).toEqual(["/owner: ses_a:5 was never accepted"]);
  });

  it("may get a later notice first if the earlier attempt may not have arrived", () => {
    const deliveries = [delivery("ses_a:2", "delivered", false), delivery("ses_a:5")];
    expect(seen({ ...swapped, deliveries })).toEqual([]);
  });

  it("may get a later notice first after the clock was set back, and not before that", () => {
    expect(seen(swapped, { clockSetBack: [0] })).toEqual([]);
    expect(seen(swapped, { clockSetBack: [2] })).toHaveLength(1);
  });

  it("that goes on after 410 is found", () => {
    expect(seen({}, { goneEndpoint: { ...GONE, status: "active" } })).toEqual([
      "it is active after 3",
    ]);
  });
});

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  createHash("sha256")
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
const event = (seq: number) => ({ seq, type: "agent.note" }) as unknown as LoggedEvent;

describe("an export", () => {
  const commits = [1, 2, 3].map((seq) => ({
    first: seq,
    last: seq,
    participant: 1,
    events: [event(seq)],
    ...(seq === 2 ? { isTrimmed: true } : {}),
  }));
  const bodies = [1, 2, 3].map((seq) =>
    JSON.stringify({ sessionId: "ses_a", first: seq, last: seq, events: [event(seq)] }),
  );
  const chains: Buffer[] = [];
  for (const body of bodies) chains.push(sha256(chains.at(-1) ?? "ses_a", sha256(body)));
  const line = (seq: number): string =>
    `{"commit":${bodies[seq - 1]},"chain":"${chains[seq - 1]?.toString("hex")}"}`;
  const trimmed = `{"trimmed":[[2,2,"${sha256(bodies[1] ?? "").toString("hex")}"]]}`;
  const proof = `{"proof":{"seq":3,"chain":"${chains[2]?.toString("hex")}"}}`;
  const GOOD: ExportObservation = {
    session: "ses_a",
    lines: [line(1), trimmed, line(3), proof],
    refusal: null,
    commits,
  };

  it("holds the stored log with its chain, and hashes of what was trimmed", () => {
    expect(found({ exports: [GOOD] })).toEqual([]);
  });

  const [changed, others] = [line(3).replace("note", "nota"), commits.slice(0, 2)];
  it.each(
    Object.entries<Partial<ExportObservation>>({
      "seq 3: it is not JSON": { refusal: "seq 3: it is not JSON" },
      "the chain breaks at": { lines: [line(1), trimmed, changed, proof] },
      "seq 2 is not listed as trimmed": { lines: [line(1), line(3), proof] },
      "seq 3 is stored and not exported": { lines: [line(1), trimmed, proof] },
      "seq 3 is exported and not stored": { commits: others },
      "the signed head has another chain": { session: "ses_b" },
      "seq 1 is exported as something else": {
        commits: commits.map((one) => ({ ...one, events: [event(one.first + 1)] })),
      },
    }),
  )("reports: %s", (problem, part) => {
    expect(found({ exports: [{ ...GOOD, ...part }] }).join("\n")).toContain(problem);
  });
});

describe("malformed input", () => {
  const codes = new Set(["gone", "internal"]);
  const PROBLEM = { "content-type": "application/problem+json" };
  const refused = (status: number, body: unknown, type = PROBLEM): MalformedAnswer => ({
    surface: "HTTP",
    sent: "GET /",
    method: "GET",
    status,
    headers: type,
    text: typeof body === "string" ? body : JSON.stringify(body),
    from: 10,
    to: 20,
  });
  const GOOD: MalformedObservation = {
    counts: new Map(),
    operations: new Set(),
    tools: new Set(),
    codes,
    suspects: [],
    compared: 1,
    changes: [],
    valid: { sent: 1, refusals: [] },
    outages: [],
    isServing: true,
  };
  const toolError = { result: { isError: true, content: [{}, { text: '{"code":"internal"}' }] } };

  it("that is refused in the one format breaks no law", () => {
    expect(answerProblem(refused(410, { code: "gone", status: 410 }), codes)).toBeNull();
    expect(found({ malformed: GOOD })).toEqual([]);
  });

  const JSON_TYPE = { "content-type": "application/json" };
  const token = `rtok_${"A".repeat(88)}`;
  it.each(
    Object.entries<MalformedAnswer>({
      "a failure inside": refused(500, { code: "internal", status: 500 }),
      "an unknown code": refused(400, { code: "odd", status: 400 }),
      "another status inside": refused(400, { code: "gone", status: 410 }),
      "another format": refused(400, { code: "gone", status: 400 }, JSON_TYPE),
      "a broken body": refused(400, "{"),
      "a token": refused(400, { code: "gone", status: 400, at: token }),
      "no answer": refused(0, ""),
      "a tool that fails inside": { ...refused(200, toolError), surface: "MCP" },
      "a socket that fails inside": { ...refused(200, "closed with 1011"), surface: "sockets" },
      "a forged caller": { ...refused(200, ""), surface: "forged headers", isBound: true },
      "a forged limit": { ...refused(429, ""), surface: "forged headers" },
    }),
  )("that gets %s is found", (_, answer) => {
    expect(found({ malformed: { ...GOOD, suspects: [answer] } })).toHaveLength(1);
  });

  it("may get 500 only while the server is down", () => {
    const suspects = [refused(500, { code: "internal", status: 500 })];
    const outages = [{ from: 15, to: 16 }];
    expect(found({ malformed: { ...GOOD, suspects, outages } })).toEqual([]);
    const later = [{ from: 21, to: 30 }];
    expect(found({ malformed: { ...GOOD, suspects, outages: later } })).toHaveLength(1);
  });

  it("that changes a session, spends a token or ends the server is found", () => {
    const bad = { changes: ["it has new events"], valid: { sent: 1, refusals: ["answered 409"] } };
    expect(found({ malformed: { ...GOOD, ...bad, isServing: false } })).toEqual([
      "it has new events",
      "it no longer answers",
      "a valid write answered 409",
    ]);
  });

  it("that no code caught is found in a log", () => {
    const log = 'serves on x\n{"message":"unhandled"}\nUncaught (in promise)\n';
    expect(unhandledIn(log)).toHaveLength(2);
    expect(unhandledIn("Baton serves on http://localhost:1\nStopped.\n")).toEqual([]);
  });
});
