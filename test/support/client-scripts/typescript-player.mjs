/**
 * The TypeScript client as a player: reads steps of client scripts from standard input, one per line,
 * and prints their outcomes in the format that the players of all languages use.
 *
 * The step `begin` comes first and between two scripts. It names the server's address, the folder of
 * saved sessions, and the bug to simulate, or null.
 */
import { createInterface } from "node:readline";
import { Baton, ConflictError, StopError, WireError } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";

let bug = null;

/** Bugs to plant: the scripts must find each of them. */
class BuggyStore extends FileTokenStore {
  async save(name, saved) {
    if (bug === "forgets-pending") return super.save(name, { ...saved, pending: null });
    const before = bug === "keeps-token" ? await this.load(name) : null;
    return super.save(name, before?.token ? { ...saved, token: before.token } : saved);
  }

  exclusively(name, work, signal) {
    return bug === "no-lock" ? work() : super.exclusively(name, work, signal);
  }
}

function buggyFetch(address, init) {
  const headers = { ...init.headers };
  if (bug === "fresh-key" && "Idempotency-Key" in headers) {
    headers["Idempotency-Key"] = crypto.randomUUID();
  }
  if (bug === "no-if-match") delete headers["If-Match"];
  return fetch(address, { ...init, headers });
}

let baton = null;
let session = null;

const seen = ({ seq, type, payload }) => ({ seq, type, payload });
const written = (result) => {
  if (result === null) return null;
  if (result.ok) {
    const { session: after, proof } = result;
    return { ok: true, state: after.state, fields: after.fields, proven: proof?.seq ?? null };
  }
  const { code, current, missed, more } = result.conflict;
  return { ok: false, code, fields: current.fields, missed: missed.map(({ type }) => type), more };
};
const taken = (one) => {
  session = one;
  return {
    id: one.id,
    fields: one.state?.fields ?? null,
    recovered: one.recovered?.operation ?? null,
    resumed: one.resumed?.events.map(({ type }) => type) ?? null,
  };
};

const STEPS = {
  begin: async ({ url, folder, bug: planted }) => {
    bug = planted;
    session = null;
    baton = Baton.connect(url, {
      store: new BuggyStore(folder),
      fetch: buggyFetch,
      retry: { baseMs: 2, maxMs: 20, attempts: 6 },
    });
    return null;
  },
  open: async ({ name, input, onEnded }) => taken(await baton.open(name, input, { onEnded })),
  create: async ({ name, input }) => taken(await baton.create(input, { as: name })),
  resume: async ({ saved, input, name }) =>
    taken(await baton.resume(saved, input, name === undefined ? {} : { as: name })),
  attach: async ({ saved, name }) =>
    taken(await baton.attach(saved, name === undefined ? {} : { as: name })),
  get: async () => ({ fields: (await session.get()).fields, state: session.state.state }),
  set: async ({ fields, ifMatch, onConflict = "return" }) =>
    written(await session.setFields(fields, { ifMatch, onConflict })),
  count: async ({ field }) =>
    written(
      await session.update(({ fields }) => ({ fields: { [field]: (fields[field] ?? 0) + 1 } })),
    ),
  append: async ({ events, key }) => {
    const { first, last } = await session.append(events, key === undefined ? {} : { key });
    return { first, last };
  },
  appendAt: async ({ head, events }) => ({ ok: (await session.appendAt(head, events)).ok }),
  appendLong: async ({ text, times }) => {
    const payload = { text: text.repeat(times) };
    return { first: (await session.append({ type: "work.long", payload })).first };
  },
  readLong: async ({ after }) => {
    const { events } = await session.page({ after, types: ["work.long"] });
    return events.map(({ payload: { text } }) => ({
      start: text.slice(0, 3),
      length: text.length,
    }));
  },
  events: async ({ after, types }) => {
    const all = [];
    for await (const event of session.events({ after, types, untilReplayed: true })) {
      all.push(seen(event));
    }
    return all;
  },
  follow: async ({ after, count }) => {
    const all = [];
    for await (const event of session.events({ after })) {
      all.push(seen(event));
      if (all.length === count) break;
    }
    return all;
  },
  waitFor: async ({ type, after, timeoutMs }) => {
    const event = await session.waitFor(type, { after, timeoutMs });
    return event === null ? null : seen(event);
  },
  askPerson: async ({ question, timeoutMs }) => {
    const sent = [];
    const send = ({ code }) => void sent.push(code);
    const event = await session.askPerson({ question }, { send, timeoutMs });
    return { ended: event?.type ?? null, sent: sent.length, code: sent[0] };
  },
  page: async ({ after, limit }) => {
    const { events, more } = await session.page({ after, limit });
    return { events: events.map(seen), more };
  },
  handoff: async ({ scopes }) => ({
    token: (await session.handoff({ scopes })).participantToken,
  }),
  submit: async () => written(await session.submit()),
  finalize: async () => written(await session.finalize()),
  cancel: async () => written(await session.cancel()),
  settle: async () => {
    const settled = await session.settle();
    return settled === null ? null : { operation: settled.operation, isDone: settled.isDone };
  },
  checkpoint: async ({ name }) => ({ id: (await session.checkpoint({ name })).id }),
  restore: async ({ checkpoint }) => written(await session.restoreCheckpoint(checkpoint)),
  fork: async ({ reason, succeed }) => {
    const forked = await session.fork({ reason, succeed });
    if (!forked.ok) throw new ConflictError(forked.conflict);
    return { child: forked.child.id };
  },
  report: async ({ reason }) => ({
    strategy: (await session.report({ reason })).decision.strategy,
  }),
  run: async ({ plan }) => {
    const kinds = [];
    const reasons = [...plan];
    const outcome = await session.runWithResume(
      async () => {
        const reason = reasons.shift();
        if (reason !== null && reason !== undefined) throw new StopError({ reason });
      },
      { onProgress: ({ kind }) => void kinds.push(kind) },
    );
    session = outcome.session;
    return { outcome: outcome.outcome, attempt: outcome.attempt, kinds };
  },
  upload: async ({ text, name, field }) => {
    const data = new TextEncoder().encode(text);
    const { upload } = await session.upload(data, { name, type: "text/plain", field });
    return { size: upload.size, status: upload.status };
  },
  submitJob: async ({ agent, input }) => ({
    status: (await session.submitJob({ agent, input })).status,
  }),
  purge: async () => {
    await session.purge();
    return null;
  },
  saved: async () => ({ names: await baton.store.list() }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { do: step, ...args } = JSON.parse(line);
  let answer;
  try {
    answer = { value: await STEPS[step](args) };
  } catch (error) {
    const code = error instanceof WireError ? { code: error.code } : {};
    answer = { error: { error: error.name, ...code } };
  }
  console.log(JSON.stringify(answer));
}
