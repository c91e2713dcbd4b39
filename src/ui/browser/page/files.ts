/** Files, sent one after another as they are chosen, with a bar that shows how far it is. */
import { parse, path, say, words } from "./dom";

export const isSending = (root: ParentNode): boolean =>
  root.querySelector("progress:not([hidden])") !== null;

export async function sendAll(
  input: HTMLInputElement,
  then: (fresh: Document, isFine: boolean) => void,
): Promise<void> {
  const bar = input.parentElement?.querySelector("progress") ?? null;
  const files = [...(input.files ?? [])];
  input.disabled = true;
  if (bar !== null) bar.hidden = false;
  say(words()["uploading"] ?? "");
  for (const file of files) {
    const answer = await send(input.dataset["upload"] ?? "", file, bar);
    if (answer === null) {
      say(words()["failed"] ?? "", true);
      break;
    }
    const fresh = parse(answer.text);
    input.disabled = false;
    input.value = "";
    if (bar !== null) bar.hidden = true;
    then(fresh, answer.isFine);
    if (!answer.isFine) break;
  }
  input.disabled = false;
  if (bar !== null) bar.hidden = true;
}

function send(
  field: string,
  file: File,
  bar: HTMLProgressElement | null,
): Promise<{ readonly text: string; readonly isFine: boolean } | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ field, name: file.name });
    request.open("POST", `${path()}/files?${query}`);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && bar !== null) bar.value = (100 * event.loaded) / event.total;
    });
    request.addEventListener("load", () =>
      resolve({ text: request.responseText, isFine: request.status < 300 }),
    );
    request.addEventListener("error", () => resolve(null));
    request.send(file);
  });
}
