/** The types of the wire as TypeScript: an interface for each object, which needs no zod. */
import type { Declaration, Member, WireType } from "./model.ts";
import { WORDS } from "./words.ts";
import { NOTICE_TYPES } from "../../src/domain/notices/catalogue.ts";
import { SCOPES } from "../../src/domain/participants/scope.ts";
import { JURISDICTIONS, LOCATION_HINTS } from "../../src/domain/session/location.ts";
import { STATES } from "../../src/domain/session/state.ts";
import { STOP_REASONS, STRATEGIES } from "../../src/domain/stops/policy.ts";

const HEADER = `/**
 * The request and response bodies that the SDK names, written by \`npm run wire-types\` from the
 * OpenAPI document. Do not edit.
 */
import type { Json, JsonObject } from "../domain/json";
`;

/** Sets of values that exist as a type in the domain. The SDK imports the type and does not repeat them. */
const DOMAIN_TYPES = [
  { name: "NoticeType", module: "notices/catalogue", values: NOTICE_TYPES },
  { name: "Scope", module: "participants/scope", values: SCOPES },
  { name: "Jurisdiction", module: "session/location", values: JURISDICTIONS },
  { name: "LocationHint", module: "session/location", values: LOCATION_HINTS },
  { name: "State", module: "session/state", values: STATES },
  { name: "StopReason", module: "stops/policy", values: STOP_REASONS },
  { name: "Strategy", module: "stops/policy", values: STRATEGIES },
];

const domainType = (values: readonly unknown[]): string | undefined =>
  DOMAIN_TYPES.find((one) => same(one.values.toSorted(), values.toSorted()))?.name;

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

type Interface = Extract<Declaration, { members: readonly Member[] }>;

/** The declarations that sources use as `wire.Name`, and, unexported, the types that several of them share. */
export function typescriptFor(
  sources: readonly string[],
  declarations: readonly Declaration[],
): string {
  const byName = new Map(declarations.map((one) => [one.name, one]));
  const exported = new Set(
    [...sources.join().matchAll(/\bwire\.([A-Z]\w*)/g)].map(([, name = ""]) => name),
  );
  const users = usersOf(byName, exported);
  const isInPlace = (one: Declaration): boolean =>
    isDomainType(one) || (!exported.has(one.name) && "members" in one && users.get(one.name) === 1);
  const texts = declarations
    .filter((one) => users.has(one.name) && !isInPlace(one))
    .map((one) => print(one, exported.has(one.name)));
  return [`${HEADER}${importsOf(texts)}`, ...texts].join("\n");

  function print(declaration: Declaration, isExported: boolean): string {
    const prefix = `${comment(declaration.description)}${isExported ? "export " : ""}`;
    const { name } = declaration;
    if ("alias" in declaration) return `${prefix}type ${name} = ${typeText(declaration.alias)};\n`;
    return `${prefix}interface ${name} ${objectText(declaration)}\n`;
  }

  function objectText({ name, members }: Interface): string {
    return `{\n${members.map((member) => memberText(name, member)).join("")}}`;
  }

  /**
   * An object with one optional member for each value of a set is a record. An object with all members
   * of an exported one, and others, extends it.
   */
  function inPlace(declaration: Interface): string {
    const { members } = declaration;
    const keyType = domainType(members.map(({ name }) => name));
    const [value = "", ...others] = new Set(members.map(({ type }) => typeText(type)));
    if (keyType !== undefined && others.length === 0 && members.every((one) => !one.isRequired)) {
      return `Readonly<Partial<Record<${keyType}, ${value}>>>`;
    }
    const has = (needed: Member): boolean => members.some((one) => same(one, needed));
    const base = declarations.find(
      (one) => exported.has(one.name) && "members" in one && one.members.every(has),
    );
    if (base === undefined || !("members" in base)) return objectText(declaration);
    const rest = members.filter((one) => !base.members.some((other) => same(one, other)));
    return `${base.name} & ${objectText({ ...declaration, members: rest })}`;
  }

  function memberText(of: string, { name, description, isRequired, type }: Member): string {
    const text = description === "" ? (WORDS[`${of}.${name}`] ?? WORDS[name] ?? "") : description;
    return `${comment(text)}readonly ${name}${isRequired ? "" : "?"}: ${typeText(type)};\n`;
  }

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
        return domainType(type.values) ?? type.values.map((one) => JSON.stringify(one)).join(" | ");
      case "list":
        return `readonly (${typeText(type.of)})[]`;
      case "map":
        return type.of.kind === "any"
          ? "JsonObject"
          : `Readonly<Record<string, ${typeText(type.of)}>>`;
      case "union":
        return [...new Set(type.of.map(typeText))].join(" | ");
      case "named": {
        const declaration = byName.get(type.name);
        if (declaration === undefined || !isInPlace(declaration)) return type.name;
        return "alias" in declaration ? typeText(declaration.alias) : inPlace(declaration);
      }
    }
  }
}

const isDomainType = (one: Declaration): boolean =>
  "alias" in one && one.alias.kind === "literal" && domainType(one.alias.values) !== undefined;

/** How often the declarations that the SDK needs refer to each declaration. */
function usersOf(
  byName: ReadonlyMap<string, Declaration>,
  exported: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  const need = (name: string): void => {
    const declaration = byName.get(name);
    if (declaration === undefined) throw new Error(`the document has no ${name}`);
    const before = users.get(name) ?? 0;
    users.set(name, before + 1);
    if (before > 0) return;
    const types =
      "alias" in declaration ? [declaration.alias] : declaration.members.map(({ type }) => type);
    for (const inner of types.flatMap(namesIn)) need(inner);
  };
  for (const name of exported) need(name);
  return users;
}

function importsOf(texts: readonly string[]): string {
  const used = DOMAIN_TYPES.filter(({ name }) =>
    texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
  );
  const modules = [...new Set(used.map(({ module }) => module))];
  return modules
    .map((module) => {
      const names = used.filter((one) => one.module === module).map(({ name }) => name);
      return `import type { ${names.join(", ")} } from "../domain/${module}";\n`;
    })
    .join("");
}

function namesIn(type: WireType): readonly string[] {
  if (type.kind === "named") return [type.name];
  if (!("of" in type)) return [];
  return "kind" in type.of ? namesIn(type.of) : type.of.flatMap(namesIn);
}

const comment = (text: string): string =>
  text === "" ? "" : `/** ${text.replaceAll(/\s+/g, " ").replaceAll("*/", "* /")} */\n`;
