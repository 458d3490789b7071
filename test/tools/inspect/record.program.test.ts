import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { readRecording } from "../../../tools/replay/read-recording.ts";
import { runCli } from "../../kit/programs.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

const server = join(packageRoot, "dist", "examples", "echo", "server.js");

test("`inspect --record` records the messages of the server until it is stopped", async () => {
  const path = join(temporaryFolder(), "session.jsonl");
  const cli = join(packageRoot, "dist", "bundle", "generator", "cli.js");
  const child = spawn(process.execPath, [cli, "inspect", "--record", path, "--", process.execPath, server]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.resume();
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("http://")) break;
  child.kill("SIGINT");
  expect((await once(child, "exit"))[0]).toBe(0);
  const { header, messages } = await readRecording(path);
  expect(header.server.name).toBe("echo");
  expect(messages.length).toBeGreaterThan(1);
  const again = await runCli(["inspect", "--record", path, "--", process.execPath, server], { cwd: packageRoot });
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("exists; choose another file")]);
  const nowhere = join(path, "session.jsonl");
  const failed = await runCli(["inspect", "--record", nowhere, "--", process.execPath, server], { cwd: packageRoot });
  expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining("cannot be created (ENOTDIR)")]);
});
