/** The inputs of a form, drawn from its fields. All text is escaped by the renderer. */
import type { Json } from "../domain/json";
import { canonicalJson, isJsonObject, own } from "../domain/json";
import type { FieldMeta } from "../domain/session/session";
import type { FieldSpec } from "./fields";
import { itemAt, type Typed } from "./form-data";
import { bytesText, whoText } from "./text";
import { PAGE } from "./words";
import { fileIdOf, fileNameOf, shown, textFor } from "./value-text";

export interface FormView {
  readonly typed: Typed | null;
  readonly errors: ReadonlyMap<string, string>;
  readonly conflicts: ReadonlySet<string>;
  readonly meta: Readonly<Record<string, FieldMeta>>;
  readonly comments: Readonly<Record<string, string>>;
  readonly downloads: string;
  readonly isUploading: boolean;
}

const LOW_CONFIDENCE = 0.7;

export function Field({ spec, value, view }: FieldProps) {
  const error = view.errors.get(spec.key);
  const meta = own(view.meta, spec.key);
  const comment = own(view.comments, spec.key);
  const described = [
    spec.help === null ? "" : `${spec.name}-help`,
    meta === undefined ? "" : `${spec.name}-meta`,
    error === undefined ? "" : `${spec.name}-error`,
  ].filter((id) => id !== "");
  return (
    <div class={error === undefined ? "field" : "field wrong"} data-field={spec.key}>
      <Control
        spec={spec}
        value={value}
        view={view}
        describedBy={described.join(" ")}
        isWrong={error !== undefined}
      />
      {spec.help !== null && (
        <p class="help" id={`${spec.name}-help`}>
          {spec.help}
        </p>
      )}
      {meta !== undefined && (
        <p class="meta" id={`${spec.name}-meta`}>
          {PAGE.filledBy(whoText(meta.actor))}
          {meta.confidence !== undefined && meta.confidence < LOW_CONFIDENCE && (
            <strong class="unsure"> {PAGE.unsure(Math.round(meta.confidence * 100))}</strong>
          )}
        </p>
      )}
      {comment !== undefined && <p class="comment">{comment}</p>}
      {error !== undefined && (
        <p class="error" id={`${spec.name}-error`}>
          {error}
        </p>
      )}
      {view.conflicts.has(spec.key) && (
        <fieldset class="conflict">
          <legend>{PAGE.conflicts}</legend>
          <label>
            <input type="radio" name={`choice/${spec.name}`} value="mine" required /> {PAGE.mine}
          </label>
          <label>
            <input type="radio" name={`choice/${spec.name}`} value="theirs" required />{" "}
            {PAGE.theirs(shown(value))}
          </label>
        </fieldset>
      )}
    </div>
  );
}

interface FieldProps {
  readonly spec: FieldSpec;
  readonly value: Json | undefined;
  readonly view: FormView;
}

interface ControlProps extends FieldProps {
  readonly describedBy: string;
  readonly isWrong: boolean;
}

function Control(props: ControlProps) {
  const { spec, value, view } = props;
  switch (spec.kind) {
    case "object":
      return (
        <fieldset id={spec.name} tabindex={-1}>
          <legend>{spec.label}</legend>
          {spec.children.map((child) => (
            <Control
              {...props}
              spec={child}
              value={isJsonObject(value ?? null) ? own(value as never, child.key) : undefined}
            />
          ))}
        </fieldset>
      );
    case "array":
      return <List {...props} />;
    case "file":
      return <FileInput spec={spec} value={value} view={view} />;
    default:
      return <Scalar {...props} />;
  }
}

/** What is there and one empty row; the page's script adds more. */
function List(props: ControlProps) {
  const { spec, value, view } = props;
  const items = Array.isArray(value) ? (value as readonly Json[]) : [];
  const typedRows =
    view.typed === null || spec.item === null ? 0 : rowsTyped(spec.item, view.typed);
  const rows = Math.max(items.length, typedRows) + 1;
  return (
    <fieldset id={spec.name} tabindex={-1} data-list="">
      <legend>
        {spec.label} <Required spec={spec} />
      </legend>
      {spec.item !== null &&
        Array.from({ length: rows }, (_, index) => (
          <Control
            {...props}
            spec={{
              ...itemAt(spec.item as FieldSpec, index),
              label: PAGE.item(spec.label, index + 1),
            }}
            value={items[index]}
          />
        ))}
    </fieldset>
  );
}

function rowsTyped(item: FieldSpec, typed: Typed): number {
  let rows = 0;
  for (let index = 0; index < 100; index++) {
    const { name } = itemAt(item, index);
    const isThere = [...typed.keys()].some((key) => key === name || key.startsWith(`${name}/`));
    if (isThere && (typed.get(name) ?? "x") !== "") rows = index + 1;
  }
  return rows;
}

const INPUT_TYPES = {
  text: "text",
  number: "number",
  integer: "number",
  date: "date",
  email: "email",
  url: "url",
} as const;

function Scalar({ spec, value, view, describedBy, isWrong }: ControlProps) {
  const text = view.typed?.get(spec.name) ?? textFor(spec, value);
  const common = {
    id: spec.name,
    name: spec.name,
    ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
    ...(isWrong ? { "aria-invalid": "true" as const } : {}),
    ...(spec.isRequired ? { "aria-required": "true" as const } : {}),
  };
  return (
    <div class="control">
      <label for={spec.name}>
        {spec.label} <Required spec={spec} />
        {spec.kind === "date-time" && <span class="help"> {PAGE.utc}</span>}
      </label>
      {inputFor(spec, text, common)}
    </div>
  );
}

function inputFor(spec: FieldSpec, text: string, common: Record<string, string>) {
  switch (spec.kind) {
    case "long":
    case "json":
      return (
        <textarea {...common} rows={spec.kind === "long" ? 5 : 3} spellcheck={spec.kind === "long"}>
          {`\n${text}`}
        </textarea>
      );
    case "boolean":
      return (
        <select {...common}>
          <option value="">{PAGE.choose}</option>
          <option value="true" selected={text === "true"}>
            {PAGE.yes}
          </option>
          <option value="false" selected={text === "false"}>
            {PAGE.no}
          </option>
        </select>
      );
    case "enum":
      return (
        <select {...common}>
          <option value="">{PAGE.choose}</option>
          {spec.options.map((option) => (
            <option value={canonicalJson(option)} selected={canonicalJson(option) === text}>
              {typeof option === "string" ? option : canonicalJson(option)}
            </option>
          ))}
        </select>
      );
    case "date-time":
      return (
        <input
          {...common}
          type={text === "" || /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? "datetime-local" : "text"}
          value={text}
        />
      );
    default: {
      const type = INPUT_TYPES[spec.kind as keyof typeof INPUT_TYPES] ?? "text";
      // A number that was typed wrong would vanish from an input that only holds numbers.
      const isOdd = type === "number" && text !== "" && !Number.isFinite(Number(text));
      return (
        <input
          {...common}
          type={isOdd ? "text" : type}
          value={text}
          {...(type === "number" ? { step: spec.kind === "integer" ? "1" : "any" } : {})}
          {...(spec.min === null ? {} : { min: String(spec.min) })}
          {...(spec.max === null ? {} : { max: String(spec.max) })}
        />
      );
    }
  }
}

function FileInput({ spec, value, view }: FieldProps) {
  const rule = spec.file;
  const id = fileIdOf(value);
  return (
    <div class="control">
      <label for={spec.name}>
        {spec.label} <Required spec={spec} />
      </label>
      {id !== null && (
        <p class="file">
          <a href={`${view.downloads}/${id}`}>{fileNameOf(value)}</a>{" "}
          <button type="submit" name="action" value={`remove/${id}`} formnovalidate>
            {PAGE.removeFile}
          </button>
        </p>
      )}
      {view.isUploading && (
        <>
          <input
            type="file"
            id={spec.name}
            name={`file/${spec.key}`}
            data-upload={spec.key}
            {...(rule !== null && rule.accept.length > 0 ? { accept: rule.accept.join(",") } : {})}
          />
          <progress max={100} value={0} hidden aria-label={PAGE.sending(spec.label)}></progress>
        </>
      )}
      {rule !== null && (
        <p class="help">{PAGE.fileLimit(bytesText(rule.maxBytes), rule.accept.join(", "))}</p>
      )}
    </div>
  );
}

function Required({ spec }: { readonly spec: FieldSpec }) {
  return spec.isRequired ? <span class="required">({PAGE.required})</span> : <></>;
}
