import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { readSteps } from "./guide.ts";
import { buildProject, Reader } from "./reader.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "docs-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const docs = join(packageRoot, "docs");
const guides = readdirSync(docs).filter((name) => name.endsWith(".md") && name !== "README.md");

test("the guides are all in their index, and their links lead to files", () => {
  const index = readFileSync(join(docs, "README.md"), "utf8");
  for (const guide of guides) expect(index).toContain(`](${guide})`);
  for (const name of ["README.md", ...guides]) {
    const links = readFileSync(join(docs, name), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    for (const [, link = ""] of links) expect(existsSync(join(docs, link)), `${name}: ${link}`).toBe(true);
  }
});

test.each(guides)("the guide docs/%s has commands that run, code that compiles, and tests that pass", async (name) => {
  const home = join(root, name.replace(/\.md$/, ""));
  mkdirSync(home);
  const reader = new Reader(home);
  for (const step of readSteps(readFileSync(join(docs, name), "utf8"))) await reader.follow(step);
  for (const project of reader.projects)
    await tryProject(
      project,
      reader.tests.filter((path) => path.startsWith(join(project, "test"))),
    );
  await compileModules(reader.modules, home);
});

/** As `npm run typecheck`, `npm run build` and `npm test` do; the tests that every project has are run elsewhere. */
async function tryProject(folder: string, tests: readonly string[]): Promise<void> {
  await tsc(folder, "-p", ".", "--noUnusedLocals", "--noUnusedParameters");
  // An application has settings of its own, and those of the tests apart.
  if (existsSync(join(folder, "test", "tsconfig.json"))) await tsc(folder, "-p", "test");
  await buildProject(folder);
  if (tests.length > 0) await run(folder, join(packageRoot, "node_modules", "vitest", "vitest.mjs"), "run", ...tests);
}

/** Modules that depend on the runtime. */
async function compileModules(modules: readonly string[], folder: string): Promise<void> {
  if (modules.length === 0) return;
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of readdirSync(join(packageRoot, "node_modules"))) {
    symlinkSync(join(packageRoot, "node_modules", name), join(folder, "node_modules", name));
  }
  symlinkSync(join(packageRoot, "dist", "runtime-package"), join(folder, "node_modules", "mcp-server-runtime"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: settings, include: ["*.ts"] }));
  // With an `export` each is a module of its own.
  for (const [index, text] of modules.entries())
    writeFileSync(join(folder, `block-${index + 1}.ts`), `${text}\nexport {};\n`);
  await tsc(folder, "-p", ".");
}

const settings = {
  target: "ES2023",
  lib: ["ES2023", "DOM"],
  module: "NodeNext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

function tsc(folder: string, ...args: string[]): Promise<void> {
  return run(folder, join(packageRoot, "node_modules", "typescript7", "bin", "tsc"), ...args);
}

async function run(folder: string, program: string, ...args: string[]): Promise<void> {
  const done = await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder }).catch(
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => ({ failed: stdout + stderr }),
  );
  expect("failed" in done ? done.failed : "").toBe("");
}
