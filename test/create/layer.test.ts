import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Project } from "ts-morph";
import { describe, expect, it } from "vitest";
import { reach } from "../../generator/create/layer/reach.ts";
import { shareChecks } from "../../generator/create/layer/shared-checks.ts";
import { readSourceParts } from "../../generator/create/layer/source-parts.ts";
import { emitLayer, layerTemplate } from "../../generator/create/emit-layer.ts";
import type { LayerChoices } from "../../generator/create/layer/choices.ts";
import { loadTemplates } from "../../generator/emit/templates.ts";
import type { Tree } from "../../generator/emit/tree.ts";

const sources = ["runtime", "generated"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path))
    // A program of its own, which no layer has.
    .filter((path) => path !== join("runtime", "gateway", "serve-module.ts")),
);

describe("taking our own sources apart", () => {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });

  it.each(sources)("%s has the statements that a parser finds", (path) => {
    const text = readFileSync(path, "utf8");
    const file = project.createSourceFile("a.ts", text, { overwrite: true });
    const { imports, reExports, parts } = readSourceParts(text);
    const others = file.getImportDeclarations().length + file.getExportDeclarations().length;
    expect(parts.length).toBe(file.getStatements().length - others);
    const declared = [...file.getFunctions(), ...file.getClasses(), ...file.getInterfaces(), ...file.getTypeAliases()];
    const names = [...declared, ...file.getVariableDeclarations()].map((declaration) => declaration.getName());
    expect(new Set(parts.map(({ name }) => name))).toEqual(new Set(names));
    const imported = file.getImportDeclarations().flatMap((one) => one.getNamedImports().map((name) => name.getName()));
    const found = imports.filter(({ name }) => name !== "*" && name !== "default").map(({ name }) => name);
    expect(found.sort()).toEqual(imported.sort());
    expect(reExports.length).toBe(file.getExportDeclarations().length);
  });
});

describe("what a file reaches", () => {
  it("is followed through files that only give names on", async () => {
    const files: Readonly<Record<string, string>> = {
      "b.ts": 'export type { C, D } from "./c.ts";\n\nexport const unused = 1;\n',
      "c.ts": "export interface C {\n  d: D;\n}\n\nexport type D = string;\n\nexport type E = number;\n",
    };
    const entry = { path: "a.ts", text: 'import type { C } from "./b.ts";\n\nexport type A = C;\n' };
    const tree = reach(entry, (path) => files[path] ?? expect.unreachable(path));
    expect(tree.get("b.ts")).toBe('export type { C, D } from "./c.ts";\n');
    expect(tree.get("c.ts")).toBe("export interface C {\n  d: D;\n}\n\nexport type D = string;\n");
  });
});

describe("checks of several revisions", () => {
  const support = 'import { fail } from "../support.ts";\n';
  const name = "function checkName(v: unknown): boolean {\n  return isText(v);\n}\n";
  const text = 'function isText(v: unknown): boolean {\n  return typeof v === "string";\n}\n';
  const otherText = 'function isText(v: unknown): boolean {\n  return typeof v !== "number";\n}\n';
  const list = "function checkList(v: unknown): boolean {\n  return [v].every(checkName);\n}\n";
  const source = (...parts: readonly string[]): string => ["// Header\n", support, ...parts].join("\n");

  it("stand where the newest has them, and nowhere else", () => {
    const shared = shareChecks([
      { revision: "b", text: source(`export ${name}`, text) },
      { revision: "a", text: source(`export ${list}`, `export ${name}`, text) },
    ]);
    expect(shared.get("b")).toContain(`export ${text}`);
    const older = shared.get("a");
    expect(older).toContain(
      'import { checkName } from "../b/validate.ts";\nexport { checkName } from "../b/validate.ts";',
    );
    expect(older).toContain(list);
    expect(older).not.toMatch(/function (checkName|isText)/);
  });

  it("stay where something that they call is not the same", () => {
    const both = [source(`export ${name}`, text), source(`export ${name}`, otherText)];
    const shared = shareChecks(both.map((one, at) => ({ revision: String(at), text: one })));
    expect([...shared.values()]).toEqual(both);
  });

  it("may call themselves", () => {
    const tree = "export function checkTree(v: unknown): boolean {\n  return v === 1 || checkTree(v);\n}\n";
    const shared = shareChecks(["1", "0"].map((revision) => ({ revision, text: source(tree) })));
    expect(shared.get("0")).toContain('export { checkTree } from "../1/validate.ts";');
    expect(shared.get("0")).not.toContain("function");
  });
});

const newest = readdirSync("spec", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
  .map(({ name }) => name)
  .sort()
  .reverse();

const small: LayerChoices = {
  revisions: [newest[1] ?? ""],
  offers: ["tools"],
  transports: ["stdio"],
  client: false,
  validator: false,
  auth: "none",
};

async function emit(choices: Partial<LayerChoices>): Promise<Tree> {
  const templates = loadTemplates("templates", [layerTemplate]);
  return emitLayer({ choices: { ...small, ...choices }, version: "1.2.3", packageFolder: process.cwd(), templates });
}

describe("what a layer leaves out (A19)", () => {
  it("is what a server of tools on stdio cannot meet", async () => {
    const layer = await emit({});
    const paths = [...layer.keys()].join("\n");
    for (const part of [
      "uri-match",
      "feature.ts",
      "task-manager",
      "http",
      "client/",
      "convert.ts",
      "skills",
      "ui-",
      "extend",
    ])
      expect(paths).not.toContain(part);
    const checks = layer.get(`generated/${small.revisions[0]}/validate.ts`) ?? "";
    expect(checks).toContain("checkCallToolResult");
    for (const name of ["checkPrompt", "checkCreateMessage", "checkElicit", "checkListTasks", "checkCreateTask"])
      expect(checks).not.toContain(name);
    expect(layer.get("index.ts")).not.toMatch(/defineResource|definePrompt|serveHttp/);
  });

  it("is the documented types of every revision but the newest", async () => {
    const layer = await emit({ revisions: newest });
    expect([...layer.keys()].filter((path) => path.endsWith("/types.ts"))).toEqual([`generated/${newest[0]}/types.ts`]);
    expect([...layer.keys()].filter((path) => path.endsWith("/convert.ts"))).toHaveLength(newest.length - 1);
  });

  it("is the tasks extension where no tasks are offered, or where the core has them", async () => {
    const has = async (choices: Partial<LayerChoices>): Promise<boolean> =>
      [...(await emit(choices)).keys()].some((path) => path.includes("extension"));
    expect(await has({ revisions: newest })).toBe(false);
    expect(await has({ offers: ["tools", "tasks"] })).toBe(false);
    const layer = await emit({ revisions: newest, offers: ["tools", "tasks"] });
    const found = [...layer.keys()].filter((path) => path.startsWith("generated/extensions/"));
    expect(found).toEqual(["generated/extensions/tasks/methods.ts", "generated/extensions/tasks/validate.ts"]);
    expect(layer.get("index.ts")).toContain("extending: createExtending([taskExtension]),");
    const both = await emit({ revisions: newest, offers: ["tools", "tasks"], client: true });
    expect(both.get("index.ts")).toContain("export { extension as tasksExtension }");
  });

  it("is no conversion of what older revisions get", async () => {
    const layer = await emit({ revisions: newest });
    for (const revision of newest.slice(1)) {
      const text = layer.get(`generated/${revision}/convert.ts`) ?? "";
      expect(text).toContain('"tools/list": { result: toListToolsResult },');
      expect(text).toContain("export function toListToolsResult(");
      expect(text).not.toContain("toListPromptsResult");
    }
  });

  it.each([
    { offers: ["tools", "resources"], has: ["defineResource"] },
    { offers: ["tools", "prompts"], has: ["definePrompt"] },
    { offers: ["tools", "tasks"], has: ["ServerTasks"] },
    { offers: ["tools", "resources", "skills"], has: ["ServerSkills", "readSkills", "createExtending([skills])"] },
    { offers: ["tools", "resources", "ui"], has: ["UiSupport", "createUiResource", "createExtending([ui])"] },
    { transports: ["http"], has: ["serveHttp", "runHttp as run"] },
    { transports: ["stdio", "http"], has: ["serveStdio", "serveHttp", "runServer as run"] },
    { transports: ["worker"], has: ["createHttpHandler"] },
    { client: true, has: ["createClient", "connectHttp", "connectStdio"] },
    { validator: true, has: ["createCfworkerValidator"] },
    { transports: ["http"], auth: "oauth", has: ["requireBearerToken", "verifyJwt"] },
    { transports: ["http"], auth: "api-key", has: ["requireApiKey", "limitAuthFailures"] },
  ] as const)("comes in when it is chosen: %j", async ({ has, ...choices }) => {
    const entry = (await emit(choices)).get("index.ts") ?? "";
    for (const name of has) expect(entry).toContain(name);
  });

  it("is all that reads folders, where skills are served from a worker", async () => {
    const layer = await emit({ offers: ["tools", "resources", "skills"], transports: ["worker"] });
    const paths = [...layer.keys()].join("\n");
    expect(paths).not.toMatch(/adapters\/yaml|skills\/folder/);
    expect(layer.get("index.ts")).toContain("createSkill");
  });

  it("is what only HTTP repeats in headers, on stdio", async () => {
    const has = async (choices: Partial<LayerChoices>): Promise<boolean> =>
      (await emit({ revisions: newest, ...choices })).get("index.ts")?.includes("checkInput: checkParamHeaders,") ??
      false;
    expect(await has({ transports: ["stdio"] })).toBe(false);
    expect(await has({ transports: ["stdio", "http"] })).toBe(true);
    expect(await has({ transports: ["worker"] })).toBe(true);
  });

  it("is what counts and writes down requests, where callers are not known", async () => {
    const choices = { revisions: newest, transports: ["http"] } as const;
    const names = /\b(rateLimit|auditLog|requestLogger)\b/;
    expect((await emit(choices)).get("index.ts")).not.toMatch(names);
    const guarded = await emit({ ...choices, auth: "api-key" });
    for (const name of ["rateLimit", "auditLog", "requestLogger"])
      expect(guarded.get("index.ts")).toContain(`export { ${name} }`);
    expect([...guarded.keys()]).toContain("runtime/server/middleware/rate-limit.ts");
  });

  it("is questions, older words and what sends requests, in a program that only answers", async () => {
    const paths = [...(await emit({})).keys()].join("\n");
    for (const part of [
      "protocol/pending-requests.ts",
      "steps",
      "input-scope",
      "ask-client",
      "listeners",
      "resources/subscriptions",
      "sealing",
    ])
      expect(paths).not.toContain(part);
    const kitOf = async (choices: Partial<LayerChoices>): Promise<string> =>
      /^  createAcceptor.*$/m.exec((await emit(choices)).get("index.ts") ?? "")?.[0] ?? "";
    expect(await kitOf({})).toBe("  createAcceptor: createSessionAcceptor,");
    expect(await kitOf({ offers: ["tools", "questions"] })).toBe(
      "  createAcceptor: (options) => createSessionAcceptor(options, { createPendingRequests }),",
    );
    expect(await kitOf({ revisions: newest })).toBe(
      "  createAcceptor: (options) => createDualAcceptor(options, { createRevisionConverter }),",
    );
  });

  it("is told by its README, with what is left", async () => {
    const layer = await emit({});
    const sources = [...layer].filter(([path]) => path.endsWith(".ts"));
    const size = sources.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
    expect(layer.get("README.md")).toMatch(
      new RegExp(`^\\| all +\\| +${sources.length} \\| +${(size / 1_000).toFixed(1)} \\|$`, "m"),
    );
  });

  it("is lists of resources and prompts, as values and as types", async () => {
    const tools = await emit({});
    const paths = [...tools.keys()].join("\n");
    for (const part of ["resource", "prompts", "completions", "runtime/tasks/task.ts", "tool-tasks"])
      expect(paths).not.toContain(part);
    expect(tools.get("index.ts")).toContain("export type Server = CoreServer & { readonly tools: Unchanging };");
    const both = await emit({ offers: ["tools", "resources", "prompts"] });
    expect(both.get("index.ts")).toContain(
      "export type Server = CoreServer & ToolLists & ResourceLists & PromptLists;",
    );
  });

  it("is news of changes, where nothing but tools is offered and they stay as they are", async () => {
    const news = /changing-lists|list-changed|listen|feature\.ts/;
    for (const revision of newest) {
      const fixed = await emit({ revisions: [revision] });
      expect([...fixed.keys()].join("\n")).not.toMatch(news);
      expect(fixed.get(`generated/${revision}/methods.ts`)).not.toMatch(/list_changed|subscriptions\//);
      expect(fixed.get("index.ts")).toContain("createLists: createFixedLists,");
      const changing = await emit({ revisions: [revision], offers: ["tools", "changes"] });
      expect([...changing.keys()].join("\n")).toMatch(news);
      expect(changing.get("index.ts")).toContain("export type Server = CoreServer & ToolLists;");
    }
  });

  it("is the lifecycle that no revision of it has", async () => {
    const pathsOf = async (revision: string | undefined): Promise<string> =>
      [...(await emit({ revisions: [revision ?? ""] })).keys()].join("\n");
    expect(await pathsOf(newest[1])).not.toMatch(/per-request|claim|listeners/);
    expect(await pathsOf(newest[0])).not.toMatch(/lifecycle\/(sessions|negotiate|dual)/);
    const checks = (await emit({ revisions: newest.slice(0, 1) })).get(`generated/${newest[0]}/validate.ts`);
    expect(checks).not.toMatch(/InputRequired|checkInputRe/);
  });

  it("is the same whoever asks, and however often", async () => {
    expect([...(await emit({ revisions: newest }))]).toEqual([...(await emit({ revisions: newest }))]);
  });
});
