/** Options are checked at run time too: a misspelt one would be ignored where nothing checks types. */

/** Throws where `options` has a member that is not in `known`, or one of `choices` has another value. */
export function checkOptions(
  call: string,
  options: object,
  known: readonly string[],
  choices: Readonly<Record<string, readonly string[]>> = {},
): void {
  const stranger = Object.keys(options).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    throw new TypeError(`${call} has no option "${stranger}". It has: ${known.join(", ")}.`);
  }
  for (const [name, values] of Object.entries(choices)) {
    const given = (options as Readonly<Record<string, unknown>>)[name];
    if (given !== undefined && !values.includes(given as string)) {
      throw new TypeError(
        `${call}: "${name}" must be one of ${values.join(", ")}, not ${String(given)}.`,
      );
    }
  }
}
