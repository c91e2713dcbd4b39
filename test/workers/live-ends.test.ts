import { describe, expect, it } from "vitest";
import { TRANSPORTS, type Transport } from "../support/live/connections";
import { inTime } from "../support/live/in-time";
import { openTestSocket, openStream, type SessionAccess } from "../support/live/worker-access";
import { client } from "../support/worker";

/** How a connection ended: the reason it received, and the types of the events before it. */
interface StreamEnd {
  readonly types: readonly string[];
  readonly end: unknown;
}

/** Listens until the connection ends. Resolves once it listens, with a promise of its end. */
async function listen(
  transport: Transport,
  access: SessionAccess,
): Promise<{ streamEnd: Promise<StreamEnd> }> {
  switch (transport) {
    case "event stream":
      return listenByStream(access);
    case "socket":
      return listenBySocket(access);
    case "long-poll":
      return listenByPolls(access);
  }
}

async function listenByStream(access: SessionAccess): Promise<{ streamEnd: Promise<StreamEnd> }> {
  const stream = await openStream(access);
  for (let frame = await stream.next(); frame?.event !== "replay.done"; ) {
    if (frame === null) throw new Error("the stream ended before its replay did");
    frame = await stream.next();
  }
  const readToEnd = async (): Promise<StreamEnd> => {
    const types: string[] = [];
    let end: unknown = null;
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
      if (frame.event === "end") end = JSON.parse(frame.data ?? "{}").reason;
      else types.push(frame.event ?? "");
    }
    return { types, end };
  };
  return { streamEnd: readToEnd() };
}

async function listenBySocket(access: SessionAccess): Promise<{ streamEnd: Promise<StreamEnd> }> {
  const socket = await openTestSocket(access);
  while ((await socket.receive()).type !== "replay.done");
  const readToEnd = async (): Promise<StreamEnd> => {
    const types: string[] = [];
    for (let message = await socket.receive(); message !== null; message = await socket.receive()) {
      if (message.type === "event") types.push(message.event.type);
    }
    return { types, end: (await socket.closed).code };
  };
  return { streamEnd: readToEnd() };
}

async function listenByPolls(access: SessionAccess): Promise<{ streamEnd: Promise<StreamEnd> }> {
  const readToEnd = async (): Promise<StreamEnd> => {
    const types: string[] = [];
    for (let after = ""; ; ) {
      const { token } = access;
      const path = `/events?waitMs=60000&limit=1${after}`;
      const { status, body } = await client.on(access, "GET", path, { token });
      if (status !== 200) return { types, end: body.code };
      // An ended session can still be read; there is nothing more to wait for.
      if (body.events.length === 0) return { types, end: "nothing more" };
      types.push(...body.events.map(({ type }: { type: string }) => type));
      after = `&after=${body.nextAfter}`;
    }
  };
  const streamEnd = readToEnd();
  // On a busy machine a short session may expire before the listener is connected.
  const hasEnded = streamEnd.then(() => true);
  for (;;) {
    if ((await connectedOf(access)).includes(true)) break;
    const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), 5));
    if (await Promise.race([hasEnded, pause])) break;
  }
  return { streamEnd };
}

/** A session with a second participant that may only view. */
async function createWithParticipant(
  body: object = {},
): Promise<{ host: SessionAccess; participant: SessionAccess; endsAt: number }> {
  const session = await client.create(body);
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes: ["view"] },
  });
  const { id } = session;
  return {
    host: { id, token: handedOff.body.resumeToken },
    participant: { id, token: handedOff.body.participantToken },
    endsAt: Date.parse(session.answer.body.session.expiresAt),
  };
}

async function act(
  access: SessionAccess,
  method: string,
  path: string,
  body?: object,
): Promise<SessionAccess> {
  const { token } = access;
  const answer = await client.on(access, method, path, { token, ...(body && { body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return { id: access.id, token: answer.body?.resumeToken ?? token };
}

const ENDS: Record<
  "ended" | "expired" | "revoked" | "gone" | "superseded",
  Record<Transport, unknown>
> = {
  ended: { "event stream": "ended", socket: 4200, "long-poll": "nothing more" },
  expired: { "event stream": "expired", socket: 4410, "long-poll": "expired" },
  revoked: { "event stream": "revoked", socket: 4403, "long-poll": "token_invalid" },
  gone: { "event stream": "gone", socket: 4411, "long-poll": "gone" },
  superseded: { "event stream": "superseded", socket: 4409, "long-poll": "token_superseded" },
};

describe.each(TRANSPORTS)("a listener by %s", (transport) => {
  it("gets the last events of a finalized session and the reason that it ended", async () => {
    const { host, participant } = await createWithParticipant();
    const { streamEnd } = await listen(transport, participant);
    await act(await act(host, "POST", "/submit"), "POST", "/finalize");
    expect(await streamEnd).toEqual({
      types: ["session.submitted", "session.finalized"],
      end: ENDS.ended[transport],
    });
  });

  it("gets the expiry as the last event, by the session's own alarm", async () => {
    const { listening } = await inTime(
      (ttlMs) => createWithParticipant({ ttlMs }),
      // A listener that connects too late gets a refusal and leaves by itself.
      async ({ participant }) => ({ ...(await listen(transport, participant)), leave: () => {} }),
    );
    const { types, end } = await listening.streamEnd;
    expect(types).toContain("session.expired");
    expect(end).toBe(ENDS.expired[transport]);
  });

  it("gets the reason that it was revoked, and no later events", async () => {
    const { host, participant } = await createWithParticipant();
    const { streamEnd } = await listen(transport, participant);
    const next = await act(host, "POST", "/revoke", { others: true });
    await act(next, "PATCH", "", { fields: { secret: 1 } });
    expect(await streamEnd).toEqual({ types: [], end: ENDS.revoked[transport] });
  });

  it("gets the reason that the session was purged", async () => {
    const { host, participant } = await createWithParticipant();
    const { streamEnd } = await listen(transport, participant);
    await act(host, "DELETE", "");
    expect(await streamEnd).toEqual({ types: [], end: ENDS.gone[transport] });
  });

  it("is superseded when its own participant resumes on another connection, and others are not", async () => {
    const { host, participant } = await createWithParticipant();
    const older = await listen(transport, participant);
    const other = await listen(transport, host);
    const resumed = await act(participant, "POST", "/resume");
    expect((await older.streamEnd).end).toBe(ENDS.superseded[transport]);
    const newer = await listen(transport, resumed);
    await act(host, "POST", "/cancel");
    const newerEnd = await newer.streamEnd;
    expect([newerEnd.types.at(-1), newerEnd.end]).toEqual([
      "session.cancelled",
      ENDS.ended[transport],
    ]);
    expect((await other.streamEnd).types).toContain("session.cancelled");
  });
});

async function connectedOf({ id, token }: SessionAccess): Promise<readonly boolean[]> {
  const { body } = await client.on({ id }, "GET", "", { token });
  const participants: readonly { readonly connected: boolean }[] = body.session?.participants ?? [];
  return participants.map(({ connected }) => connected);
}

describe("presence", () => {
  it("names each participant while it has an open connection", async () => {
    const { host, participant } = await createWithParticipant();
    expect(await connectedOf(host)).toEqual([false, false]);
    const theirs = await openTestSocket(participant);
    await theirs.receive();
    expect(await connectedOf(host)).toEqual([false, true]);
    const stream = await openStream(host);
    await stream.next();
    expect(await connectedOf(host)).toEqual([true, true]);
    theirs.close();
    await expect.poll(() => connectedOf(host)).toEqual([true, false]);
    // The participant's own resume ends its stream.
    const resumed = await act(host, "POST", "/resume");
    await expect.poll(() => connectedOf(resumed)).toEqual([false, false]);
  });
});
