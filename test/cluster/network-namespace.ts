import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { outerNamespace } from "./processes/network.ts";

/**
 * Runs this program again in a network namespace of its own, and returns its exit code.
 *
 * @throws {Error} when the machine does not permit that
 */
export async function runInNamespace(): Promise<number> {
  const unshare = findUnshare();
  if (spawnSync("ip", ["-V"]).status !== 0) throw new Error("The program ip is missing; install the package iproute2");
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const start = ["sh", "-c", 'ip link set lo up && exec "$0" "$@"', ...command];
  const env = { ...process.env, [outerNamespace]: readlinkSync("/proc/self/ns/net") };
  const child = spawn("unshare", [...unshare, ...start], { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  await once(child, "exit");
  return child.exitCode ?? 1;
}

/** Returns the arguments with which `unshare` creates a network namespace: as root, or else as a user with a user namespace. */
function findUnshare(): readonly string[] {
  const attempts = [["--net"], ["--user", "--map-root-user", "--net"]].map((args) => ({
    args,
    outcome: spawnSync("unshare", [...args, "true"], { encoding: "utf8" }),
  }));
  const found = attempts.find(({ outcome }) => outcome.status === 0);
  if (found) return found.args;
  const { error, stderr = "" } = attempts[0]?.outcome ?? {};
  const reason = error?.message ?? stderr?.trim() ?? "";
  throw new Error(
    `Network namespaces are not permitted here (${reason}); run as root, or without --network namespaces`,
  );
}
