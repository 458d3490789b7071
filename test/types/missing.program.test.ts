import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { compile, compilers } from "../kit/compile.ts";

/* Using what a pinned revision lacks is a compile error that names the revision which has it, or which removed it. */

// Whole compiler runs, each in a process of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Case {
  readonly pinned: readonly string[];
  readonly uses: string;
  /** Statements with the definers `d`, a client `c`, a session `s`, and `text`, a handler that returns text. */
  readonly code: string;
  /** Expected error of the compiler; `undefined` if there must be none. */
  readonly says?: string;
}

const [r2024, r202503, r202506, r202511, r2026] = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
] as const;

const icons = `icons: [{ src: "https://example.org/a.png" }]`;
const tool = (fields: string): string => `d.defineTool({ name: "t", ${fields}, execute: text });`;
const server = (fields: string): string => `d.defineServer({ name: "s", version: "1", ${fields} });`;
const client = (fields: string): string =>
  `createClient<P>({ info: { name: "c", version: "1" }, revisions: [], ${fields} });`;
const asks = (message: string): string =>
  `d.defineTool({ name: "t", execute: async (_args, ctx) => { await ${message}; return ""; } });`;
const gives = (block: string): string => `d.defineTool({ name: "t", execute: () => ({ content: [${block}] }) });`;
const prompts = (block: string): string =>
  `d.definePrompt({ name: "p", get: () => [{ role: "user", content: ${block} }] });`;
const form = `ctx.elicit({ message: "?", requestedSchema: { type: "object", properties: {} } })`;
const page = `ctx.elicit({ mode: "url", message: "?", url: "https://example.org", elicitationId: "1" })`;
const audio = `{ type: "audio", data: "", mimeType: "audio/wav" }`;
const link = `{ type: "resource_link", name: "a", uri: "a://b" }`;
const resource = (fields: string): string =>
  `d.defineResource({ name: "r", uri: "a://b", ${fields}, read: () => "" });`;
const template = (fields: string): string =>
  `d.defineResourceTemplate({ name: "r", uriTemplate: "a://{b}", ${fields}, read: () => "" });`;
const prompt = (fields: string): string => `d.definePrompt({ name: "p", ${fields}, get: () => "" });`;
const cancel = `() => ({ action: "cancel" as const })`;

const cases: readonly Case[] = [
  {
    pinned: [r2024],
    uses: "ctx.elicit",
    code: asks(form),
    says: "elicitation/create was added in revision 2025-06-18",
  },
  {
    pinned: [r202503],
    uses: "ctx.elicit",
    code: asks(form),
    says: "elicitation/create was added in revision 2025-06-18",
  },
  { pinned: [r202506], uses: "ctx.elicit", code: asks(form) },
  { pinned: [r2026], uses: "ctx.elicit", code: asks(form) },
  { pinned: [r2024], uses: "audio in a result", code: gives(audio), says: "was added in revision 2025-03-26" },
  { pinned: [r202503], uses: "audio in a result", code: gives(audio) },
  { pinned: [r2024], uses: "audio in a prompt", code: prompts(audio), says: "was added in revision 2025-03-26" },
  { pinned: [r202503], uses: "audio in a prompt", code: prompts(audio) },
  { pinned: [r2024], uses: "a resource link", code: gives(link), says: "was added in revision 2025-06-18" },
  { pinned: [r202503], uses: "a resource link", code: gives(link), says: "was added in revision 2025-06-18" },
  { pinned: [r202506], uses: "a resource link", code: gives(link) },
  { pinned: [r202503], uses: "a link in a prompt", code: prompts(link), says: "was added in revision 2025-06-18" },
  ...[r2024, r202503].flatMap((revision): Case[] => [
    {
      pinned: [revision],
      uses: "the title of a tool",
      code: tool(`title: "T"`),
      says: "Tool.title was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "the title of a resource",
      code: resource(`title: "T"`),
      says: "Resource.title was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "the title of a template",
      code: template(`title: "T"`),
      says: "ResourceTemplate.title was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "the title of a prompt",
      code: prompt(`title: "T"`),
      says: "Prompt.title was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "the title of an argument",
      code: prompt(`arguments: { a: { title: "A" } }`),
      says: "PromptArgument.title was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "the title of a server",
      code: server(`title: "S"`),
      says: "Implementation.title was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "structured output",
      code: tool(`outputSchema: schema`),
      says: "Tool.outputSchema was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "structured content",
      code: `d.defineTool({ name: "t", execute: () => ({ content: [], structuredContent: { a: 1 } }) });`,
      says: "CallToolResult.structuredContent was added in revision 2025-06-18",
    },
    {
      pinned: [revision],
      uses: "a form in a client",
      code: client(`elicitation: { form: ${cancel} }`),
      says: "elicitation/create was added in revision 2025-06-18",
    },
  ]),
  ...[r202506, r202511, r2026].map((revision): Case => ({
    pinned: [revision],
    uses: "titles",
    code: tool(`title: "T"`),
  })),
  {
    pinned: [r2024],
    uses: "annotations",
    code: tool(`annotations: { readOnlyHint: true }`),
    says: "Tool.annotations was added in revision 2025-03-26",
  },
  { pinned: [r202503], uses: "annotations", code: tool(`annotations: { readOnlyHint: true }`) },
  ...[r2024, r202503, r202506].flatMap((revision): Case[] => [
    {
      pinned: [revision],
      uses: "icons of a tool",
      code: tool(icons),
      says: "Tool.icons was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "icons of a resource",
      code: resource(icons),
      says: "Resource.icons was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "icons of a prompt",
      code: prompt(icons),
      says: "Prompt.icons was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "the page of a server",
      code: server(`websiteUrl: "https://example.org"`),
      says: "Implementation.websiteUrl was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "the tasks of a tool",
      code: tool(`task: true`),
      says: "Tool.execution was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "a task of a server",
      code: `void s.toolTask("1");`,
      says: "tasks/get was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "the list of tasks",
      code: `void s.listTasks();`,
      says: "tasks/list was added in revision 2025-11-25",
    },
    {
      pinned: [revision],
      uses: "sampling with tools",
      code: client(`sampling: { tools: true, createMessage: () => { throw new Error(); } }`),
      says: "was added in revision 2025-11-25",
    },
  ]),
  { pinned: [r202511], uses: "icons", code: tool(icons) },
  { pinned: [r202511], uses: "tasks", code: `${tool(`task: true`)} void s.listTasks();` },
  {
    pinned: [r202506],
    uses: "a page to open",
    code: client(`elicitation: { url: ${cancel} }`),
    says: "was added in revision 2025-11-25",
  },
  { pinned: [r202511], uses: "a page to open", code: `${asks(page)} ${client(`elicitation: { url: ${cancel} }`)}` },
  { pinned: [r2026], uses: "ping", code: `void s.ping();`, says: "ping was removed in revision 2026-07-28" },
  { pinned: [r2024], uses: "ping", code: `void s.ping();` },
  {
    pinned: [r2026],
    uses: "the log level",
    code: `void s.setLogLevel("info");`,
    says: "logging/setLevel was removed in revision 2026-07-28",
  },
  { pinned: [r202511], uses: "the log level", code: `void s.setLogLevel("info");` },
  {
    pinned: [r2026],
    uses: "announcing roots",
    code: `c.roots.notifyListChanged();`,
    says: "notifications/roots/list_changed was removed in revision 2026-07-28",
  },
  {
    pinned: [r2026],
    uses: "announcing roots in a session",
    code: `s.roots.notifyListChanged();`,
    says: "notifications/roots/list_changed was removed in revision 2026-07-28",
  },
  { pinned: [r2024], uses: "announcing roots", code: `c.roots.notifyListChanged(); s.roots.set([]);` },
  {
    pinned: [r2026],
    uses: "the tasks of the core",
    code: `void s.listTasks();`,
    says: "tasks/list was removed in revision 2026-07-28",
  },
  { pinned: [r2026], uses: "the tasks of the extension", code: tool(`task: true`) },
  { pinned: [r2026, r202511], uses: "tasks of the core and of the extension", code: tool(`task: true`) },
  {
    pinned: [r2026, r202506],
    uses: "the tasks of the extension",
    code: tool(`task: true`),
    says: "Tool.execution was added in revision 2025-11-25",
  },
  // Pinned to several revisions: what any of them lacks is unavailable.
  {
    pinned: [r2026, r2024],
    uses: "ctx.elicit",
    code: asks(form),
    says: "elicitation/create was added in revision 2025-06-18",
  },
  { pinned: [r2026, r202506], uses: "ctx.elicit", code: asks(form) },
  { pinned: [r2026, r202506, r2024], uses: "audio", code: gives(audio), says: "was added in revision 2025-03-26" },
  { pinned: [r202511, r202506], uses: "icons", code: tool(icons), says: "Tool.icons was added in revision 2025-11-25" },
  { pinned: [r202511, r202506], uses: "a page to open", code: asks(page), says: `"url"` },
  { pinned: [r2026, r202511], uses: "ping", code: `void s.ping();`, says: "ping was removed in revision 2026-07-28" },
  {
    pinned: [r2026, r202511, r202506],
    uses: "structured output",
    code: tool(`outputSchema: schema`).replace("text", "() => ({ a: 1 })"),
  },
];

const folder = await createTemporaryFolder("missing");

beforeAll(async () => {
  await Promise.all(cases.map((each, at) => writeFile(join(folder, `case-${at}.ts`), toProgram(each))));
});

function toProgram({ pinned, code }: Case): string {
  const names = pinned.map((_, at) => `v${at}`);
  return [
    ...pinned.map((id, at) => `import type * as v${at} from "../../../../dist/generated/${id}/index.js";`),
    `import type { CommonDeclarations } from "../../../../dist/runtime/protocol/revision/missing.js";`,
    `import { createClient, type Client } from "../../../../dist/runtime/client/create-client.js";`,
    `import type { ClientSession } from "../../../../dist/runtime/client/session/client-session.js";`,
    `import type { RevisionDefiners } from "../../../../dist/runtime/server/for-revisions.js";`,
    `import type { Schema } from "../../../../dist/runtime/server/standard-schema.js";`,
    `export type P = CommonDeclarations<[${names.map((name) => `${name}.Declarations`).join(", ")}]>;`,
    `export declare const d: RevisionDefiners<P>;`,
    `export declare const c: Client<P>;`,
    `export declare const s: ClientSession<P>;`,
    `export declare const schema: Schema<{ a: number }>;`,
    `export const text = (): string => "";`,
    `export const make = createClient<P>;`,
    code,
  ].join("\n");
}

describe.each(compilers)("%s", (compiler) => {
  test(`the compiler decides ${cases.length} uses of features that a revision may not have`, async () => {
    const files = cases.map((_, at) => join(folder, `case-${at}.ts`));
    const settings = { types: ["node"], lib: ["ES2023", "DOM", "ESNext.Disposable"], skipLibCheck: true };
    const lines = await compile(compiler, { folder, files, settings });
    const found = cases.map(({ uses, pinned, says }, at) => {
      const about = sectionOf(lines, `case-${at}.ts`);
      const isRight = says === undefined ? about === "" : about.includes(says);
      return isRight
        ? []
        : [`${uses} at ${pinned.join(", ")}: wanted ${says ?? "no complaint"}, got ${about || "none"}`];
    });
    expect(found.flat()).toEqual([]);
  });
});

/** Complaints about one file, with the indented lines that explain them. */
function sectionOf(lines: readonly string[], file: string): string {
  const section: string[] = [];
  let isInside = false;
  for (const line of lines) {
    if (!line.startsWith(" ")) isInside = line.includes(`/${file}(`);
    if (isInside) section.push(line);
  }
  return section.join("\n");
}
