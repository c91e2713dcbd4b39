/**
 * One who works for the owner while the runtime is killed: begins sessions, changes them in every way
 * that the list shows, and purges them. Each request is sent until it is answered, with one key.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { randomKey, type Answer, type Client } from "../client.ts";
import { TestAgent } from "../test-agent.ts";

/** A session that was begun, and the words in it that must be nowhere once it is purged. */
export interface Worked {
  readonly id: string;
  readonly canaries: readonly string[];
  isPurged: boolean;
}

const RETRY_MS = 40;
const PURGED = 0.3;

export class ChaosWorker {
  readonly worked: Worked[] = [];
  readonly #client: Client;
  readonly #key: string;
  readonly #random: () => number;
  #open: { readonly hand: TestAgent; readonly entry: Worked }[] = [];
  #isStopping = false;

  constructor(client: Client, key: string, random: () => number) {
    this.#client = client;
    this.#key = key;
    this.#random = random;
  }

  stop(): void {
    this.#isStopping = true;
  }

  async work(): Promise<void> {
    while (!this.#isStopping) {
      await this.#begin();
      for (let n = 0; n < 3 && !this.#isStopping; n++) await this.#change();
      if (this.#random() < PURGED * 2) await this.#purge();
    }
    // Some are left as they are, so that the list has something to agree about.
    while (this.#random() < PURGED && this.#open.length > 1) await this.#purge();
  }

  async #begin(): Promise<void> {
    const [title, label, name] = ["title", "label", "name"].map(() => `canary${randomKey()}`);
    const body = {
      title: `Claim ${title}`,
      labels: { team: this.#random() < 0.5 ? "blue" : "red", mark: label },
      ...(this.#random() < 0.5 ? { externalId: name } : {}),
    };
    const headers = { "Baton-Key": this.#key };
    const key = randomKey();
    const send = () => this.#client.call("POST", "/sessions", { body, key, headers });
    const { session, resumeToken } = (await surely("create", send)).body;
    const canaries = [title ?? "", label ?? "", ...("externalId" in body ? [name ?? ""] : [])];
    const entry = { id: session.id, canaries, isPurged: false };
    this.worked.push(entry);
    this.#open.push({
      hand: new TestAgent(this.#client, { id: session.id, token: resumeToken }),
      entry,
    });
  }

  async #change(): Promise<void> {
    const { hand, entry } = this.#some();
    const [title, label] = [`canary${randomKey()}`, `canary${randomKey()}`];
    const draw = this.#random();
    // What is refused for its state is as good: some sessions have ended by then.
    if (draw < 0.3) await this.#sends(hand, "PATCH", "", { title: `Claim ${title}` });
    else if (draw < 0.45) await this.#sends(hand, "PATCH", "", { labels: { mark: label } });
    else if (draw < 0.65) await this.#sends(hand, "POST", "/request-input", {});
    else if (draw < 0.85) await this.#sends(hand, "PATCH", "", { fields: { n: draw } });
    else await this.#sends(hand, "POST", "/cancel", {});
    (entry.canaries as string[]).push(title, label);
  }

  async #purge(): Promise<void> {
    const one = this.#some();
    this.#open = this.#open.filter((other) => other !== one);
    // A second DELETE finds nothing, and that is what was asked for.
    await this.#sends(one.hand, "DELETE", "");
    one.entry.isPurged = true;
  }

  #some(): { readonly hand: TestAgent; readonly entry: Worked } {
    const one = this.#open[Math.floor(this.#random() * this.#open.length)];
    if (one === undefined) throw new Error("there is always one that was begun");
    return one;
  }

  async #sends(hand: TestAgent, method: string, path: string, body?: unknown): Promise<void> {
    const key = randomKey();
    await surely(`${method} ${path}`, () => hand.tryCall(method, path, body, { key }), [409, 410]);
  }
}

/** Until it is answered: the runtime may be gone when it is sent, or before it answers. */
async function surely(
  what: string,
  send: () => Promise<Answer>,
  alsoGood: readonly number[] = [],
): Promise<Answer> {
  for (;;) {
    const answer = await send().catch(() => null);
    if (answer !== null && (answer.status < 300 || alsoGood.includes(answer.status))) return answer;
    if (answer !== null && answer.status < 500) {
      throw new Error(`${what} answered ${answer.status}: ${answer.text}`);
    }
    await sleep(RETRY_MS);
  }
}
