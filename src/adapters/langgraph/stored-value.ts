/**
 * A channel's value as it is stored: short texts inline, longer texts once under their hash, and a
 * list as the difference to the previous list. A list that grows by one message therefore costs one
 * message, however long it is.
 */
import { hashOf } from "../session-names";

/**
 * JSON in an event's payload. `h` refers to a text by its hash, `from` to a checkpoint of the same
 * channel.
 */
export type StoredValue =
  | { readonly t: string }
  | { readonly h: string }
  | { readonly from?: string; readonly keep: number; readonly items: readonly StoredValue[] }
  | { readonly bytes: StoredValue };

/** The same value in the fold: `base` is the list that the first `keep` items come from. */
export type ChannelValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "named"; readonly hash: string }
  | {
      readonly kind: "list";
      readonly base: ChannelValue | null;
      readonly keep: number;
      readonly items: readonly ChannelValue[];
    }
  | { readonly kind: "bytes"; readonly base64: ChannelValue };

/** Keep all items of the previous list, however many there are. */
const KEEP_ALL = Number.MAX_SAFE_INTEGER;
/** Texts up to this length are shorter than a reference by hash. */
const MAX_INLINE_LENGTH = 64;

/** New texts of an event, by hash. */
export type Texts = Map<string, string>;

export async function storeText(text: string, texts: Texts): Promise<StoredValue> {
  if (text.length <= MAX_INLINE_LENGTH) return { t: text };
  const hash = await hashOf(text);
  texts.set(hash, text);
  return { h: hash };
}

/** The items of a list as JSON texts; null if the JSON text is not a list. */
function itemsOf(json: string): readonly string[] | null {
  if (!json.startsWith("[")) return null;
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.map((item) => JSON.stringify(item)) : null;
}

/** A list as JSON text, and the checkpoint that contains it. */
export interface PreviousList {
  readonly checkpoint: string;
  readonly json: string;
}

/** Null if the JSON text is not a list. */
export async function storeList(
  json: string,
  previous: PreviousList | null,
  texts: Texts,
): Promise<StoredValue | null> {
  const { keep, added } =
    (previous && growthAtEnd(json, previous.json)) ?? growthByItem(json, previous?.json);
  if (added === null) return null;
  const items: StoredValue[] = [];
  for (const item of added) items.push(await storeText(item, texts));
  const from = keep > 0 && previous !== null ? { from: previous.checkpoint } : {};
  return { ...from, keep, items };
}

interface Growth {
  readonly keep: number;
  readonly added: readonly string[] | null;
}

/** Most lists only grow at their end, so that the old part need not be parsed again. */
function growthAtEnd(json: string, previous: string): Growth | null {
  const open = previous.slice(0, -1);
  if (previous.length <= 2 || !json.startsWith(open)) return null;
  const rest = json.slice(open.length);
  const isItem = rest.startsWith(",");
  if (!isItem && rest !== "]") return null;
  return { keep: KEEP_ALL, added: isItem ? itemsOf(`[${rest.slice(1)}`) : [] };
}

/** Compares item by item from the start. */
function growthByItem(json: string, previous: string | undefined): Growth {
  const items = itemsOf(json);
  if (items === null) return { keep: 0, added: null };
  const earlier = (previous === undefined ? null : itemsOf(previous)) ?? [];
  let keep = 0;
  while (keep < earlier.length && keep < items.length && earlier[keep] === items[keep]) keep += 1;
  return { keep, added: items.slice(keep) };
}

export function fromStored(
  stored: StoredValue,
  listAt: (checkpoint: string) => ChannelValue | null,
): ChannelValue {
  if ("t" in stored) return { kind: "text", text: stored.t };
  if ("h" in stored) return { kind: "named", hash: stored.h };
  if ("bytes" in stored) return { kind: "bytes", base64: fromStored(stored.bytes, listAt) };
  const { from, keep } = stored;
  const base = from === undefined ? null : listAt(from);
  return { kind: "list", base, keep, items: stored.items.map((item) => fromStored(item, listAt)) };
}

/**
 * The items of a list, collected from the lists it is based on. Iterative, because a thread has
 * thousands of steps.
 */
function listItems(list: Extract<ChannelValue, { kind: "list" }>): readonly ChannelValue[] {
  const chain: Extract<ChannelValue, { kind: "list" }>[] = [];
  for (let at: ChannelValue | null = list; at?.kind === "list"; at = at.base) chain.push(at);
  const items: ChannelValue[] = [];
  for (const { keep, items: added } of chain.toReversed()) {
    if (keep < items.length) items.length = keep;
    for (const item of added) items.push(item);
  }
  return items;
}

/** The value as JSON text or base64. */
export async function toText(
  value: ChannelValue,
  findText: (hash: string) => string | Promise<string>,
): Promise<string> {
  switch (value.kind) {
    case "text":
      return value.text;
    case "named":
      return findText(value.hash);
    case "bytes":
      return toText(value.base64, findText);
    case "list": {
      const texts = await Promise.all(listItems(value).map((item) => toText(item, findText)));
      return `[${texts.join(",")}]`;
    }
  }
}
