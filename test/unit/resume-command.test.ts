/** A resume command is a list of arguments: nothing that a participant wrote is ever read by a shell. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programEnv } from "../../src/cli/program.ts";
import { fillPlaceholders, parseResumeCommand } from "../../src/cli/resume-command.ts";

const filled = (text: string, prompt: string) =>
  fillPlaceholders(parseResumeCommand(text), { sessionId: "ses_1", prompt });

describe("a resume command", () => {
  it.each([
    ["my-agent --resume {sessionId}", ["my-agent", "--resume", "ses_1"]],
    ["my-agent --resume={sessionId} {prompt}", ["my-agent", "--resume=ses_1", "p q"]],
    [`x "{prompt}" '' "a b" c\\ d 'e"f' "g\\"h"`, ["x", "p q", "", "a b", "c d", 'e"f', 'g"h']],
    ["  x\n\t{prompt}  ", ["x", "p q"]],
  ])("is split into arguments: %s", (text, expected) => {
    expect(filled(text, "p q")).toEqual(expected);
  });

  it("passes a prompt unchanged as one argument, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (prompt) => {
        expect(filled(`x "{prompt}" y`, prompt)).toEqual(["x", prompt, "y"]);
      }),
    );
    for (const prompt of [
      "$(touch x)",
      "`touch x`",
      `"; touch x; "`,
      "' && x '",
      "a\nb",
      "{sessionId}",
    ]) {
      expect(filled("x {prompt}", prompt)).toEqual(["x", prompt]);
    }
  });

  it.each([
    [`sh -c 'x "{prompt}"'`, "must be a separate argument"],
    ["x --prompt={prompt}", "must be a separate argument"],
    ["x {prompt}{prompt}", "must be a separate argument"],
    ["x {token}", "--with-token"],
    [`x "y`, "not closed"],
    ["x 'y", "not closed"],
    ["  ", "does not name a program"],
  ])("is refused before anything runs: %s", (text, problem) => {
    expect(() => parseResumeCommand(text)).toThrow(problem);
  });
});

describe("the environment of a program", () => {
  it("contains what is passed to it and none of our secrets", () => {
    const inherited = {
      PATH: "/bin",
      BATON_HOME: "/h",
      BATON_KEY: "k",
      BATON_TOKEN: "k",
      METRICS_TOKEN: "k",
      SIGNING_KEYS: "k",
      MODEL_API_KEY: "the program's own",
    };
    expect(programEnv(inherited, { BATON_TOKEN: "own" })).toEqual({
      PATH: "/bin",
      BATON_HOME: "/h",
      MODEL_API_KEY: "the program's own",
      BATON_TOKEN: "own",
    });
  });
});
