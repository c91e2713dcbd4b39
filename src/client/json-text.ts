/**
 * Bodies as text, the one place where they are written. What JSON cannot carry is refused here, because
 * `JSON.stringify` turns it into null or nothing, and null removes a field.
 */

/** Where a value stands: in `holder` under `key`. */
interface MemberLocation {
  readonly holder: object;
  readonly key: string;
}

/** As `JSON.stringify`, or a `TypeError` that names the place; `at` is where the value itself stands. */
export function jsonText(value: unknown, at = ""): string {
  const places = new Map<object, MemberLocation>();
  const pathOf = ({ holder, key }: MemberLocation): string => {
    const above = places.get(holder);
    if (above === undefined) return at;
    const before = pathOf(above);
    if (Array.isArray(holder)) return `${before}[${key}]`;
    return before === "" ? key : `${before}.${key}`;
  };

  return JSON.stringify(value, function refuse(this: object, key: string, inner: unknown) {
    const place = { holder: this, key };
    const fault = faultOf(inner, this, key);
    if (fault !== null) throw notRepresentable(pathOf(place), fault);
    if (typeof inner !== "object" || inner === null) return inner;
    for (let above: MemberLocation | undefined = place; above; above = places.get(above.holder)) {
      if (above.holder === inner)
        throw notRepresentable(pathOf(place), "an object that contains itself");
    }
    places.set(inner, place);
    return inner;
  });
}

function notRepresentable(path: string, fault: string): TypeError {
  const where = path === "" ? "The body" : path;
  return new TypeError(`${where} is ${fault}, which JSON cannot represent. Nothing was sent.`);
}

/** What keeps a value from being carried, in words; null where nothing does. `inner` is after `toJSON`. */
function faultOf(inner: unknown, holder: object, key: string): string | null {
  switch (typeof inner) {
    case "number":
      return Number.isFinite(inner) ? null : String(inner);
    case "bigint":
    case "function":
    case "symbol":
      return `a ${typeof inner}`;
    case "undefined":
      // As a member it is left out, which is what leaving it out by hand does.
      return Array.isArray(holder) ? "undefined" : null;
    case "object":
      return inner === null ? faultOfNull(holder, key) : faultOfObject(inner);
    default:
      return null;
  }
}

/** A date that is none says itself as null. */
function faultOfNull(holder: object, key: string): string | null {
  const said = (holder as Readonly<Record<string, object | null>>)[key];
  return said === null ? null : `an invalid ${said?.constructor.name}`;
}

/** A Map, a Set, an Error or a Promise has no members of its own and would be sent as {}. */
function faultOfObject(inner: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(inner);
  if (prototype === null || prototype === Object.prototype || Array.isArray(inner)) return null;
  const isEmpty = Object.keys(inner).length === 0 && typeof inner.valueOf() === "object";
  if (!isEmpty && !ArrayBuffer.isView(inner)) return null;
  return `a ${inner.constructor?.name ?? "object without members"}`;
}
