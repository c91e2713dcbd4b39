/**
 * Interrupts of a LangGraph graph as handoffs: each open interrupt is a question to a person, with
 * a link.
 */
import type { CallOptions, Json } from "../../client";
import { PersonInquiry, type InquiryOptions } from "../inquiry";
import { sessionNameFor } from "../session-names";
import { questionOf } from "./interrupt-question";

/** The part of a compiled graph that is used here. */
export interface InterruptedGraph {
  /** The state of a thread, with its open interrupts. */
  getState(config: ThreadConfig): Promise<{
    readonly tasks: readonly {
      readonly interrupts: readonly { readonly id?: string; readonly value?: unknown }[];
    }[];
  }>;
}

/** Identifies a thread. */
export interface ThreadConfig {
  /** `thread_id` names the thread. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as the framework declares it
  configurable?: Record<string, any>;
}

/** An interrupt that a person was asked about. */
export interface HandedOff {
  /** The id of the interrupt. */
  readonly id: string;
  /** The argument of `interrupt(value)`. */
  readonly value: unknown;
  /**
   * The link to send to the person; null if an earlier process has sent it. It counts as sent once
   * `onLink` has returned, or without `onLink` once `answers` is called. If the process is killed
   * before that, the next one gets a new address for the same link.
   */
  readonly url: string | null;
}

/** A person declined to answer, or can no longer answer. */
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
  /** All open interrupts; empty if the graph waits for no one. */
  readonly links: readonly HandedOff[];
  readonly #answers: readonly AnswerReader[];

  /** @internal */
  constructor(links: readonly HandedOff[], answers: readonly AnswerReader[]) {
    this.links = links;
    this.#answers = answers;
  }

  /**
   * Waits until all are answered and returns the value for `new Command({resume})`. Null if
   * `timeoutMs` is over first. Throws an {@link InterruptDeclinedError} if a person declined.
   */
  async answers(options: WaitForAnswers = {}): Promise<Record<string, Json> | null> {
    const results = await Promise.all(this.#answers.map((answer) => answer(options)));
    const resume: Record<string, Json> = {};
    for (const [index, { id }] of this.links.entries()) {
      const answer = results[index];
      if (answer === undefined) return null;
      resume[id] = answer;
    }
    return resume;
  }
}

/** How long to wait for people. */
export interface WaitForAnswers extends CallOptions {
  /** Give up after this time. Default: wait until each question ends. 0 only checks. */
  readonly timeoutMs?: number;
}

/**
 * Creates a link for each open interrupt of a thread, or finds the links that another process, or
 * this one before it was killed, has created.
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
  const questions = await Promise.all(
    open.map((interrupt) => askPerson(thread, interrupt, options)),
  );
  return new InterruptHandoffs(
    questions.map(({ link }) => link),
    questions.map(({ answer }) => answer),
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
  const personInquiry = await PersonInquiry.ask(inquiry, options, options);
  const answer: AnswerReader = async (limits) => {
    const outcome = await personInquiry.wait(limits);
    if (outcome.kind === "waiting") return undefined;
    if (outcome.kind === "expired") {
      throw new InterruptDeclinedError(id, "Nobody answered before the link ended.");
    }
    await personInquiry.close(outcome, "The answer was given to the graph.");
    if (outcome.kind === "answered") return read(outcome.fields);
    const why =
      outcome.kind === "withdrawn"
        ? "The question was withdrawn."
        : `${outcome.by} declined to answer${outcome.reason === "" ? "." : `: ${outcome.reason}`}`;
    throw new InterruptDeclinedError(id, why);
  };
  return { link: { id, value, url: personInquiry.url }, answer };
}
