/**
 * The only path matcher: it finds the pattern of a path and its value for each method. A fixed segment
 * wins over a parameter (`{ref}`), and a parameter wins over the rest (`{page*}`).
 */
interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  open: Node<T> | undefined;
  rest: PathEntry<T> | undefined;
  entry: PathEntry<T> | undefined;
}

interface PathEntry<T> {
  readonly pattern: string;
  /** Names of the parameters, in order. */
  readonly names: readonly string[];
  /** By method in capitals. `ANY` matches every method that is not listed. */
  readonly values: Map<string, T>;
}

interface PathMatch<T> {
  readonly pattern: string;
  readonly values: ReadonlyMap<string, T>;
  readonly params: Readonly<Record<string, string>>;
}

const newNode = <T>(): Node<T> => ({
  fixed: new Map(),
  open: undefined,
  rest: undefined,
  entry: undefined,
});

export class PathTree<T> {
  readonly #root = newNode<T>();

  add(method: string, path: string, value: T): void {
    let node = this.#root;
    const names: string[] = [];
    let isRest = false;
    for (const segment of path.split("/").slice(1)) {
      const [, name, star] = /^\{(\w+)(\*?)\}$/.exec(segment) ?? [];
      if (name !== undefined) names.push(name);
      if (star === "*") isRest = true;
      else if (name === undefined) node = fixedChild(node, segment);
      else node = node.open ??= newNode();
    }
    const pattern = path.replaceAll("*", "");
    const entry = (isRest ? node.rest : node.entry) ?? { pattern, names, values: new Map() };
    if (isRest) node.rest = entry;
    else node.entry = entry;
    entry.values.set(method, value);
  }

  find(path: string): PathMatch<T> | null {
    const segments = path.split("/");
    const texts: string[] = [];
    const entry = descend(this.#root, segments, 1, texts);
    if (entry === null) return null;
    const params: Record<string, string> = {};
    for (const [index, name] of entry.names.entries()) params[name] = texts[index] ?? "";
    return { pattern: entry.pattern, values: entry.values, params };
  }
}

function fixedChild<T>(node: Node<T>, segment: string): Node<T> {
  const known = node.fixed.get(segment) ?? newNode<T>();
  node.fixed.set(segment, known);
  return known;
}

/** `texts` collects the values of the parameters on the way. */
function descend<T>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  texts: string[],
): PathEntry<T> | null {
  const segment = segments[at];
  if (segment === undefined) return node.entry ?? null;
  const fixed = node.fixed.get(segment);
  const found = fixed === undefined ? null : descend(fixed, segments, at + 1, texts);
  if (found !== null) return found;
  if (node.open !== undefined && segment !== "") {
    texts.push(segment);
    const further = descend(node.open, segments, at + 1, texts);
    if (further !== null) return further;
    texts.pop();
  }
  if (node.rest === undefined) return null;
  texts.push(segments.slice(at).join("/"));
  return node.rest;
}
