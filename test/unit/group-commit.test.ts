import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../src/object/group-commit.ts";

/** A disk whose syncs end on demand. */
function makeDisk() {
  const syncs: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const group = new GroupCommit(
    () => new Promise<void>((resolve, reject) => syncs.push({ end: resolve, fail: reject })),
  );
  const written: string[] = [];
  const add = (name: string) =>
    group.add(() => {
      if (name === "bad") throw new Error("bad");
      written.push(name);
      return `${name}!`;
    });
  const endSync = async () => {
    syncs.at(-1)?.end();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { add, written, syncs, endSync };
}

describe("writes in a group commit", () => {
  it("are written at once if no sync is under way", async () => {
    const { add, written, endSync, syncs } = makeDisk();
    const first = add("a");
    expect(written).toEqual(["a"]);
    await expect(first).resolves.toBe("a!");
    await endSync();
    void add("b");
    expect(written).toEqual(["a", "b"]);
    expect(syncs).toHaveLength(2);
  });

  it("wait for the sync under way, and then share the next one, in their order", async () => {
    const { add, written, endSync, syncs } = makeDisk();
    void add("a");
    const others = ["b", "c", "d"].map(add);
    expect(written).toEqual(["a"]);
    await endSync();
    expect(written).toEqual(["a", "b", "c", "d"]);
    expect(syncs).toHaveLength(2);
    await expect(Promise.all(others)).resolves.toEqual(["b!", "c!", "d!"]);
    void add("e");
    expect(written).toHaveLength(4);
    await endSync();
    expect(written.at(-1)).toBe("e");
  });

  it("roll back no other if one of them fails", async () => {
    const { add, written, endSync } = makeDisk();
    void add("a");
    const [before, failing, after] = [add("b"), add("bad").catch(String), add("c")];
    await endSync();
    expect(await Promise.all([before, failing, after])).toEqual(["b!", "Error: bad", "c!"]);
    expect(written).toEqual(["a", "b", "c"]);
  });

  it("do not affect later ones if the first of them fails", async () => {
    const { add, written, syncs } = makeDisk();
    await expect(add("bad")).rejects.toThrow("bad");
    await expect(add("a")).resolves.toBe("a!");
    expect(written).toEqual(["a"]);
    expect(syncs).toHaveLength(1);
  });

  it("fail if the disk fails while they wait, and are not written", async () => {
    const { add, written, syncs } = makeDisk();
    void add("a");
    const waiting = add("b");
    syncs[0]?.fail(new Error("no space"));
    await expect(waiting).rejects.toThrow("no space");
    expect(written).toEqual(["a"]);
    await expect(add("c")).resolves.toBe("c!");
  });
});
