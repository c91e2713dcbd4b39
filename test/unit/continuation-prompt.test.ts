import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderPrompt, nextStepNumber } from "../../src/domain/checkpoints/continuation-prompt";
import { LIMITS } from "../../src/domain/limits";
import { ok } from "../../src/domain/result";

const NEXT_STEP = {
  stepsCompleted: [1, 3, 2],
  description: "Write the chapter on {context} and costs of $& and $1",
  body: `# Next step

Steps 1 to 3 are done; see \`notes/{step}.md\`.

- keep {description} as it is
- nothing in {here} is replaced
`,
};

describe("the continuation prompt", () => {
  // Shows B-3.
  it("equals the golden file", () => {
    const golden = readFileSync(join(import.meta.dirname, "golden/continuation.txt"), "utf8");
    expect(renderPrompt(NEXT_STEP)).toEqual(ok(golden));
  });

  it("replaces every placeholder of a custom template, and only the three names", () => {
    const template = "{step}/{step} {description} {context} {other} {{step}} {Step} { step }";
    const nextStep = { step: 7, description: "d", body: "c" };
    expect(renderPrompt(nextStep, template)).toEqual(ok("7/7 d c {other} {7} {Step} { step }"));
  });

  // Shows B-3.
  it("replaces once and never inside an inserted value", () => {
    const piece = fc.constantFrom(
      "{step}",
      "{description}",
      "{context}",
      "$&",
      "$1",
      "{",
      "}",
      "x",
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, (description, body) => {
        const prompt = renderPrompt(
          { step: 2, description, body },
          "<{step}|{description}|{context}>",
        );
        expect(prompt).toEqual(ok(`<2|${description}|${body}>`));
      }),
    );
  });

  it("of a session without a next step starts at step 1 with nothing known", () => {
    expect(renderPrompt(null, "{step}:{description}:{context}")).toEqual(ok("1::"));
  });

  // Shows B-10.
  it("holds promptLength characters and not one more", () => {
    const body = "x".repeat(LIMITS.promptLength / 16);
    const template = "{context}".repeat(16);
    expect(renderPrompt({ body }, template)).toEqual(ok("x".repeat(LIMITS.promptLength)));
    expect(renderPrompt({ body }, `${template}.`)).toMatchObject({
      ok: false,
      error: { code: "too_large", limit: LIMITS.promptLength },
    });
  });
});

describe("the next step", () => {
  it.each([
    [null, 1],
    [{}, 1],
    [{ step: 9, stepsCompleted: [1] }, 9],
    [{ stepsCompleted: [] }, 1],
    [{ stepsCompleted: [2, 5, 3] }, 6],
    [{ step: 0 }, 0],
  ])("of %j is %d", (nextStep, expected) => {
    expect(nextStepNumber(nextStep)).toBe(expected);
  });
});
