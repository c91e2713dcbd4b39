/** Interrupts of a LangGraph graph as handoffs: each open one is a question to a person, with a link. */
import type { CallOptions, Json } from "../../client";
import { PersonInquiry, type InquiryOptions } from "../inquiry";
import { sessionNameFor } from "../session-names";
import { questionOf } from "./interrupt-question";

/** What is used of a compiled graph. */
export interface InterruptedGraph {
  /** The state of a thread, with its open interrupts. */
  getState(config: ThreadConfig): Promise<{
    readonly tasks: readonly {
      readonly interrupts: readonly { readonly id?: string; readonly value?: unknown }[];
    }[];
  }>;
}

/** Which thread. */
export interface ThreadConfig {
  /** `thread_id` names the thread. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as the framework declares it
  configurable?: Record<string, any>;
}

/** An interrupt that a person was asked about. */
export interface HandedOff {
  /** The id of the interrupt. */
  readonly id: string;
  /** What `interrupt(value)` was called with. */
  readonly value: unknown;
  /**
   * The link to send to the person; null where an earlier process has sent it. It counts as sent once
   * `onLink` has returned, or without `onLink` once `answers` is called: after a kill before that, the
   * next process gets a new address for the same link.
   */
  readonly url: string | null;
}

/** A person would not answer, or can no longer do so. */
export class InterruptDeclinedError extends Error {
  /** Always `InterruptDeclinedError`. */
  override readonly name = "InterruptDeclinedError";
  /** The id of the interrupt. */
  readonly id: string;

  /** @internal */
  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}

type AnswerReader = (options: WaitForAnswers) => Promise<Json | undefined>;

/** The open interrupts of a thread, handed to people. */
export class InterruptHandoffs {
  /** Each open interrupt; empty where the graph waits for nobody. */
  readonly links: readonly HandedOff[];
  readonly #answers: readonly AnswerReader[];

  /** @internal */
  constructor(links: readonly HandedOff[], answers: readonly AnswerReader[]) {
    this.links = links;
    this.#answers = answers;
  }

  /**
   * Waits until all are answered and gives what the graph resumes with, `new Command({resume})`. Null
   * where `timeoutMs` is over first. Throws an {@link InterruptDeclinedError} where a person declined.
   */
  async answers(options: WaitForAnswers = {}): Promise<Record<string, Json> | null> {
    const given = await Promise.all(this.#answers.map((answer) => answer(options)));
    const resume: Record<string, Json> = {};
    for (const [index, { id }] of this.links.entries()) {
      const answer = given[index];
      if (answer === undefined) return null;
      resume[id] = answer;
    }
    return resume;
  }
}

/** How long to wait for people. */
export interface WaitForAnswers extends CallOptions {
  /** Give up after this long; absent: wait until each question ends. 0 only looks. */
  readonly timeoutMs?: number;
}

/**
 * Makes a link for each open interrupt of a thread, or finds those that were made before: by another
 * process, or by this one before it was killed.
 *
 * `interrupt("Pay 420?")` asks for a text. `interrupt({question, schema, fields})` draws a form from
 * a JSON Schema, with `fields` shown beside it. What LangChain's human-in-the-loop middleware asks
 * becomes a decision on each action.
 *
 * @example
 * ```ts
 * import { Command } from "@langchain/langgraph";
 * import { handOffInterrupts } from "@baton-sessions/baton/langgraph";
 *
 * const handoffs = await handOffInterrupts(graph, config, { baton });
 * for (const { url } of handoffs.links) console.log(`Please answer: ${url}`);
 * const resume = await handoffs.answers();
 * await graph.invoke(new Command({ resume }), config);
 * ```
 */
export async function handOffInterrupts(
  graph: InterruptedGraph,
  config: ThreadConfig,
  options: InquiryOptions & CallOptions,
): Promise<InterruptHandoffs> {
  const thread = String(config.configurable?.["thread_id"] ?? "");
  if (thread === "") throw new TypeError("config.configurable.thread_id does not name a thread.");
  const { tasks } = await graph.getState(config);
  const open = tasks.flatMap(({ interrupts }) => interrupts);
  const asked = await Promise.all(open.map((one) => askPerson(thread, one, options)));
  return new InterruptHandoffs(
    asked.map(({ link }) => link),
    asked.map(({ answer }) => answer),
  );
}

async function askPerson(
  thread: string,
  { id = "", value }: { readonly id?: string; readonly value?: unknown },
  options: InquiryOptions & CallOptions,
) {
  const { form, read } = questionOf(value);
  const name = await sessionNameFor("interrupt", options.namespace, thread, id);
  const inquiry = { ...form, name, title: form.question, labels: { thread } };
  const person = await PersonInquiry.ask(inquiry, options, options);
  const answer: AnswerReader = async (limits) => {
    const outcome = await person.wait(limits);
    if (outcome.kind === "waiting") return undefined;
    if (outcome.kind === "expired") {
      throw new InterruptDeclinedError(id, "Nobody answered before the link ended.");
    }
    await person.close(outcome, "The answer was given to the graph.");
    if (outcome.kind === "answered") return read(outcome.fields);
    const why =
      outcome.kind === "withdrawn"
        ? "The question was withdrawn."
        : `${outcome.by} declined to answer${outcome.reason === "" ? "." : `: ${outcome.reason}`}`;
    throw new InterruptDeclinedError(id, why);
  };
  return { link: { id, value, url: person.url }, answer };
}
