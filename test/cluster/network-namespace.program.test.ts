import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("a run in network namespaces fails where they are not permitted, and says so", async () => {
  const folder = await mkdtemp(join(tmpdir(), "no-namespaces-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, "unshare");
  await writeFile(program, "#!/bin/sh\necho 'unshare: Operation not permitted' >&2\nexit 1\n");
  await chmod(program, 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` };
  const args = ["--import", "tsx", join(import.meta.dirname, "run.ts"), "faults", "--network", "namespaces"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  expect([status, stderr.trim(), stdout]).toEqual([
    1,
    "Network namespaces are not permitted here (unshare: Operation not permitted); run as root, or without --network namespaces",
    "",
  ]);
});
