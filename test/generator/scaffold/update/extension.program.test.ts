import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCreate } from "../../../../cli/commands/create.ts";
import { runPinExtension } from "../../../../cli/commands/pin.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { captured, type CommandResult, update } from "../../../kit/commands.ts";
import { createTemporaryFolder } from "../../../kit/temporary-folders.ts";
import { compile } from "../../../kit/compile.ts";
import { echoSchema, echoSchemaNext } from "../../echo-schema.ts";
import { linkPackages } from "../../../kit/projects.ts";

/* The way of a user: a project, the schema of an extension, its second version. Compiles the project. */

vi.setConfig({ testTimeout: 240_000 });

const { compilerOptions }: { readonly compilerOptions: object } = JSON.parse(
  readFileSync(join(packageRoot, "templates", "project", "tsconfig.json"), "utf8"),
);

const root = await createTemporaryFolder("extension");

/** Code of a user with the types and the table of an extension. */
const code = `import type { Extension } from "mcp-server-runtime/support";
import { clientRequests, extension, type SayRequestParams } from "./mcp/extensions/echo/index.ts";

export const table: Extension = extension;
export const { method } = clientRequests["echo/say"];
export function isLoud({ text, volume = 0 }: Omit<SayRequestParams, "_meta">): boolean {
  return volume > text.length;
}
`;

test("a project gets an extension by `pin` and `update`, and its next version", async () => {
  const project = join(root, "demo");
  const quick = { yes: true, install: false, git: false, dryRun: false, runtime: "dependency", protocol: "all" };
  expect((await captured(() => runCreate({ directory: project, ...quick }))).code).toBe(0);
  linkPackages(project, ["@types/node", "zod"]);
  const schema = join(project, "echo.ts");
  const spec = join(project, "spec");
  const pin = (force = false): Promise<CommandResult> =>
    captured(() => runPinExtension({ extension: schema, id: "com.example/echo", spec, force }));
  const errors = async (): Promise<readonly string[]> => {
    const files = [join(project, "src", "echo.ts"), join(project, "src", "mcp", "**/*.ts")];
    return compile("typescript7", { folder: project, files, settings: compilerOptions });
  };

  writeFileSync(schema, echoSchema);
  expect((await pin()).code).toBe(0);
  expect(await update(project, { spec })).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(readFileSync(join(project, "src/mcp/mcp.lock.json"), "utf8"))).toMatchObject({ spec: "spec" });
  writeFileSync(join(project, "src", "echo.ts"), code);
  expect(await errors()).toEqual([]);
  expect(await update(project, { check: true })).toMatchObject({ code: 0 });

  // A generated file is edited.
  const methods = join(project, "src/mcp/extensions/echo/methods.ts");
  const text = readFileSync(methods, "utf8");
  appendFileSync(methods, "// mine\n");
  const edited = await update(project, { check: true });
  expect(edited.code).toBe(1);
  expect(edited.stdout).toContain("src/mcp/extensions/echo/methods.ts");
  expect((await update(project)).stderr).toContain("edited by hand in src/mcp: extensions/echo/methods.ts");
  writeFileSync(methods, text);

  // The second version has another name for a member, and another method.
  writeFileSync(schema, echoSchemaNext);
  expect((await pin()).code).toBe(2);
  expect(await update(project, { check: true })).toMatchObject({ code: 0 });
  expect((await pin(true)).code).toBe(0);
  const drifted = await update(project, { check: true });
  expect(drifted.code).toBe(1);
  expect(drifted.stdout).toContain("src/mcp/extensions/echo/types.ts");
  const dry = await update(project, { dryRun: true });
  expect(dry.stdout).toMatch(/^src\/echo\.ts:6: .*volume/m);
  expect(readFileSync(methods, "utf8")).toBe(text);
  expect((await update(project)).code).toBe(0);
  expect(readFileSync(methods, "utf8")).toContain('"echo/shout"');
  expect(await errors()).toEqual([expect.stringContaining("volume")]);
});

test.each([["2025-11-25"], ["2024-11-05"]])(
  "an extension with the types of the newest revision compiles in a project of %s",
  async (protocol) => {
    const project = join(root, protocol);
    const quick = { yes: true, install: false, git: false, dryRun: false, runtime: "dependency", protocol };
    const schema = join(root, `echo-${protocol}.ts`);
    const spec = join(root, `spec-${protocol}`);
    writeFileSync(schema, echoSchema);
    const given = { extension: schema, id: "com.example/echo", spec };
    expect((await captured(() => runPinExtension(given))).code).toBe(0);
    expect((await captured(() => runCreate({ directory: project, ...quick, spec }))).code).toBe(0);
    linkPackages(project, ["@types/node", "zod"]);
    writeFileSync(join(project, "src", "echo.ts"), code);
    const files = [join(project, "src", "echo.ts"), join(project, "src", "mcp", "**/*.ts")];
    expect(await compile("typescript7", { folder: project, files, settings: compilerOptions })).toEqual([]);
    expect(await update(project, { check: true })).toMatchObject({ code: 0 });
  },
);
