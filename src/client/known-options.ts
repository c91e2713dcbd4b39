/**
 * Checks options at run time, because a misspelt option would be ignored in code without type
 * checks.
 */

/**
 * Throws if `options` has a member that is not in `known`, or if a member has a value that is not
 * in its `choices`.
 */
export function checkOptions(
  call: string,
  options: object,
  known: readonly string[],
  choices: Readonly<Record<string, readonly string[]>> = {},
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${call} has no option "${unknown}". It has: ${known.join(", ")}.`);
  }
  for (const [name, values] of Object.entries(choices)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && !values.includes(value as string)) {
      throw new TypeError(
        `${call}: "${name}" must be one of ${values.join(", ")}, not ${String(value)}.`,
      );
    }
  }
}
