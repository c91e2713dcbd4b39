/** Rows of lists and maps, with what adds, removes and moves them. */
import { Draw, Fieldset, labelOf, type Drawing, type Drawn } from "./draw";
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
          <button type="submit" name="action" value={`add:${node.name}`} data-add="" formnovalidate>
            {page.addItem(labelOf(node, drawing))}
          </button>
        </p>
      )}
    </Fieldset>
  );
}

interface RowProps {
  readonly node: ListNode | MapNode;
  readonly row: FormNode;
  readonly index: number;
  readonly drawing: Drawing;
}

function Row({ node, row, index, drawing }: RowProps) {
  const { page } = drawing.words;
  const label = page.item(labelOf(node, drawing), index < 0 ? "#" : drawing.format(index + 1));
  const isNamed = node.kind === "map" && row.label !== node.label;
  const named = { ...row, label: isNamed ? `${label}: ${row.label}` : label };
  return (
    <div class="row" data-row={String(index)}>
      {node.kind === "map" && (
        <div class="control">
          <label for={keyName(row.name)}>
            {label}: {page.entryName}
          </label>
          <input
            type="text"
            id={keyName(row.name)}
            name={keyName(row.name)}
            value={drawing.texts.get(keyName(row.name)) ?? ""}
          />
        </div>
      )}
      <Draw node={named} drawing={drawing} />
      <p class="tools">
        {node.kind === "list" && (
          <>
            <button type="submit" name="action" value={`up:${row.name}`} data-up="" formnovalidate>
              <span aria-hidden="true">↑</span>
              <span class="visually-hidden">{page.moveUp(label)}</span>
            </button>
            <button
              type="submit"
              name="action"
              value={`down:${row.name}`}
              data-down=""
              formnovalidate
            >
              <span aria-hidden="true">↓</span>
              <span class="visually-hidden">{page.moveDown(label)}</span>
            </button>
          </>
        )}
        <button type="submit" name="action" value={`drop:${row.name}`} data-drop="" formnovalidate>
          <span aria-hidden="true">✕</span>
          <span class="visually-hidden">{page.removeItem(label)}</span>
        </button>
      </p>
    </div>
  );
}
