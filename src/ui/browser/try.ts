/**
 * The try-out on the front page. It calls the public API as an agent would. The token is only in this
 * script's memory and must never be stored.
 */
interface ApiResponse {
  readonly code?: string;
  readonly title?: string;
  readonly resumeToken?: string;
  readonly current?: { readonly version: number };
  readonly session: { readonly id: string };
  readonly handoff: { readonly url: string };
}

interface LogEntry {
  readonly seq?: number;
  readonly type: string;
  readonly actor: { readonly id: string; readonly name?: string };
}

const SCHEMA = {
  type: "object",
  required: ["destination", "travellers", "departure"],
  properties: {
    destination: { type: "string", title: "Destination", description: "Where the trip goes" },
    travellers: { type: "integer", minimum: 1, title: "Travellers" },
    departure: { type: "string", format: "date", title: "Departure" },
    budget: { type: "number", title: "Budget in euros" },
    wishes: { type: "string", maxLength: 2000, title: "Wishes" },
    ticket: { type: "object", format: "file", title: "Ticket", maxBytes: 10_485_760 },
  },
};
const AGENT_EDITS = [
  { fields: { destination: "Lisbon" }, confidence: 0.95 },
  { fields: { budget: 1200 }, confidence: 0.5 },
  { fields: { wishes: "A window seat" }, confidence: 0.6 },
  { fields: { destination: "Porto" }, confidence: 0.9 },
];
const DAY_MS = 86_400_000;

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const words = JSON.parse(document.querySelector("main")?.dataset["words"] ?? "{}") as {
  readonly working: string;
  readonly failed: string;
};
const createButton = element<HTMLButtonElement>("begin");
const editButton = element<HTMLButtonElement>("act");
const status = element("say");
const log = element("log");
let session: string | null = null;
let token: string | null = null;
let step = 0;

/** After a version conflict the write is sent once more, as the protocol requires. */
async function call(
  path: string,
  method: string,
  body: object,
  seen?: number,
): Promise<ApiResponse> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID() + crypto.randomUUID(),
  };
  if (token !== null) headers["Authorization"] = `Bearer ${token}`;
  if (seen !== undefined) headers["If-Match"] = `"${seen}"`;
  const response = await fetch(path, { method, headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as ApiResponse;
  if (answer.code === "version_conflict" && answer.current !== undefined && seen === undefined) {
    return call(path, method, body, answer.current.version);
  }
  if (!response.ok) throw new Error(answer.title ?? String(response.status));
  token = answer.resumeToken ?? token;
  return answer;
}

async function whileBusy(work: () => Promise<unknown>): Promise<void> {
  createButton.disabled = true;
  editButton.disabled = true;
  status.textContent = words.working;
  status.classList.remove("bad");
  try {
    await work();
    status.textContent = "";
  } catch (error) {
    status.textContent = `${words.failed} ${(error as Error).message}`;
    status.classList.add("bad");
  }
  createButton.disabled = false;
  editButton.disabled = session === null;
}

/** Reads the log with fetch, because an EventSource cannot send a token in a header. */
async function follow(id: string, bearer: string): Promise<void> {
  log.textContent = "";
  const response = await fetch(`/sessions/${id}/events?after=0`, {
    headers: { Accept: "text/event-stream", Authorization: `Bearer ${bearer}` },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || session !== id) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop() ?? "";
    messages.forEach(show);
  }
}

function show(message: string): void {
  const [, data] = /^data: (.*)$/m.exec(message) ?? [];
  if (data === undefined) return;
  const { seq, type, actor } = JSON.parse(data) as LogEntry;
  if (seq === undefined) return;
  log.textContent += `${String(seq).padStart(3)}  ${type}  (${actor.name ?? actor.id})\n`;
  log.scrollTop = log.scrollHeight;
}

async function createSession(): Promise<void> {
  token = null;
  const created = await call("/sessions", "POST", {
    title: "Plan a trip",
    actor: { id: "planner", name: "Planner" },
    schema: SCHEMA,
    ttlMs: DAY_MS,
  });
  session = created.session.id;
  step = 0;
  element("logged").hidden = false;
  follow(session, created.resumeToken ?? "").catch(() => {
    // The page is being closed.
  });
  const { handoff } = await call(`/sessions/${session}/handoffs`, "POST", {
    to: "human",
    scopes: ["fill", "handoff"],
    note: "When do you travel, and how many of you?",
  });
  const path = new URL(handoff.url).pathname;
  const link = element<HTMLAnchorElement>("link");
  link.href = path;
  link.textContent = handoff.url;
  const qr = element<HTMLImageElement>("qr");
  qr.src = `${path}/qr.svg`;
  qr.alt = handoff.url;
  element("linked").hidden = false;
}

createButton.addEventListener("click", () => void whileBusy(createSession));
editButton.addEventListener("click", () => {
  void whileBusy(() => {
    const body = AGENT_EDITS[step % AGENT_EDITS.length] ?? {};
    step += 1;
    return call(`/sessions/${session}`, "PATCH", body);
  });
});
element("try").hidden = false;
