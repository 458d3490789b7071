import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { format } from "prettier";
import { beforeAll, describe, expect, test } from "vitest";
import { emitClient } from "../../generator/typed-client/client/emit-client.ts";
import { planClient } from "../../generator/typed-client/client/plan.ts";
import { readVariables } from "../../generator/typed-client/client/variables.ts";
import { readContract } from "../../generator/typed-client/contract/read-contract.ts";
import type { LayerChoices } from "../../generator/scaffold/layer/choices.ts";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import type { Tree } from "../../generator/internal/tree.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { linkPackages, models } from "../kit/projects.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { compile } from "../kit/compile.ts";

/* How short the three usual programs are with the files of a project, and what the compiler says of their mistakes. */

interface Program {
  readonly lines: number;
  /** Imports, those of a generated client left out. */
  readonly imports: number;
  readonly code: string;
}

const programs: { readonly [name: string]: Program } = {
  "a typed tool with structured output, progress and cancellation": {
    lines: 10,
    imports: 1,
    code: `import { createCfworkerValidator, defineServer, defineTool, fromJsonSchema, run } from "./mcp/index.ts";
const json = { validate: createCfworkerValidator() };
const probe = defineTool({
  name: "probe",
  inputSchema: fromJsonSchema({ type: "object", properties: { url: { type: "string" } }, required: ["url"] }, json),
  outputSchema: fromJsonSchema({ type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }, json),
  execute: ({ url }, { signal, progress }) => fetch(url, { signal }).then(({ ok }) => progress(1).then(() => ({ ok }))),
});
await run(defineServer({ name: "a", version: "1.0.0", tools: [probe] }));
`,
  },
  "a resource template with completion and subscriptions": {
    lines: 7,
    imports: 1,
    code: `import { defineResourceTemplate, defineServer, run } from "./mcp/index.ts";
const complete = { id: () => ["todo", "done"] };
const note = defineResourceTemplate({ name: "note", uriTemplate: "note://{id}", complete, read: ({ id }) => id });
const server = defineServer({ name: "b", version: "1.0.0", resourceTemplates: [note] });
setInterval(() => server.resources.notifyUpdated("note://todo"), 60_000).unref();
await run(server);
`,
  },
  "a client with typed arguments that responds to input requests": {
    lines: 6,
    imports: 1,
    code: `import { connectStdio, createClient } from "./mcp/index.ts";
import { createDemoClient } from "./demo/index.ts";
const client = createClient({ info: { name: "c", version: "1" }, elicitation: { form: () => ({ action: "cancel" }) } });
const session = await client.connect((options) => connectStdio({ command: "./demo" }, options));
console.log(await createDemoClient(session).tools.greet({ name: "Ada" }));
await client.close();
`,
  },
};

const [wrongResult, wrongArgument] = [
  programs["a typed tool with structured output, progress and cancellation"]?.code.replace(
    "({ ok }))",
    "({ ok: String(ok) }))",
  ),
  programs["a client with typed arguments that responds to input requests"]?.code.replace('name: "Ada"', "nam: 1"),
].map(String);

const wrongVariable = programs["a resource template with completion and subscriptions"]?.code.replace(
  "({ id }) => id",
  "({ di }) => String(di)",
);

const missing = `import { defineTool } from "./mcp/index.ts";
export const ask = defineTool({
  name: "ask",
  execute: async (_none, { elicit }) => (await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } })).action,
});
`;

const full: LayerChoices = {
  revisions: ["2025-11-25"],
  features: ["tools", "resources", "prompts", "input"],
  transports: ["stdio"],
  client: true,
  validator: true,
  auth: "none",
};

const root = await createTemporaryFolder("short-programs");
let readme: readonly (readonly [file: string, code: string])[] = [];

beforeAll(async () => {
  const contract = readContract({ tools: [demoTool], server: { name: "demo", version: "1" } }, "demo");
  const plan = planClient(contract, { name: "Demo", readVariables });
  const { tree: client } = await emitClient(plan, { ending: "ts", version: "1.2.3", packageFolder: packageRoot });
  linkPackages(root);
  await writeAll("new/mcp", await emitLayer(full, models));
  await writeAll("new/demo", client);
  await writeAll("old/mcp", await emitLayer({ ...full, revisions: ["2024-11-05"] }, models));
  const codes = [...Object.values(programs).map(({ code }) => code), wrongResult, wrongArgument, wrongVariable];
  const files = codes.map((code, at): readonly [string, string] => [`${at}.ts`, String(code)]);
  readme = readPrograms(await readFile(join(packageRoot, "README.md"), "utf8"));
  files.push(...readme);
  await writeAll("new", new Map(files));
  await writeAll("old", new Map([["missing.ts", missing]]));
});

const demoTool = {
  name: "greet",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  },
};

/** Returns the programs of the README, which have a file name after the language. */
function readPrograms(text: string): readonly (readonly [file: string, code: string])[] {
  return [...text.matchAll(/```ts src\/(\S+)\n(.*?)```/gs)].map(([, file = "", code = ""]) => [file, code]);
}

async function writeAll(folder: string, tree: Tree): Promise<void> {
  for (const [path, text] of tree) {
    await mkdir(dirname(join(root, folder, path)), { recursive: true });
    await writeFile(join(root, folder, path), text);
  }
}

describe.each(Object.entries(programs))("%s", (_name, { code, lines, imports }) => {
  test(`the program takes at most ${lines} formatted lines and ${imports} import`, async () => {
    expect(await format(code, { parser: "typescript", printWidth: 120 })).toBe(code);
    expect(code.trim().split("\n").length).toBeLessThanOrEqual(lines);
    const imported = code.match(/^import .*/gm)?.filter((line) => !line.includes("/demo/"));
    expect(imported).toHaveLength(imports);
  });
});

test("the README has a server of twelve lines", () => {
  expect(readme.map(([file]) => file)).toEqual(["server.ts"]);
  expect(readme.map(([, code]) => code.trim().split("\n").length)).toEqual([12]);
});

test("the programs compile, and their mistakes are found", { timeout: 240_000 }, async () => {
  const settings = { types: ["node"], lib: ["ES2023"] };
  const said = await compile("typescript7", { folder: root, files: [`${root}/*/*.ts`], settings });
  const errors = said.filter((line) => !line.startsWith(" ")).map((line) => line.slice(line.search(/(new|old)\//)));
  expect(
    errors.map((line) => line.split("(")[0]),
    said.join("\n"),
  ).toEqual(["new/3.ts", "new/4.ts", "new/5.ts", "old/missing.ts"]);
  const [result, argument, variable, feature] = ["new/3.ts", "new/4.ts", "new/5.ts", "old/missing.ts"].map((file) =>
    said.slice(said.findIndex((line) => line.includes(file))).join("\n"),
  );
  expect(result).toContain("not assignable");
  expect(argument).toContain("'nam' does not exist in type");
  expect(variable).toContain("Property 'di' does not exist on type '{ readonly id: string; }'");
  expect(feature).toContain("elicitation/create was added in revision 2025-06-18");
});
