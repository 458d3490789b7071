import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Tree } from "../../../../generator/internal/tree.ts";
import { runAdd } from "../../../../cli/commands/add.ts";
import { runRemove } from "../../../../cli/commands/remove.ts";
import { register } from "../../../../generator/scaffold/add/register.ts";
import { unregister } from "../../../../generator/scaffold/add/unregister.ts";
import { readSelection } from "../../../../generator/scaffold/create/project-choices.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFiles, writeFiles } from "../../../kit/projects.ts";

describe("the module of a server", () => {
  const tool = { member: "tools", variable: "wordCountTool", from: "./tools/word-count.ts" };
  const head = '// mine\nimport { defineServer } from "./mcp/index.ts";\n';

  test.each([
    ["a list", "defineServer({ tools: [a] });"],
    ["an empty list", "defineServer({ tools: [] });"],
    ["lists in several lines", 'run(\n  defineServer({\n    name: "a",\n    tools: [\n      a,\n    ],\n  }),\n);'],
  ])("`unregister` restores %s to which `register` has added a tool", (_what, body) => {
    const source = head + body;
    expect(unregister("src/server.ts", register("src/server.ts", source, tool), tool.variable)).toBe(source);
    const crlf = source.replaceAll("\n", "\r\n");
    expect(unregister("src/server.ts", register("src/server.ts", crlf, tool), tool.variable)).toBe(crlf);
  });

  test("`unregister` removes what only the constant used, and keeps comments, exports and what others use", () => {
    const source = `import * as z from "zod";
import { c, d } from "./other.ts";

// A section.

/** Used by both. */
const both = c();
const mine = d(both);

/** The tool. */
const one = defineTool({ input: z.object(), mine });

export const shared = both;
const list = [one, both];
`;
    expect(unregister("a.ts", source, "one")).toBe(`import { c } from "./other.ts";

// A section.

/** Used by both. */
const both = c();

export const shared = both;
const list = [both];
`);
  });
});

describe("create-mcp-server remove", () => {
  let folder = "";
  const errors = vi.fn();
  const logs = vi.fn();

  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(errors.mockReset());
    vi.spyOn(console, "log").mockImplementation(logs.mockReset());
  });
  afterEach(() => vi.restoreAllMocks());

  const trees = new Map<string, Tree>();

  async function project(schema: string): Promise<void> {
    folder = temporaryFolder();
    const selection = readSelection({ features: "tools,resources,prompts,input,apps", extras: "mcpb", schema });
    const tree = trees.get(schema) ?? (await emitFiles({ folder, revisions: ["2025-11-25"], selection }));
    trees.set(schema, tree);
    writeFiles(folder, tree);
  }

  const read = (path: string): string => readFileSync(join(folder, path), "utf8");

  test.each(["zod", "valibot", "json"])("`remove` removes each sample of a project with %s", async (schema) => {
    await project(schema);
    const samples = [
      ["tool", "measure_text"],
      ["tool", "greet"],
      ["resource", "styleGuide"],
      ["resource", "meter"],
      ["prompt", "shorten"],
    ] as const;
    for (const [kind, name] of samples) expect(await runRemove({ kind, name, folder })).toBe(0);
    const [, imports] = /^import \{\s*([^}]*?),?\s*\} from "\.\/mcp/m.exec(read("src/server.ts")) ?? [];
    expect(imports?.split(/,\s*/)).toEqual(["defineServer", "run"]);
    expect(read("src/server.ts")).toMatch(
      /^#!.*\nimport "mcp-server-runtime\/stdout";\nimport \{[^}]*\} from ".*";\n\nawait run\(/,
    );
    expect(read("src/server.ts")).toMatch(/tools: \[\],\n *resources: \[\],\n *prompts: \[\],/);
    expect(listAll(join(folder, "test"))).toEqual(["client.ts", "server.test.ts"]);
    expect(JSON.parse(read("manifest.json"))).toMatchObject({ tools: [] });
    expect(logs).toHaveBeenCalledWith(expect.stringMatching(/^src\/server.ts:\d+ still mentions measure_text$/));
  });

  test.each(["tool", "resource", "prompt"] as const)("`remove` undoes `add %s`", async (kind) => {
    await project("zod");
    const before = ["src/server.ts", "manifest.json"].map(read);
    expect(await runAdd({ kind, name: "word-count", folder })).toBe(0);
    expect(await runRemove({ kind, name: "wordCount", folder })).toBe(0);
    expect(["src/server.ts", "manifest.json"].map(read)).toEqual(before);
    expect(listAll(folder).filter((path) => path.includes("word-count"))).toEqual([]);
    const deleted = `Deleted src/${kind}s/word-count.ts and test/word-count-${kind}.test.ts. Next: npm test`;
    expect(logs).toHaveBeenLastCalledWith(expect.stringContaining(deleted));
  });

  test.each(["js", "none"] as const)(
    "`remove` undoes `add tool` in a project whose imports end with %s",
    async (ending) => {
      await project("zod");
      const lock = "src/mcp/mcp.lock.json";
      writeFileSync(join(folder, lock), JSON.stringify({ ...JSON.parse(read(lock)), imports: ending }));
      const before = read("src/server.ts");
      expect(await runAdd({ kind: "tool", name: "word-count", folder })).toBe(0);
      expect(read("src/server.ts")).toContain(`"./tools/word-count${ending === "js" ? ".js" : ""}"`);
      expect(await runRemove({ kind: "tool", name: "word-count", folder })).toBe(0);
      expect(read("src/server.ts")).toBe(before);
    },
  );

  test("`remove` deletes the test of a definition that was removed by hand", async () => {
    await project("zod");
    const source = read("src/server.ts").replace('name: "shorten"', 'name: "shorter"');
    writeFileSync(join(folder, "src/server.ts"), source);
    expect(await runRemove({ kind: "prompt", name: "shorten", folder })).toBe(0);
    expect(existsSync(join(folder, "test/shorten-prompt.test.ts"))).toBe(false);
    expect(read("src/server.ts")).toBe(source);
  });

  test("`remove` removes a template of resources with its test", async () => {
    await project("zod");
    expect(await runAdd({ kind: "resource", name: "note", uriTemplate: "note://{id}", folder })).toBe(0);
    expect(await runRemove({ kind: "resource", name: "note", folder })).toBe(0);
    expect(listAll(folder).filter((path) => path.includes("note"))).toEqual([]);
    expect(read("src/server.ts")).not.toContain("note");
  });

  test.each([
    ["a tool of a factory", 'export const tools = ["word_count"].map(makeTool);', 'src/more.ts:1 has "word_count"'],
    [
      "a tool that is defined in a list",
      'defineServer({\n  tools: [defineTool({ name: "wordCount" })],\n});',
      'src/more.ts:2 has "wordCount"',
    ],
    [
      "a tool in a module with a syntax error",
      'defineTool({ name: "word_count" ',
      "src/more.ts:1:33: not valid TypeScript",
    ],
  ])("`remove` rejects %s, and keeps its test", async (_what, text, message) => {
    await project("zod");
    expect(await runAdd({ kind: "tool", name: "word-count", folder })).toBe(0);
    rmSync(join(folder, "src/tools/word-count.ts"));
    writeFileSync(join(folder, "src/more.ts"), text);
    const before = listAll(folder);
    expect(await runRemove({ kind: "tool", name: "word-count", folder })).toBe(2);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining(message));
    expect(listAll(folder)).toEqual(before);
  });

  test.each([
    ["an unknown name", "tool", "nothing", 'defines the tool "nothing"; choose one of: measure_text, greet.'],
    ["a path", "tool", "../server", 'defines the tool "../server"'],
    ["a definition that other code uses", "prompt", "shorten", "src/server.ts uses shorten elsewhere"],
  ] as const)("`remove` rejects %s, and changes nothing", async (_what, kind, name, message) => {
    await project("zod");
    const source = `${read("src/server.ts")}console.error(shorten.name);\n`;
    writeFileSync(join(folder, "src/server.ts"), source);
    const before = listAll(folder);
    expect(await runRemove({ kind, name, folder })).toBe(2);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining(message));
    expect(listAll(folder)).toEqual(before);
    expect(read("src/server.ts")).toBe(source);
  });

  test.each([
    ["under another name", "src/again.ts", 'import { wordCountTool as counter } from "./tools/word-count.ts";'],
    ["as a namespace", "src/again.ts", 'import * as counter from "./tools/word-count.js";'],
    ["at run time", "src/again.ts", 'export const load = () => import("./tools/word-count");'],
    ["in a module that exports all tools", "src/tools/index.ts", 'export { wordCountTool } from "./word-count.ts";'],
    [
      "in a module with JSX",
      "src/view.tsx",
      'import { wordCountTool } from "./tools/word-count.ts";\nexport const view = <p>{wordCountTool.name}</p>;',
    ],
    ["in a module that exports everything", "src/tools/index.ts", 'export * from "./word-count.ts";'],
  ])("`remove` rejects a definition that a module uses %s, and changes nothing", async (_how, path, text) => {
    await project("zod");
    expect(await runAdd({ kind: "tool", name: "word-count", folder })).toBe(0);
    writeFileSync(join(folder, path), `${text}\n`);
    const before = ["src/server.ts", path].map(read);
    expect(await runRemove({ kind: "tool", name: "word-count", folder })).toBe(2);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining(`${path} uses wordCountTool`));
    expect(["src/server.ts", path].map(read)).toEqual(before);
    expect(existsSync(join(folder, "src/tools/word-count.ts"))).toBe(true);
  });
});
