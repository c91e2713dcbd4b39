/**
 * Endpoints of an owner and of its sessions, and a receiver behind them that is at times down, slow, wrong or
 * silent. What was given up is sent again at the end, when the receiver works. A steady receiver is always
 * there, and wrong at the first attempts of every notice, each time in the same way.
 */
import type { JsonWebKey } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { randomKey, type Answer } from "../../client.ts";
import { TestAgent } from "../../test-agent.ts";
import { Random } from "../../live/random.ts";
import { Receiver, type Arrived, type Behaviour } from "../../receiver.ts";
import { verifiesV1a } from "../../verify-webhook.ts";
import type {
  Arrival,
  EndpointObservation,
  ListedDelivery,
  WebhookObservation,
} from "../laws/notices.ts";
import type {
  EndedSession,
  FirstRequest,
  Observations,
  ObservedRun,
  Observer,
} from "../observer.ts";
import { sleep } from "../sleep.ts";
import type { OwnerObserver } from "./owner-directory.ts";
import { patientClient } from "./patient-client.ts";

/** What operations cause; none of these comes by time alone, after a history was taken. */
const NOTICES = [
  ...["awaiting_input", "submitted", "needs_review", "approved", "finalized", "cancelled"].map(
    (state) => `session.${state}`,
  ),
  "stop.reported",
];
const WRONG: readonly Behaviour[] = [
  { status: 500 },
  { status: 429, headers: { "Retry-After": "1" } },
  { status: 301, headers: { Location: "http://127.0.0.1:9/" } },
  "nothing",
  "slow",
  "cut",
];
/** Fewer than there are attempts, and none that takes until a timeout. */
const STEADILY_WRONG: readonly Behaviour[] = [{ status: 500 }, "cut"];
const GONE = "/gone";
const OWNER = "/owner";

type Call = (method: string, rest: string, body?: unknown) => Promise<Answer>;

interface Registered {
  readonly name: string;
  readonly path: string;
  /** The session that it is about; null if all of its owner. */
  readonly session: string | null;
  readonly call: Call;
}

/** Ids of notices in a log, each with its seq; null if the session is gone. */
type Notices = ReadonlyMap<string, readonly { readonly id: string; readonly seq: number }[]>;

export class WebhookObserver implements Observer {
  readonly vars: Readonly<Record<string, string>>;
  readonly #receiver: Receiver;
  readonly #owner: OwnerObserver;
  readonly #isSteady: boolean;
  readonly #secret = `whsec_${Buffer.from(randomKey().slice(0, 32)).toString("base64")}`;
  readonly #registered: Registered[] = [];
  readonly #arrivals: (Arrival & { readonly path: string })[] = [];
  #paths = 0;
  #run: ObservedRun | null = null;
  #keys: readonly JsonWebKey[] = [];
  #isWrong = true;
  #isRotated = false;
  #replayed = 0;
  #interrupting: Promise<void> = Promise.resolve();
  #seen: WebhookObservation | null = null;

  private constructor(receiver: Receiver, owner: OwnerObserver, isSteady: boolean) {
    this.#receiver = receiver;
    this.#owner = owner;
    this.#isSteady = isSteady;
    this.vars = {
      WEBHOOK_ALLOW: receiver.host,
      // Few attempts, so that some are given up while the run lasts.
      WEBHOOK_DELAYS_MS: "0,300,300,300",
      WEBHOOK_TIMEOUT_MS: "1000",
    };
  }

  /** The receiver listens before the server starts, because the settings contain its address. */
  static async create(owner: OwnerObserver, isSteady: boolean): Promise<WebhookObserver> {
    return new WebhookObserver(await Receiver.start(), owner, isSteady);
  }

  firstRequests(): readonly FirstRequest[] {
    this.#paths += 1;
    return [{ operation: "addEndpoint", args: this.#endpointAt(`/session-${this.#paths}`) }];
  }

  async start(run: ObservedRun): Promise<void> {
    this.#run = run;
    const random = new Random(run.seed);
    this.#receiver.behaves = (request) => {
      const id = String(request.headers["webhook-id"]);
      const behaviour = this.#behaviour(request.path, id, random);
      const answered = typeof behaviour === "string" ? behaviour : String(behaviour.status);
      const isSigned = this.#isSigned(request);
      this.#arrivals.push({ path: request.path, id, answered, at: Date.now(), isSigned });
      return behaviour;
    };
    for (const path of [OWNER, GONE]) {
      const { body } = await this.#owner.call("POST", "/endpoints", this.#endpointAt(path));
      const base = `/endpoints/${body.endpoint.id}`;
      const call: Call = (method, rest, sent) => this.#owner.call(method, base + rest, sent);
      this.#registered.push({ name: path, path, session: null, call });
    }
    this.#keys = (await this.#owner.call("GET", "/.well-known/baton-keys.json")).body.keys;
    if (!this.#isSteady) this.#interrupting = this.#interrupt(random.fork());
  }

  async sessionEnded({ id, token, history }: EndedSession): Promise<void> {
    const added = history.operations.find(({ name }) => name === "addEndpoint");
    if (added === undefined || history.purge !== undefined) return;
    if (!this.#isRotated) {
      // From now on the owner's attempts are signed with two secrets.
      this.#isRotated = true;
      await this.#registered[0]?.call("POST", "/rotate", {});
    }
    const hand = new TestAgent(patientClient(this.#run?.url ?? ""), { id, token });
    const { status, body } = await hand.tryCall("GET", "/endpoints");
    // Expired: then its deliveries cannot be listed any more.
    const [endpoint] = status === 200 ? body.endpoints : [];
    if (endpoint === undefined) return;
    const base = `/endpoints/${endpoint.id}`;
    const call: Call = (method, rest, sent) =>
      hand.tryCall(method, base + rest, sent, method === "GET" ? {} : { key: randomKey() });
    const path = new URL(String(added.args["url"])).pathname;
    this.#registered.push({ name: id, path, session: id, call });
  }

  async observe(): Promise<void> {
    this.#isWrong = false;
    await this.#interrupting;
    const notices = new Map<string, { readonly id: string; readonly seq: number }[]>();
    const purged = new Set<string>();
    for (const session of await this.#owner.ids()) {
      const stored = await this.#run?.stored(session);
      if (stored?.stored == null) purged.add(session);
      const events = stored?.commits.flatMap((commit) => commit.events) ?? [];
      const ids = events
        .filter(({ type }) => NOTICES.includes(type))
        .map(({ seq }) => ({ id: `${session}:${seq}`, seq }));
      notices.set(session, ids);
      const added = events.find(({ type }) => type === "endpoint.created")?.seq ?? Infinity;
      this.#since.set(session, added);
    }
    const endpoints: EndpointObservation[] = [];
    for (const one of this.#registered) endpoints.push(await this.#endpoint(one, notices));
    const [owner, goneEndpoint, ...others] = endpoints;
    if (owner === undefined || goneEndpoint === undefined) return;
    const { clockSetBack = [] } = this.#run ?? {};
    this.#seen = { endpoints: [owner, ...others], goneEndpoint, purged, clockSetBack };
  }

  async stop(): Promise<void> {
    this.#isWrong = false;
    await this.#interrupting;
    await this.#receiver.close();
  }

  figures(): Readonly<Record<string, number>> {
    const endpoints = this.#seen?.endpoints ?? [];
    const expected = endpoints.flatMap((one) => [...one.expected.values()].flat());
    return {
      "webhooks: endpoints": endpoints.length,
      "webhooks: notices": expected.length,
      "webhooks: attempts": this.#arrivals.length,
      "webhooks: sent again after they were given up": this.#replayed,
    };
  }

  contribute(observations: Observations): Observations {
    return this.#seen === null ? observations : { ...observations, webhooks: this.#seen };
  }

  /** When the session's own endpoint was added. */
  readonly #since = new Map<string, number>();

  async #endpoint(one: Registered, notices: Notices): Promise<EndpointObservation> {
    const { name, path, session, call } = one;
    const arrivals = this.#arrivals.filter((arrival) => arrival.path === path);
    const expected = new Map(
      [...notices]
        .filter(([id]) => session === null || session === id)
        .map(([id, all]) => {
          const since = session === null ? 0 : (this.#since.get(id) ?? Infinity);
          return [id, all.filter(({ seq }) => seq > since).map((notice) => notice.id)];
        }),
    );
    const shown = await call("GET", "");
    const status = shown.status === 200 ? String(shown.body.endpoint.status) : "not shown";
    const unlisted = { deliveries: null, canReplay: false };
    const listed = status === "not shown" ? unlisted : await this.#deliveries(call);
    return { name, status, expected, arrivals, ...listed };
  }

  /** What was given up is sent again, now that the receiver works. */
  async #deliveries(call: Call): Promise<Pick<EndpointObservation, "deliveries" | "canReplay">> {
    const found: ListedDelivery[] = [];
    let canReplay = true;
    for (let cursor = ""; ; ) {
      const { body } = await call("GET", `/deliveries?limit=100${cursor}`);
      for (const { id, webhookId, status, attempts } of body.deliveries) {
        if (status === "given_up") {
          this.#replayed += 1;
          const replay = await call("POST", "/replay", { delivery: id });
          // The answer to the creator's last write was lost, and its token with it.
          canReplay &&= replay.body?.code !== "token_superseded";
        }
        found.push({ webhookId, status, isFirstAnswered: attempts[0]?.status !== undefined });
      }
      if (body.nextCursor == null) return { deliveries: found, canReplay };
      cursor = `&cursor=${body.nextCursor}`;
    }
  }

  #endpointAt(path: string) {
    return { url: this.#receiver.url(path), notices: NOTICES, secret: this.#secret };
  }

  #behaviour(path: string, id: string, random: Random): Behaviour {
    if (path === GONE) return { status: 410 };
    if (this.#isSteady) {
      const before = this.#arrivals.filter((one) => one.path === path && one.id === id);
      return STEADILY_WRONG[before.length] ?? { status: 204 };
    }
    if (this.#isWrong && random.chance(0.4)) return random.pick(WRONG);
    return random.chance(0.1) ? "half" : { status: 204 };
  }

  /** Both signatures, whatever the clock of the server showed. */
  #isSigned(request: Pick<Arrived, "headers" | "text">): boolean {
    const { headers, text } = request;
    const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    const expected = new Webhook(this.#secret).sign(String(headers["webhook-id"]), at, text);
    const signatures = String(headers["webhook-signature"]).split(" ");
    return signatures.includes(expected) && verifiesV1a(this.#keys, request);
  }

  /** At times nothing listens. */
  async #interrupt(random: Random): Promise<void> {
    while (this.#isWrong) {
      await sleep(250);
      if (!random.chance(0.05)) continue;
      await this.#receiver.close();
      await sleep(random.between(100, 500));
      await this.#receiver.listen();
    }
  }
}
