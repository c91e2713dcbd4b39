/**
 * Files, sent one after another as they are chosen, with a bar that shows how far it is. What cannot
 * be sent for now waits in this browser, over a reload too, until it is sent or the person drops it.
 */
import { buttonFor, form, withPageLanguage, parse, path, showStatus, word } from "./dom";
import { errorsIn, showErrors } from "./errors";
import { dropFile, loadFiles, storeFile, type WaitingFile } from "./draft-store";

type UploadOutcome = "sent" | "waits" | "refused";
/** What the page does with the server's answer to one file. */
type AnswerHandler = (fresh: Document, isFine: boolean) => void;

/** Answers that are about the file and no other reason. */
const FILE_ERROR_STATUSES = new Set([411, 413, 422]);

let queue: WaitingFile[] = [];
let lastUpload: Promise<UploadOutcome> = Promise.resolve("sent");

export const isSending = (root: ParentNode): boolean =>
  root.querySelector("progress:not([hidden])") !== null;

export const waitingFiles = (): readonly WaitingFile[] => queue;

const inputFor = (field: string): HTMLInputElement | null =>
  form()?.querySelector<HTMLInputElement>(`input[data-upload="${CSS.escape(field)}"]`) ?? null;

/** Why the server would not take it; null if it may. Nobody waits for an upload to be told so. */
function refusalReason({ dataset, accept }: HTMLInputElement, { size, type }: File): string | null {
  if (size > Number(dataset["max"])) return dataset["tooLarge"] ?? "";
  const isWanted = accept.split(",").some((one) => {
    const [wanted, given] = [one.trim().toLowerCase(), type.toLowerCase()];
    return wanted.endsWith("/*") ? given.startsWith(wanted.slice(0, -1)) : given === wanted;
  });
  return accept === "" || isWanted ? null : (dataset["wrongType"] ?? "");
}

/** Takes what was chosen out of the input, so that the same file can be chosen again. */
export function handleChosenFiles(input: HTMLInputElement, then: AnswerHandler): void {
  const files = [...(input.files ?? [])];
  refused = [];
  input.value = "";
  for (const file of files) {
    const why = refusalReason(input, file);
    if (why === null) {
      queue.push({ id: crypto.randomUUID(), field: input.dataset["upload"] ?? "", file });
      continue;
    }
    refused.push([input.id, `${file.name}: ${why}`]);
  }
  if (queue.length > 0) void sendFiles(then);
  else reportRefused();
}

/** Of those that were chosen together, each that is not taken, with its name and the reason. */
let refused: (readonly [string, string])[] = [];

function showRefused(): void {
  for (const [id] of refused) {
    const lines = refused.filter(([other]) => other === id).map(([, line]) => line);
    showErrors(new Map([[id, lines.join(" ")]]));
  }
}

function reportRefused(): void {
  showRefused();
  if (refused.length > 0) showStatus(refused.map(([, line]) => line).join(" "), true);
}

/** All that wait, after those that are on their way. */
export function sendFiles(then: AnswerHandler): Promise<UploadOutcome> {
  lastUpload = lastUpload.then(() => sendAll(then));
  return lastUpload;
}

async function sendAll(then: AnswerHandler): Promise<UploadOutcome> {
  let outcome: UploadOutcome = "sent";
  for (const one of queue) {
    const input = inputFor(one.field);
    const bar = input?.parentElement?.querySelector("progress") ?? null;
    if (bar !== null) bar.hidden = false;
    showStatus(word("uploading"));
    const answer = await uploadFile(one, bar);
    if (bar !== null) bar.hidden = true;
    if (answer === null) {
      await Promise.all(queue.map(storeFile));
      showWaiting();
      showStatus(waitingText(one), true);
      return "waits";
    }
    const isFine = answer.status < 300;
    // Refused for another reason than itself, such as a link that is over, it is kept.
    if (isFine || FILE_ERROR_STATUSES.has(answer.status)) removeFromQueue(one.id);
    else await storeFile(one);
    const fresh = parse(answer.text);
    then(fresh, isFine);
    showWaiting();
    if (isFine) continue;
    outcome = "refused";
    const [why] = errorsIn(fresh).values();
    if (input !== null && why !== undefined) refused.push([input.id, `${one.file.name}: ${why}`]);
  }
  reportRefused();
  return outcome;
}

const waitingText = ({ file }: WaitingFile): string =>
  word("fileWaits").replace("{name}", file.name);

function uploadFile(
  { field, file }: WaitingFile,
  bar: HTMLProgressElement | null,
): Promise<{ readonly text: string; readonly status: number } | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ field, name: file.name });
    request.open("POST", withPageLanguage(`${path()}/files?${query}`));
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && bar !== null) bar.value = (100 * event.loaded) / event.total;
    });
    request.addEventListener("load", () =>
      resolve({ text: request.responseText, status: request.status }),
    );
    request.addEventListener("error", () => resolve(null));
    request.send(file);
  });
}

function removeFromQueue(id: string): void {
  queue = queue.filter((one) => one.id !== id);
  void dropFile(id);
}

export function dropFiles(): void {
  for (const { id } of queue) removeFromQueue(id);
}

/** Those of an earlier visit that were never sent. */
export async function restoreQueue(): Promise<void> {
  const known = new Set(queue.map(({ id }) => id));
  queue.push(...(await loadFiles()).filter(({ id }) => !known.has(id)));
  showWaiting();
}

/** Named beside their inputs, whatever the server has drawn there. */
export function showWaiting(): void {
  showRefused();
  for (const old of document.querySelectorAll(".file[data-waits]")) old.remove();
  for (const one of queue) {
    const { id, field, file } = one;
    const line = document.createElement("p");
    line.className = "file";
    line.dataset["waits"] = id;
    const drop = buttonFor("unwait", id, "✕");
    drop.setAttribute("aria-label", word("removeFile").replace("{name}", file.name));
    line.append(waitingText(one), " ", drop);
    inputFor(field)?.before(line);
  }
}

/** True if the click was for a file that waits, and is done. */
export function handleFileClick({ dataset }: HTMLElement): boolean {
  const id = dataset["unwait"];
  if (id === undefined) return false;
  removeFromQueue(id);
  showWaiting();
  return true;
}
