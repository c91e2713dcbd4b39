/**
 * Uploads files one after another as they are chosen, with a progress bar. A file that cannot be sent now
 * waits in this browser, also over a reload, until it is sent or the person removes it.
 */
import { buttonFor, form, withPageLanguage, parse, path, showStatus, word } from "./dom";
import { errorsIn, showErrors } from "./errors";
import { dropFile, loadFiles, storeFile, type WaitingFile } from "./draft-store";

type UploadOutcome = "sent" | "waits" | "refused";
/** Handles the server's response to one file. */
type AnswerHandler = (fresh: Document, isFine: boolean) => void;

/** Statuses that are about the file itself. */
const FILE_ERROR_STATUSES = new Set([411, 413, 422]);

let queue: WaitingFile[] = [];
let lastUpload: Promise<UploadOutcome> = Promise.resolve("sent");

export const isSending = (root: ParentNode): boolean =>
  root.querySelector("progress:not([hidden])") !== null;

export const waitingFiles = (): readonly WaitingFile[] => queue;

const inputFor = (field: string): HTMLInputElement | null =>
  form()?.querySelector<HTMLInputElement>(`input[data-upload="${CSS.escape(field)}"]`) ?? null;

/** Why the server would refuse the file, found before the upload. Null if it may accept it. */
function refusalReason({ dataset, accept }: HTMLInputElement, { size, type }: File): string | null {
  if (size > Number(dataset["max"])) return dataset["tooLarge"] ?? "";
  const isAccepted = accept.split(",").some((one) => {
    const [accepted, actual] = [one.trim().toLowerCase(), type.toLowerCase()];
    return accepted.endsWith("/*") ? actual.startsWith(accepted.slice(0, -1)) : actual === accepted;
  });
  return accept === "" || isAccepted ? null : (dataset["wrongType"] ?? "");
}

/** Clears the input, so that the same file can be chosen again. */
export function handleChosenFiles(input: HTMLInputElement, then: AnswerHandler): void {
  const files = [...(input.files ?? [])];
  refused = [];
  input.value = "";
  for (const file of files) {
    const reason = refusalReason(input, file);
    if (reason === null) {
      queue.push({ id: crypto.randomUUID(), field: input.dataset["upload"] ?? "", file });
      continue;
    }
    refused.push([input.id, `${file.name}: ${reason}`]);
  }
  if (queue.length > 0) void sendFiles(then);
  else reportRefused();
}

/** The refused files of the last choice: the input's id, and the name with the reason. */
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

/** Uploads all waiting files after those that are being sent. */
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
    // Refused for another reason, such as an expired link: the file is kept.
    if (isFine || FILE_ERROR_STATUSES.has(answer.status)) removeFromQueue(one.id);
    else await storeFile(one);
    const fresh = parse(answer.text);
    then(fresh, isFine);
    showWaiting();
    if (isFine) continue;
    outcome = "refused";
    const [reason] = errorsIn(fresh).values();
    if (input !== null && reason !== undefined)
      refused.push([input.id, `${one.file.name}: ${reason}`]);
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

/** Adds stored files that were never sent. */
export async function restoreQueue(): Promise<void> {
  const known = new Set(queue.map(({ id }) => id));
  queue.push(...(await loadFiles()).filter(({ id }) => !known.has(id)));
  showWaiting();
}

/** Lists the waiting files at their inputs, also after a merge. */
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

/** Removes a waiting file. True if the click was for one. */
export function handleFileClick({ dataset }: HTMLElement): boolean {
  const id = dataset["unwait"];
  if (id === undefined) return false;
  removeFromQueue(id);
  showWaiting();
  return true;
}
