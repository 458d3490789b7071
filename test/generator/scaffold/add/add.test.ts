import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runAdd } from "../../../../cli/commands/add.ts";
import { findSample, planAddition } from "../../../../generator/scaffold/add/addition.ts";
import { register } from "../../../../generator/scaffold/add/register.ts";
import { writeFiles as changeFiles } from "../../../../generator/scaffold/add/write-files.ts";
import { schemaSamples } from "../../../../generator/scaffold/create/example-tools.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFiles, writeFiles } from "../../../kit/projects.ts";

const tool = { member: "tools", variable: "wordCountTool", from: "./tools/word-count.ts" };

describe("files of a project", () => {
  it.each([
    ["a link to a folder", "src/tools/a.ts", "src/tools", ""],
    ["a link to a file", "src/a.ts", "src/a.ts", "a.ts"],
    ["a folder below a link", "src/tools/more/a.ts", "src/tools", ""],
  ])("a path that leads out of a project through %s is not written", async (_, path, link, target) => {
    const [project, outside] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(project, "src"));
    writeFileSync(join(outside, "a.ts"), "mine");
    symlinkSync(join(outside, target), join(project, link));
    const writes = new Map([
      ["b.ts", "new"],
      [path, "theirs"],
    ]);
    await expect(changeFiles(project, { writes, removals: [] }, new AbortController().signal)).rejects.toThrow(
      `${path} leads out of the project through a link`,
    );
    expect(readFileSync(join(outside, "a.ts"), "utf8")).toBe("mine");
    expect(existsSync(join(project, "b.ts"))).toBe(false);
    expect(existsSync(join(outside, "more"))).toBe(false);
  });

  it("a link that stays within the project is followed, also where the project is behind one", async () => {
    const [real, project] = [temporaryFolder(), join(temporaryFolder(), "link")];
    symlinkSync(real, project);
    mkdirSync(join(real, "code"));
    symlinkSync(join(real, "code"), join(real, "src"));
    const changes = { writes: new Map([["src/new/a.ts", "a"]]), removals: [] };
    await changeFiles(project, changes, new AbortController().signal);
    expect(readFileSync(join(real, "code", "new", "a.ts"), "utf8")).toBe("a");
  });
});

describe("registration", () => {
  it.each([
    ["a list", "defineServer({ tools: [a] });", "defineServer({ tools: [a, wordCountTool] });"],
    [
      "a list with a trailing comma",
      "defineServer({ tools: [\n  a,\n] });",
      "defineServer({ tools: [\n  a, wordCountTool,\n] });",
    ],
    ["a list with a quoted name", 'defineServer({ "tools": [a] });', 'defineServer({ "tools": [a, wordCountTool] });'],
    [
      "a list beside spread members",
      "defineServer({ ...base, tools: [a] });",
      "defineServer({ ...base, tools: [a, wordCountTool] });",
    ],
    ["an empty list", "defineServer({ tools: [] });", "defineServer({ tools: [wordCountTool] });"],
    ["no list", 'defineServer({ name: "a" });', 'defineServer({ name: "a", tools: [wordCountTool] });'],
    ["an empty definition", "defineServer({});", "defineServer({ tools: [wordCountTool] });"],
    [
      "a definition of several lines without a list",
      'run(\n  defineServer({\n    name: "a",\n  }),\n);',
      'run(\n  defineServer({\n    name: "a",\n    tools: [wordCountTool],\n  }),\n);',
    ],
  ])("`register` adds the tool to %s and changes nothing else", (_what, before, after) => {
    const head = '// mine\nimport { defineServer } from "./mcp/index.ts";\n';
    const line = 'import { wordCountTool } from "./tools/word-count.ts";\n';
    expect(register("src/server.ts", head + before, tool)).toBe(head + line + after);
    const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
    expect(register("src/server.ts", crlf(head + before), tool)).toBe(crlf(head + line + after));
  });

  it.each([
    ["a source without a server", "export const a = 1;", "has no defineServer({ ... })"],
    ["a definition from elsewhere", "defineServer(definition);", "has no defineServer({ ... })"],
    ["a list from elsewhere", "defineServer({ tools: all });", 'write "tools: [...all]"'],
    ["a list in a variable", "defineServer({ tools });", 'write "tools: [...tools]"'],
    [
      "a list that may be among spread members",
      "defineServer({ ...base });",
      'write "tools: [...base.tools]" after it',
    ],
    [
      "a name that the module imports already",
      'import { wordCountTool } from "./tools/wordcount.ts";\ndefineServer({ tools: [wordCountTool] });',
      "uses the name wordCountTool for something else already",
    ],
    ["a name that the module declares", "const wordCountTool = 1;\ndefineServer({});", "for something else already"],
    ["invalid TypeScript", "const = ;", "not valid TypeScript"],
  ])("`register` rejects %s", (_what, source, message) => {
    expect(() => register("src/server.ts", source, tool)).toThrow(message);
  });
});

describe("names of additions", () => {
  it.each(["word-count", "word_count", "wordCount"])("the tool %s is registered as word_count", (name) => {
    expect(planAddition({ kind: "tool", name }, schemaSamples.zod)).toMatchObject({
      source: "src/tools/word-count.ts",
      test: "test/word-count-tool.test.ts",
      view: { key: "word_count", variable: "wordCountTool" },
    });
  });

  it.each(["con", "aux", "nul", "prn", "com1", "lpt9"])(
    "a tool with the name %s, a device of Windows, gets another file name",
    (name) => {
      expect(planAddition({ kind: "tool", name }, schemaSamples.zod)).toMatchObject({
        source: `src/tools/${name}-tool.ts`,
        registration: { from: `./tools/${name}-tool.ts` },
        view: { key: name },
      });
    },
  );

  it.each(["tool", "resource", "prompt"] as const)("a %s named define has another constant than its import", (kind) => {
    const { view, registration } = planAddition({ kind, name: "define" }, schemaSamples.zod);
    const variable = { tool: "defineTool2", resource: "defineResource2", prompt: "definePrompt2" }[kind];
    expect(view).toMatchObject({ key: "define", variable });
    expect(registration).toMatchObject({ variable });
  });

  it.each([
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "a b",
    "1a",
    "-a",
    "a--b",
    "a.ts",
    "__proto__",
    "a`b",
    "a\n",
    "é",
    "{{a}}",
  ])("the name %j is rejected", (name) =>
    expect(() => planAddition({ kind: "tool", name }, schemaSamples.zod)).toThrow("cannot be the name of a tool"),
  );

  it("a name that is too long is rejected with its length", () =>
    expect(() => planAddition({ kind: "tool", name: "a".repeat(65) }, schemaSamples.zod)).toThrow(
      "the name of the tool has 65 characters; choose one of at most 64.",
    ));

  it("`findSample` returns the schema library of a project, or throws if there is no known one", () => {
    for (const kind of ["dependencies", "devDependencies"])
      expect(findSample({ [kind]: { arktype: "^2" } })).toBe(schemaSamples.arktype);
    for (const manifest of [{}, null, "x", { dependencies: null }, { dependencies: { valibot: "1" } }])
      expect(() => findSample(manifest)).toThrow("no known schema library");
  });
});

describe("URI templates of additions", () => {
  const view = (uriTemplate: string) =>
    planAddition({ kind: "resource", name: "note", uriTemplate }, schemaSamples.zod).view;

  it.each([
    ["notes://{id}", { condition: "known.id.includes(id)", shown: "${id}", uri: '"notes://one"' }],
    ["city://{country}/{name}", { variables: "country, name", shown: "${country} ${name}" }],
    ["files:///{+path}", { uri: '"files:///one"', condition: "known.path.includes(path)" }],
    ["tree://a{/path*}", { condition: "", shown: '${path?.join("/") ?? ""}', uri: '"tree://a/one"' }],
    ["list://{ids*}", { condition: 'known.ids.includes(ids.join("/"))' }],
    ["notes://{id:2}{?full}", { values: 'id: ["on", "tw"], full: ["one", "two"]', suggested: "tw" }],
    ["notes://{known}", { known: "known2", condition: "known2.known.includes(known)" }],
  ])("the template %s has a view", (text, expected) => expect(view(text)).toMatchObject(expected));

  it.each([
    ["notes://all", "has no variables; remove it, or write one such as notes://{id}"],
    ["notes/{id}", "gives no absolute URI; begin it with a scheme"],
    ["{+uri}", "gives no absolute URI"],
    ["notes://{id", "character 9: the brace is not closed (RFC 6570); correct it."],
    ["notes://{a}{b}", "a URI does not show where each variable ends; write a text between them"],
    ["notes://{class}", "the variable class cannot be a name in TypeScript; choose another"],
    ["notes://{a.b}", "the variable a.b cannot be"],
    ["notes://{arguments}", "the variable arguments cannot be"],
    ["", "gives no absolute URI"],
  ])("the template %j is rejected", (text, message) => {
    expect(() => view(text)).toThrow(message);
    expect(() => view(text)).not.toThrow("\n");
  });
});

describe("create-mcp-server add", () => {
  afterEach(() => vi.restoreAllMocks());

  async function project(features: string, extras = "none"): Promise<string> {
    const folder = temporaryFolder();
    writeFiles(folder, await emitFiles({ folder, revisions: ["2025-11-25"], selection: { features, extras } }));
    vi.spyOn(console, "log").mockReturnValue();
    return folder;
  }

  it.each(["tool", "resource", "prompt"] as const)("`add` writes a %s, its test and its registration", async (kind) => {
    const folder = await project("tools,resources,prompts");
    const before = listAll(folder);
    expect(await runAdd({ kind, name: "word-count", folder })).toBe(0);
    const added = listAll(folder).filter((path) => !before.includes(path) && path.endsWith(".ts"));
    expect(added).toEqual([`src/${kind}s/word-count.ts`, `test/word-count-${kind}.test.ts`]);
    expect(readFileSync(join(folder, "src/server.ts"), "utf8")).toContain(`from "./${kind}s/word-count.ts";`);
  });

  it("`add` updates the list of tools in the manifest of the bundle", async () => {
    const folder = await project("tools", "mcpb");
    const manifest = (): { tools: { name: string }[] } =>
      JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    const before = manifest();
    expect(await runAdd({ kind: "tool", name: "word-count", folder })).toBe(0);
    expect(manifest()).toEqual({
      ...before,
      tools: [...before.tools, { name: "word_count", description: "Word count." }],
    });
    const server = join(folder, "src/server.ts");
    writeFileSync(server, readFileSync(server, "utf8").replace('name: "measure_text"', 'name: "measure"'));
    expect(await runAdd({ kind: "tool", name: "other", folder })).toBe(0);
    expect(manifest().tools.map(({ name }) => name)).toEqual(["word_count", "other"]);
  });

  it.each(["{", '{"tools":{}}'])(
    "`add` warns that the manifest %s has no list of tools, and still adds the tool",
    async (text) => {
      const errors = vi.spyOn(console, "error").mockReturnValue();
      const folder = await project("tools", "mcpb");
      writeFileSync(join(folder, "manifest.json"), text);
      expect(await runAdd({ kind: "tool", name: "word-count", folder })).toBe(0);
      expect(errors).toHaveBeenCalledWith(expect.stringContaining("manifest.json has no list of tools"));
      expect(readFileSync(join(folder, "manifest.json"), "utf8")).toBe(text);
      expect(readFileSync(join(folder, "src/server.ts"), "utf8")).toContain("wordCountTool");
    },
  );

  it.each(["tool", "resource", "prompt"] as const)("the test of a new %s starts no server of its own", async (kind) => {
    const folder = await project("tools,resources,prompts");
    expect(await runAdd({ kind, name: "word-count", folder })).toBe(0);
    const text = readFileSync(join(folder, `test/word-count-${kind}.test.ts`), "utf8");
    expect(text).toContain("await connect(each)");
    expect(text).not.toMatch(/new Client|open\(/);
  });

  it("`add` generates the layer again if the project was created without the feature", async () => {
    const folder = await project("tools");
    expect(await runAdd({ kind: "resource", name: "notes", folder })).toBe(0);
    expect(readFileSync(join(folder, "src/mcp/index.ts"), "utf8")).toContain("export function defineResource<");
    const lock: unknown = JSON.parse(readFileSync(join(folder, "src/mcp/mcp.lock.json"), "utf8"));
    expect(lock).toMatchObject({ features: ["tools", "resources"], revisions: ["2025-11-25"] });
    expect(listAll(folder)).toContain(".mcp-previous/index.ts");
  });

  it("`add` keeps a layer that was edited by hand, or if the files cannot be written", async () => {
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const folder = await project("tools");
    const lock = readFileSync(join(folder, "src/mcp/mcp.lock.json"), "utf8");
    mkdirSync(join(folder, "src/resources/notes.ts"), { recursive: true });
    expect(await runAdd({ kind: "resource", name: "notes", folder })).toBe(2);
    expect(readFileSync(join(folder, "src/mcp/mcp.lock.json"), "utf8")).toBe(lock);
    writeFileSync(join(folder, "src/mcp/index.ts"), "// mine\n");
    expect(await runAdd({ kind: "prompt", name: "ask", folder })).toBe(2);
    expect(errors).toHaveBeenLastCalledWith(
      expect.stringContaining("src/mcp/ needs prompts but was edited by hand: index.ts."),
    );
    expect(readFileSync(join(folder, "src/mcp/index.ts"), "utf8")).toBe("// mine\n");
    expect(readFileSync(join(folder, "src/mcp/mcp.lock.json"), "utf8")).toBe(lock);
  });

  it.each([
    ["tool", "measureText", 'src/server.ts:6 defines a tool with the name "measure_text" already'],
    ["prompt", "shorten", 'defines a prompt with the name "shorten" already'],
    ["resource", "guide", undefined],
  ] as const)(
    "`add` rejects a duplicate of the %s %s in another file if its name would be the same",
    async (kind, name, says) => {
      const errors = vi.spyOn(console, "error").mockReturnValue();
      const folder = await project("tools,resources,prompts");
      const before = listAll(folder);
      expect(await runAdd({ kind, name, folder })).toBe(says === undefined ? 0 : 2);
      if (says === undefined) return;
      expect(errors).toHaveBeenLastCalledWith(expect.stringContaining(says));
      expect(listAll(folder)).toEqual(before);
    },
  );

  it("`add` reads a package.json with a byte order mark, and rejects one that is not JSON", async () => {
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const folder = await project("tools");
    const path = join(folder, "package.json");
    writeFileSync(path, `\uFEFF${readFileSync(path, "utf8")}`);
    expect(await runAdd({ kind: "tool", name: "first", folder })).toBe(0);
    writeFileSync(path, "{");
    expect(await runAdd({ kind: "tool", name: "second", folder })).toBe(2);
    expect(errors).toHaveBeenLastCalledWith("create-mcp-server: package.json is not valid JSON; correct it first.");
  });

  it("`add` writes a resource template with completions, and rejects a second one with the same text", async () => {
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const folder = await project("tools");
    const note = { kind: "resource", folder, uriTemplate: "notes://{id}" } as const;
    expect(await runAdd({ ...note, name: "note" })).toBe(0);
    expect(readFileSync(join(folder, "src/resources/note.ts"), "utf8")).toContain("complete: { id: completeFrom(");
    expect(readFileSync(join(folder, "src/server.ts"), "utf8")).toContain("resourceTemplates: [noteResource]");
    expect(readFileSync(join(folder, "test/note-resource.test.ts"), "utf8")).toContain('ask("completion/complete"');
    expect(await runAdd({ ...note, name: "other" })).toBe(2);
    expect(errors).toHaveBeenLastCalledWith(
      expect.stringContaining('defines a resource with the uriTemplate "notes://{id}" already'),
    );
  });

  it("`add` rejects a resource with the address of another resource", async () => {
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const folder = await project("tools,resources");
    writeFileSync(join(folder, "src/more.ts"), 'const a = defineResource({ uri: `notes://main`, name: "a" });\n');
    writeFileSync(join(folder, "src/broken.ts"), "notes://main is no TypeScript (\n");
    expect(await runAdd({ kind: "resource", name: "notes", folder })).toBe(2);
    expect(errors).toHaveBeenLastCalledWith(expect.stringContaining("src/more.ts:1 defines a resource with the uri"));
  });

  it.each([
    ["pnpm-lock.yaml", "pnpm test"],
    [".yarnrc.yml", "yarn test"],
    ["bun.lock", "bun run test"],
    ["package-lock.json", "npm test"],
  ])("`add` in a project with %s suggests %s as the next step", async (file, next) => {
    const folder = await project("tools");
    writeFileSync(join(folder, file), "");
    expect(await runAdd({ kind: "tool", name: "shout", folder })).toBe(0);
    expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining(`Next: ${next}`));
  });

  it("`add` changes nothing if the name exists already or the folder is not a project", async () => {
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const folder = await project("tools");
    expect(await runAdd({ kind: "tool", name: "a", folder })).toBe(0);
    const before = listAll(folder).map((path) => path);
    const server = readFileSync(join(folder, "src/server.ts"), "utf8");
    expect(await runAdd({ kind: "tool", name: "a", folder })).toBe(2);
    expect(await runAdd({ kind: "tool", name: "a", folder: temporaryFolder() })).toBe(2);
    expect(listAll(folder)).toEqual(before);
    expect(readFileSync(join(folder, "src/server.ts"), "utf8")).toBe(server);
    expect(errors).toHaveBeenCalledTimes(2);
  });
});
