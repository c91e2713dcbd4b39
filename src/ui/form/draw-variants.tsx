/** Conditional parts. All of them are drawn, and a script hides those that do not apply. */
import { Draw, Fieldset, type DrawContext, type DrawProps } from "./draw";
import { OptionInput } from "./draw-choices";
import { optionName, type FormNode, type VariantsNode, type ConditionalNode } from "./node";

/** The choice of a variant, then the parts of each. A script shows those of the chosen one. */
export function Variants({ node, context }: DrawProps<VariantsNode>) {
  const { page } = context.words;
  const text = context.texts.get(node.name) ?? "";
  const named = { ...node, label: node.label === "" ? page.which : node.label };
  return (
    <Fieldset node={named} context={context}>
      {node.options.map((option, index) => (
        <OptionInput
          kind="radio"
          name={node.name}
          id={optionName(node.name, index)}
          value={String(index)}
          isChosen={text === String(index)}
          help={option.help}
        >
          {option.label}
        </OptionInput>
      ))}
      {node.options.map((option, index) =>
        isEmpty(option.node) ? (
          <></>
        ) : (
          <div class="when" data-when={JSON.stringify([[node.name, [String(index)]]])}>
            <p class="if">{page.onlyIf(named.label, option.label)}</p>
            <Parts node={option.node} context={context} />
          </div>
        ),
      )}
    </Fieldset>
  );
}

const isEmpty = (node: FormNode): boolean =>
  node.kind === "fixed" ||
  (node.kind === "group" && node.children.every((child) => isEmpty(child.node)));

/** The parts without a frame of their own. Constants are left out, because the choice implies them. */
function Parts({ node, context }: DrawProps) {
  if (node.kind !== "group") return <Draw node={node} context={context} />;
  return (
    <>
      {node.children
        .filter((child) => child.node.kind !== "fixed")
        .map((child) => (
          <Draw node={child.node} context={context} />
        ))}
    </>
  );
}

export function ConditionalParts({ node, context }: DrawProps<ConditionalNode>) {
  const { page } = context.words;
  const [match] = node.inputMatches ?? [];
  const words =
    match === undefined || node.isElse
      ? page.onlyIfApplies
      : match.labels.length === 0
        ? page.onlyIfAny(match.label)
        : page.onlyIf(
            match.label,
            match.labels.map((one) => booleanText(one, context)).join(" / "),
          );
  const matches = node.inputMatches?.map(({ name, texts }) => [name, texts]);
  return (
    <div
      class="when"
      {...(matches === undefined
        ? {}
        : { "data-when": JSON.stringify(matches), ...(node.isElse ? { "data-else": "" } : {}) })}
    >
      <p class="if">{words}</p>
      {node.children.map((child) => (
        <Draw node={child.node} context={context} />
      ))}
    </div>
  );
}

const booleanText = (text: string, { words }: DrawContext): string =>
  text === "true" || text === "yes"
    ? words.page.yes
    : text === "false" || text === "no"
      ? words.page.no
      : text;
