/**
 * Writes request bodies as JSON text; nothing else does. Values that JSON cannot represent are
 * refused here, because `JSON.stringify` would turn them into null or omit them, and null removes a
 * field.
 */

/** The position of a value: in `holder` under `key`. */
interface MemberLocation {
  readonly holder: object;
  readonly key: string;
}

/**
 * Like `JSON.stringify`, but throws a `TypeError` that names the position of a value that JSON
 * cannot represent. `at` is the position of the value itself.
 */
export function jsonText(value: unknown, at = ""): string {
  const locations = new Map<object, MemberLocation>();
  const pathOf = ({ holder, key }: MemberLocation): string => {
    const parent = locations.get(holder);
    if (parent === undefined) return at;
    const parentPath = pathOf(parent);
    if (Array.isArray(holder)) return `${parentPath}[${key}]`;
    return parentPath === "" ? key : `${parentPath}.${key}`;
  };

  return JSON.stringify(value, function refuse(this: object, key: string, inner: unknown) {
    const location = { holder: this, key };
    const fault = faultOf(inner, this, key);
    if (fault !== null) throw notRepresentable(pathOf(location), fault);
    if (typeof inner !== "object" || inner === null) return inner;
    for (
      let parent: MemberLocation | undefined = location;
      parent;
      parent = locations.get(parent.holder)
    ) {
      if (parent.holder === inner)
        throw notRepresentable(pathOf(location), "an object that contains itself");
    }
    locations.set(inner, location);
    return inner;
  });
}

function notRepresentable(path: string, fault: string): TypeError {
  const subject = path === "" ? "The body" : path;
  return new TypeError(`${subject} is ${fault}, which JSON cannot represent. Nothing was sent.`);
}

/**
 * Describes why JSON cannot represent the value; null if it can. `inner` is the value after
 * `toJSON`.
 */
function faultOf(inner: unknown, holder: object, key: string): string | null {
  switch (typeof inner) {
    case "number":
      return Number.isFinite(inner) ? null : String(inner);
    case "bigint":
    case "function":
    case "symbol":
      return `a ${typeof inner}`;
    case "undefined":
      // As a member it is omitted, as if the caller had left it out.
      return Array.isArray(holder) ? "undefined" : null;
    case "object":
      return inner === null ? faultOfNull(holder, key) : faultOfObject(inner);
    default:
      return null;
  }
}

/** An invalid date becomes null in `toJSON`. */
function faultOfNull(holder: object, key: string): string | null {
  const original = (holder as Readonly<Record<string, object | null>>)[key];
  return original === null ? null : `an invalid ${original?.constructor.name}`;
}

/** A Map, a Set, an Error or a Promise has no own members and would be sent as {}. */
function faultOfObject(inner: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(inner);
  if (prototype === null || prototype === Object.prototype || Array.isArray(inner)) return null;
  const isEmpty = Object.keys(inner).length === 0 && typeof inner.valueOf() === "object";
  if (!isEmpty && !ArrayBuffer.isView(inner)) return null;
  return `a ${inner.constructor?.name ?? "object without members"}`;
}
