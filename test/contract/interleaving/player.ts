/** One participant as its client: what it holds and received, beside what the game knows of it. */
import type { PlayedAnswer, PlayedRequest } from "./driver";

export interface Player {
  readonly number: number;
  readonly isReviewer: boolean;
  /** Every token issued to it, oldest first; the last is the newest whether it knows it or not. */
  readonly line: string[];
  /** Index of the token its last resume issued. */
  fence: number;
  /** The newest token it has received. */
  token: string;
  /** The version it has seen by the rules of the protocol. */
  seen: number;
  /** Versions of which it really received a body, or which it made. */
  readonly received: Set<number>;
  looked: number | null;
  /** Sent without an answer, to be sent again. */
  pending: PlayedRequest | null;
  accepted: { readonly request: PlayedRequest; readonly answer: PlayedAnswer } | null;
  readonly appends: Map<PlayedRequest, PlayedAnswer>;
}

export const newPlayer = (
  number: number,
  isReviewer: boolean,
  token: string,
  version: number,
): Player => ({
  number,
  isReviewer,
  line: [token],
  fence: 0,
  token,
  seen: version,
  received: new Set([version]),
  looked: null,
  pending: null,
  accepted: null,
  appends: new Map(),
});

export const isAgain = ({ accepted }: Player, request: PlayedRequest): boolean =>
  request.key !== null && JSON.stringify(accepted?.request) === JSON.stringify(request);

/** Another request that shares all but at most one thing with an earlier one. */
export function alter(request: PlayedRequest, { token }: Player, arg: number): PlayedRequest {
  const { command, key } = request;
  const isAppend = command.operation === "append";
  if (command.operation === "reportStop") {
    return arg % 2 === 0
      ? { ...request, key: `${key}-altered` }
      : { ...request, command: { ...command, attempt: 7 } };
  }
  switch (arg % 3) {
    case 0:
      return { ...request, key: `${key}-altered` };
    case 1:
      return {
        ...request,
        command: isAppend ? { ...command, events: 7 } : { operation: "submit" },
      };
    default:
      return isAppend ? { ...request, ifMatch: (request.ifMatch ?? 0) + 1 } : { ...request, token };
  }
}
