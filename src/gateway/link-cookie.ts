/**
 * What a person's browser holds: base64url of object id (32) · participant (4) · seq (6) · secret
 * (24) in an HttpOnly cookie of one link. It is no resume token: its hash has a label of its own and
 * counts only together with the link's code.
 */
import { formatToken, parseToken, TOKEN_PREFIX, type TokenParts } from "./token";

const PREFIX = "hck_";

export const formatCookie = (parts: TokenParts): string =>
  PREFIX + formatToken(parts).slice(TOKEN_PREFIX.length);

export const parseCookie = (text: string): TokenParts | null =>
  text.startsWith(PREFIX) ? parseToken(TOKEN_PREFIX + text.slice(PREFIX.length)) : null;
