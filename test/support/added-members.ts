/** Lists the members of an answer that an earlier release did not send, as paths: `session.jobs[].trace`. */
export function addedMembers(now: unknown, then: unknown, path = ""): readonly string[] {
  if (Array.isArray(now) && Array.isArray(then)) {
    return [...new Set(now.flatMap((item, at) => addedMembers(item, then[at], `${path}[]`)))];
  }
  if (!isObject(now) || !isObject(then)) return [];
  return Object.entries(now).flatMap(([name, value]) => {
    const memberPath = path === "" ? name : `${path}.${name}`;
    return Object.hasOwn(then, name) ? addedMembers(value, then[name], memberPath) : [memberPath];
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
