/** Choices: radio buttons, a list to choose from, boxes to tick. */
import { canonicalJson } from "../../domain/json";
import { classOf, described, Fieldset, labelOf, Notes, Required, wrongness } from "./draw";
import type { Drawing, Drawn } from "./draw";
import { optionName, type ChoiceNode, type ManyNode } from "./node";

function optionLabel(node: ChoiceNode, index: number, { words }: Drawing): string {
  const option = node.options[index];
  if (option === undefined) return "";
  if (option.value === true && option.label === "yes") return words.page.yes;
  return option.value === false && option.label === "no" ? words.page.no : option.label;
}

export function Radios({ node, drawing }: Drawn<ChoiceNode>) {
  const text = drawing.texts.get(node.name) ?? "";
  return (
    <Fieldset node={node} drawing={drawing}>
      {node.options.map((option, index) => (
        <label class="option">
          <input
            type="radio"
            name={node.name}
            id={optionName(node.name, index)}
            value={canonicalJson(option.value)}
            checked={canonicalJson(option.value) === text}
          />{" "}
          <span>
            {optionLabel(node, index, drawing)}
            {option.help !== null && <span class="help"> {option.help}</span>}
          </span>
        </label>
      ))}
      {!node.isRequired && (
        <label class="option">
          <input type="radio" name={node.name} value="" checked={text === ""} />{" "}
          <span>{drawing.words.page.none}</span>
        </label>
      )}
    </Fieldset>
  );
}

export function Select({ node, drawing }: Drawn<ChoiceNode>) {
  const text = drawing.texts.get(node.name) ?? "";
  return (
    <div class={classOf(node, drawing)}>
      <label for={node.name}>
        {labelOf(node, drawing)} <Required node={node} drawing={drawing} />
      </label>
      <Notes node={node} drawing={drawing} />
      <select
        id={node.name}
        name={node.name}
        {...described(node, drawing)}
        {...wrongness(node, drawing)}
      >
        <option value="">{drawing.words.page.choose}</option>
        {node.options.map((option, index) => (
          <option
            value={canonicalJson(option.value)}
            selected={canonicalJson(option.value) === text}
          >
            {optionLabel(node, index, drawing)}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Many({ node, drawing }: Drawn<ManyNode>) {
  return (
    <Fieldset node={node} drawing={drawing}>
      {node.options.map((option, index) => (
        <label class="option">
          <input
            type="checkbox"
            name={optionName(node.name, index)}
            checked={drawing.texts.has(optionName(node.name, index))}
          />{" "}
          <span>{option.label}</span>
        </label>
      ))}
    </Fieldset>
  );
}
