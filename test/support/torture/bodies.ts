/** What an operation says, with a mark that no other carries wherever there is room for one. */
export interface Said {
  readonly body: Readonly<Record<string, unknown>>;
  readonly mark: string | null;
  readonly auto?: boolean;
}

/** Numbers of the participants that may be revoked while all play on; see `ROLES`. */
export const GUESTS = [8, 9] as const;

/** Every file has as many bytes, so that anybody can send any. */
export const FILE_BYTES = 64;
/** Which file an operation is about: one of the first few that were announced. */
export const uploadOf = (arg: number): string => `upl_${1 + (arg % 5)}`;
export const bytesOf = (mark: string): string => mark.padEnd(FILE_BYTES, ".").slice(0, FILE_BYTES);

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
    case "fork":
      return { body: { reason: mark }, mark };
    case "trim":
      return { body: { checkpoint: `chk_${1 + (arg % 4)}` }, mark: `chk_${1 + (arg % 4)}` };
    case "link":
      return { body: { to: "human", scopes: ["fill"], singleUse: true, note: mark }, mark };
    case "revoke": {
      const participant = `par_${GUESTS[arg % GUESTS.length]}`;
      return { body: { participant }, mark: null };
    }
    case "requestUpload": {
      const field = arg % 2 === 0 ? {} : { field: `file${arg % 3}` };
      const file = { name: mark, type: "text/plain", size: FILE_BYTES };
      return { body: { ...file, ...field }, mark };
    }
    case "confirmUpload":
      return { body: { path: `/uploads/${uploadOf(arg)}/confirm` }, mark: uploadOf(arg) };
    case "removeUpload":
      return { body: { path: `/uploads/${uploadOf(arg)}` }, mark: uploadOf(arg) };
    default:
      return { body: {}, mark: null };
  }
}
