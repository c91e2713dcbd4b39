/** The input for one text, with the type that opens the right keyboard on a phone. */
import { aria, type DrawProps } from "./draw";
import { zoneName, type FormNode, type JsonNode, type TextNode } from "./node";

const INPUT_TYPES: Readonly<Partial<Record<FormNode["kind"], string>>> = {
  email: "email",
  url: "url",
  tel: "tel",
  color: "color",
  password: "password",
  date: "date",
  time: "time",
  "date-time": "datetime-local",
};

/** Whether the date and time exist: inputs drop the 30th of February and the 61st second. */
const isValidDateTime = (text: string): boolean => {
  const at = Date.parse(`${text.length < 9 ? "2000-01-01T" : ""}${text}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().includes(text.slice(0, 16));
};

const CAN_HOLD: Readonly<Partial<Record<FormNode["kind"], (text: string) => boolean>>> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isValidDateTime(`${text}T00:00`),
  time: (text) => /^\d\d:\d\d(:\d\d)?$/.test(text) && isValidDateTime(text),
  "date-time": (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && isValidDateTime(text),
  color: (text) => /^#[\da-f]{6}$/.test(text),
  // Browsers rewrite a domain with letters outside ASCII.
  email: (text) => /^[ -~]*$/.test(text),
};

/** A value that a typed input cannot hold would be lost, so it is shown in a text input. */
function inputType(kind: FormNode["kind"], text: string): string {
  const type = INPUT_TYPES[kind] ?? "text";
  // A color picker always has a value, so an empty answer needs a text input.
  if (kind === "color" && text === "") return "text";
  return text === "" || CAN_HOLD[kind]?.(text) !== false ? type : "text";
}

const AUTOCOMPLETE: Readonly<Partial<Record<FormNode["kind"], string>>> = {
  email: "email",
  tel: "tel",
  url: "url",
  password: "new-password",
};

export function TextInput({ node, context }: DrawProps<TextNode | JsonNode>) {
  const text = context.texts.get(node.name) ?? "";
  const common = {
    id: node.name,
    name: node.name,
    ...aria(node, context),
    ...(node.isRequired && context.isInOptionalPart !== true ? { "aria-required": "true" } : {}),
  };
  if (node.kind === "long" || node.kind === "markdown" || node.kind === "json") {
    return (
      <textarea {...common} rows={node.kind === "json" ? 4 : 5} dir="auto">
        {`\n${text}`}
      </textarea>
    );
  }
  const isNumber = node.kind === "number" || node.kind === "integer";
  const completion = AUTOCOMPLETE[node.kind];
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
  if (node.kind === "date-time")
    return <WithTimeZone node={node} input={input} context={context} />;
  if (node.unit === undefined) return input;
  return (
    <span class="unit">
      {input} <span>{node.unit}</span>
    </span>
  );
}

/** A script adds the reader's UTC offset. Without a script the time is in UTC, and the label says so. */
function WithTimeZone({ node, input, context }: DrawProps<TextNode> & { readonly input: unknown }) {
  const zone = context.texts.get(zoneName(node.name)) ?? "";
  const { page } = context.words;
  return (
    <>
      {input as never}
      <input type="hidden" name={zoneName(node.name)} value={zone} data-zone={node.name} />
      <span class="help zone">{zone === "" ? page.utc : `${page.zone} UTC${zone}`}</span>
    </>
  );
}
