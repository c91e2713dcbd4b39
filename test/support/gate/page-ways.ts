/**
 * A person who came by a link to a session that holds marked text, the ways in which that right can be
 * lost, and every route below the link as data.
 */
import { callerFrom, publicAddress, sendFrom } from "../caller";
import type { Send } from "../client";
import { Hand } from "../hand";
import { formOf, Person } from "../person";
import { client } from "../worker";
import { drawMarker, headersText, type Seen } from "./marker";
import { announceFile, passTime, type Loss } from "./stage";

const HOUR_MS = 60 * 60 * 1000;
const BASE = "http://localhost:8787";
const PROXY = { PRINCIPAL_HEADER: "X-Verified-User" } as const;
const NETWORK = "198.51.100.9";

export interface Visit {
  readonly marker: string;
  readonly code: string;
  readonly person: Person;
  /** The page as it was drawn when the right was whole, and the form it saved. */
  readonly page: string;
  readonly form: Readonly<Record<string, string>>;
}

const sendAs = (principal: string): Send => sendFrom({ "X-Verified-User": principal }, PROXY);

function bindOf(loss: Loss): object {
  if (loss === "bound to another network") return { bind: { network: "198.51.100.0/24" } };
  return loss === "bound to another principal" ? { bind: { principal: "bob" } } : {};
}

/** The same cookies, presented from somewhere else. */
function elsewhere(loss: Loss, person: Person): Person {
  const isNetwork = loss === "bound to another network";
  const other = isNetwork
    ? new Person(sendFrom({}), BASE, publicAddress())
    : new Person(sendAs("eve"), BASE);
  for (const [name, value] of person.cookies) other.cookies.set(name, value);
  return other;
}

/** A person has opened a link and saved once; then the right is lost, unless it is to stay. */
export async function visitLink(loss: Loss, isLost = true): Promise<Visit> {
  const marker = drawMarker();
  const owner = await Hand.begin(client, {
    title: `${marker}-title`,
    schema: {
      type: "object",
      properties: { secret: { type: "string" }, scan: { type: "object", format: "file" } },
    },
    fields: { secret: `${marker}-field` },
  });
  await announceFile(owner, 1, `${marker}-bytes`);
  await owner.does("POST", "/uploads/upl_1/confirm", {});
  const made = await owner.does("POST", "/handoffs", { to: "agent", scopes: ["own"] });
  const middle = made.body.handoff.participant as string;
  const maker = new Hand(callerFrom(null, PROXY), {
    id: owner.id,
    token: made.body.participantToken,
  });
  const link = await maker.does("POST", "/handoffs", {
    to: "human",
    scopes: ["fill"],
    note: `${marker}-note`,
    takeover: true,
    ttlMs: loss === "session expired" ? 30 * 24 * HOUR_MS : HOUR_MS,
    ...bindOf(loss),
  });
  const { code, participant } = link.body.handoff as { code: string; participant: string };
  const person = new Person(sendAs("bob"), BASE, NETWORK);
  const opened = await person.open(code);
  if (opened.status !== 200) throw new Error(`the link answered ${opened.status}`);
  const form = { ...formOf(opened.html), action: "save" };
  const saved = await person.go("POST", `/h/${code}/act`, form);
  if (saved.status !== 200) throw new Error(`saving answered ${saved.status}`);
  const visit: Visit = { marker, code, person, page: saved.html, form };
  if (!isLost) return visit;
  switch (loss) {
    case "revoked":
      await owner.does("POST", "/revoke", { participant });
      return visit;
    case "its maker revoked":
      await owner.does("POST", "/revoke", { participant: middle });
      return visit;
    case "past its own end":
      passTime(HOUR_MS);
      return visit;
    case "session expired":
      passTime(8 * 24 * HOUR_MS);
      return visit;
    case "fenced by a later resume": {
      const second = await new Person(sendAs("bob"), BASE, NETWORK).open(code);
      if (second.status !== 200) throw new Error(`taking over answered ${second.status}`);
      return visit;
    }
    case "bound to another network":
    case "bound to another principal":
      return { ...visit, person: elsewhere(loss, person) };
  }
}

export interface PageWay {
  readonly name: string;
  /** As the pages name it. */
  readonly covers: string;
  readonly shows: boolean;
  readonly ask: (visit: Visit) => Promise<Seen>;
}

const way = (
  covers: string,
  shows: boolean,
  go: (visit: Visit) => Parameters<Person["go"]>,
  name = covers,
): PageWay => ({
  name,
  covers,
  shows,
  async ask(visit) {
    const { status, headers, html } = await visit.person.go(...go(visit));
    return { status, code: null, text: `${headersText(headers)}\n\n${html}` };
  },
});

/** What is there only once the person has answered. */
const afterAnswer = (then: PageWay): PageWay => ({
  ...then,
  async ask(visit) {
    const form = { ...formOf(visit.page), action: "submit" };
    await visit.person.go("POST", `/h/${visit.code}/act`, form);
    return then.ask(visit);
  },
});

export const PAGE_WAYS: readonly PageWay[] = [
  way("GET /h/:code", true, ({ code }) => ["GET", `/h/${code}`]),
  afterAnswer(way("GET /h/:code/receipt", true, ({ code }) => ["GET", `/h/${code}/receipt`])),
  afterAnswer(
    way(
      "GET /h/:code/receipt",
      true,
      ({ code }) => ["GET", `/h/${code}/receipt?file`],
      "GET /h/:code/receipt, as a file",
    ),
  ),
  way("GET /h/:code/files/:upload", true, ({ code }) => ["GET", `/h/${code}/files/upl_1`]),
  way("POST /h/:code/act", true, ({ code, page }) => [
    "POST",
    `/h/${code}/act`,
    { ...formOf(page), action: "save" },
  ]),
  way(
    "POST /h/:code/act",
    true,
    ({ code, form }) => ["POST", `/h/${code}/act`, form],
    "POST /h/:code/act, the same form again",
  ),
  way("POST /h/:code/files", false, ({ code }) => [
    "POST",
    `/h/${code}/files?field=scan&name=a.txt`,
    undefined,
    { "Content-Type": "text/plain", "Content-Length": "0" },
  ]),
];
