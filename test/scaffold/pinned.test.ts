import { mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { runCli } from "../kit/programs.ts";
import { npm } from "./npm.ts";
import { linkPackages } from "./everything-project.ts";

/* The day a revision appears: it is pinned, decided about, and used by a project. The drill serves such projects. */

const root = realpathSync(mkdtempSync(join(tmpdir(), "pinned-")));
const newest = "2026-07-28";
const next = "2099-01-01";
const demo = join(root, "demo");
const serverFile = join(demo, "src", "server.ts");

/** The newest revision with another date and one more kind of content. */
function nextSchema(): string {
  const video = 'export interface VideoContent { type: "video"; data: string; mimeType: string }';
  const text = readFileSync(join(packageRoot, "spec", newest, "schema.ts"), "utf8")
    .replace(`LATEST_PROTOCOL_VERSION = "${newest}"`, `LATEST_PROTOCOL_VERSION = "${next}"`)
    .replace("export type ContentBlock =", "export type ContentBlock = VideoContent |");
  return `${text}\n${video}\n`;
}

async function cli(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { cwd: root });
  expect(code, stderr).toBe(0);
  return stdout;
}

beforeAll(async () => {
  writeFileSync(join(root, "schema.ts"), nextSchema());
  const pinned = await cli("pin", next, "--from", "schema.ts");
  expect(pinned).toMatch(new RegExp(`spec/${newest}/overlay.json: the alternative VideoContent .*Add one of:`));
  expect(pinned).toContain('{"rule":"error","at":["VideoContent"],');
  const overlay = join(root, "spec", newest, "overlay.json");
  const conversions = [{ rule: "error", at: ["VideoContent"], reason: "Older clients have no video." }];
  writeFileSync(overlay, JSON.stringify({ ...JSON.parse(readFileSync(overlay, "utf8")), conversions }));
  const created = await cli("demo", "--yes", "--no-install", "--no-git", "--spec", "spec", "--protocol", "all");
  expect(created).toContain(` files, MCP ${next}, ${newest}, `);
  await linkPackages(demo);
  const server = readFileSync(serverFile, "utf8");
  const film =
    'defineTool({ name: "film", execute: () => ({ content: [{ type: "video", data: "AA==", mimeType: "video/webm" }] }) })';
  writeFileSync(serverFile, server.replace("tools: [measureText]", `tools: [measureText, ${film}]`));
  await npm(demo, "run", "typecheck");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a project stays with its spec folder, and can leave it for the package", async () => {
  expect(await cli("update", "demo", "--check")).toContain("All generated files are up to date.");
  renameSync(join(root, "spec"), join(root, "moved"));
  const lost = await runCli(["update", "demo"], { cwd: root });
  expect(lost.stderr).toMatch(/spec has no revisions; pass their folder with --spec/);
  await cli("update", "demo", "--spec", "moved");
  // The package does not have the revision that the project leaves, and lists its effects all the same.
  const left = await runCli(["update", "demo", "--protocol", newest, "--no-spec", "--dry-run"], { cwd: root });
  expect(left.stdout).toMatch(/^src\/server\.ts:\d+: .*\n.*in your code to change for /ms);
  expect(left.stderr).toContain(`${next} is not among the revisions`);
  expect(await cli("update", "demo", "--protocol", `${newest},2025-11-25`)).toContain(
    `npx create-mcp-server diff ${next} ${newest} --spec moved`,
  );
  const told = await runCli(["update", "demo", "--protocol", next, "--no-spec"], { cwd: root });
  expect(told.code).toBe(2);
  expect(told.stderr).toContain(`unknown revision "${next}"`);
  writeFileSync(serverFile, readFileSync(serverFile, "utf8").replace(/, defineTool\(\{ name: "film".*\}\) \}\)/, ""));
  await npm(demo, "run", "typecheck");
  await cli("update", "demo", "--no-spec");
  expect(readFileSync(join(demo, "src", "mcp", "mcp.lock.json"), "utf8")).not.toContain('"spec"');
  await npm(demo, "run", "typecheck");
});

test("a pinned revision is compared with the one before", async () => {
  expect(await cli("diff", newest, next, "--spec", "moved")).toMatch(
    /ContentBlock.*VideoContent|type VideoContent: it is new/s,
  );
});
