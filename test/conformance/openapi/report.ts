/** Compares specmatic's report with the expected failures. Pure, so that it has tests of its own. */
export interface Case {
  /** Method, path and status, as in `POST /sessions -> 201`; `4xx` for an invalid request. */
  readonly api: string;
  readonly name: string;
  readonly isNegative: boolean;
  /** Null if it passed. */
  readonly failure: string | null;
}

export interface ExpectedFailure {
  readonly api: string;
  /** A part of the case's name or of specmatic's description of the failure. */
  readonly says: string;
  readonly why: string;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * The document with one media type per answer. Logs also come as lines or as a stream if Accept
 * requests it; specmatic accepts any type and would expect each one in the document. These formats
 * are checked against the document by test/e2e/openapi.test.ts.
 */
export const withJsonOnly = (document: Document): Document =>
  JSON.parse(JSON.stringify(document), (key, value) => {
    const json = key === "content" ? value?.["application/json"] : undefined;
    return json === undefined ? value : { "application/json": json };
  }) as Document;

/** Only the named operations; all of them if none is named. */
export function selectOperations(document: Document, only: readonly string[]): Document {
  if (only.length === 0) return document;
  const isNamed = (operation: unknown): boolean =>
    only.includes((operation as { readonly operationId: string }).operationId);
  const paths = Object.entries(document.paths)
    .map(
      ([path, methods]) =>
        [
          path,
          Object.fromEntries(Object.entries(methods).filter(([, operation]) => isNamed(operation))),
        ] as const,
    )
    .filter(([, methods]) => Object.keys(methods).length > 0);
  return { ...document, paths: Object.fromEntries(paths) };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&gt;": ">",
  "&lt;": "<",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};
const plain = (text: string): string =>
  text.replaceAll("&#10;", "\n").replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity);

/** Reads the JUnit report: one element per case, with a failure or an error inside if it did not pass. */
export const readReport = (xml: string): readonly Case[] =>
  xml
    .split("<testcase ")
    .slice(1)
    .map((element) => {
      const name = plain(/ name="([^"]*)"/.exec(element)?.[1] ?? "");
      const [, sign, api] = /([+-])ve +Scenario: (\S+ \S+ -> \S+)/.exec(name) ?? [];
      if (api === undefined) throw new Error(`the report has an unknown case: ${name}`);
      const failure = /<(?:failure|error)(?: message="([^"]*)")?/.exec(element);
      return {
        api: api.replaceAll(/\((\w+):\w+\)/g, "{$1}"),
        name,
        isNegative: sign === "-",
        failure: failure === null ? null : plain(failure[1] ?? ""),
      };
    });

const isExpected = ({ api, name, failure }: Case, expected: ExpectedFailure): boolean =>
  api === expected.api && `${name}\n${failure}`.includes(expected.says);

const operationOf = ({ api }: Pick<Case, "api">): string => api.split(" -> ")[0] ?? "";

export interface ReportResult {
  readonly lines: readonly string[];
  readonly isGood: boolean;
}

/** Facts about the answers that passed through the proxy. */
export interface ObservedResponses {
  readonly broken: readonly string[];
  readonly refusals: readonly number[];
}

/** The count of each status, as in `174 with 400, 27 with 412`. */
const countStatuses = (statuses: readonly number[]): string =>
  [...new Set(statuses)]
    .toSorted()
    .map((status) => `${statuses.filter((one) => one === status).length} with ${status}`)
    .join(", ");

export function checkReport(
  { paths }: Document,
  cases: readonly Case[],
  expected: readonly ExpectedFailure[],
  { broken, refusals }: ObservedResponses,
): ReportResult {
  const passed = cases.filter(({ failure }) => failure === null);
  const failures = cases.filter(({ failure }) => failure !== null);
  const surprises = failures.filter((one) => !expected.some((entry) => isExpected(one, entry)));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const stale = expected.filter(
    (entry) =>
      operations.includes(operationOf(entry)) && !failures.some((one) => isExpected(one, entry)),
  );
  const known = new Set(expected.map(operationOf));
  const untested = operations.filter(
    (operation) =>
      !known.has(operation) &&
      !passed.some(({ api, isNegative }) => !isNegative && api.startsWith(`${operation} -> `)),
  );
  const right = passed.filter(({ isNegative }) => !isNegative).length;
  const excused = expected.map(
    (entry) => [entry, failures.filter((one) => isExpected(one, entry)).length] as const,
  );
  const lines = [
    ...excused
      .filter(([, count]) => count > 0)
      .map(([{ api, why }, count]) => `${count} failed as expected, ${api}: ${why}`),
    ...surprises.map(({ name, failure }) => `✗ ${name}\n${failure}`),
    ...stale.map(({ api, says }) => `✗ expected to fail and did not: ${api}, ${says}`),
    ...untested.map((operation) => `✗ no right request passed: ${operation}`),
    ...[...new Set(broken)].map((what) => `✗ the server failed: ${what}`),
    `${operations.length} operations: ${right} right requests succeeded, ` +
      `${passed.length - right} wrong ones were refused (${countStatuses(refusals)}), ` +
      `${failures.length - surprises.length} failed as expected, ${surprises.length} failed`,
  ];
  const isGood =
    cases.length > 0 && [surprises, stale, untested, broken].every((list) => list.length === 0);
  return { lines, isGood };
}
