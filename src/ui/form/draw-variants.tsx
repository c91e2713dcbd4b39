/** Parts that apply only sometimes. All of them are drawn; a script shows those that apply. */
import { Draw, Fieldset, type Drawing, type Drawn } from "./draw";
import { Pick } from "./draw-choices";
import { optionName, type FormNode, type VariantsNode, type WhenNode } from "./node";

/** Which first; then the parts of each, of which a script shows those of the chosen one. */
export function Variants({ node, drawing }: Drawn<VariantsNode>) {
  const { page } = drawing.words;
  const text = drawing.texts.get(node.name) ?? "";
  const named = { ...node, label: node.label === "" ? page.which : node.label };
  return (
    <Fieldset node={named} drawing={drawing}>
      {node.options.map((option, index) => (
        <Pick
          kind="radio"
          name={node.name}
          id={optionName(node.name, index)}
          value={String(index)}
          isChosen={text === String(index)}
          help={option.help}
        >
          {option.label}
        </Pick>
      ))}
      {node.options.map((option, index) =>
        isEmpty(option.node) ? (
          <></>
        ) : (
          <div class="when" data-when={JSON.stringify([[node.name, [String(index)]]])}>
            <p class="if">{page.onlyIf(named.label, option.label)}</p>
            <Parts node={option.node} drawing={drawing} />
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
function Parts({ node, drawing }: Drawn) {
  if (node.kind !== "group") return <Draw node={node} drawing={drawing} />;
  return (
    <>
      {node.children
        .filter((child) => child.node.kind !== "fixed")
        .map((child) => (
          <Draw node={child.node} drawing={drawing} />
        ))}
    </>
  );
}

export function When({ node, drawing }: Drawn<WhenNode>) {
  const { page } = drawing.words;
  const [sign] = node.signs ?? [];
  const words =
    sign === undefined || node.isElse
      ? page.onlyIfApplies
      : sign.labels.length === 0
        ? page.onlyIfAny(sign.label)
        : page.onlyIf(sign.label, sign.labels.map((one) => localTruth(one, drawing)).join(" / "));
  const signs = node.signs?.map(({ name, texts }) => [name, texts]);
  return (
    <div
      class="when"
      {...(signs === undefined
        ? {}
        : { "data-when": JSON.stringify(signs), ...(node.isElse ? { "data-else": "" } : {}) })}
    >
      <p class="if">{words}</p>
      {node.children.map((child) => (
        <Draw node={child.node} drawing={drawing} />
      ))}
    </div>
  );
}

const localTruth = (text: string, { words }: Drawing): string =>
  text === "true" || text === "yes"
    ? words.page.yes
    : text === "false" || text === "no"
      ? words.page.no
      : text;
