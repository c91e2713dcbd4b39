import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { Baton, unwrap, type LogEvent } from "../../src/client/index";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

it("the SDK runs in workerd: writes, follows the log live and resumes by its token", async () => {
  const baton = Baton.connect("http://baton.test", {
    fetch: (url, init) => worker.default.fetch(new Request(url, init)),
  });
  const session = await baton.create({ title: "In a Worker" });
  const seen: LogEvent[] = [];
  const following = (async () => {
    for await (const event of session.events({ after: 0 })) seen.push(event);
  })();
  const ended = expect(following).rejects.toMatchObject({ code: "token_superseded" });

  await session.append({ type: "a.b" });
  unwrap(await session.setFields({ from: "workerd" }));
  const other = await baton.resume(session.token, { lastEventSeq: 0 });
  unwrap(await other.cancel());
  await ended;

  expect(seen.slice(0, 4).map(({ type }) => type)).toEqual([
    "session.created",
    "token.issued",
    "a.b",
    "fields.updated",
  ]);
  expect(other.resumed?.events.slice(0, 4)).toEqual(seen.slice(0, 4));
});
