/** The types of the wire as Python: a TypedDict for each object, for Python 3.10 and newer. */
import type { Declaration, Member, WireType } from "./model.ts";

/** Keywords that cannot name a member of a class. */
const RESERVED = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except " +
    "finally for from global if import in is lambda nonlocal not or pass raise return try while " +
    "with yield"
  ).split(" "),
);

const HEADER = `"""The bodies of the wire, written by \`npm run wire-types\` from the OpenAPI document. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union
`;

export const pythonOf = (declarations: readonly Declaration[]): string =>
  [HEADER, ...declarations.map(print)].join("\n");

function print(declaration: Declaration): string {
  const { name, description } = declaration;
  if ("alias" in declaration) {
    const comment = description === "" ? "" : `# ${oneLine(description)}\n`;
    return `\n${comment}${name} = ${runtimeType(declaration.alias)}\n`;
  }
  const { members } = declaration;
  const odd = members.filter((one) => RESERVED.has(one.name));
  const plain = members.filter((one) => !RESERVED.has(one.name));
  const needed = plain.filter((one) => one.isRequired);
  const optional = plain.filter((one) => !one.isRequired);
  const parts: string[] = [];
  const bases: string[] = [];
  for (const isRequired of [true, false]) {
    const some = odd.filter((one) => one.isRequired === isRequired);
    if (some.length === 0) continue;
    const base = `_${name}${isRequired ? "Odd" : "OddOptional"}`;
    const pairs = some.map((one) => `"${one.name}": ${quoted(typeText(one.type))}`).join(", ");
    parts.push(
      `${base} = TypedDict("${base}", {${pairs}}, total=${isRequired ? "True" : "False"})`,
    );
    bases.push(base);
  }
  if (needed.length > 0 && optional.length > 0) {
    parts.push(classOf(`_${name}Required`, bases, true, "", needed));
    parts.push(classOf(name, [`_${name}Required`], false, description, optional));
  } else {
    parts.push(classOf(name, bases, optional.length === 0, description, plain));
  }
  return `\n${parts.join("\n\n\n")}\n`;
}

function classOf(
  name: string,
  bases: readonly string[],
  isTotal: boolean,
  description: string,
  members: readonly Member[],
): string {
  const parents = [
    ...(bases.length === 0 ? ["TypedDict"] : bases),
    ...(isTotal ? [] : ["total=False"]),
  ];
  const lines = members.map((one) => `    ${one.name}: ${typeText(one.type)}`);
  const docs = description === "" ? [] : [`    """${oneLine(description)}"""`, ""];
  const body = [...docs, ...lines];
  return [
    `class ${name}(${parents.join(", ")}):`,
    ...(lines.length === 0 ? ["    pass"] : body),
  ].join("\n");
}

/** In an annotation, which is not evaluated. */
function typeText(type: WireType): string {
  switch (type.kind) {
    case "any":
      return "Any";
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "literal":
      return `Literal[${type.values.map(literal).join(", ")}]`;
    case "list":
      return `list[${typeText(type.of)}]`;
    case "map":
      return `dict[str, ${typeText(type.of)}]`;
    case "union":
      return [...new Set(type.of.map(typeText))].join(" | ");
    case "named":
      return type.name;
  }
}

/** In an assignment, which is evaluated: names may be defined later, so they are quoted. */
const runtimeType = (type: WireType): string =>
  type.kind === "union"
    ? `Union[${[...new Set(type.of.map(quotedType))].join(", ")}]`
    : quotedType(type);

const quotedType = (type: WireType): string =>
  type.kind === "named" ? `"${type.name}"` : typeText(type);

/** A type as a string, with any quotes in its literals. */
const quoted = (type: string): string => (type.includes('"') ? `'${type}'` : `"${type}"`);

const literal = (value: string | number | boolean): string =>
  typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);

const oneLine = (description: string): string =>
  description.replaceAll(/\s+/g, " ").replaceAll("\\", "\\\\").replaceAll('"', "'");
