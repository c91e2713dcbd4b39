/** The whole product over its HTTP face, with a look into the object's storage. */
import { numberOf } from "../../../src/domain/ids";
import type { SqlPort } from "../../../src/storage/sql-port";
import type { Answer, CreatedSession, Client } from "../../support/client";
import type { Driver, PlayedAnswer, PlayedCommand, PlayedRequest, Stored } from "./driver";
import { SCHEMA } from "./plan";
import { dump, readStored } from "./stored";

/** Runs a look at the session's storage inside its object. */
export type LookInside = <T>(session: CreatedSession, look: (sql: SqlPort) => T) => Promise<T>;

export class HttpDriver implements Driver {
  readonly #client: Client;
  readonly #lookInside: LookInside;
  #begun: CreatedSession | null = null;

  constructor(client: Client, lookInside: LookInside) {
    this.#client = client;
    this.#lookInside = lookInside;
  }

  get #session(): CreatedSession {
    if (this.#begun === null) throw new Error("begin first");
    return this.#begun;
  }

  async begin(review: { required: boolean; approvals: number }) {
    this.#begun = await this.#client.create({ review, schema: SCHEMA });
    return { token: this.#begun.token, version: this.#begun.answer.body.session.version };
  }

  async send({ token, command, key, ifMatch }: PlayedRequest): Promise<PlayedAnswer> {
    const [method, path, body] = routeOf(command);
    const answer = await this.#client.on(this.#session, method, path, {
      token,
      ...(body === null ? {} : { body }),
      ...(key === null ? {} : { key }),
      ...(ifMatch === null ? {} : { ifMatch }),
    });
    return played(answer);
  }

  async look(token: string): Promise<PlayedAnswer> {
    return played(await this.#client.on(this.#session, "GET", "", { token }));
  }

  /** Real time: nothing to do. */
  async wait(): Promise<void> {}

  snapshot(): Promise<string> {
    return this.#lookInside(this.#session, dump);
  }

  stored(): Promise<Stored> {
    return this.#lookInside(this.#session, readStored);
  }
}

function played({ body, headers, status }: Answer): PlayedAnswer {
  const isAccepted = status < 400;
  const session = isAccepted ? body?.session : body?.current;
  return {
    code: isAccepted ? null : body.code,
    replayed: headers.get("Idempotent-Replayed") === "true",
    token: body?.resumeToken ?? null,
    made:
      body?.participantToken === undefined
        ? null
        : {
            number: numberOf(body.handoff.participant, "par_") ?? 0,
            token: body.participantToken,
          },
    child: body?.childToken === undefined ? null : { id: body.child.id, token: body.childToken },
    floor: body?.floor ?? null,
    version: session?.version ?? null,
    missed: (body?.missed ?? []).map(({ seq }: { seq: number }) => seq),
    appended: appendedIn(body),
  };
}

function appendedIn(body: Answer["body"]): PlayedAnswer["appended"] {
  if (typeof body?.first === "number") return [body.first, body.last];
  return typeof body?.seq === "number" ? [body.seq, body.seq] : null;
}

const PATHS = {
  resume: "/resume",
  requestInput: "/request-input",
  submit: "/submit",
  approve: "/approve",
  reject: "/reject",
  requestChanges: "/request-changes",
  finalize: "/finalize",
  cancel: "/cancel",
  pause: "/pause",
  unpause: "/unpause",
  extend: "/extend",
  handoff: "/handoffs",
  reportStop: "/stops",
  checkpoint: "/checkpoints",
} as const;

function routeOf(command: PlayedCommand): readonly [method: string, path: string, body: unknown] {
  switch (command.operation) {
    case "purge":
      return ["DELETE", "", null];
    case "revokeHandoff":
      return ["DELETE", `/handoffs/hnd_${command.participant}`, null];
    case "revoke":
      return [
        "POST",
        "/revoke",
        command.target === "others" ? { others: true } : { participant: `par_${command.target}` },
      ];
    case "erasePrivate":
      return ["DELETE", `/private/${command.field}`, null];
    case "append": {
      const { events: count, expectedHead } = command;
      const events = Array.from({ length: count }, () => ({ type: "play.tick" }));
      return ["POST", "/events", { events, expectedHead }];
    }
    case "pinCheckpoint":
      return ["PATCH", `/checkpoints/chk_${command.checkpoint}`, { pinned: command.pinned }];
    case "deleteCheckpoint":
      return ["DELETE", `/checkpoints/chk_${command.checkpoint}`, null];
    case "restore":
      return ["POST", `/checkpoints/chk_${command.checkpoint}/restore`, {}];
    case "trim":
      return ["POST", "/trim", { checkpoint: `chk_${command.checkpoint}` }];
    case "fork": {
      const { operation: _, from, ...body } = command;
      return ["POST", "/fork", from === undefined ? body : { ...body, from: `chk_${from}` }];
    }
    case "setLabels":
    case "setFields": {
      const { operation: _, ...body } = command;
      return ["PATCH", "", body];
    }
    default: {
      const { operation, ...body } = command;
      return ["POST", PATHS[operation], body];
    }
  }
}
