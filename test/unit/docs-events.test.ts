import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEventCatalog } from "../../scripts/reference/events.ts";
import { EVENT_EXAMPLES } from "../../scripts/reference/event-examples.ts";
import { writtenPages } from "../../scripts/reference/main.ts";
import { eventsIn } from "../../scripts/reference/payload-types.ts";
import { isServerType, SERVER_NAMESPACES } from "../../src/domain/log/event.ts";
import { NOTICE_TYPES } from "../../src/domain/notices/catalogue.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const types = readEventCatalog().map(({ type }) => type);

/** Facts are decided and committed in these folders. Others only read events or have similar texts. */
const writtenTypes = ["src/domain", "src/object"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [
      ...read(join(folder, name)).matchAll(
        /(?:type: |(?:endpointDecision|endSession|tokenEvent)\(\s*)"([a-z]+\.[a-z_]+)"/g,
      ),
    ])
    .map(([, type = ""]) => type),
);

describe("docs/events.md", () => {
  it("is what `npm run docs:write` writes", async () => {
    expect(read("docs/events.md")).toBe((await writtenPages()).get("docs/events.md"));
  });

  it("has every event that the code writes, and every notice", () => {
    expect(writtenTypes).toContain("upload.confirmed");
    expect(writtenTypes.filter((type) => isServerType(type) && !types.includes(type))).toEqual([]);
    expect(NOTICE_TYPES.filter((type) => !types.includes(type))).toEqual([]);
  });

  it("names every namespace that is reserved for the server", () => {
    const page = read("docs/events.md");

    expect([...SERVER_NAMESPACES].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(types.filter((type) => !isServerType(type))).toEqual([]);
  });

  it("shows examples with the members of the table", () => {
    for (const { type, members } of readEventCatalog()) {
      const { payload } = EVENT_EXAMPLES[type as keyof typeof EVENT_EXAMPLES];
      const given = Object.keys(payload);
      const known = new Set(members.map(({ name }) => name));
      const needed = members.filter(({ isOptional }) => !isOptional).map(({ name }) => name);

      expect(
        given.filter((name) => !known.has(name)),
        type,
      ).toEqual([]);
      expect(
        needed.filter((name) => !given.includes(name)),
        type,
      ).toEqual([]);
    }
  });
});

const table = (body: string): string =>
  `type Named = {\n  /** Who. */\n  readonly id: string;\n};\n\nexport type EventPayloads = {\n${body}\n};\n`;

describe("the reader of payloads", () => {
  it("joins shared types with an event's own members", () => {
    const [event] = eventsIn(
      table(
        '  /** It began. */\n  readonly "a.b": Partial<Named> & {\n    /** N. */\n    readonly n?: { readonly deep: number };\n  };',
      ),
    );

    expect(event).toEqual({
      type: "a.b",
      about: "It began.",
      members: [
        { name: "id", isOptional: true, type: "string", about: "Who." },
        { name: "n", isOptional: true, type: "{ readonly deep: number }", about: "N." },
      ],
    });
  });

  it.each([
    ["a member without its comment", '  readonly "a.b": Named;'],
    ["a type that it does not know", '  /** It. */\n  readonly "a.b": Omit<Named, "id">;'],
  ])("refuses %s", (_, body) => {
    expect(() => eventsIn(table(body))).toThrow("payloads.ts");
  });
});
