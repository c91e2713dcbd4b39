/**
 * The job token: `jtok_` and the same bytes as a resume token, with the job's number in place of the
 * participant's and the epoch of the claim in place of the seq. It proves a claim, and only that one.
 */
import { parseToken, formatToken, TOKEN_PREFIX, type RawToken, type TokenParts } from "./token";

const JOB_TOKEN_PREFIX = "jtok_";

export const formatJobToken = (parts: {
  readonly objectIdHex: string;
  readonly number: number;
  readonly epoch: number;
  readonly secret: Uint8Array;
}): RawToken => {
  const { objectIdHex, number: participant, epoch: issuedSeq, secret } = parts;
  const token = formatToken({ objectIdHex, participant, issuedSeq, secret });
  return (JOB_TOKEN_PREFIX + token.slice(TOKEN_PREFIX.length)) as RawToken;
};

export function parseJobToken(text: string): TokenParts | null {
  return text.startsWith(JOB_TOKEN_PREFIX)
    ? parseToken(TOKEN_PREFIX + text.slice(JOB_TOKEN_PREFIX.length))
    : null;
}
