import { afterEach, expect, test, vi } from "vitest";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";

type Listener = (error: unknown) => void;

/** Replaces the process by one that lists what is written and how it exits. */
function replaceProcess(env: Record<string, string> = {}): {
  readonly events: unknown[];
  /** Throws an error that nothing catches. */
  readonly fail: (error: unknown) => void;
  /** Adds a listener of the program. */
  readonly handle: () => void;
  readonly count: (event: string) => number;
} {
  const events: unknown[] = [];
  const listeners = new Map<string, Listener[]>();
  const of = (event: string): Listener[] => listeners.get(event) ?? [];
  const on = (event: string, listener: Listener): unknown => listeners.set(event, [...of(event), listener]);
  vi.stubGlobal("process", {
    env,
    on,
    once: on,
    listeners: of,
    listenerCount: (event: string) => of(event).length,
    exit: (code: number) => events.push(code),
    stderr: { write: (text: string, done: () => void) => (events.push(text), done()) },
  });
  return {
    events,
    fail: (error) => {
      for (const listener of of("uncaughtExceptionMonitor")) listener(error);
      for (const listener of of("uncaughtException")) listener(error);
    },
    handle: () => on("uncaughtException", () => {}),
    count: (event) => of(event).length,
  };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a setup error that nothing catches is one line, and the exit code is 1", () => {
  const { events, fail } = replaceProcess();
  fail(new SetupError("The port is taken"));
  expect(events).toEqual(["[mcp] The port is taken (set NODE_DEBUG=mcp to print the stack)\n", 1]);
});

test("many setup errors watch once", () => {
  const { events, fail, count } = replaceProcess();
  const [error] = [new SetupError("a"), new SetupError("b")];
  expect(count("uncaughtExceptionMonitor")).toBe(1);
  fail(error);
  expect(events).toHaveLength(2);
});

test.each(["mcp", "http,mcp", "MCP"])("the stack is printed with NODE_DEBUG=%s", (value) => {
  const { events, fail } = replaceProcess({ NODE_DEBUG: value });
  fail(new SetupError("a"));
  expect(events).toEqual([]);
});

test.each(["mcps", "http", ""])("the stack is not printed with NODE_DEBUG=%s", (value) => {
  const { events, fail } = replaceProcess({ NODE_DEBUG: value });
  fail(new SetupError("a"));
  expect(events).toHaveLength(2);
});

test("other errors, and those that a program handles, are not changed", () => {
  const { events, fail, handle } = replaceProcess();
  const error = new SetupError("a");
  fail(new Error("other"));
  handle();
  fail(error);
  expect(events).toEqual([]);
});

test.each([undefined, {}])("nothing happens on a platform without events of a process: %o", (process) => {
  vi.stubGlobal("process", process);
  const error = new SetupError("a");
  vi.unstubAllGlobals();
  expect(String(error)).toBe("SetupError: a");
});
