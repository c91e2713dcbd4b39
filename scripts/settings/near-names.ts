/** Finds names in the environment that are similar to settings. Such a setting would be silently ignored. */
import { CHECKS } from "./checks.ts";

/** Short names are often similar by chance. */
const MIN_LETTERS = 5;

/** Each name with the setting that was probably meant. */
export function nearNames(
  environment: NodeJS.ProcessEnv,
): readonly (readonly [name: string, meant: string])[] {
  const settings = Object.keys(CHECKS);
  return Object.keys(environment).flatMap((candidate) => {
    if (candidate.length < MIN_LETTERS || settings.includes(candidate)) return [];
    const meant = settings.find((name) => name.length > MIN_LETTERS && isOneApart(candidate, name));
    return meant === undefined ? [] : [[candidate, meant] as const];
  });
}

/** One letter added, removed or replaced, or two neighbours swapped. Case is ignored. */
function isOneApart(candidate: string, name: string): boolean {
  const [a, b] = [candidate.toUpperCase(), name];
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = (text: string, skipped: number): string => text.slice(start + skipped);
  return (
    rest(a, 1) === rest(b, 1) ||
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    (a[start] === b[start + 1] && a[start + 1] === b[start] && rest(a, 2) === rest(b, 2))
  );
}
