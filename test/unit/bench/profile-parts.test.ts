import { describe, expect, it } from "vitest";
import { partOf, codeLocationsOf } from "../../../scripts/bench/profile-parts.ts";

/** One line of the bundle: two functions, each from a file of its own. */
const MAP = JSON.stringify({
  version: 3,
  sources: ["src/object/commit.ts", "../node_modules/hono/dist/hono-base.js"],
  names: [],
  mappings: "AAAA,oBCAA",
});
const places = codeLocationsOf(MAP);
const COMMIT = "JS:*'commit index.js:1:1";
const DISPATCH = "JS:^#dispatch index.js:1:21";

describe("a sampled stack", () => {
  it("is found in the file that its innermost JavaScript was made of", () => {
    expect(places(COMMIT)).toEqual({ file: "src/object/commit.ts", name: "commit" });
    expect(places(DISPATCH)).toEqual({ file: "hono/dist/hono-base.js", name: "#dispatch" });
    expect(places("sqlite3_step")).toBeNull();
    expect(partOf(["v8::Object::New", COMMIT, DISPATCH, "main"], places)).toBe(
      "object and storage",
    );
    expect(partOf([DISPATCH, "main"], places)).toBe("Hono");
  });

  it("belongs to SQLite, its sync or the collector wherever they were called from", () => {
    expect(partOf(["sqlite3VdbeExec", "sqlite3_step", COMMIT], places)).toBe("SQLite");
    expect(partOf(["ext4_sync_file", "do_fsync", "sqlite3_step"], places)).toBe("sync to disk");
    expect(partOf(["v8::internal::Heap::CollectGarbage", COMMIT], places)).toBe(
      "garbage collection",
    );
  });

  it("is the runtime's own where no JavaScript runs", () => {
    expect(partOf(["workerd::api::JsRpcTargetBase::callImpl", "main"], places)).toBe("RPC");
    expect(partOf(["tcp_sendmsg", "__libc_write", "main"], places)).toBe("network");
    expect(partOf(["kj::_::Event::fire", "main"], places)).toBe("rest of the runtime");
  });
});
