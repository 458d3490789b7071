import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/* What is started there, as far as it shows elsewhere: programs of Windows are played by a program that is here. */

const started: { readonly file: string; readonly args: readonly string[]; readonly options: SpawnOptions }[] = [];
const children: ChildProcess[] = [];

/** Source of the program that is started in place of the server. */
let code = "";

vi.mock("../../../../runtime/transport/stdio/node-modules.ts", async (load) => {
  const real = await load<typeof import("../../../../runtime/transport/stdio/node-modules.ts")>();
  const [fileSystem, childProcess] = [real.loadFileSystem(), real.loadChildProcess()];
  const existsSync = (path: unknown): boolean => ["C:\\node\\npx.CMD", "C:\\node\\node.EXE"].includes(String(path));
  const spawn = (file: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
    started.push({ file, args, options });
    // It ends a whole tree, and nobody else has to.
    const isEnder = file.endsWith("taskkill.exe");
    if (isEnder) children[0]?.kill("SIGKILL");
    const child = childProcess.spawn(process.execPath, ["-e", isEnder ? "" : code], { stdio: options.stdio ?? "pipe" });
    children.push(child);
    return child;
  };
  return {
    loadFileSystem: () => ({ ...fileSystem, existsSync }),
    loadChildProcess: () => ({ ...childProcess, spawn }),
  };
});

const platform = process.platform;

beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("SystemRoot", "D:\\Windows");
  vi.stubEnv("SECRET", "x");
  Object.defineProperty(process, "platform", { value: "win32" });
});

afterEach(() => {
  Object.defineProperty(process, "platform", { value: platform });
  vi.unstubAllEnvs();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  started.length = 0;
});

async function start(
  command: string,
  args: readonly string[],
  shutdown = { terminate: 30_000, kill: 30_000 },
): Promise<{ close(): Promise<void> }> {
  const { createStdioClientTransport } = await import("../../../../runtime/transport/stdio/stdio-client.ts");
  const env = { Path: "C:\\node" };
  const transport = createStdioClientTransport({ command, args, env, shutdown, stderr: "ignore" });
  const [child] = children;
  if (child) await once(child, "spawn");
  return transport;
}

const waiting = "process.stdin.resume()";
const stubborn = "setInterval(() => {}, 1000)";

test("a script is started by the interpreter of the system, without a window, and with few variables", async () => {
  code = waiting;
  const transport = await start("npx", ["-y", "a & b"]);
  await transport.close();
  expect(started).toEqual([
    {
      file: "D:\\Windows\\System32\\cmd.exe",
      args: ["/d", "/e:on", "/v:off", "/s", "/c", '""C:\\node\\npx.CMD" "-y" "a & b""'],
      options: expect.objectContaining({ windowsVerbatimArguments: true, windowsHide: true, detached: false }),
    },
  ]);
  expect(started[0]?.options).not.toHaveProperty("shell");
  expect(started[0]?.options.env).toMatchObject({ Path: "C:\\node", SystemRoot: "D:\\Windows" });
  expect(started[0]?.options.env).not.toHaveProperty("SECRET");
});

test("a program is started directly", async () => {
  code = waiting;
  const transport = await start("node", ["a & b"]);
  await transport.close();
  expect(started).toEqual([
    {
      file: "C:\\node\\node.EXE",
      args: ["a & b"],
      options: expect.objectContaining({ windowsVerbatimArguments: false }),
    },
  ]);
});

test("a process that does not end with its input is ended with its child processes", async () => {
  code = stubborn;
  const transport = await start("npx", [], { terminate: 100, kill: 30_000 });
  await transport.close();
  expect(started.slice(1)).toEqual([
    {
      file: "D:\\Windows\\System32\\taskkill.exe",
      args: ["/pid", String(children[0]?.pid), "/t", "/f"],
      options: { stdio: "ignore", windowsHide: true },
    },
  ]);
});
