/** The input of one text: the kind of it that a phone has the right keyboard for. */
import { aria, type Drawn } from "./draw";
import { zoneName, type FormNode, type JsonNode, type TextNode } from "./node";

const TYPES: Readonly<Partial<Record<FormNode["kind"], string>>> = {
  email: "email",
  url: "url",
  tel: "tel",
  color: "color",
  password: "password",
  date: "date",
  time: "time",
  "date-time": "datetime-local",
};

/** A moment that the calendar has: inputs drop the 30th of February and the 61st second. */
const isMoment = (text: string): boolean => {
  const at = Date.parse(`${text.length < 9 ? "2000-01-01T" : ""}${text}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().includes(text.slice(0, 16));
};

const HOLDS: Readonly<Partial<Record<FormNode["kind"], (text: string) => boolean>>> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isMoment(`${text}T00:00`),
  time: (text) => /^\d\d:\d\d(:\d\d)?$/.test(text) && isMoment(text),
  "date-time": (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && isMoment(text),
  color: (text) => /^#[\da-f]{6}$/.test(text),
  // Browsers rewrite the domain of an address that has other letters.
  email: (text) => /^[ -~]*$/.test(text),
};

/** What such an input cannot hold would vanish from it, so it is shown as the text that it is. */
function inputType(kind: FormNode["kind"], text: string): string {
  const type = TYPES[kind] ?? "text";
  // A picker of colours always says one, so an empty answer is typed.
  if (kind === "color" && text === "") return "text";
  return text === "" || HOLDS[kind]?.(text) !== false ? type : "text";
}

const COMPLETIONS: Readonly<Partial<Record<FormNode["kind"], string>>> = {
  email: "email",
  tel: "tel",
  url: "url",
  password: "new-password",
};

export function TextInput({ node, drawing }: Drawn<TextNode | JsonNode>) {
  const text = drawing.texts.get(node.name) ?? "";
  const common = {
    id: node.name,
    name: node.name,
    ...aria(node, drawing),
    ...(node.isRequired && drawing.isInOptionalPart !== true ? { "aria-required": "true" } : {}),
  };
  if (node.kind === "long" || node.kind === "markdown" || node.kind === "json") {
    return (
      <textarea {...common} rows={node.kind === "json" ? 4 : 5} dir="auto">
        {`\n${text}`}
      </textarea>
    );
  }
  const isNumber = node.kind === "number" || node.kind === "integer";
  const completion = COMPLETIONS[node.kind];
  const input = (
    <input
      {...common}
      type={inputType(node.kind, text)}
      value={text}
      {...(isNumber
        ? {
            inputmode: node.kind === "integer" ? "numeric" : "decimal",
            "data-number": node.unit ?? "",
          }
        : {})}
      {...(completion === undefined ? {} : { autocomplete: completion })}
      {...(node.kind === "date-time" && /:\d\d:\d\d/.test(text) ? { step: "1" } : {})}
      dir={isNumber ? "ltr" : "auto"}
    />
  );
  if (node.kind === "date-time") return <Zoned node={node} input={input} drawing={drawing} />;
  if (node.unit === undefined) return input;
  return (
    <span class="unit">
      {input} <span>{node.unit}</span>
    </span>
  );
}

/** A script writes the reader's own offset beside it; without one the time is in UTC, and says so. */
function Zoned({ node, input, drawing }: Drawn<TextNode> & { readonly input: unknown }) {
  const zone = drawing.texts.get(zoneName(node.name)) ?? "";
  const { page } = drawing.words;
  return (
    <>
      {input as never}
      <input type="hidden" name={zoneName(node.name)} value={zone} data-zone={node.name} />
      <span class="help zone">{zone === "" ? page.utc : `${page.zone} UTC${zone}`}</span>
    </>
  );
}
