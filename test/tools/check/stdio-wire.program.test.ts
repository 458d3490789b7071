import { afterEach, describe, expect, test, vi } from "vitest";
import { createStdioWires, type StdioWireOptions } from "../../../tools/check/wires/stdio-wire.ts";
import type { Wire, WireFactory } from "../../../tools/check/wires/wire.ts";

/** Responds to each line if it is started with an argument, and keeps running when its input ends. */
const program = `
  process.stdin.on("data", () => process.argv[1] && process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n'));
  setInterval(() => {}, 1e6);`;

describe("a program that keeps running after the end of its input", () => {
  const message = { jsonrpc: "2.0", id: 1, method: "ping" };
  afterEach(() => void vi.useRealTimers());

  /** Starts a program, and lets it respond once or never. */
  async function start(wires: WireFactory, responds: boolean): Promise<Wire> {
    const wire = await wires.open();
    await wire.exchange(message, responds ? { id: 1 } : {});
    return wire;
  }

  /** Closes a connection, and expects the program to be killed exactly after so many milliseconds. */
  async function expectKill(wire: Wire, milliseconds: number): Promise<void> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const closed = vi.fn<() => void>();
    const closing = wire.close().finally(closed);
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await expect(closing).resolves.toEqual({ wasKilled: true });
  }

  const settings = (responds: boolean): StdioWireOptions => ({
    command: process.execPath,
    args: ["-e", program, ...(responds ? ["responds"] : [])],
    env: {},
    timeout: 60_000,
  });

  test("a program is killed five seconds after it, and a second after it when it is started again", async () => {
    const wires = createStdioWires(settings(true));
    await expectKill(await start(wires, true), 5_000);
    await expectKill(await start(wires, true), 1_000);
  });

  test("a program without responses is killed a second after it", async () => {
    await expectKill(await start(createStdioWires(settings(false)), false), 1_000);
  });
});
