import { describe, expect, it } from "vitest";
import { Markdown } from "../../../src/ui/markdown";

const drawn = (text: string): string => String(Markdown({ text }));

describe("markdown of another author", () => {
  it("shows headings, emphasis, code, lists and links to https", () => {
    expect(drawn("# Why\n\nA **b** *c* `d` [e](https://example.com/f)\n\n- one\n- two")).toBe(
      '<div class="markdown" dir="auto"><p class="label">Why</p><p class="value">A <b>b</b> <em>c</em> <code>d</code> ' +
        '<a href="https://example.com/f" rel="noopener noreferrer nofollow" target="_blank">e</a></p>' +
        "<ul><li>one</li><li>two</li></ul></div>",
    );
  });

  // Long enough that quadratic work would not end within a test's time.
  it.each([
    ["brackets", "[".repeat(20_000_000)],
    ["links that do not end", "[a](https://".repeat(1_000_000)],
    ["stars", "*".repeat(5_000_000)],
    ["a heading of spaces", `# ${" ".repeat(500_000)}\nx`],
  ])("is drawn in time linear in its length: %s", (_, text) => {
    expect(drawn(text).length).toBeGreaterThan(text.length);
  });
});
