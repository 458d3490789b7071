import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { newest } from "../../../kit/revisions.ts";
import { initialize, initialized } from "../../../kit/messages.ts";
import { spawnFixture } from "./fixture.ts";

const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(flags: readonly string[] = []): ChildProcessWithoutNullStreams {
  const child = spawnFixture(flags);
  children.push(child);
  child.stdin.on("error", () => {});
  return child;
}

const call = (id: number, name: string, n = 0): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { n } },
});
const lines = (...messages: object[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join("");
const toResponse = (id: number, value: string): object => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: value }] },
});

function parse(output: string): unknown[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("console.log and process.stdout.write of a server go to stderr (T-05, R26, TS-02)", async () => {
  const child = start();
  child.stdin.end(lines(initialize(newest.id), initialized, call(1, "noisy")));
  const [output, log] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(parse(output)).toEqual([expect.objectContaining({ id: 0 }), toResponse(1, "noisy")]);
  for (const line of ["console.log", "console.info", "process.stdout.write"]) expect(log).toContain(line);
});

describe("the end of stdin (T-08, R27)", () => {
  test("the end of stdin ends the server after running calls, also when the last line has no line break", async () => {
    const child = start();
    child.stdin.end(
      lines(initialize(newest.id), initialized, call(1, "slow", 100)) + JSON.stringify(call(2, "echo", 5)),
    );
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(parse(output).slice(1)).toEqual([toResponse(2, "5"), toResponse(1, "slow")]);
    expect(code).toBe(0);
  });

  test("the end of stdin ends the server after a time-out with calls that never end", async () => {
    const child = start();
    child.stdin.end(lines(initialize(newest.id), initialized, call(1, "hang")));
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect([parse(output).length, code]).toEqual([1, 0]);
  });
});

test.each<readonly [string, number, (child: ChildProcessWithoutNullStreams) => unknown]>([
  ["a signal", 0, (child) => child.kill("SIGTERM")],
  ["the end of stdin", 1, (child) => child.stdin.end()],
])("a call that is running at %s reports what is left, and finishes (R27)", async (_what, n, end) => {
  const child = start();
  const closed = once(child, "close");
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const params = { name: "report", arguments: { n }, _meta: { progressToken: "p" } };
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  child.stdin.write(lines(initialize(newest.id), initialized, request));
  await expect.poll(() => output).toContain('"progress":1');
  end(child);
  expect(await closed).toEqual([0, null]);
  const report = (progress: number): object => expect.objectContaining({ params: { progressToken: "p", progress } });
  expect(parse(output).slice(1)).toEqual([report(1), report(2), toResponse(1, "reported")]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("the signal %s ends the server in order (R27)", async (signal) => {
  const child = start();
  child.stdin.write(lines(initialize(newest.id), initialized, call(1, "slow", 300)));
  await once(child.stdout, "data");
  child.kill(signal);
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});

test("Ctrl-Break of Windows ends the server in order (R27)", async () => {
  const pressing = "process.on('SIGUSR2', () => process.emit('SIGBREAK'))";
  const child = start(["--import", `data:text/javascript,${encodeURIComponent(pressing)}`]);
  child.stdin.write(lines(initialize(newest.id), initialized, call(1, "slow", 300)));
  await once(child.stdout, "data");
  child.kill("SIGUSR2");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});

test("a reader that closes stdout ends the server, without a crash (R27)", async () => {
  const child = start();
  const exited = once(child, "exit");
  child.stdin.write(lines(initialize(newest.id), initialized));
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.stderr.destroy();
  for (let id = 1; id < 4; id += 1) {
    child.stdin.write(lines(call(id, "large", 100_000)));
    await delay(20);
  }
  const [code] = await exited;
  expect(code).toBe(0);
});

test("a slow reader gets every message, in order (R25)", async () => {
  const child = start();
  child.stdin.write(lines(initialize(newest.id), initialized));
  await once(child.stdout, "data");
  child.stdout.pause();
  child.stdin.end(lines(...Array.from({ length: 50 }, (_, id) => call(id + 1, "large", 200_000))));
  await delay(300);
  const output = parse(await text(child.stdout));
  expect(output).toHaveLength(50);
  expect(output.map((message) => Object(message).id)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
});
