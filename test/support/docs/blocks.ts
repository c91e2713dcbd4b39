/**
 * The fenced blocks of a document, each with the instructions in the comments right above it:
 *
 *   <!-- not run: reason -->            not executed, and why; the page shows the reason
 *   <!-- run by test/e2e/x.test.ts -->  executed there, from the document itself
 *   <!-- output -->                     what the block before it prints (… matches anything)
 *   <!-- answer -->                     the JSON that the block before it prints, by its members
 *   <!-- a person opens the link and presses submit: date=2027-05-01 -->
 *                                       done by the test, in the link printed last, before the block
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../server-process.ts";

export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly notRun: string | null;
  readonly runBy: string | null;
  readonly isOutput: boolean;
  readonly isAnswer: boolean;
  /** Button and inputs of the form. */
  readonly person: { readonly button: string; readonly inputs: Record<string, string> } | null;
}

/** Every document in the repository. */
export const documents: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  ),
].sort();

export const blocksOf = (file: string): readonly Block[] =>
  blocksIn(file, readFileSync(join(ROOT, file), "utf8"));

export function blocksIn(file: string, text: string): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let comments: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const [, indent = "", fence, language = ""] = /^(\s*)(```+|~~~+)\s*(\S*)/.exec(line) ?? [];
    if (fence === undefined) {
      const [, comment] = /^\s*<!-- (.+) -->$/.exec(line) ?? [];
      if (comment !== undefined) comments.push(comment);
      else if (line.trim() !== "") comments = [];
      continue;
    }
    const end = lines.findIndex((other, at) => at > index && other.trim() === fence);
    if (end === -1) throw new Error(`${file}:${index + 1}: a block without an end`);
    const body = lines.slice(index + 1, end).map((one) => one.replace(indent, ""));
    blocks.push({ file, line: index + 1, language, text: body.join("\n"), ...read(comments) });
    comments = [];
    index = end;
  }
  return blocks;
}

function read(comments: readonly string[]): Omit<Block, "file" | "line" | "language" | "text"> {
  const after = (start: string): string | null =>
    comments.find((one) => one.startsWith(start))?.slice(start.length) ?? null;
  const [, button, inputs = ""] =
    /^a person opens the link and presses (\w+)(?:: (.*))?$/.exec(comments.join("\n")) ?? [];
  return {
    notRun: after("not run: "),
    runBy: after("run by "),
    isOutput: comments.includes("output"),
    isAnswer: comments.includes("answer"),
    person:
      button === undefined
        ? null
        : { button, inputs: Object.fromEntries(new URLSearchParams(inputs)) },
  };
}

export const locationOf = ({ file, line }: Block): string => `${file}:${line}`;
