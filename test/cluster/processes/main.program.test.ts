import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const program = ["--import", "tsx", join(root, "test/cluster/processes/main.ts")];

describe("npm run cluster", () => {
  it.each([
    [["--engine", "memory"], "--engine memory is not shared by processes; give a URL such as redis://127.0.0.1:6379"],
    [["--engine", "mysql://a"], "--engine mysql://a is unknown; give a URL that begins with redis:// or rediss://"],
    [["--nodes", "2"], "--engine is missing; give the URL of an engine, or --nodes 1"],
    [["--nodes", "0"], "--nodes is not a count; give 1 or more"],
    [["--engine", "redis://a", "--port", "70000"], "--port is not a port; give 0 to 65535"],
    [["--engine", "redis://127.0.0.1:1", "--nodes", "1"], "Redis at 127.0.0.1:1 cannot be reached"],
  ])("rejects %j", (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [...program, ...args], { cwd: root, encoding: "utf8" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect(status).toBe(1);
  });
});
