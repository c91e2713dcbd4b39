/** Rows of lists and maps, with what adds, removes and moves them. */
import { Act, Tool } from "./act";
import { Draw, Fieldset, labelOf, type Drawn } from "./draw";
import { keyName, type FormNode, type ListNode, type MapNode } from "./node";

export function Rows({ node, drawing }: Drawn<ListNode | MapNode>) {
  const { page } = drawing.words;
  return (
    <Fieldset node={node} drawing={drawing} list={node.name}>
      {node.rows.map((row, index) => (
        <Row node={node} row={row} index={index} drawing={drawing} />
      ))}
      <template>
        <Row node={node} row={node.template} index={-1} drawing={drawing} />
      </template>
      {node.rows.length < node.max && (
        <p>
          <Act action={`add:${node.name}`} data-add="" formnovalidate>
            {page.addItem(labelOf(node, drawing))}
          </Act>
        </p>
      )}
    </Fieldset>
  );
}

interface RowProps extends Drawn<ListNode | MapNode> {
  readonly row: FormNode;
  readonly index: number;
}

function Row({ node, row, index, drawing }: RowProps) {
  const { page } = drawing.words;
  const label = page.item(labelOf(node, drawing), index < 0 ? "#" : drawing.format(index + 1));
  const key = keyName(row.name);
  const isNamed = node.kind === "map" && row.label !== node.label;
  const named = { ...row, label: isNamed ? `${label}: ${row.label}` : label };
  return (
    <div class="row" data-row={String(index)}>
      {node.kind === "map" && (
        <div class="control">
          <label for={key}>
            {label}: {page.entryName}
          </label>
          <input type="text" id={key} name={key} value={drawing.texts.get(key) ?? ""} />
        </div>
      )}
      <Draw node={named} drawing={drawing} />
      <p class="tools">
        {node.kind === "list" && (
          <>
            <Tool action={`up:${row.name}`} data-up="" sign="↑" label={page.moveUp(label)} />
            <Tool action={`down:${row.name}`} data-down="" sign="↓" label={page.moveDown(label)} />
          </>
        )}
        <Tool action={`drop:${row.name}`} data-drop="" sign="✕" label={page.removeItem(label)} />
      </p>
    </div>
  );
}
