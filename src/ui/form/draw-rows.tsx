/** Rows of lists and maps, with the buttons that add, remove and move them. */
import { ActionButton, IconButton } from "./action-button";
import { Draw, Fieldset, labelOf, type DrawProps } from "./draw";
import { keyName, type FormNode, type ListNode, type MapNode } from "./node";

export function Rows({ node, context }: DrawProps<ListNode | MapNode>) {
  const { page } = context.words;
  return (
    <Fieldset node={node} context={context} list={node.name}>
      {node.rows.map((row, index) => (
        <Row node={node} row={row} index={index} context={context} />
      ))}
      <template>
        <Row node={node} row={node.template} index={-1} context={context} />
      </template>
      {node.rows.length < node.max && (
        <p>
          <ActionButton action={`add:${node.name}`} data-add="" formnovalidate>
            {page.addItem(labelOf(node, context))}
          </ActionButton>
        </p>
      )}
    </Fieldset>
  );
}

interface RowProps extends DrawProps<ListNode | MapNode> {
  readonly row: FormNode;
  readonly index: number;
}

function Row({ node, row, index, context }: RowProps) {
  const { page } = context.words;
  const label = page.item(labelOf(node, context), index < 0 ? "#" : context.format(index + 1));
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
          <input type="text" id={key} name={key} value={context.texts.get(key) ?? ""} />
        </div>
      )}
      <Draw node={named} context={context} />
      <p class="tools">
        {node.kind === "list" && (
          <>
            <IconButton action={`up:${row.name}`} data-up="" sign="↑" label={page.moveUp(label)} />
            <IconButton
              action={`down:${row.name}`}
              data-down=""
              sign="↓"
              label={page.moveDown(label)}
            />
          </>
        )}
        <IconButton
          action={`drop:${row.name}`}
          data-drop=""
          sign="✕"
          label={page.removeItem(label)}
        />
      </p>
    </div>
  );
}
