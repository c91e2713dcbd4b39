/** Starts a process that outlives its parent, and then never finishes loading. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";

const server = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
server.unref();
appendFileSync(process.env["HANGING_PIDS"] ?? "", `${process.pid}\n${server.pid}\n`);
await new Promise(() => {});

it("never runs", () => expect(1).toBe(1));
