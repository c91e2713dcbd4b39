/** Jobs of the session: work for other agents. */
import type { JobView, Json } from "../client/index";
import { textOption, UsageError, type Command, type Context } from "./command";
import { formatPairs } from "./paint";
import { readJson } from "./values";
import { reasonOf } from "./work-commands";

const jobRow = ({ id, agent, status }: JobView): readonly [string, string] => [
  id,
  `${agent}  ${status}`,
];

export const jobsCommand: Command = {
  name: "jobs",
  summary: "list the session's jobs; submit, show or cancel one",
  usage: "jobs [submit <agent> | show <job> | cancel <job>]",
  example: `baton jobs submit translator --input '{"chapter": 2}'`,
  arity: [0, 2],
  options: {
    input: textOption("<json>", "with submit: JSON input for the agent"),
    reason: textOption("<text>", "with cancel: the reason"),
  },
  async run(context) {
    const [action, name] = context.args;
    const session = await context.session();
    const options = { signal: context.signal };
    if (action === undefined) {
      const jobs = await session.jobs(options);
      const text = jobs.length === 0 ? "No jobs." : formatPairs(jobs.map(jobRow), context.paint);
      return { json: { jobs }, text };
    }
    if (name === undefined) throw new UsageError(`Name the job or agent to ${action}.`);
    switch (action) {
      case "submit":
        return jobOutput(
          await session.submitJob({ agent: name, input: inputOf(context) }, options),
          context,
        );
      case "show":
        return jobOutput(await session.job(name, options), context);
      case "cancel":
        return jobOutput(await session.cancelJob(name, reasonOf(context), options), context);
      default:
        throw new UsageError(`"jobs ${action}" does not exist. Use submit, show or cancel.`);
    }
  },
};

const jobOutput = (job: JobView, { paint }: Context) => ({
  json: { job },
  text: formatPairs([jobRow(job)], paint),
});

function inputOf(context: Context): Json {
  const text = context.text("input");
  return text === undefined ? null : readJson(text, "--input");
}
