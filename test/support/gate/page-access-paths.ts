/**
 * A person who opened a link to a session with marked text, the ways to lose that right, and every
 * route below the link as data.
 */
import { callerFrom, publicAddress, sendFrom } from "../caller";
import type { Send } from "../client";
import { TestAgent } from "../test-agent";
import { formOf, Person } from "../person";
import { client } from "../worker";
import { createMarker, headersText, type ObservedResponse } from "./marker";
import { announceFile, advanceTime, type Loss } from "./fixture";

const HOUR_MS = 60 * 60 * 1000;
const BASE = "http://localhost:8787";
const PROXY = { PRINCIPAL_HEADER: "X-Verified-User" } as const;
const NETWORK = "198.51.100.9";

export interface OpenedLink {
  readonly marker: string;
  readonly code: string;
  readonly person: Person;
  /** The page rendered before the loss, and the form that was saved. */
  readonly page: string;
  readonly form: Readonly<Record<string, string>>;
}

const sendAs = (principal: string): Send => sendFrom({ "X-Verified-User": principal }, PROXY);

function bindOf(loss: Loss): object {
  if (loss === "bound to another network") return { bind: { network: "198.51.100.0/24" } };
  return loss === "bound to another principal" ? { bind: { principal: "bob" } } : {};
}

/** The same cookies, sent from another network or by another principal. */
function withOtherOrigin(loss: Loss, person: Person): Person {
  const isNetwork = loss === "bound to another network";
  const other = isNetwork
    ? new Person(sendFrom({}), BASE, publicAddress())
    : new Person(sendAs("eve"), BASE);
  for (const [name, value] of person.cookies) other.cookies.set(name, value);
  return other;
}

/** Opens a link and saves once. Then removes the right, unless `isLost` is false. */
export async function openLink(loss: Loss, isLost = true): Promise<OpenedLink> {
  const marker = createMarker();
  const owner = await TestAgent.create(client, {
    title: `${marker}-title`,
    schema: {
      type: "object",
      properties: { secret: { type: "string" }, scan: { type: "object", format: "file" } },
    },
    fields: { secret: `${marker}-field` },
  });
  await announceFile(owner, 1, `${marker}-bytes`);
  await owner.call("POST", "/uploads/upl_1/confirm", {});
  const handoff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
  const middle = handoff.body.handoff.participant as string;
  const creator = new TestAgent(callerFrom(null, PROXY), {
    id: owner.id,
    token: handoff.body.participantToken,
  });
  const link = await creator.call("POST", "/handoffs", {
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
  const openedLink: OpenedLink = { marker, code, person, page: saved.html, form };
  if (!isLost) return openedLink;
  switch (loss) {
    case "revoked":
      await owner.call("POST", "/revoke", { participant });
      return openedLink;
    case "its maker revoked":
      await owner.call("POST", "/revoke", { participant: middle });
      return openedLink;
    case "past its own end":
      advanceTime(HOUR_MS);
      return openedLink;
    case "session expired":
      advanceTime(8 * 24 * HOUR_MS);
      return openedLink;
    case "fenced by a later resume": {
      const second = await new Person(sendAs("bob"), BASE, NETWORK).open(code);
      if (second.status !== 200) throw new Error(`taking over answered ${second.status}`);
      return openedLink;
    }
    case "bound to another network":
    case "bound to another principal":
      return { ...openedLink, person: withOtherOrigin(loss, person) };
  }
}

export interface PageAccessPath {
  readonly name: string;
  /** The route's name in the list of pages. */
  readonly covers: string;
  readonly shows: boolean;
  readonly request: (openedLink: OpenedLink) => Promise<ObservedResponse>;
}

const pageAccessPath = (
  covers: string,
  shows: boolean,
  go: (openedLink: OpenedLink) => Parameters<Person["go"]>,
  name = covers,
): PageAccessPath => ({
  name,
  covers,
  shows,
  async request(openedLink) {
    const { status, headers, html } = await openedLink.person.go(...go(openedLink));
    return { status, code: null, text: `${headersText(headers)}\n\n${html}` };
  },
});

/** Submits the form first, because the route exists only after that. */
const afterAnswer = (then: PageAccessPath): PageAccessPath => ({
  ...then,
  async request(openedLink) {
    const form = { ...formOf(openedLink.page), action: "submit" };
    await openedLink.person.go("POST", `/h/${openedLink.code}/act`, form);
    return then.request(openedLink);
  },
});

export const PAGE_ACCESS_PATHS: readonly PageAccessPath[] = [
  pageAccessPath("GET /h/:code", true, ({ code }) => ["GET", `/h/${code}`]),
  afterAnswer(
    pageAccessPath("GET /h/:code/receipt", true, ({ code }) => ["GET", `/h/${code}/receipt`]),
  ),
  afterAnswer(
    pageAccessPath(
      "GET /h/:code/receipt",
      true,
      ({ code }) => ["GET", `/h/${code}/receipt?file`],
      "GET /h/:code/receipt, as a file",
    ),
  ),
  pageAccessPath("GET /h/:code/files/:upload", true, ({ code }) => [
    "GET",
    `/h/${code}/files/upl_1`,
  ]),
  pageAccessPath("POST /h/:code/act", true, ({ code, page }) => [
    "POST",
    `/h/${code}/act`,
    { ...formOf(page), action: "save" },
  ]),
  pageAccessPath(
    "POST /h/:code/act",
    true,
    ({ code, form }) => ["POST", `/h/${code}/act`, form],
    "POST /h/:code/act, the same form again",
  ),
  pageAccessPath("POST /h/:code/files", false, ({ code }) => [
    "POST",
    `/h/${code}/files?field=scan&name=a.txt`,
    undefined,
    { "Content-Type": "text/plain", "Content-Length": "0" },
  ]),
];
