/** The types of the wire as TypeScript: an interface for each object, which needs no zod. */
import type { Declaration, Member, WireType } from "./model.ts";
import { WORDS } from "./words.ts";

const HEADER = `/**
 * The bodies of the wire that the SDK names, written by \`npm run wire-types\` from the OpenAPI
 * document. Do not edit. Long because the bodies are one list, which nobody reads from top to bottom.
 */
import type { Json, JsonObject } from "../domain/json";
`;

/** The declarations that sources name as `wire.Name`, and, unexported, what these are made of. */
export function typescriptFor(
  sources: readonly string[],
  declarations: readonly Declaration[],
): string {
  const byName = new Map(declarations.map((one) => [one.name, one]));
  const needed = new Set<string>();
  const need = (name: string): void => {
    const declaration = byName.get(name);
    if (declaration === undefined) throw new Error(`the document has no ${name}`);
    if (needed.has(name)) return;
    needed.add(name);
    const types =
      "alias" in declaration ? [declaration.alias] : declaration.members.map(({ type }) => type);
    for (const inner of types.flatMap(namesIn)) need(inner);
  };
  const named = new Set(
    [...sources.join().matchAll(/\bwire\.([A-Z]\w*)/g)].map(([, name = ""]) => name),
  );
  for (const name of named) need(name);
  const printed = declarations
    .filter(({ name }) => needed.has(name))
    .map((one) => print(one, named.has(one.name)));
  return [HEADER, ...printed].join("\n");
}

function namesIn(type: WireType): readonly string[] {
  if (type.kind === "named") return [type.name];
  if (!("of" in type)) return [];
  return "kind" in type.of ? namesIn(type.of) : type.of.flatMap(namesIn);
}

function print(declaration: Declaration, isExported: boolean): string {
  const { name } = declaration;
  const words = `${comment(declaration.words)}${isExported ? "export " : ""}`;
  if ("alias" in declaration) {
    return `${words}type ${name} = ${typeText(declaration.alias)};\n`;
  }
  const members = declaration.members.map((member) => memberText(name, member)).join("");
  return `${words}interface ${name} {\n${members}}\n`;
}

function memberText(of: string, { name, words, isRequired, type }: Member): string {
  const said = words === "" ? (WORDS[`${of}.${name}`] ?? WORDS[name] ?? "") : words;
  return `${comment(said)}readonly ${name}${isRequired ? "" : "?"}: ${typeText(type)};\n`;
}

const comment = (words: string): string =>
  words === "" ? "" : `/** ${words.replaceAll(/\s+/g, " ").replaceAll("*/", "* /")} */\n`;

function typeText(type: WireType): string {
  switch (type.kind) {
    case "any":
      return "Json";
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type.kind;
    case "literal":
      return type.values.map((value) => JSON.stringify(value)).join(" | ");
    case "list":
      return `readonly (${typeText(type.of)})[]`;
    case "map":
      return type.of.kind === "any"
        ? "JsonObject"
        : `Readonly<Record<string, ${typeText(type.of)}>>`;
    case "union":
      return [...new Set(type.of.map(typeText))].join(" | ");
    case "named":
      return type.name;
  }
}
