/** The stored files of a field, and the input for more. */
import { listOf } from "../../domain/json";
import { fileIdOf, fileNameOf } from "../value-text";
import { LIMITS } from "../../domain/limits";
import { bytesText } from "../text";
import { IconButton } from "./action-button";
import { aria, Labelled, typesText, type DrawProps } from "./draw";
import type { FileNode } from "./node";

export function Files({ node, context, value }: DrawProps<FileNode>) {
  const { words, format } = context;
  const { accept, maxBytes } = node.rule;
  const items = node.isMany && Array.isArray(value) ? listOf(value) : [value];
  const files = items.filter((one) => fileIdOf(one) !== null);
  return (
    <Labelled node={node} context={context}>
      {maxBytes > LIMITS.formBytes && (
        <noscript>
          <p class="help">{words.files.formLimit(bytesText(LIMITS.formBytes, words, format))}</p>
        </noscript>
      )}
      {files.map((one) => (
        <p class="file">
          <a href={`${context.downloads}/${fileIdOf(one)}`}>{fileNameOf(one, context)}</a>{" "}
          <IconButton
            action={`remove/${fileIdOf(one)}`}
            sign="✕"
            label={words.page.removeFile(fileNameOf(one, context))}
          />
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
        {...aria(node, context)}
      />
      <progress max={100} value={0} hidden aria-label={words.script.uploading}></progress>
    </Labelled>
  );
}
