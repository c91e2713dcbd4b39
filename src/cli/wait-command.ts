/** Waits for an event of the session, so that a script can continue after an answer. */
import { omitUndefined } from "../domain/result";
import { isEndedState } from "../client/errors";
import { textOption, type Command } from "./command";
import { EXIT } from "./exit-codes";
import { formatEvent } from "./views";

export const waitCommand: Command = {
  name: "wait",
  summary: "wait for an event, such as handoff.answered",
  usage: "wait <type…>",
  example: "baton wait handoff.answered handoff.declined --timeout 15m",
  arity: [1, 50],
  options: {
    timeout: textOption("<duration>", "give up after this long"),
    after: textOption("<seq>", "only events after this one"),
  },
  async run(context) {
    const session = await context.session();
    const event = await session.waitFor(context.args, {
      signal: context.signal,
      ...omitUndefined({ timeoutMs: context.duration("timeout"), after: context.number("after") }),
    });
    if (event !== null) return { json: { event }, text: formatEvent(event, context.paint) };
    // If the server cannot be reached, the state stays unknown; the wait is over in any case.
    const state = await session.get({ signal: context.signal }).then(
      (view) => view.state,
      () => undefined,
    );
    const text = isEndedState(state)
      ? `The session has ended (${state}), and the event did not happen.`
      : "The event has not happened yet. Run the same command again to keep waiting.";
    return { json: { event: null }, text, exitCode: EXIT.notYet };
  },
};
