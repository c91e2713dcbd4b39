/**
 * Maps an error to an exit code and a message: what, why, what to do, an example. No other file
 * does.
 */
import {
  ConflictError,
  StoreBusyError,
  StoreError,
  TransportError,
  WireError,
  type Problem,
} from "../client/index";
import { UsageError, type Command } from "./command";

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  conflict: 4,
  gone: 5,
  unreachable: 6,
  busy: 7,
  unknownSession: 8,
  notResumable: 9,
  stopped: 10,
  notYet: 11,
  interrupted: 130,
} as const;

interface Failure {
  readonly exitCode: number;
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly todo: readonly string[];
  readonly problem?: Problem;
}

const CODES: Readonly<Record<string, number>> = {
  version_conflict: EXIT.conflict,
  precondition_failed: EXIT.conflict,
  token_superseded: EXIT.conflict,
  expired: EXIT.gone,
  gone: EXIT.gone,
  token_invalid: EXIT.gone,
  overloaded: EXIT.unreachable,
  rate_limited: EXIT.unreachable,
  internal: EXIT.unreachable,
};

export function failureOf(error: unknown, command: Command | null): Failure {
  if (error instanceof WireError) return refusal(error.problem);
  if (error instanceof ConflictError) {
    const { current, missed } = error.conflict;
    const author = missed.at(-1)?.actor.id;
    return {
      exitCode: EXIT.conflict,
      code: error.conflict.code,
      what: "Another write came first",
      why: `The session is now at version ${current.version}${author === undefined ? "" : `, last changed by ${author}`}. Nothing was written.`,
      todo: [
        "Look at the session: baton show",
        `To write anyway, add --if-match ${current.version}`,
      ],
    };
  }
  if (error instanceof TransportError) {
    return {
      exitCode: EXIT.unreachable,
      code: "unreachable",
      what: "The server could not be reached",
      why: error.message,
      todo: [
        isUntrusted(error)
          ? "Its certificate is not trusted here. If it is your own, set NODE_EXTRA_CA_CERTS to the file of its authority."
          : "Check that it is running. Start one with: npm start",
        "Set another server with --url or BATON_URL.",
        ...(error.isPending
          ? ["Run the same command again: it completes the request and does nothing twice."]
          : []),
      ],
    };
  }
  if (error instanceof StoreBusyError) {
    const todo = ["Wait for the other process to finish, then run the command again."];
    return {
      exitCode: EXIT.busy,
      code: "busy",
      what: "The saved session is in use",
      why: error.message,
      todo,
    };
  }
  if (error instanceof StoreError) {
    return {
      exitCode: EXIT.unknownSession,
      code: "unknown_session",
      what: "No such session on this machine",
      why: error.message,
      todo: [
        "List them: baton sessions",
        "Create one: baton create",
        "Resume one: baton resume <token>",
      ],
    };
  }
  if (error instanceof UsageError) {
    const todo = [command === null ? "See: baton --help" : `See: baton ${command.name} --help`];
    const what = "The command line is not valid";
    return { exitCode: EXIT.usage, code: "usage", what, why: error.message, todo };
  }
  const why = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: "failed", what: "Something went wrong", why, todo: [] };
}

function refusal(problem: Problem): Failure {
  const fields = (problem.errors ?? []).map(({ field, message }) => `${field}: ${message}`);
  return {
    exitCode: CODES[problem.code] ?? EXIT.refused,
    code: problem.code,
    what: problem.title,
    why: [problem.detail, ...fields].join("\n  "),
    todo: problem.nextActions,
    problem,
  };
}

/** Node puts the code of a certificate error in the innermost cause. */
function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as { readonly code?: string };
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code) || isUntrusted(error.cause);
}
