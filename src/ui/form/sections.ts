/**
 * The parts that a long form is read in. A field with `x-baton.section` begins one, and the fields
 * after it belong to it. With `x-baton.steps` at the root each part is a step of its own, and so is
 * each group of fields.
 */
import { own, type JsonObject } from "../../domain/json";
import type { Child } from "./node";
import { hintsOf } from "./schema";

interface Section {
  /** Null where nothing names it. */
  readonly title: string | null;
  readonly children: readonly Child[];
}

export const hasSteps = (root: JsonObject): boolean => own(hintsOf(root), "steps") === true;

export function sectionsIn(root: JsonObject, children: readonly Child[]): readonly Section[] {
  const isStepped = hasSteps(root);
  const sections: { title: string | null; children: Child[]; isGroup: boolean }[] = [];
  for (const child of children) {
    const { section, kind } = child.node;
    const isGroup = isStepped && section === undefined && kind === "group";
    const last = sections.at(-1);
    const isNew =
      last === undefined ||
      isGroup ||
      (section !== undefined && section !== last.title) ||
      (section === undefined && last.isGroup && child.key !== "");
    if (isNew) sections.push({ title: section ?? null, children: [child], isGroup });
    else last.children.push(child);
  }
  return sections.map(({ title, children: inside }) => ({ title, children: inside }));
}
