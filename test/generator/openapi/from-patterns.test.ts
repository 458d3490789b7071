import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { lockName } from "../../../generator/scaffold/layer/lock.ts";
import type { Tree } from "../../../generator/internal/tree.ts";
import { readSource } from "../../../generator/openapi/source.ts";
import type { ToolDefinition } from "../../../runtime/server/definition.ts";
import type { RevisionDefiners } from "../../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../../runtime/testing/connect-to.ts";
import { readInstalledLayer } from "../../../generator/scaffold/layer/installed-layer.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { emitFiles, linkPackages, writeFiles } from "../../kit/projects.ts";

/** A pattern for which a backtracking engine needs exponential time. */
const slow = "^(a+)+$";

/** A text that takes a backtracking engine longer than the age of the universe. */
const attack = `${"a".repeat(200)}!`;

interface Emitted {
  readonly folder: string;
  readonly tree: Tree;
}

/** Writes a project from a document, with the packages of this one. */
async function emit(file: string, document: object): Promise<Emitted> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, file), JSON.stringify(document));
  const source = await readSource(join(folder, file));
  const selection = { schema: "json", features: "tools" };
  const tree = await emitFiles({ folder, revisions: ["2025-11-25"], selection, source });
  writeFiles(folder, tree);
  linkPackages(folder, ["re2js", "@cfworker/json-schema"]);
  return { folder, tree };
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

describe("a project from a document with a pattern that can take exponential time", () => {
  test.each([
    ["tools.json", toolsOf(slow)],
    ["openapi.json", openapi],
  ])(
    "a server enforces the pattern on arguments in linear time (%s)",
    async (file, document) => {
      vi.stubEnv("API_BASE_URL", "http://127.0.0.1:9");
      onTestFinished(() => void vi.unstubAllEnvs());
      const { folder, tree } = await emit(file, document);
      expect(JSON.parse(text({ folder, tree }, "package.json"))).toHaveProperty("devDependencies.re2js");
      const load = async <Module>(path: string): Promise<Module> => import(pathToFileURL(join(folder, path)).href);
      const { defineServer } = await load<RevisionDefiners<Declarations>>("src/mcp/index.ts");
      const { tools } = await load<{ readonly tools: readonly ToolDefinition<Declarations>[] }>("src/tools.ts");
      await using client = await connectInMemory<Declarations>(defineServer({ name: "a", version: "1", tools }));
      const rejected = await client.callTool("spell", { word: attack });
      expect(JSON.stringify(rejected)).toContain("String does not match pattern.");
      // What fits goes on to the tool, which is not implemented yet or finds no API.
      const accepted = await client.callTool("spell", { word: "aaa" });
      expect(JSON.stringify(accepted)).toMatch(/is not implemented yet|got no response from http:\/\/127.0.0.1:9/);
    },
    60_000,
  );

  test("a server enforces the pattern on results as well", async () => {
    const emitted = await emit("tools.json", toolsOf(slow, "outputSchema"));
    expect(text(emitted, "src/todo.ts")).toContain("createCfworkerValidator({ patterns: compileRe2 })");
  });

  test("an updated layer keeps the pattern enforced", async () => {
    const emitted = await emit("tools.json", toolsOf(slow));
    expect((await readInstalledLayer(emitted.folder)).choices).toMatchObject({ validator: true, re2js: true });
  });
});

describe("a project from a document", () => {
  test.each([
    ["a pattern that the platform matches in linear time", "^[a-z]+$"],
    ["a pattern that re2js cannot express", "^(?=a)(a+)+$"],
  ])("a project with %s does not use re2js", async (_what, pattern) => {
    const emitted = await emit("tools.json", toolsOf(pattern));
    const named = [...emitted.tree].filter(([path, content]) => /re2/i.test(path) || /re2js|compileRe2/.test(content));
    expect(named.map(([path]) => path)).toEqual([]);
    expect(text(emitted, "src/todo.ts")).toContain("createCfworkerValidator()");
    expect(text(emitted, `src/mcp/${lockName}`)).not.toContain("re2");
  });
});
