/** What endpoints received of the notices in the logs of their sessions. */
import type { RunHistory } from "../history.ts";
import { lawsAbout, type RunLaw } from "./law.ts";

export interface Arrival {
  /** The `webhook-id`: session and seq. */
  readonly id: string;
  /** How the receiver behaved: a status, or "silent", "late", "cut" or "half". */
  readonly answered: string;
  readonly at: number;
  /** It has a `v1` and a `v1a` signature that verify. */
  readonly isSigned: boolean;
}

export interface ListedDelivery {
  readonly webhookId: string;
  readonly status: string;
  /** If the first recorded attempt got an answer: then it had arrived. */
  readonly isFirstAnswered: boolean;
}

export interface EndpointObservation {
  readonly name: string;
  readonly status: string;
  /** Ids of the notices in the logs that it is registered for, by session, in the order of their seq. */
  readonly expected: ReadonlyMap<string, readonly string[]>;
  /** In the order in which they came. */
  readonly arrivals: readonly Arrival[];
  /** Null if they can no longer be listed. */
  readonly deliveries: readonly ListedDelivery[] | null;
  /** False if no token is left that may send deliveries again. */
  readonly canReplay: boolean;
}

export interface WebhookObservation {
  readonly endpoints: readonly EndpointObservation[];
  /** It answers 410 to everything. */
  readonly goneEndpoint: EndpointObservation;
  /** Sessions that are gone with their deliveries. */
  readonly purged: ReadonlySet<string>;
  /** When the server's clock was set back. */
  readonly clockSetBack: readonly number[];
}

/** The head of an answer is enough: its status counts. */
const isAccepted = ({ answered }: Arrival): boolean => answered === "204" || answered === "half";

const sessionOf = (webhookId: string): string => webhookId.slice(0, webhookId.lastIndexOf(":"));

const law = lawsAbout("webhooks");

type Problems = (
  endpoint: EndpointObservation,
  webhooks: WebhookObservation,
  run: RunHistory,
) => readonly string[];

const inEach =
  (problems: Problems) =>
  (webhooks: WebhookObservation, run: RunHistory): readonly string[] =>
    webhooks.endpoints.flatMap((one) =>
      problems(one, webhooks, run).map((what) => `${one.name}: ${what}`),
    );

/** Only until the clock was set back: a first attempt is then due at a time that has yet to come again. */
function orderProblems(
  { arrivals, deliveries }: EndpointObservation,
  ids: readonly string[],
  until: number,
): readonly string[] {
  const firsts = new Map<string, number>();
  for (const [index, { id }] of arrivals.entries()) if (!firsts.has(id)) firsts.set(id, index);
  // An attempt without an answer may not have arrived, and says nothing about the order.
  const answered = new Set(
    deliveries?.filter(({ isFirstAnswered }) => isFirstAnswered).map((one) => one.webhookId),
  );
  const placeOf = (id: string): number => firsts.get(id) ?? Infinity;
  return ids.flatMap((id, index) => {
    if (!answered.has(id) || !firsts.has(id)) return [];
    const early = ids
      .slice(index + 1)
      .find((one) => placeOf(one) < placeOf(id) && (arrivals[placeOf(one)]?.at ?? 0) < until);
    return early === undefined ? [] : [`${early} came before ${id}`];
  });
}

const acceptedIn = (arrivals: readonly Arrival[]): Set<string> =>
  new Set(arrivals.filter(isAccepted).map(({ id }) => id));

const arrivalProblems: Problems = ({ expected, arrivals, deliveries, canReplay }, { purged }) => {
  if (deliveries === null) return [];
  const accepted = acceptedIn(arrivals);
  for (const { webhookId, status } of deliveries) {
    if (!canReplay && status === "given_up") accepted.add(webhookId);
  }
  const listed = new Set(deliveries.map(({ webhookId }) => webhookId));
  const ids = [...expected].flatMap(([session, all]) => (purged.has(session) ? [] : all));
  return [
    ...ids.filter((id) => !listed.has(id)).map((id) => `${id} is not listed`),
    ...ids.filter((id) => !accepted.has(id)).map((id) => `${id} was never accepted`),
  ];
};

const deliveryProblems: Problems = ({ arrivals, deliveries }) => {
  const accepted = acceptedIn(arrivals);
  return (deliveries ?? [])
    .filter(({ status, webhookId }) => status === "delivered" && !accepted.has(webhookId))
    .map(({ webhookId }) => `${webhookId} is listed as delivered and never was`);
};

const inventions: Problems = ({ expected, arrivals }, { purged }) => {
  const ids = new Set([...expected.values()].flat());
  return [...new Set(arrivals.map(({ id }) => id))]
    .filter((id) => !ids.has(id) && !purged.has(sessionOf(id)))
    .map((id) => `${id} is in no log`);
};

const firstAttemptProblems: Problems = (endpoint, { clockSetBack }, { sessions }) => {
  const created = new Map(sessions.map(({ id, operations }) => [id, operations[0]?.invoked]));
  return [...endpoint.expected].flatMap(([session, ids]) => {
    const since = created.get(session) ?? Number.NEGATIVE_INFINITY;
    return orderProblems(endpoint, ids, clockSetBack.find((at) => at >= since) ?? Infinity);
  });
};

export const NOTICE_LAWS: readonly RunLaw[] = [
  law(
    "every notice reaches every endpoint that is registered for it",
    ["NO-5", "NO-6", "NO-13"],
    inEach(arrivalProblems),
  ),
  law("a delivery that is listed as delivered was accepted", ["NO-5"], inEach(deliveryProblems)),
  law("no notice is invented", ["NO-1", "NO-4"], inEach(inventions)),
  law(
    "every attempt is signed",
    ["NO-4"],
    inEach(({ arrivals }) =>
      arrivals.filter(({ isSigned }) => !isSigned).map(({ id }) => `${id} is not signed correctly`),
    ),
  ),
  law("first attempts of a session follow its log", ["NO-5"], inEach(firstAttemptProblems)),
  law("410 ends an endpoint", ["NO-5"], ({ goneEndpoint: { status, arrivals } }) =>
    status === "ended" || arrivals.length === 0 ? [] : [`it is ${status} after ${arrivals.length}`],
  ),
];
