/**
 * Who may ask, as the table of routes names them: how each is recognised, what its handlers are then
 * given, and who is told first where the rest of a request is malformed.
 */
import type { Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Executor, PresentedJob } from "../gateway/job-gateway";
import type { Creator, Holder } from "../gateway/owner-keys";
import type { Presented } from "../gateway/presented";
import type { Endpoint } from "../protocol/endpoint";
import { answerProblem } from "./answers";
import { refused, type Services } from "./handler";

/** What a handler is given of who asks. */
export interface Presentations {
  readonly none: null;
  readonly token: Presented;
  readonly owner: Creator;
  readonly key: Holder;
  readonly agent: Executor;
  readonly job: PresentedJob;
}

interface Door<P> {
  admit(request: Services, endpoint: Endpoint): Promise<Result<P, Failure>>;
  /** A credential that does not count is told before what is wrong with the rest of its request. */
  tellMalformed(request: Services, presented: P, failure: Failure): Promise<Response>;
}

const atOnce = async (_request: Services, _presented: unknown, failure: Failure) =>
  answerProblem(failure);

const bearerOf = ({ headers }: Services): string | null => headers.get("Authorization");

export const DOORS: { readonly [W in NonNullable<Endpoint["who"]>]: Door<Presentations[W]> } = {
  none: { admit: async () => ok(null), tellMalformed: atOnce },
  token: {
    admit: (request) =>
      request.gateway.readCredential(request.params["ref"] ?? "", bearerOf(request)),
    tellMalformed: async ({ gateway }, presented, failure) =>
      refused(await gateway.refusal(presented, failure)),
  },
  owner: { admit: ({ gateway }) => gateway.creator(), tellMalformed: atOnce },
  key: {
    admit: ({ owners }, { right = "manage" }) => owners.admit(right),
    tellMalformed: atOnce,
  },
  agent: {
    admit: (request) => request.jobs.admitExecutor(request.params["name"] ?? "", bearerOf(request)),
    tellMalformed: atOnce,
  },
  job: {
    admit: (request) => request.jobs.presentJob(bearerOf(request)),
    async tellMalformed({ jobs }, presented, failure) {
      const reply = await jobs.report(presented, refuse(failure), null);
      return answerProblem(reply.ok ? failure : reply.failure);
    },
  },
};
