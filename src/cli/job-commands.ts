/** Work given to other agents: jobs of the session. */
import type { JobView, Json } from "../client/index";
import { takesText, UsageError, type Command, type Context } from "./command";
import { pairs } from "./paint";
import { readJson } from "./values";
import { reasonOf } from "./work-commands";

const lineOf = ({ id, agent, status }: JobView): readonly [string, string] => [
  id,
  `${agent}  ${status}`,
];

export const jobsCommand: Command = {
  name: "jobs",
  summary: "list the session's jobs; submit, show or cancel one",
  usage: "jobs [submit <agent> | show <job> | cancel <job>]",
  example: `baton jobs submit translator --input '{"chapter": 2}'`,
  takes: [0, 2],
  options: {
    input: takesText("<json>", "with submit: JSON input for the agent"),
    reason: takesText("<text>", "with cancel: the reason"),
  },
  async run(context) {
    const [action, name] = context.args;
    const session = await context.session();
    const options = { signal: context.signal };
    if (action === undefined) {
      const jobs = await session.jobs(options);
      const text = jobs.length === 0 ? "No jobs." : pairs(jobs.map(lineOf), context.paint);
      return { json: { jobs }, text };
    }
    if (name === undefined) throw new UsageError(`Name the job or agent to ${action}.`);
    switch (action) {
      case "submit":
        return shown(
          await session.submitJob({ agent: name, input: inputOf(context) }, options),
          context,
        );
      case "show":
        return shown(await session.job(name, options), context);
      case "cancel":
        return shown(await session.cancelJob(name, reasonOf(context), options), context);
      default:
        throw new UsageError(`"jobs ${action}" does not exist. Use submit, show or cancel.`);
    }
  },
};

const shown = (job: JobView, { paint }: Context) => ({
  json: { job },
  text: pairs([lineOf(job)], paint),
});

function inputOf(context: Context): Json {
  const text = context.text("input");
  return text === undefined ? null : readJson(text, "--input");
}
