/** What looks like a credential in a line of text. Each is one run of characters after a fixed start. */
export const SECRETS: readonly RegExp[] = [
  /\b[rj]tok_[\w-]+/g,
  /\bBearer\s{1,3}[\w.~+/=-]+/gi,
  /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp])[-_][\w-]{8,}/g,
  /\bAKIA[A-Z\d]{12,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:api[-_]?key|token|secret|password)["']?\s{0,2}[:=]\s{0,2}["']?[\w.~+/-]{6,}/gi,
];
