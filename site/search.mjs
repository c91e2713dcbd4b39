/**
 * What the search of the site counts. VitePress makes the index when the site is built and asks it in the
 * reader's browser; both use this file, because a word must be the same word in both.
 */

/** Words of a question that say nothing about what is asked. */
const STOP_WORDS = new Set(
  "a an and are as at be but by can cannot could do does for from get had has have how i if in into is it its me may much must my of on or our should so than that the their then there these they this to too was we what when where which who why will with would you your happens happen".split(
    " ",
  ),
);

/** What a reader asks with, and the word that the pages use. */
const SYNONYMS = {
  backup: ["backup", "back"],
  big: ["limits"],
  biggest: ["limits"],
  large: ["large", "limits"],
  largest: ["limits"],
  max: ["max", "limits"],
  maximum: ["maximum", "limits"],
  long: ["long", "limits"],
  limit: ["limit", "limits"],
  retry: ["retry", "retries"],
  retried: ["retries"],
  retrying: ["retries"],
  secret: ["secret", "private"],
  hide: ["private"],
  hidden: ["private"],
  price: ["costs"],
  cost: ["cost", "costs"],
  expensive: ["costs"],
};

export const processIndexTerm = (term) => {
  const word = term.toLowerCase();
  return STOP_WORDS.has(word) ? null : word;
};

export const processQueryTerm = (term) => {
  const word = processIndexTerm(term);
  return word === null ? null : (SYNONYMS[word] ?? word);
};

/** Pages that record something rather than explain it come after those that explain. */
const WEIGHTS = [
  [/^\/docs\/(?:changelog|contributing|releases)/, 0.2],
  [/^\/docs\/decisions\//, 0.3],
  [/^\/docs\/(?:reliability|storage-schema|glossary|examples|readme)/, 0.4],
  [/^\/docs\/(?:architecture|performance|mcp|arcp)/, 0.6],
  [/^\/docs\/guides\//, 1.3],
  [/^\/docs\/(?:limits|questions)/, 1.5],
];

export const searchOptions = {
  boost: { title: 4, titles: 1.5, text: 1 },
  /** The end of a word may still be missing; of a short one that would be any word. */
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  boostDocument: (id) => WEIGHTS.find(([pattern]) => pattern.test(id))?.[1] ?? 1,
  processTerm: processQueryTerm,
};

/** Lists for machines and tests: what is in them is explained elsewhere. */
export const isSearched = (page) => page !== "protocol-tests.md";
