import { describe, expect, it } from "vitest";
import { partOf, codeLocationsOf } from "../../../scripts/bench/profile-parts.ts";

/** One line of the bundle: two functions, each from a file of its own. */
const MAP = JSON.stringify({
  version: 3,
  sources: ["src/object/commit.ts", "../node_modules/hono/dist/hono-base.js"],
  names: [],
  mappings: "AAAA,oBCAA",
});
const locations = codeLocationsOf(MAP);
const COMMIT = "JS:*'commit index.js:1:1";
const DISPATCH = "JS:^#dispatch index.js:1:21";

describe("a sampled stack", () => {
  it("is assigned to the source file of its innermost JavaScript frame", () => {
    expect(locations(COMMIT)).toEqual({ file: "src/object/commit.ts", name: "commit" });
    expect(locations(DISPATCH)).toEqual({ file: "hono/dist/hono-base.js", name: "#dispatch" });
    expect(locations("sqlite3_step")).toBeNull();
    expect(partOf(["v8::Object::New", COMMIT, DISPATCH, "main"], locations)).toBe(
      "object and storage",
    );
    expect(partOf([DISPATCH, "main"], locations)).toBe("Hono");
  });

  it("belongs to SQLite, its sync or the garbage collector, whatever called them", () => {
    expect(partOf(["sqlite3VdbeExec", "sqlite3_step", COMMIT], locations)).toBe("SQLite");
    expect(partOf(["ext4_sync_file", "do_fsync", "sqlite3_step"], locations)).toBe("sync to disk");
    expect(partOf(["v8::internal::Heap::CollectGarbage", COMMIT], locations)).toBe(
      "garbage collection",
    );
  });

  it("belongs to the runtime if no JavaScript runs", () => {
    expect(partOf(["workerd::api::JsRpcTargetBase::callImpl", "main"], locations)).toBe("RPC");
    expect(partOf(["tcp_sendmsg", "__libc_write", "main"], locations)).toBe("network");
    expect(partOf(["kj::_::Event::fire", "main"], locations)).toBe("rest of the runtime");
  });
});
