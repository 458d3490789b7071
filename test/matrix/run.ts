import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseRevisions, statelessAmong, toCatalogue } from "../../generator/scaffold/layer/catalogue.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { createRows, nameOf, type Row } from "./rows.ts";
import { firstLine, installTool, runProgram, type Tool, type ToolName } from "./tools.ts";

/*
 * `npm run test:matrix`: every kind of new project is created, installed, built, type-checked and tested. Words after `--` choose rows that have
 * all of them in their names: `npm run test:matrix -- all worker`. Needs the registry and takes an hour; the fast slice is `npm run test:scaffold`.
 */

const root = realpathSync(mkdtempSync(join(tmpdir(), "matrix-")));
const catalogue = toCatalogue((await readSpecModels()).models);
const revisions = chooseRevisions("all", catalogue);
const words = process.argv.slice(2);
const rows = createRows(revisions).filter((row) => words.every((word) => nameOf(row).split(" ").includes(word)));
const tools: Map<ToolName, Promise<Tool>> = new Map();
const installed: Map<string, string> = new Map();

class Skipped extends Error {}

async function findTool(name: ToolName): Promise<string> {
  const known = tools.get(name) ?? installTool(name, join(root, "tools"));
  tools.set(name, known);
  const tool = await known;
  if ("missing" in tool) throw new Skipped(tool.missing);
  return tool.path;
}

async function runRow(row: Row, at: number): Promise<void> {
  const folder = join(root, `project-${at}`);
  const manager = row.manager === "berry" ? "yarn" : row.manager;
  const program = row.manager === "npm" ? "npm" : await findTool(row.manager);
  const node = row.node ? await findTool(`node${row.node}`) : process.execPath;
  const { protocol, transport, schema } = row;
  const choices = ["--protocol", protocol, "--transport", transport, "--schema", schema, "--package-manager", manager];
  const cli = join(packageRoot, "dist", "bundle", "generator", "cli.js");
  await runProgram(cli, [folder, ...choices, "--yes", "--no-install", "--no-git"], { cwd: root });
  const options = { cwd: folder, node, env: { YARN_ENABLE_IMMUTABLE_INSTALLS: "false" } };
  await install(row, { folder, program });
  await runProgram(program, ["run", "typecheck"], options);
  await runProgram(program, ["run", "test"], options);
  await runProgram(program, ["run", "build"], options);
  if (row.workerd) await callInWorkerd(row, folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Projects of one schema library depend on the same: npm installs each set once. */
async function install(
  { manager, schema }: Row,
  { folder, program }: { folder: string; program: string },
): Promise<void> {
  const known = manager === "npm" ? installed.get(schema) : undefined;
  if (known !== undefined)
    return cpSync(known, join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true });
  const flags = manager === "npm" ? ["--no-audit", "--no-fund"] : [];
  await runProgram(program, ["install", ...flags], { cwd: folder, env: { YARN_ENABLE_IMMUTABLE_INSTALLS: "false" } });
  if (manager !== "npm") return;
  const kept = join(root, `modules-${schema}`);
  cpSync(join(folder, "node_modules"), kept, { recursive: true, verbatimSymlinks: true });
  installed.set(schema, kept);
}

/** Calls what the project is built to. */
async function callInWorkerd({ protocol }: Row, folder: string): Promise<void> {
  const [miniflare, node] = [await findTool("miniflare"), await findTool("node22")];
  const bundle = join(folder, "dist", "server.js");
  const revision = protocol === "all" ? (revisions[0] ?? "") : protocol;
  const era = statelessAmong([revision], catalogue).length > 0 ? "stateless" : "session";
  const script = join(packageRoot, "test", "matrix", "workerd.mjs");
  await runProgram(script, [bundle, miniflare, revision, era], { cwd: folder, node });
}

const counts = { ok: 0, skipped: 0, failed: 0 };
try {
  for (const [at, row] of rows.entries()) {
    const start = performance.now();
    const outcome = await runRow(row, at).then(
      () => ({ kind: "ok", text: "" }) as const,
      (error: unknown) =>
        error instanceof Skipped
          ? ({ kind: "skipped", text: firstLine(error) } as const)
          : ({ kind: "failed", text: error instanceof Error ? error.message : String(error) } as const),
    );
    counts[outcome.kind] += 1;
    const seconds = ((performance.now() - start) / 1_000).toFixed(0);
    console.log(
      `${outcome.kind.padEnd(7)} ${seconds.padStart(4)} s  ${nameOf(row)}${outcome.text && `: ${outcome.text}`}`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`${counts.ok} passed, ${counts.failed} failed, ${counts.skipped} skipped, of ${rows.length}`);
if (counts.failed > 0 || rows.length === 0) process.exitCode = 1;
