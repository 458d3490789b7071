import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createStdioWires } from "../../../tools/check/wires/stdio-wire.ts";
import { UserError } from "../../../generator/internal/user-error.ts";

describe("on Windows", () => {
  const platform = process.platform;
  beforeEach(() => void Object.defineProperty(process, "platform", { value: "win32" }));
  afterEach(() => void Object.defineProperty(process, "platform", { value: platform }));

  test("an argument that Windows cannot pass to a script is reported without a stack", async () => {
    const { open } = createStdioWires({ command: "server.cmd", args: ["a\nb"], env: {}, timeout: 1_000 });
    const opening = open();
    await expect(opening).rejects.toThrow(UserError);
    await expect(opening).rejects.toThrow(/^server\.cmd is a script .* without line breaks in arguments; remove them$/);
  });
});

/** Responds to each line if it is started with an argument, and keeps running when its input ends. */
const program = `
  process.stdin.on("data", () => process.argv[1] && process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n'));
  setInterval(() => {}, 1e6);`;

test.each([
  ["has responded is killed five seconds after", ["responds"], 5_000],
  ["has never responded is killed a second after", [], 1_000],
])("a program that %s the end of its input", async (_, args, milliseconds) => {
  const settings = { command: process.execPath, args: ["-e", program, ...args], env: {}, timeout: 60_000 };
  const wire = await createStdioWires(settings).open();
  await wire.exchange({ jsonrpc: "2.0", id: 1, method: "ping" }, args.length > 0 ? { id: 1 } : {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = vi.fn<() => void>();
  const closing = wire.close().finally(closed);
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  await expect(closing).resolves.toEqual({ wasKilled: true });
});
