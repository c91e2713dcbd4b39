/**
 * Appends a number of events in batches of random size. It repeats each batch with its key until it is
 * answered, so that the expected log is known even if answers are lost.
 */
import type { Answer, Client } from "../client.ts";
import type { Random } from "./random.ts";
import { pause } from "./reader.ts";

/** The id of every appended event by its seq. */
export type Expected = Map<number, string>;

export interface WriterOptions {
  readonly client: Client;
  readonly session: { readonly id: string };
  readonly token: string;
  readonly name: string;
  readonly events: number;
}

export async function write(
  writing: WriterOptions,
  random: Random,
  expected: Expected,
): Promise<void> {
  const { name } = writing;
  let written = 0;
  while (written < writing.events) {
    const size = Math.min(random.pick([1, 3, 20, 100]), writing.events - written);
    // Sometimes more than an announcement may contain, so that listeners have to read it.
    const filling = random.chance(0.02) ? Math.ceil(140_000 / size) : random.between(0, 200);
    const events = Array.from({ length: size }, (_, index) => ({
      type: `test.${name}`,
      payload: { id: `${name}.${written + index}`, filling: "x".repeat(filling) },
    }));
    await appendOnce(writing, events, `${name}.${written}`, expected);
    written += size;
    if (random.chance(0.5)) await pause(random.between(0, 5));
  }
}

export interface NewEvent {
  readonly type: string;
  readonly payload: { readonly id: string };
}

export async function appendOnce(
  { client, session, token }: Pick<WriterOptions, "client" | "session" | "token">,
  events: readonly NewEvent[],
  key: string,
  expected: Expected,
): Promise<void> {
  const { status, text, body } = await untilAnswered(() =>
    client.on(session, "POST", "/events", { token, key, body: { events } }),
  );
  if (status !== 201) throw new Error(`an append was answered with ${status}: ${text}`);
  events.forEach(({ payload }, index) => expected.set(body.first + index, payload.id));
}

async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send().catch(() => null);
    if (answer !== null && answer.status < 500) return answer;
    await pause(10);
  }
}
