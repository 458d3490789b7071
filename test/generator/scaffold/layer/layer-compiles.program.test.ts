import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { features, protections, transports } from "../../../../generator/scaffold/layer/choices.ts";
import {
  isFeatureOf,
  readSelection,
  schemaLibraries,
  toLayerChoices,
} from "../../../../generator/scaffold/create/project-choices.ts";
import { providerNames } from "../../../../generator/scaffold/providers/provider.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { createRandom, isHit, pick } from "../../../kit/random.ts";
import { createTemporaryFolder } from "../../../kit/temporary-folders.ts";
import { compile, compilers } from "../../../kit/compile.ts";
import { allRevisions, emitFiles, emitFolder, linkPackages, writeFiles } from "../../../kit/projects.ts";

/* What the files of `src/mcp/` compile to, together with the code of a project, against the declarations of the built runtime. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 480_000 });

interface Choice {
  readonly revisions: readonly string[];
  readonly features: string;
  readonly transport: string;
  readonly auth: string;
  readonly provider?: string;
  readonly client: boolean;
  readonly schema: string;
}

const services = [
  "stdio",
  "http",
  "both",
  "worker",
  "stdio,websocket",
  "http,websocket",
  "stdio,tcp",
  "both,websocket,tcp",
];

/** Draws choices: each revision alone, pairs and all of them, and every feature and transport in turn. */
function drawChoices(count: number): readonly Choice[] {
  const random = createRandom(20_260_728);
  const [newest = "", second = ""] = allRevisions;
  const oldest = allRevisions.at(-1) ?? "";
  const sets = [...allRevisions.map((id) => [id]), [newest, second], [second, oldest], [newest, oldest], allRevisions];
  return Array.from({ length: count }, (_, at) => {
    const transport = services[at % services.length] ?? "stdio";
    const drawn = features.filter((_, place) => place === at % features.length || isHit(0.3, random));
    const words = drawn.filter((feature) => isFeatureOf(feature, transport === "worker" ? "worker" : "node"));
    const canProtect = transport !== "stdio" && !/stdio,|tcp/.test(transport);
    return {
      revisions: sets[at % sets.length] ?? allRevisions,
      features: words.join(","),
      transport,
      auth: canProtect ? pick(protections, random) : "none",
      client: isHit(0.3, random),
      schema: pick(["zod", "json"], random),
    };
  });
}

const least = { features: "tools", transport: "stdio", auth: "none", client: false, schema: "json" };

/** Each authorization server with a preset, with the transports and schema libraries in turn. */
const presets: readonly Choice[] = providerNames.map((provider, at) => ({
  ...least,
  revisions: allRevisions.slice(0, 1),
  transport: ["http", "both", "worker"][at % 3] ?? "http",
  auth: "oauth",
  provider,
  schema: schemaLibraries[at % schemaLibraries.length] ?? "zod",
}));

const choices: readonly Choice[] = [
  ...allRevisions.map((id) => ({ ...least, revisions: [id] })),
  { ...least, revisions: allRevisions },
  {
    revisions: allRevisions,
    features: "all",
    transport: "both,websocket,tcp",
    auth: "none",
    client: true,
    schema: "zod",
  },
  { revisions: allRevisions, features: "all", transport: "both", auth: "oauth", client: false, schema: "json" },
  { revisions: allRevisions, features: "all", transport: "worker", auth: "api-key", client: true, schema: "zod" },
  ...drawChoices(20),
  ...presets,
  ...allRevisions.map((id) => ({ ...least, revisions: [id], features: "all" })),
];

const { compilerOptions }: { readonly compilerOptions: object } = JSON.parse(
  readFileSync(join(packageRoot, "templates", "project", "tsconfig.json"), "utf8"),
);

const packages = [
  "@cfworker/json-schema",
  "@types/node",
  "@types/ws",
  "@valibot/to-json-schema",
  "arktype",
  "jose",
  "valibot",
  "ws",
  "yaml",
  "zod",
];

const root = await createTemporaryFolder("layer");

beforeAll(async () => {
  linkPackages(root, packages);
  for (const [at, { revisions, ...text }] of choices.entries()) {
    const project = await emitFiles({ revisions, selection: { ...text, extras: "none" } });
    writeFiles(
      join(root, "all", String(at)),
      [...project].filter(([path]) => /^(src\/|package\.json)/.test(path)),
    );
  }
});

test("the choices cover every revision on its own, every feature, every transport and every protection", () => {
  const layers = choices.map(({ revisions, ...text }) => toLayerChoices(readSelection(text), revisions));
  expect(new Set(layers.flatMap((layer) => layer.transports))).toEqual(new Set(transports));
  expect(new Set(layers.flatMap((layer) => layer.features))).toEqual(new Set(features));
  expect(new Set(layers.map((layer) => layer.auth))).toEqual(new Set(protections));
  expect(new Set(layers.map((layer) => layer.client))).toEqual(new Set([true, false]));
  for (const id of allRevisions) expect(layers.some(({ revisions }) => revisions.join() === id)).toBe(true);
});

/** Returns the errors of the projects with these numbers, each with the choices of its project. */
async function compileProjects(compiler: string, places: readonly number[]): Promise<readonly string[]> {
  const files = places.map((place) => join(root, "all", String(place), "src/**/*.ts"));
  const lines = await compile(compiler, { folder: root, files, settings: compilerOptions });
  return lines.map((line) => {
    const place = /all\/(\d+)\//.exec(line)?.[1];
    return place === undefined ? line : `${line} ${JSON.stringify(choices[Number(place)])}`;
  });
}

test("every choice compiles under the settings of a project with the native compiler", async () => {
  expect(await compileProjects("typescript7", [...choices.keys()])).toEqual([]);
});

test("the extremes compile under the settings of a project with the compiler in JavaScript", async () => {
  const [newest, everything] = [0, allRevisions.length + 1];
  expect(await compileProjects("typescript", [newest, everything])).toEqual([]);
});

describe("compile errors about features", () => {
  const program = (fields: string, more = ""): string =>
    `import { defineServer } from "./index.ts";\nexport const server = defineServer({ name: "s", version: "1", ${fields} });\n${more}`;
  const withTool = (fields: string): string =>
    program(`tools: [defineTool({ name: "t", ${fields} })]`).replace("defineServer", "defineServer, defineTool");
  const update = "not in this project: run npx create-mcp-server update --features";
  const wrong = {
    listChanged: { code: program("listChanged: true"), says: `${update} tools,list-changed` },
    add: {
      code: program("", 'server.tools.add({ name: "t", execute: () => "" });\n'),
      says: `Type 'Unavailable<"${update} tools,list-changed">' has no call signatures`,
    },
    resources: {
      code: program("resources: []"),
      says: "not in this project: run npx create-mcp-server add resource <name>",
    },
    prompts: { code: program("prompts: []"), says: "not in this project: run npx create-mcp-server add prompt <name>" },
    task: { code: withTool('task: true, execute: () => ""'), says: `${update} tools,tasks` },
    elicit: {
      code: withTool(
        'execute: async (_none, { elicit }) => (await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } })).action',
      ),
      says: `${update} tools,input`,
    },
    request: {
      code: withTool('execute: async (_none, { request }) => String(await request("roots/list"))'),
      says: `${update} tools,input`,
    },
    handlers: { code: program("handlers: { listTools: () => ({ tools: [] }) }"), says: `${update} tools,methods` },
    fallback: { code: program("fallback: () => ({})"), says: `${update} tools,methods` },
    cacheHints: { code: program("cacheHints: {}"), says: "revision 2025-11-25 has no cache hints" },
  };

  async function write(folder: string, ...[choice]: Parameters<typeof emitFolder>): Promise<void> {
    mkdirSync(folder, { recursive: true });
    writeFiles(folder, [...(await emitFolder(choice)), ["package.json", '{"type":"module"}']]);
  }

  test.each(compilers)("a compile error with %s names the command that adds a missing feature", async (compiler) => {
    const folder = join(root, compiler);
    await write(folder, { revisions: ["2025-11-25"] });
    writeFiles(
      folder,
      Object.entries(wrong).map(([name, { code }]) => [`${name}.ts`, code]),
    );
    const lines = await compile(compiler, { folder, files: [join(folder, "*.ts")], settings: compilerOptions });
    for (const [name, { says }] of Object.entries(wrong)) {
      const start = lines.findIndex((line) => line.includes(`${name}.ts(`));
      const rest = lines.slice(start + 1);
      const end = rest.findIndex((line) => !line.startsWith(" "));
      const own = start < 0 ? [] : [lines[start], ...(end < 0 ? rest : rest.slice(0, end))];
      expect(own.join("\n"), name).toContain(says);
    }
    const inLayer = lines.filter((line) => /^\S*(?:index\.ts|\d{4}-\d\d-\d\d\/\w+\.ts)\(/.test(line));
    expect(inLayer).toEqual([]);
  });

  test("a compile error names the command that adds input requests also in a project with a client", async () => {
    const folder = join(root, "client");
    await write(folder, {
      revisions: ["2025-11-25", "2025-03-26"],
      features: ["tools", "resources", "prompts"],
      client: true,
    });
    writeFiles(folder, [
      ["elicit.ts", wrong.elicit.code],
      [
        "respond.ts",
        'import { createClient } from "./index.ts";\nexport const client = createClient({ info: { name: "c", version: "1" }, elicitation: { form: () => ({ action: "decline" }) } });\n',
      ],
    ]);
    const files = [join(folder, "*.ts")];
    const lines = await compile("typescript7", { folder, files, settings: compilerOptions });
    expect(lines.filter((line) => !line.startsWith(" "))).toEqual([expect.stringMatching(/^\S*elicit\.ts\(/)]);
    expect(lines.join("\n")).toContain(`${update} tools,resources,prompts,input`);
  });

  test.each([["2025-11-25"], ["2026-07-28"]])(
    "handlers by name have the types of every method of %s in a project with the feature",
    async (revision) => {
      const folder = join(root, `methods-${revision}`);
      await write(folder, { revisions: [revision], features: ["tools", "input", "methods"] });
      const handlers =
        "handlers: { listPrompts: () => ({ prompts: [] }), callTool: async ({ name }, { request }) => ({ content: (await request('roots/list')).roots.map(({ uri }) => ({ type: 'text' as const, text: name + uri })) }) }";
      writeFiles(folder, [
        ["handlers.ts", program(`${handlers}, fallback: ({ method }) => ({ method })`)],
        ["wrong.ts", program("handlers: { listPrompts: () => ({ prompts: [{}] }) }")],
      ]);
      const files = [join(folder, "*.ts")];
      const lines = await compile("typescript7", { folder, files, settings: compilerOptions });
      expect(lines.filter((line) => !line.startsWith(" "))).toEqual([expect.stringMatching(/^\S*wrong\.ts\(/)]);
    },
  );

  test("requests by method need the feature where requests of servers are messages", async () => {
    const folder = join(root, "requests");
    await write(folder, { revisions: ["2025-11-25"], features: ["tools", "input"] });
    writeFiles(folder, [["request.ts", wrong.request.code]]);
    const lines = await compile("typescript7", { folder, files: [join(folder, "*.ts")], settings: compilerOptions });
    expect(lines.join("\n")).toContain(`${update} tools,input,methods`);
  });

  test("no compile error occurs if the project has the feature", async () => {
    const folder = join(root, "changes");
    await write(folder, { revisions: ["2025-11-25"], features: ["tools", "list-changed", "input", "tasks"] });
    writeFiles(folder, [
      ["changes.ts", program("listChanged: true", 'server.tools.add({ name: "t", execute: () => "" });\n')],
      ["task.ts", wrong.task.code],
      ["elicit.ts", wrong.elicit.code],
    ]);
    const files = [join(folder, "*.ts")];
    expect(await compile("typescript7", { folder, files, settings: compilerOptions })).toEqual([]);
  });
});
