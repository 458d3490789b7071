import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/* The rules of the linter that hold in some folders only. A pattern with a mistake would switch them off without a word. */

const broken: Readonly<Record<string, string>> = {
  "generated/2000-01-01/a.ts": "export const a = (v: unknown): string => v as string;",
  "generator/a.ts": 'import { runInThisContext } from "node:vm";\nrunInThisContext("1");',
  "generator/b.ts": "export const f = new Function('return 1');",
  "runtime/client/a.ts": "console.info(1);",
  "runtime/jsonrpc/a.ts": 'eval("1");',
  "runtime/jsonrpc/b.ts": "export const a = (v?: string): string => v!;",
  "runtime/jsonrpc/c.ts": "export const a = (v: unknown): string => <string>v;",
  "runtime/jsonrpc/d.ts": "export const a = (v: any): unknown => v;",
  "runtime/jsonrpc/e.ts": "export default 1;",
  "runtime/jsonrpc/f.ts": "export const a = (text: string): boolean => URL.canParse(text);",
  "templates/a.ts": "export const a = (v: unknown): string => v as string;",
};

const sound: Readonly<Record<string, string>> = {
  "generated/2000-01-01/types.ts": "export type A = any;",
  "tools/inspect/page/a.ts": "export const a = (text: string): boolean => URL.canParse(text);",
  "generator/c.ts": "console.log(1);",
  "runtime/jsonrpc/g.ts": 'console.error("a", ["b"] as const);',
};

test("the linter reports each sample that breaks a rule of its folder, and no other", () => {
  // Outside of `node_modules`, which the linter passes over.
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ ...broken, ...sound })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const linter = resolve("node_modules/oxlint/bin/oxlint");
  const config = readFileSync(".oxlintrc.json", "utf8").replace('"typeAware": true', '"typeAware": false');
  writeFileSync(join(folder, ".oxlintrc.json"), config);
  const { stdout } = spawnSync(process.execPath, [linter, "--format", "unix"], { cwd: folder, encoding: "utf8" });
  const reported = stdout.match(/^[^:\s]+\.ts(?=:\d)/gm)?.map((path) => path.replace(`${folder}/`, ""));
  expect([...new Set(reported)].toSorted()).toEqual(Object.keys(broken));
});
