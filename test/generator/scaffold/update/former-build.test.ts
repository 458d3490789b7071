import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCreate } from "../../../../cli/commands/create.ts";
import { deployTargets, type DeployTarget } from "../../../../generator/scaffold/create/deploy-target.ts";
import { captured, update } from "../../../kit/commands.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

/* `former-build` has the build scripts of projects that contain the whole build. */

const helpers = ["external.js", "notices.js"];

function former(name: string): string {
  return readFileSync(new URL(`former-build/${name}.txt`, import.meta.url), "utf8");
}

async function createProject(target: DeployTarget = "node", transport?: string): Promise<string> {
  const directory = join(temporaryFolder(), "demo");
  const quick = { yes: true, install: false, git: false, dryRun: false };
  const options = { directory, target, protocol: "2025-11-25", features: "tools", ...(transport && { transport }) };
  expect((await captured(() => runCreate({ ...options, ...quick }))).code).toBe(0);
  return directory;
}

/** Gives a project the build that it had in former versions. */
function makeFormer(project: string, script: string, names: readonly string[] = helpers): void {
  writeFileSync(join(project, "build.js"), script);
  for (const name of names) cpSync(new URL(`former-build/${name}.txt`, import.meta.url).pathname, join(project, name));
}

const read = (project: string): string => readFileSync(join(project, "build.js"), "utf8");
const left = (project: string): readonly string[] => helpers.filter((name) => existsSync(join(project, name)));

describe("update of a project that contains the whole build", () => {
  test.each(deployTargets)("`update` replaces the build for %s by that of a new project", async (target) => {
    const project = await createProject(target);
    const expected = read(project);
    // Workers had no external packages.
    makeFormer(project, former(`${target}.js`), target === "worker" ? ["notices.js"] : helpers);
    const { code, stdout } = await update(project);
    expect([code, stdout]).toEqual([0, expect.stringContaining("build.js: replaced. It calls the build of")]);
    // Former scripts also named the bundle where its name is that of the source.
    expect(read(project).replace(/\{ in: ("src\/(\w+)\.ts"), out: "\2" \}/, "$1")).toBe(expected);
    expect(left(project)).toEqual([]);
    expect((await update(project)).stdout).not.toContain("build.js");
  });

  test("`update` keeps entry points and external packages, whatever the line endings", async () => {
    const project = await createProject("node", "both");
    const script = former("node.js")
      .replace('["src/server.ts"]', '["src/server.ts", "src/handler.ts", "src/worker.ts"]')
      .replace("external: []", 'external: ["better-sqlite3"]');
    makeFormer(project, script.replaceAll("\n", "\r\n"));
    expect(await update(project)).toMatchObject({ code: 0 });
    expect(read(project)).toContain('entryPoints: ["src/server.ts", "src/handler.ts", "src/worker.ts"]');
    expect(read(project)).toContain('external: ["better-sqlite3"]');
    expect(left(project)).toEqual([]);
  });

  test("`update` keeps a build that was edited in other places, and warns", async () => {
    const project = await createProject();
    const script = former("node.js").replace("keepNames: true", "keepNames: true, minify: true");
    makeFormer(project, script);
    const { code, stderr } = await update(project);
    expect([code, stderr]).toEqual([0, expect.stringContaining("build.js was edited by hand")]);
    expect([read(project), left(project)]).toEqual([script, helpers]);
  });

  test("`update --check` and `update --dry-run` report the former build and write nothing", async () => {
    const project = await createProject();
    const script = former("node.js");
    makeFormer(project, script);
    const { code, stdout } = await update(project, { check: true });
    expect([code, stdout]).toEqual([1, "changed build.js\norphaned external.js\norphaned notices.js\n"]);
    expect((await update(project, { dryRun: true })).stdout).toContain("build.js: would be replaced; nothing was.");
    expect([read(project), left(project)]).toEqual([script, helpers]);
  });
});
