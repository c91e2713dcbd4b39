/** Parts that apply only sometimes. All of them are drawn; a script shows those that apply. */
import { Draw, Fieldset, type DrawContext, type DrawProps } from "./draw";
import { OptionInput } from "./draw-choices";
import { optionName, type FormNode, type VariantsNode, type ConditionalNode } from "./node";

/** Which first; then the parts of each, of which a script shows those of the chosen one. */
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

/** Without a frame of their own; constants say nothing that the choice has not said. */
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
  const [sign] = node.inputMatches ?? [];
  const words =
    sign === undefined || node.isElse
      ? page.onlyIfApplies
      : sign.labels.length === 0
        ? page.onlyIfAny(sign.label)
        : page.onlyIf(sign.label, sign.labels.map((one) => booleanText(one, context)).join(" / "));
  const signs = node.inputMatches?.map(({ name, texts }) => [name, texts]);
  return (
    <div
      class="when"
      {...(signs === undefined
        ? {}
        : { "data-when": JSON.stringify(signs), ...(node.isElse ? { "data-else": "" } : {}) })}
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
