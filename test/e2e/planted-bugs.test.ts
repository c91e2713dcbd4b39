import { describe, expect, it } from "vitest";
import { huntBug } from "../support/model/bug-hunt.ts";
import { PLANTED_BUGS } from "../support/model/planted-bugs.ts";

const SEED = 1;
/** A plan on a server is shrunk by `npm run model -- --bugs`; here it is enough that it fails. */
const OPTIONS = { seed: SEED, shrinkMs: 0 };

describe("a bug that is planted into the source is found:", () => {
  it.each(PLANTED_BUGS)("$name, as a violation of: $law", async (bug) => {
    const found = await huntBug(bug, OPTIONS);
    expect(found?.violations[0]?.law).toBe(bug.law);
    expect(found?.plan, "what observers see is attributed to a session too").toMatchObject(
      bug.isObserved === true ? { isObserved: true } : { steps: expect.any(Array) },
    );
  });
});
