import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { readSelection, type Runtime, runtimes } from "../../generator/create/project-choices.ts";
import { emitProject } from "../../generator/create/project-files.ts";
import { lockName } from "../../generator/create/lock.ts";
import type { Tree } from "../../generator/emit/tree.ts";
import { readSource } from "../../generator/from/source.ts";
import { packageRoot } from "../../generator/package-info.ts";
import type { ToolDefinition } from "../../runtime/server/definition.ts";
import type { RevisionDefiners } from "../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../runtime/testing/connect-to.ts";
import { readInstalledLayer } from "../../generator/update/installed-layer.ts";
import { temporaryFolder } from "./folder.ts";

/** A pattern for which a backtracking engine needs exponential time. */
const slow = "^(a+)+$";

/** A text that takes a backtracking engine longer than the age of the universe. */
const attack = `${"a".repeat(200)}!`;

interface Emitted {
  readonly folder: string;
  readonly tree: Tree;
}

/** Writes a project from a document, with the packages of this one. */
async function emit(file: string, document: object, runtime: Runtime = "emitted"): Promise<Emitted> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, file), JSON.stringify(document));
  const source = await readSource(join(folder, file));
  const selection = readSelection({ schema: "json", serve: "tools", runtime });
  const facts = { folder, name: "demo", manager: "npm", version: "1.2.3", packageFolder: packageRoot } as const;
  const tree = await emitProject({ ...facts, revisions: ["2025-11-25"], selection, source });
  for (const [path, text] of tree) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, "node_modules", "@cfworker"), { recursive: true });
  const packages = {
    "create-mcp-server": packageRoot,
    re2js: modules("re2js"),
    "@cfworker/json-schema": modules("@cfworker/json-schema"),
  };
  for (const [name, place] of Object.entries(packages))
    symlinkSync(place, join(folder, "node_modules", name), "junction");
  return { folder, tree };
}

function modules(name: string): string {
  return join(packageRoot, "node_modules", name);
}

const openapi = {
  openapi: "3.1.0",
  info: { title: "Words", version: "1.0.0" },
  paths: {
    "/spell": {
      get: {
        operationId: "spell",
        parameters: [{ name: "word", in: "query", schema: { type: "string", pattern: slow } }],
        responses: { 200: { description: "ok" } },
      },
    },
  },
};

function toolsOf(pattern: string, member = "inputSchema"): object {
  const schema = { type: "object", properties: { word: { type: "string", pattern } } };
  return { tools: [{ name: "spell", inputSchema: { type: "object" }, [member]: schema }] };
}

const text = ({ tree }: Emitted, path: string): string => tree.get(path) ?? expect.unreachable(`there is no ${path}`);

describe("a project from a document with a pattern that might take long", () => {
  test.each(
    runtimes.flatMap((runtime) => [
      [runtime, "tools.json", toolsOf(slow)] as const,
      [runtime, "openapi.json", openapi] as const,
    ]),
  )(
    "enforces it in no time (%s, %s)",
    async (runtime, file, document) => {
      const { folder, tree } = await emit(file, document, runtime);
      expect(JSON.parse(text({ folder, tree }, "package.json"))).toHaveProperty("devDependencies.re2js");
      const load = async <Module>(path: string): Promise<Module> => import(pathToFileURL(join(folder, path)).href);
      const { defineServer } = await load<RevisionDefiners<Declarations>>(
        runtime === "emitted" ? "src/mcp/index.ts" : "src/mcp.ts",
      );
      const { tools } = await load<{ readonly tools: readonly ToolDefinition<Declarations>[] }>("src/tools.ts");
      await using client = await connectInMemory<Declarations>(defineServer({ name: "a", version: "1", tools }));
      const refused = await client.callTool("spell", { word: attack });
      expect(JSON.stringify(refused)).toContain("String does not match pattern.");
      // What fits goes on to the tool, which is not implemented yet or finds no API.
      const accepted = await client.callTool("spell", { word: "aaa" });
      expect(JSON.stringify(accepted)).toMatch(/is not implemented yet|API_BASE_URL/);
    },
    60_000,
  );

  test("enforces it in results, too", async () => {
    const emitted = await emit("tools.json", toolsOf(slow, "outputSchema"));
    expect(text(emitted, "src/todo.ts")).toContain("createCfworkerValidator({ patterns: compileRe2 })");
  });

  test("keeps it enforced when its layer is written again", async () => {
    const emitted = await emit("tools.json", toolsOf(slow));
    expect((await readInstalledLayer(emitted.folder)).choices).toMatchObject({ validator: true, re2js: true });
  });
});

describe("a project from a document", () => {
  test.each([
    ["with a pattern that the platform matches in linear time", "^[a-z]+$"],
    ["with a pattern that re2js cannot express", "^(?=a)(a+)+$"],
  ])("%s has no re2js", async (_what, pattern) => {
    for (const runtime of runtimes) {
      const emitted = await emit("tools.json", toolsOf(pattern), runtime);
      const named = [...emitted.tree].filter(
        ([path, content]) => /re2/i.test(path) || /re2js|compileRe2/.test(content),
      );
      // The hint of the validator itself names the option.
      expect(named.map(([path]) => path)).toEqual(
        runtime === "emitted" ? ["src/mcp/runtime/adapters/schema-patterns.ts"] : [],
      );
      expect(text(emitted, "src/todo.ts")).toContain("createCfworkerValidator()");
      if (runtime === "emitted") expect(text(emitted, `src/mcp/${lockName}`)).not.toContain("re2");
    }
  });
});
