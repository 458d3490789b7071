import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { ChildServer } from "../../../tools/dev/child-server.ts";

/** Creates a server whose program ends at the first bundle, and the list of its exit codes. */
function createServer(): { readonly server: ChildServer; readonly codes: readonly number[] } {
  const folder = mkdtempSync(join(tmpdir(), "child-"));
  const program = join(folder, "program.mjs");
  writeFileSync(program, `process.once("message", () => process.exit(3));`);
  const codes: number[] = [];
  const server = new ChildServer(program, [], {
    listening() {},
    output() {},
    ended: (code) => void codes.push(code),
  });
  onTestFinished(() => {
    server.stop();
    rmSync(folder, { recursive: true });
  });
  return { server, codes };
}

test("a version that was built after the program has ended starts no process", async () => {
  const { server, codes } = createServer();
  server.load("file:///first.js");
  await expect.poll(() => codes).toEqual([3]);
  server.load("file:///second.js");
  expect(server.isRunning).toBe(false);
});

test("it ends if no process can be started", async () => {
  const { execPath } = process;
  onTestFinished(() => void (process.execPath = execPath));
  process.execPath = join(import.meta.dirname, "missing");
  const { server, codes } = createServer();
  server.load("file:///first.js");
  await expect.poll(() => codes).toEqual([1]);
});
