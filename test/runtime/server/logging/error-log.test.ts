import { afterEach, describe, expect, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { writeToStandardError } from "../../../../runtime/server/logging/stderr.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";

afterEach(() => vi.restoreAllMocks());

function write(report: ErrorReport): readonly unknown[][] {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {});
  writeToStandardError(report);
  return spy.mock.calls;
}

describe("the default error log on standard error", () => {
  test.each(["protocol", "transport", "loss"] as const)(
    "R65: a fault of kind %s is one line without a stack",
    (kind) => {
      expect(write({ kind, method: "tools/call", error: new Error("no such thing") })).toEqual([
        [`[mcp] ${kind} in tools/call: no such thing`],
      ]);
    },
  );

  test.each(["handler", "result", "callback"] as const)("a failure of kind %s keeps its stack", (kind) => {
    const error = new Error("broken");
    expect(write({ kind, error })).toEqual([[`[mcp] ${kind}:`, error]]);
  });

  test("a failure keeps the calls of the server's code, and neither those of the runtime nor those of Node.js", () => {
    const stack = (...places: readonly string[]): string =>
      ["Error: broken", ...places.map((at) => `    at ${at}`)].join("\n");
    const own = ["run (/app/node_modules/mcp-server-runtime/parts/a.js:1:1)", "node:internal/process/task_queues:95:5"];
    const cause = Object.assign(new Error("inner"), { stack: stack("open (/app/src/b.ts:2:2)", ...own) });
    const full = stack("execute (/app/src/a.ts:1:1)", ...own);
    const error = Object.assign(new Error("broken", { cause }), { stack: full, code: "E1" });
    const [[, shown] = []] = write({ kind: "handler", error });
    expect(shown).toBeInstanceOf(Error);
    expect(shown).toMatchObject({
      message: "broken",
      code: "E1",
      stack: stack("execute (/app/src/a.ts:1:1)"),
      cause: { stack: stack("open (/app/src/b.ts:2:2)") },
    });
    expect(error.stack).toBe(full);
    const wrapped = Object.assign(new Error("broken", { cause: error }), { stack: stack(...own) });
    const shownWrapped = write({ kind: "handler", error: wrapped }).at(-1)?.[1];
    expect(shownWrapped).toMatchObject({ stack: stack(), cause: { stack: stack("execute (/app/src/a.ts:1:1)") } });
    const inside = Object.assign(new Error("broken"), { stack: stack(...own) });
    expect(write({ kind: "handler", error: inside }).at(-1)?.[1]).toBe(inside);
  });

  test("errors that peers may cause are not written", () => {
    expect(write({ kind: "ignored", error: new Error("late") })).toEqual([]);
  });

  test("R65: a peer can neither add lines, nor move the cursor, nor write a secret, nor fill the log", () => {
    const message = `x\r\n[mcp] handler: forged\u001b[2J\u2028\u202e Bearer abcdefghijkl ${"y".repeat(100_000)}`;
    const [[line] = []] = write({ kind: "protocol", error: new PeerError({ code: 1, message }) });
    expect(line).toMatch(/^\[mcp\] protocol: x \[mcp\] handler: forged \[2J {2}\[redacted\] y+/);
    expect(String(line).length).toBeLessThan(400);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  test("the default error log is that of a server without `onError`", () => {
    const spy = vi.spyOn(console, "error").mockImplementation(() => {});
    const report = { kind: "handler", error: new Error("broken") } as const;
    createServer({ name: "test", version: "1" }, revisions).onError(report);
    expect(spy.mock.calls).toEqual([["[mcp] handler:", report.error]]);
  });
});
