/** What an operation says, with a mark that no other carries wherever there is room for one. */
export interface Said {
  readonly body: Readonly<Record<string, unknown>>;
  readonly mark: string | null;
  readonly auto?: boolean;
}

export function bodyOf(name: string, arg: number, mark: string, head: number): Said {
  switch (name) {
    case "setFields": {
      const title = arg % 10 === 0 ? { title: `t${arg}` } : {};
      return { body: { fields: { [`f${arg % 6}`]: mark }, ...title }, mark };
    }
    case "append": {
      const events = Array.from({ length: 1 + (arg % 3) }, (_, n) => ({
        type: "agent.note",
        payload: { mark, n },
      }));
      return { body: { events }, mark };
    }
    case "resume": {
      const auto = arg % 5 === 0;
      const body = { lastEventSeq: arg % (head + 1), actor: { id: "agent", name: mark } };
      return auto ? { body: { ...body, auto }, mark, auto } : { body, mark };
    }
    case "requestInput":
      return { body: { note: mark }, mark };
    case "approve":
    case "requestChanges":
      return { body: { comment: mark }, mark };
    case "reject":
    case "finalize":
    case "cancel":
    case "pause":
    case "unpause":
      return { body: { reason: mark }, mark };
    case "checkpoint":
      return { body: { name: mark }, mark };
    case "handoff":
      return { body: { to: "agent", scopes: ["view"], note: mark }, mark };
    case "extend":
      return { body: { ttlMs: 86_400_000 + 1_000 * arg }, mark: null };
    case "restore":
      return { body: { path: `/checkpoints/chk_${1 + (arg % 3)}/restore` }, mark: null };
    default:
      return { body: {}, mark: null };
  }
}
