/** Shared by tests of the person's page: an agent that creates links, and a person who opens them. */
import type { Page } from "playwright-core";
import type { SharedServer } from "./server.ts";

const STEPS = new Set(["/submit", "/cancel", "/finalize"]);

/** The agent of a session, always with its newest token. */
export class PageAgent {
  readonly id: string;
  readonly #client: SharedServer["client"];
  #token: string;

  private constructor(client: SharedServer["client"], id: string, token: string) {
    this.#client = client;
    this.id = id;
    this.#token = token;
  }

  static async create({ client }: Pick<SharedServer, "client">, body: unknown): Promise<PageAgent> {
    const { id, token } = await client.create(body);
    return new PageAgent(client, id, token);
  }

  async call(method: string, path: string, body?: unknown) {
    // Overwrites changes that the person made meanwhile.
    const isWrite = method === "PATCH" || STEPS.has(path);
    const ifMatch = isWrite ? (await this.session()).version : undefined;
    const answer = await this.#client.on(this, method, path, {
      token: this.#token,
      ...(body === undefined ? {} : { body }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    this.#token = answer.body?.resumeToken ?? this.#token;
    return answer;
  }

  async createLink(handoff: Record<string, unknown> = {}): Promise<string> {
    const { body } = await this.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      ...handoff,
    });
    return body.handoff.url as string;
  }

  async session() {
    const { body } = await this.#client.on(this, "GET", "", { token: this.#token });
    return body.session;
  }
}

/** Opens a link as a person does. It finds buttons by position, so that any language works. */
export async function openLink(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator("main form.card button.primary").click();
  await page.locator("#status").waitFor();
}

/**
 * Freezes the page's clock during `act`, so that the page does not save automatically before it is
 * done, even on a slow machine.
 */
export async function withFrozenTime<T>(page: Page, act: () => Promise<T>): Promise<T> {
  await page.clock.install();
  // The clock can only be paused at a future time.
  await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 60_000);
  try {
    return await act();
  } finally {
    await page.clock.resume();
  }
}

/** Resolves once the page's live region shows the text. */
export const waitForLiveText = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator("#live").filter({ hasText: text }).waitFor();
