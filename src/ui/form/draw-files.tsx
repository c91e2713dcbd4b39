/** Files that are there, and the input for more. */
import type { Json } from "../../domain/json";
import { fileIdOf, fileNameOf } from "../value-text";
import { LIMITS } from "../../domain/limits";
import { bytesText } from "../text";
import { classOf, described, Notes, Title, typesText, wrongness, type Drawn } from "./draw";
import type { FileNode } from "./node";

export function Files({ node, drawing, value }: Drawn<FileNode>) {
  const { words, format } = drawing;
  const { page } = words;
  const { accept, maxBytes } = node.rule;
  const files = (node.isMany && Array.isArray(value) ? (value as readonly Json[]) : [value]).filter(
    (one) => fileIdOf(one) !== null,
  );
  return (
    <div class={classOf(node, drawing)}>
      <label for={node.name}>
        <Title node={node} drawing={drawing} />
      </label>
      <Notes node={node} drawing={drawing} />
      {maxBytes > LIMITS.formBytes && (
        <noscript>
          <p class="help">{words.files.formLimit(bytesText(LIMITS.formBytes, words, format))}</p>
        </noscript>
      )}
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
        data-max={String(maxBytes)}
        data-too-large={words.files.tooLarge(bytesText(maxBytes, words, format))}
        {...(accept.length > 0
          ? {
              accept: accept.join(","),
              "data-wrong-type": words.files.wrongType(typesText(node.rule, words)),
            }
          : {})}
        {...described(node, drawing)}
        {...wrongness(node, drawing)}
      />
      <progress max={100} value={0} hidden aria-label={words.script.uploading}></progress>
    </div>
  );
}
