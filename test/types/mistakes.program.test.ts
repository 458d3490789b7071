import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { LayerChoices } from "../../generator/scaffold/layer/choices.ts";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import { linkPackages, models, writeFiles } from "../kit/projects.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { compile, compilers } from "../kit/compile.ts";

/* Typical mistakes in a project: the compiler explains each in at most three lines, which name the remedy. */

interface Mistake {
  readonly mistake: string;
  readonly code: string;
  /** Text that the explanation contains. */
  readonly says: string | RegExp;
  /** Pinned revision. Default: the newest. */
  readonly revision?: "2024-11-05";
}

const outputSchema = `define outputSchema to return other values`;
const describes = "return what outputSchema describes";
const wrap = `wrap it in z.object({ ... }) or fromJsonSchema(...)`;
const server = (fields: string): string => `m.defineServer({ name: "s", version: "1", ${fields} })`;
const asks = (request: string): string => tool(`execute: async (_, { elicit }) => (await ${request}).action`);
const tool = (fields: string): string => `m.defineTool({ name: "t", ${fields} })`;

const mistakes: readonly Mistake[] = [
  {
    mistake: "an argument that the schema does not have",
    code: tool(`inputSchema: city, execute: ({ town }) => town`),
    says: "Property 'town' does not exist on type '{ city: string; }'",
  },
  {
    mistake: "a result of the wrong type",
    code: tool(`outputSchema: warmth, execute: () => ({ degrees: "7" })`),
    says: "Type 'string' is not assignable to type 'number'",
  },
  {
    mistake: "a promised result of the wrong type",
    code: tool(`inputSchema: city, outputSchema: warmth, execute: async ({ city }) => ({ degrees: city })`),
    says: describes,
  },
  {
    mistake: "a result of the wrong type from an async block",
    code: tool(`inputSchema: city, outputSchema: warmth, execute: async ({ city }) => { return { degrees: city }; }`),
    says: describes,
  },
  {
    mistake: "a result of the wrong type from an async method",
    code: tool(`inputSchema: city, outputSchema: warmth, async execute({ city }) { return { degrees: city }; }`),
    says: describes,
  },
  {
    mistake: "no result from an async block",
    code: tool(`outputSchema: warmth, execute: async () => {}`),
    says: describes,
  },
  {
    mistake: "a promised number without output schema",
    code: tool(`execute: async () => { return 5; }`),
    says: outputSchema,
  },
  {
    mistake: "a promised unknown type of content",
    code: tool(`execute: async () => ({ content: [{ type: "txt", text: "a" }] })`),
    says: /missing in type 'Promise<\{ content: \[\{ type: "txt".*required in type 'PromiseOf<ContentResult</,
  },
  { mistake: "an object without output schema", code: tool(`execute: () => ({ hello: 1 })`), says: outputSchema },
  {
    mistake: "a promised object without output schema",
    code: tool(`inputSchema: city, execute: async ({ city }) => ({ city })`),
    says: outputSchema,
  },
  {
    mistake: "an object without output schema, returned from a block",
    code: tool(`inputSchema: city, execute({ city }) { return { city }; }`),
    says: outputSchema,
  },
  { mistake: "a number without output schema", code: tool(`execute: () => 5`), says: outputSchema },
  { mistake: "no result", code: tool(`execute: () => {}`), says: outputSchema },
  {
    mistake: "the name `handler` for the function",
    code: tool(`inputSchema: city, handler: async ({ city }) => city`),
    says: "the member is named execute",
  },
  {
    mistake: "the name `parameters` for the schema",
    code: tool(`parameters: city, execute: () => ""`),
    says: "the member is named inputSchema",
  },
  {
    mistake: "the name `run` for the function",
    code: tool(`inputSchema: city, run: async ({ city }) => city`),
    says: "the member is named execute",
  },
  {
    mistake: "the name `input` for the schema",
    code: tool(`input: city, execute: () => ""`),
    says: "the member is named inputSchema",
  },
  {
    mistake: "the name `load` for the function of a resource",
    code: `m.defineResource({ name: "r", uri: "a://b", load: async () => ({ text: "x" }) })`,
    says: "the member is named read",
  },
  {
    mistake: "the name `url` for the URI of a resource",
    code: `m.defineResource({ name: "r", url: "a://b", read: () => "" })`,
    says: "the member is named uri",
  },
  {
    mistake: "the name `load` for the function of a prompt",
    code: `m.definePrompt({ name: "p", load: async () => "" })`,
    says: "the member is named get",
  },
  {
    mistake: "the name `argsSchema` for the arguments of a prompt",
    code: `m.definePrompt({ name: "p", argsSchema: { city: z.string() }, get: () => "" })`,
    says: "the member is named arguments",
  },
  {
    mistake: "a list of arguments of a prompt",
    code: `m.definePrompt({ name: "p", arguments: [{ name: "city", required: true }], get: () => "" })`,
    says: "arguments are an object, as in { city: { required: true } }",
  },
  {
    mistake: "a URI with variables for a resource",
    code: `m.defineResource({ uri: "note://{id}", name: "r", read: () => "" })`,
    says: "URIs with variables are for defineResourceTemplate",
  },
  {
    mistake: "a promised text in an object from a resource",
    code: `m.defineResource({ name: "r", uri: "a://b", read: async () => ({ text: "x" }) })`,
    says: "return a text, bytes or { contents: [{ uri, text }] }",
  },
  {
    mistake: "a promised message with another role from a prompt",
    code: `m.definePrompt({ name: "p", get: async () => ({ messages: [{ role: "system", content: { type: "text", text: "x" } }] }) })`,
    says: "return a text or { messages: [{ role, content }] }",
  },
  {
    mistake: "a context member of another library",
    code: tool(`execute: async (_, { reportProgress }) => reportProgress({ progress: 1 })`),
    says: "Property 'reportProgress' does not exist on type 'HandlerContext<Declarations>'",
  },
  {
    mistake: "a method of another library for the log",
    code: tool(`execute: async (_, { log }) => { await log.info("x"); return ""; }`),
    says: "Property 'info' does not exist on type '(level: LoggingLevel, data: unknown, logger?: string",
  },
  {
    mistake: "name, schema and function as separate arguments",
    code: `m.defineTool("t", { city: z.string() }, () => "")`,
    says: "Expected 1 arguments, but got 3",
  },
  {
    mistake: "an object of tools in place of a list",
    code: server(`tools: { t: m.defineTool({ name: "t", execute: () => "" }) }`),
    says: "'t' does not exist in type 'DefinitionList<ToolDefinition<",
  },
  {
    mistake: "an object of schemas in place of a schema",
    code: tool(`inputSchema: { city: z.string() }, execute: ({ city }) => city`),
    says: wrap,
  },
  {
    mistake: "an object of schemas in place of an output schema",
    code: tool(`outputSchema: { degrees: z.number() }, execute: () => ""`),
    says: wrap,
  },
  {
    mistake: "plain JSON Schema in place of a schema",
    code: tool(`inputSchema: { type: "object", properties: { city: {} } }, execute: ({ city }) => city`),
    says: wrap,
  },
  {
    mistake: "an unknown type of content",
    code: tool(`execute: () => ({ content: [{ type: "txt", text: "a" }] })`),
    says: `Did you mean '"text"'?`,
  },
  {
    mistake: "a variable that the template does not have",
    code: `m.defineResourceTemplate({ name: "r", uriTemplate: "note://{id}", read: ({ key }) => key })`,
    says: "Property 'key' does not exist on type '{ readonly id: string; }'",
  },
  { mistake: "`tool` for `tools`", code: server(`tool: []`), says: "Did you mean to write 'tools'?" },
  {
    mistake: "a prompt among the tools",
    code: server(`tools: [m.definePrompt({ name: "p", get: () => "" })]`),
    says: /'execute' is missing in type 'PromptDefinition<.*required in type 'ToolDefinition</,
  },
  {
    mistake: "a resource among the tools",
    code: server(`tools: [m.defineResource({ name: "r", uri: "a://b", read: () => "" })]`),
    says: /'execute' is missing in type 'ResourceDefinition' but required in type 'ToolDefinition</,
  },
  {
    mistake: "a resource template among the resources",
    code: server(`resources: [m.defineResourceTemplate({ name: "r", uriTemplate: "a://{b}", read: () => "" })]`),
    says: /'uri' is missing in type 'ResourceTemplateDefinition<.*required in type 'ResourceDefinition</,
  },
  {
    mistake: "a response that is not awaited",
    code: tool(
      `execute: (_, { elicit }) => elicit({ message: "?", requestedSchema: { type: "object", properties: {} } }).action`,
    ),
    says: "Property 'action' does not exist on type 'Promise<ElicitResult>'",
  },
  {
    mistake: "a nested object in a form",
    code: asks(`elicit("?", z.object({ home: city }))`),
    says: `Unavailable<"fields of a form are strings, numbers, booleans or choices: change home">`,
  },
  {
    mistake: "a free list in a form",
    code: asks(`elicit("?", z.object({ tags: z.array(z.string()) }))`),
    says: `Unavailable<"fields of a form are strings, numbers, booleans or choices: change tags">`,
  },
  {
    mistake: "a nested object in a form of plain JSON Schema",
    code: asks(`elicit("?", { type: "object", properties: { home: { type: "object" } } })`),
    says: `Unavailable<"fields of a form are strings, numbers, booleans or choices: change home">`,
  },
  {
    mistake: "a form that is no object",
    code: asks(`elicit("?", z.string())`),
    says: `Unavailable<"wrap it in z.object({ ... })">`,
  },
  {
    mistake: "an object of schemas in place of the schema of a form",
    code: asks(`elicit("?", { seat: z.string() })`),
    says: `Unavailable<"wrap it in z.object({ ... })">`,
  },
  {
    mistake: "a form without a schema",
    code: asks(`elicit("?")`),
    says: "'string' is not assignable to parameter of type 'ElicitRequestParams'",
  },
  {
    mistake: "content of a form that the user may not have accepted",
    code: tool(`execute: async (_, { elicit }) => (await elicit("?", city)).content.city`),
    says: "Object is possibly 'undefined'",
  },
  {
    mistake: "a field that the form does not have",
    code: tool(`execute: async (_, { elicit }) => (await elicit("?", city)).content?.town ?? ""`),
    says: "Property 'town' does not exist on type '{ city: string; }'",
  },
  {
    mistake: "the content of a sampled text",
    code: tool(`execute: async (_, { sample }) => (await sample("?")).content`),
    says: "Property 'content' does not exist on type 'string'",
  },
  {
    mistake: "the state of a session at a revision without sessions",
    code: tool(`execute: async (_, { session }) => (await m.createSessionState("s", city).get(session)).city`),
    says: `Unavailable<"there is no session: initialize was removed in revision 2026-07-28">`,
  },
  {
    mistake: "a member that the revision does not have",
    code: tool(`outputSchema: warmth, execute: () => ({ degrees: 7 })`),
    says: `Unavailable<"Tool.outputSchema was added in revision 2025-06-18">`,
    revision: "2024-11-05",
  },
  {
    mistake: "a request that the revision does not have",
    code: tool(`execute: async (_, { elicit }) => (await elicit({ message: "?" })).action`),
    says: `Unavailable<"elicitation/create was added in revision 2025-06-18">`,
    revision: "2024-11-05",
  },
  {
    mistake: "a tool that is not defined with defineTool",
    code: server(`tools: [{ name: "t", inputSchema: city, execute: ({ city }) => city }]`),
    says: "define the tool with defineTool and an inputSchema",
  },
];

const head = `import * as z from "zod";
import * as m from "./mcp/index.ts";
export const city = z.object({ city: z.string() });
export const warmth = z.object({ degrees: z.number() });
`;

/** Definitions without a mistake that are not literals, or return promises of several types. */
const valid = `
class Echo {
  readonly name = "echo";
  readonly inputSchema = city;
  execute({ city }: { city: string }): string {
    return city;
  }
}
const first: m.ToolDefinition = m.defineTool({ name: "first", execute: async () => "x" });
export const made = [
  m.defineTool(new Echo()),
  m.defineServer({ name: "s", version: "1", tools: [new Echo(), first] }),
  m.defineTool(first),
  m.defineTool({ ...first, name: "second" }),
  m.defineTool({
    name: "t",
    outputSchema: warmth,
    execute: async () => (Math.random() > 2 ? { degrees: 1 } : m.inputRequired({ requestState: "x" })),
  }),
  m.defineResourceTemplate({ name: "r", uriTemplate: "a://{b}", read: async ({ b }) => (b === "x" ? undefined : b) }),
];
`;

const choices: LayerChoices = {
  revisions: ["2026-07-28"],
  features: ["tools", "resources", "prompts", "input"],
  transports: ["stdio"],
  client: false,
  validator: false,
  auth: "none",
};

const root = await createTemporaryFolder("mistakes");

beforeAll(async () => {
  linkPackages(root, ["zod"]);
  for (const revision of ["2026-07-28", "2024-11-05"]) {
    writeFiles(join(root, revision, "mcp"), await emitLayer({ ...choices, revisions: [revision] }, models));
  }
  writeFiles(join(root, "2026-07-28"), [["valid.ts", head + valid]]);
  for (const [at, { code, revision = "2026-07-28" }] of mistakes.entries()) {
    writeFiles(join(root, revision), [[`mistake-${at}.ts`, `${head}export const made = ${code};\n`]]);
  }
});

describe.each(compilers)("%s", (compiler) => {
  test("explains each mistake in at most three lines, which name the remedy", { timeout: 240_000 }, async () => {
    const settings = { types: ["node"], skipLibCheck: true };
    const lines = await compile(compiler, {
      folder: root,
      files: [`${root}/*/mistake-*.ts`, `${root}/*/valid.ts`],
      settings,
    });
    const told = new Map<number, string[]>();
    for (const text of lines.join("\n").split(/\n(?=\S)/)) {
      const at = Number(/mistake-(\d+)\.ts/.exec(text)?.[1] ?? -1);
      told.set(at, [...(told.get(at) ?? []), ...text.split("\n")]);
    }
    expect(told.get(-1)).toBeUndefined();
    for (const [at, { mistake, says }] of mistakes.entries()) {
      const explanation = told.get(at) ?? [];
      expect(explanation.join("\n"), mistake).toMatch(says);
      expect(explanation.length, `${mistake}: ${explanation.join("\n")}`).toBeLessThanOrEqual(3);
    }
  });
});
