/**
 * Finds exports that no file imports. It reads syntax trees, so comments and strings are never taken
 * for code.
 */
import { posix } from "node:path";
import { parseSync } from "vite";

/** Files by their path from the root of the repository. */
export type Sources = ReadonlyMap<string, string>;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The names that a file exports, and the names that it imports, each with its file. `*` means all names. */
interface ModuleNames {
  readonly exported: readonly string[];
  readonly imported: readonly { readonly from: string; readonly name: string }[];
}

/** Exports of the files that `isChecked` selects that no other file imports. */
export function deadExports(
  sources: Sources,
  isChecked: (path: string) => boolean,
): readonly string[] {
  const modules = new Map([...sources].map(([path, source]) => [path, readModule(path, source)]));
  const allImports = new Set(
    [...modules].flatMap(([path, module]) =>
      module.imported.flatMap(({ from, name }) => {
        const target = resolve(path, from, sources);
        return target === null || target === path ? [] : [`${target}#${name}`];
      }),
    ),
  );
  return [...modules]
    .filter(([path]) => isChecked(path))
    .flatMap(([path, { exported }]) =>
      exported
        .filter((name) => !allImports.has(`${path}#${name}`) && !allImports.has(`${path}#*`))
        .map((name) => `${path}: ${name}`),
    );
}

const EXTENSIONS = ["", ".ts", ".tsx", ".mjs", "/index.ts"];

function resolve(path: string, from: string, sources: Sources): string | null {
  if (!from.startsWith(".")) return null;
  const bare = posix.join(posix.dirname(path), from.split("?")[0] ?? from);
  return (
    EXTENSIONS.map((extension) => bare + extension).find((candidate) => sources.has(candidate)) ??
    null
  );
}

function readModule(path: string, source: string): ModuleNames {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`);
  const exported: string[] = [];
  const imported: { from: string; name: string }[] = [];
  walk(program as unknown as Node, (node) => {
    const from = (node["source"] as Node | null | undefined)?.["value"];
    switch (node.type) {
      case "ImportDeclaration":
        for (const specifier of node["specifiers"] as Node[]) {
          imported.push(...importedBy(specifier, String(from), program as unknown as Node));
        }
        break;
      case "ExportNamedDeclaration":
        exported.push(...exportedNames(node));
        if (typeof from === "string") {
          for (const specifier of node["specifiers"] as Node[]) {
            imported.push({ from, name: nameOf(specifier["local"] as Node) });
          }
        }
        break;
      case "ExportDefaultDeclaration":
        exported.push("default");
        break;
      case "ExportAllDeclaration":
      case "ImportExpression":
        if (typeof from === "string") imported.push({ from, name: "*" });
        break;
      case "TSImportType": {
        const qualifier = node["qualifier"] as Node | null;
        const name = qualifier === null ? "*" : nameOf(qualifier);
        imported.push({ from: String(from), name });
        break;
      }
    }
  });
  return { exported, imported };
}

function importedBy(specifier: Node, from: string, program: Node): ModuleNames["imported"] {
  if (specifier.type === "ImportDefaultSpecifier") return [{ from, name: "default" }];
  if (specifier.type === "ImportSpecifier") {
    return [{ from, name: nameOf(specifier["imported"] as Node) }];
  }
  const names = namespaceMembers(nameOf(specifier["local"] as Node), program);
  return names.size === 0 ? [{ from, name: "*" }] : [...names].map((name) => ({ from, name }));
}

/**
 * The members of an imported namespace that the file accesses, as values or as types. Empty if it
 * only passes the namespace on.
 */
function namespaceMembers(namespace: string, program: Node): ReadonlySet<string> {
  const members = new Set<string>();
  const add = (object: unknown, member: unknown): void => {
    if (isNode(object) && isNode(member) && object["name"] === namespace) {
      members.add(nameOf(member));
    }
  };
  walk(program, (node) => {
    switch (node.type) {
      case "MemberExpression": {
        const property = node["property"] as Node;
        if (node["computed"] !== true || property.type === "Literal") add(node["object"], property);
        break;
      }
      case "JSXMemberExpression":
        add(node["object"], node["property"]);
        break;
      case "TSQualifiedName":
        add(node["left"], node["right"]);
        break;
    }
  });
  return members;
}

function exportedNames(node: Node): readonly string[] {
  const declaration = node["declaration"] as Node | null;
  if (declaration === null) {
    return (node["specifiers"] as Node[]).map((specifier) => nameOf(specifier["exported"] as Node));
  }
  if (declaration.type === "VariableDeclaration") {
    return (declaration["declarations"] as Node[]).flatMap((declarator) =>
      boundNames(declarator["id"] as Node),
    );
  }
  return [nameOf(declaration["id"] as Node)];
}

/** The names that a pattern binds. */
function boundNames(pattern: Node): readonly string[] {
  switch (pattern.type) {
    case "ObjectPattern":
      return (pattern["properties"] as Node[]).flatMap((property) =>
        boundNames((property["value"] ?? property) as Node),
      );
    case "ArrayPattern":
      return (pattern["elements"] as (Node | null)[]).flatMap((element) =>
        element === null ? [] : boundNames(element),
      );
    case "AssignmentPattern":
      return boundNames(pattern["left"] as Node);
    case "RestElement":
      return boundNames(pattern["argument"] as Node);
    default:
      return [nameOf(pattern)];
  }
}

const nameOf = (node: Node): string => String(node["name"] ?? node["value"]);

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit);
    }
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";
