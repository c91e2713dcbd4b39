/** What endpoints received of the notices in the logs of their sessions. */
import type { RunLaw } from "./law.ts";

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
  readonly wanted: ReadonlyMap<string, readonly string[]>;
  /** In the order in which they came. */
  readonly arrivals: readonly Arrival[];
  /** Null if nobody may list them any more. */
  readonly deliveries: readonly ListedDelivery[] | null;
  /** False if nobody holds a token any more that may send deliveries again. */
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

const lawOf = (
  name: string,
  clauses: readonly string[],
  problems: (endpoint: EndpointObservation, webhooks: WebhookObservation) => readonly string[],
): RunLaw => ({
  name,
  clauses,
  check: ({ observations: { webhooks } }) =>
    webhooks?.endpoints.flatMap((endpoint) =>
      problems(endpoint, webhooks).map((what) => `${endpoint.name}: ${what}`),
    ) ?? [],
});

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

export const NOTICE_LAWS: readonly RunLaw[] = [
  lawOf(
    "every notice reaches every endpoint that wants it",
    ["NO-5", "NO-6", "NO-13"],
    ({ wanted, arrivals, deliveries, canReplay }, { purged }) => {
      if (deliveries === null) return [];
      const accepted = new Set(arrivals.filter(isAccepted).map(({ id }) => id));
      for (const { webhookId, status } of deliveries) {
        if (!canReplay && status === "given_up") accepted.add(webhookId);
      }
      const listed = new Set(deliveries.map(({ webhookId }) => webhookId));
      const ids = [...wanted].flatMap(([session, all]) => (purged.has(session) ? [] : all));
      return [
        ...ids.filter((id) => !listed.has(id)).map((id) => `${id} is not listed`),
        ...ids.filter((id) => !accepted.has(id)).map((id) => `${id} was never accepted`),
      ];
    },
  ),
  lawOf(
    "a delivery that is listed as delivered was accepted",
    ["NO-5"],
    ({ arrivals, deliveries }) => {
      const accepted = new Set(arrivals.filter(isAccepted).map(({ id }) => id));
      return (deliveries ?? [])
        .filter(({ status, webhookId }) => status === "delivered" && !accepted.has(webhookId))
        .map(({ webhookId }) => `${webhookId} is listed as delivered and never was`);
    },
  ),
  lawOf("no notice is invented", ["NO-1", "NO-4"], ({ wanted, arrivals }, { purged }) => {
    const ids = new Set([...wanted.values()].flat());
    const came = new Set(arrivals.map(({ id }) => id));
    return [...came]
      .filter((id) => !ids.has(id) && !purged.has(sessionOf(id)))
      .map((id) => `${id} is in no log`);
  }),
  lawOf("every attempt is signed", ["NO-4"], ({ arrivals }) =>
    arrivals.filter(({ isSigned }) => !isSigned).map(({ id }) => `${id} is not signed correctly`),
  ),
  {
    name: "first attempts of a session follow its log",
    clauses: ["NO-5"],
    check: ({ observations: { webhooks }, sessions }) =>
      webhooks?.endpoints.flatMap((endpoint) => {
        const created = new Map(sessions.map(({ id, operations }) => [id, operations[0]?.invoked]));
        return [...endpoint.wanted].flatMap(([session, ids]) => {
          const since = created.get(session) ?? Number.NEGATIVE_INFINITY;
          const back = webhooks.clockSetBack.find((at) => at >= since) ?? Infinity;
          return orderProblems(endpoint, ids, back).map((what) => `${endpoint.name}: ${what}`);
        });
      }) ?? [],
  },
  {
    name: "410 ends an endpoint",
    clauses: ["NO-5"],
    check: ({ observations: { webhooks } }) =>
      webhooks === undefined ||
      webhooks.goneEndpoint.status === "ended" ||
      webhooks.goneEndpoint.arrivals.length === 0
        ? []
        : [`it is ${webhooks.goneEndpoint.status} after ${webhooks.goneEndpoint.arrivals.length}`],
  },
];
