/** Files that are there, and the input for more. */
import type { Json } from "../../domain/json";
import { fileIdOf, fileNameOf } from "../value-text";
import { classOf, described, Notes, Required, wrongness, type Drawn } from "./draw";
import type { FileNode } from "./node";

export function Files({ node, drawing, value }: Drawn<FileNode>) {
  const { page } = drawing.words;
  const files = (node.isMany && Array.isArray(value) ? (value as readonly Json[]) : [value]).filter(
    (one) => fileIdOf(one) !== null,
  );
  return (
    <div class={classOf(node, drawing)}>
      <label for={node.name}>
        {node.label} <Required node={node} drawing={drawing} />
      </label>
      <Notes node={node} drawing={drawing} />
      {files.map((one) => (
        <p class="file">
          <a href={`${drawing.downloads}/${fileIdOf(one)}`}>{fileNameOf(one)}</a>{" "}
          <button type="submit" name="action" value={`remove/${fileIdOf(one)}`} formnovalidate>
            <span aria-hidden="true">✕</span>
            <span class="visually-hidden">{page.removeFile(fileNameOf(one))}</span>
          </button>
        </p>
      ))}
      <input
        type="file"
        id={node.name}
        name={`file/${node.field}`}
        data-upload={node.field}
        multiple={node.isMany}
        {...(node.rule.accept.length > 0 ? { accept: node.rule.accept.join(",") } : {})}
        {...described(node, drawing)}
        {...wrongness(node, drawing)}
      />
      <progress max={100} value={0} hidden aria-label={drawing.words.script.uploading}></progress>
    </div>
  );
}
