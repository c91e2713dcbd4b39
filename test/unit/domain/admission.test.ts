import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admit,
  tokenStatusOf,
  type AdmissionRequest,
  type Credential,
  type TokenStatus,
} from "../../../src/domain/participants/admission";
import type { RequestHash, TokenHash } from "../../../src/domain/ids";
import type { Participant } from "../../../src/domain/participants/participant";
import type { Session } from "../../../src/domain/session/session";
import { NOW, participantWith, sessionWith } from "./sample";

const hash = (name: string): TokenHash => `hash of ${name}` as TokenHash;
const request = "request" as RequestHash;

/** A valid request with its context. Each test has its own, so that it can add defects. */
interface Case {
  session: Session;
  participant: Participant;
  status: TokenStatus;
  attempt: AdmissionRequest;
}

const OUTDATED = 1;
const VERSION = 7;

/** Skips an expired session: a session that has ended does not expire. */
const cancel = (one: Case): void => {
  if (one.session.expiresAt > NOW) one.session = { ...one.session, state: "cancelled" };
};

/** What can be wrong, in the order in which it must be reported. */
const resumeDefects: readonly [code: string, apply: (one: Case) => void][] = [
  ["expired", (one) => void (one.participant = { ...one.participant, expiresAt: NOW })],
  [
    "replay",
    (one) => {
      const last = { consumed: hash("presented"), request, outcome: {}, sealed: null };
      one.participant = { ...one.participant, last };
    },
  ],
  ["expired", (one) => void (one.session = { ...one.session, expiresAt: NOW })],
  ["token_superseded", (one) => void (one.status = "earlier")],
  ["scope_denied", (one) => void (one.participant = { ...one.participant, scopes: [] })],
  ["paused", (one) => void (one.session = { ...one.session, paused: true })],
  ["precondition_failed", (one) => void (one.attempt = { ...one.attempt, ifMatch: OUTDATED })],
  ["illegal_transition", cancel],
];

const writeDefects: typeof resumeDefects = [
  ...resumeDefects
    .filter(([code]) => !["paused", "precondition_failed"].includes(code))
    .slice(0, 5),
  [
    "version_conflict",
    (one) => void (one.participant = { ...one.participant, seenVersion: OUTDATED }),
  ],
  ["illegal_transition", cancel],
];

function outcomeOf(one: Case): string {
  const { session, participant, status, attempt } = one;
  const result = admit(session, participant, status, { hash: hash("presented") }, attempt, NOW);
  return result.ok ? result.value.kind : result.error.code;
}

const validCase = (attempt: AdmissionRequest): Case => ({
  session: sessionWith({ version: VERSION, state: "in_progress" }),
  participant: participantWith({ seenVersion: VERSION }),
  status: "newest",
  attempt,
});

describe.each([
  [
    "an automatic resume",
    resumeDefects,
    { operation: "resume", command: { operation: "resume", auto: true }, request, ifMatch: null },
  ],
  [
    "a write that moves the version",
    writeDefects,
    {
      operation: "setFields",
      command: { operation: "setFields", fields: {} },
      request,
      ifMatch: null,
    },
  ],
] as const)("%s", (_, defects, attempt) => {
  it("is admitted if nothing is wrong", () => {
    expect(outcomeOf(validCase(attempt))).toBe("go");
  });

  it("is refused for the first defect in the order of checks, whatever else is wrong", () => {
    fc.assert(
      fc.property(fc.subarray([...defects], { minLength: 1 }), (chosen) => {
        const one = validCase(attempt);
        for (const [, apply] of chosen) apply(one);
        expect(outcomeOf(one)).toBe(chosen[0]?.[0]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a write over an unseen change", () => {
  const moving: AdmissionRequest = { operation: "submit", request: null, ifMatch: null };

  it("passes with an If-Match of the current version, and with no other", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (seenVersion, ifMatch) => {
        const one = validCase({ ...moving, ifMatch });
        one.participant = participantWith({ seenVersion });
        expect(outcomeOf(one)).toBe(ifMatch === VERSION ? "go" : "precondition_failed");
      }),
    );
  });

  it("is not refused if it moves no version", () => {
    const one = validCase({ operation: "extend", request: null, ifMatch: null });
    one.participant = participantWith({ seenVersion: OUTDATED });
    expect(outcomeOf(one)).toBe("go");
  });
});

describe("a replay", () => {
  const last = { consumed: hash("presented"), request, outcome: {}, sealed: null };
  const attempt: AdmissionRequest = { operation: "extend", request, ifMatch: null };

  it.each([
    ["another request", { ...attempt, request: "other" as RequestHash }, last],
    ["no key", { ...attempt, request: null }, { ...last, request: null }],
    ["another token", attempt, { ...last, consumed: hash("other") }],
  ])("is not given for %s", (_, attempt, last) => {
    const one = validCase(attempt);
    one.status = "earlier";
    one.participant = participantWith({ last });
    expect(outcomeOf(one)).toBe("token_superseded");
  });
});

describe("an operation that does not consume the token", () => {
  it.each([
    ["newest", "go"],
    ["earlier", "go"],
    ["fenced", "token_superseded"],
  ] as const)("with a token that is %s results in %s", (status, expected) => {
    const one = validCase({ operation: "get", request: null, ifMatch: null });
    one.status = status;
    expect(outcomeOf(one)).toBe(expected);
  });
});

describe("a strict append", () => {
  const expectedHead = { given: 3, actual: 4 };

  it("is refused if the log has another head, even if its If-Match holds", () => {
    for (const ifMatch of [null, VERSION]) {
      const attempt = { operation: "append", request: null, ifMatch, expectedHead } as const;
      expect(outcomeOf(validCase(attempt))).toBe("version_conflict");
    }
    const both = { operation: "append", request: null, ifMatch: VERSION } as const;
    expect(outcomeOf(validCase({ ...both, expectedHead: { given: 4, actual: 4 } }))).toBe("go");
  });
});

describe("an expired participant", () => {
  it("is refused as expired although the session is open", () => {
    const one = validCase({ operation: "get", request: null, ifMatch: null });
    one.participant = participantWith({ expiresAt: NOW });
    expect(outcomeOf(one)).toBe("expired");
  });
});

describe("a presented token", () => {
  const participant = participantWith({ number: 2, tokenSeq: 9, fenceSeq: 5 });
  const issued = new Map([
    [3, [{ participant: 2, hash: hash("old") }]],
    [5, [{ participant: 2, hash: hash("resumed") }]],
    [
      9,
      [
        { participant: 2, hash: participant.tokenHash },
        { participant: 3, hash: hash("made") },
      ],
    ],
  ]);
  const status = (credential: Partial<Credential>, session = sessionWith()) =>
    tokenStatusOf(
      session,
      participant,
      { participant: 2, issuedSeq: 9, hash: participant.tokenHash, ...credential },
      (seq) => issued.get(seq) ?? [],
    );

  it("is newest, earlier or fenced, depending on when it was issued in its token line", () => {
    expect(status({})).toBe("newest");
    expect(status({ issuedSeq: 5, hash: hash("resumed") })).toBe("earlier");
    expect(status({ issuedSeq: 3, hash: hash("old") })).toBe("fenced");
  });

  it.each([
    ["a wrong secret", { hash: hash("guess") }],
    ["the newest secret with another seq", { issuedSeq: 5 }],
    ["an old secret with another seq", { issuedSeq: 5, hash: hash("old") }],
    ["a seq that issued nothing", { issuedSeq: 4, hash: hash("old") }],
    ["the token of another participant", { issuedSeq: 9, hash: hash("made") }],
  ])("is refused with %s", (_, credential) => {
    expect(status(credential)).toBeNull();
  });

  it("is refused if its participant was revoked or never existed", () => {
    expect(status({}, sessionWith({ revoked: [2] }))).toBeNull();
    const credential = { participant: 8, issuedSeq: 9, hash: hash("made") };
    expect(
      tokenStatusOf(sessionWith(), null, credential, (seq) => issued.get(seq) ?? []),
    ).toBeNull();
  });
});
