import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCreate, type CreateOptions } from "../../../../cli/commands/create.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { openSpecFolder } from "../../../../generator/read/spec-folder.ts";
import { applyRewrites, findRenames, type Rewrite, findPlaces } from "../../../../generator/scaffold/update/codemod.ts";
import { readReason } from "../../../../generator/scaffold/update/incompatible-code.ts";
import { findNameUses } from "../../../../generator/scaffold/update/removed-names.ts";
import type { UpdateCommandOptions } from "../../../../cli/commands/update.ts";
import { captured, type CommandResult, update } from "../../../kit/commands.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

/* Not a unit test: `update` checks the types of the projects that it updates. */

async function createProject(protocol: string, runtime = "dependency"): Promise<string> {
  const directory = join(temporaryFolder(), "demo");
  const options = { directory, protocol, runtime, yes: true, install: false, git: false, dryRun: false };
  expect((await captured(() => runCreate(options))).code).toBe(0);
  linkRuntime(directory);
  return directory;
}

/** As an installation does it. */
function linkRuntime(project: string): void {
  mkdirSync(join(project, "node_modules"));
  symlinkSync(
    join(packageRoot, "dist", "runtime-package"),
    join(project, "node_modules", "mcp-server-runtime"),
    "junction",
  );
}

/** Every file with its text, the layer that is kept aside left out. */
function contents(folder: string): Record<string, string> {
  const files = listAll(folder).filter((path) => /\.\w+$/.test(path) && !/^(\.mcp-previous|node_modules)/.test(path));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** A source after what is mechanical from the first revision to the newest. */
function rewritten(text: string, file = "a.ts"): string {
  const renames = [
    { from: "ResourceReference", to: "ResourceTemplateReference" },
    { from: "JSONRPCError", to: "JSONRPCErrorResponse" },
    { from: "JSONRPCResponse", to: "JSONRPCResultResponse" },
  ];
  const places = findPlaces(file, text, { renames, revisions: { from: "2024-11-05", to: "2026-07-28" } });
  return places.reduceRight(
    (whole, { at, length, text: own }) => whole.slice(0, at) + own + whole.slice(at + length),
    text,
  );
}

describe("create-mcp-server update --features", () => {
  test("`--features` advises to remove the code of a removed feature, not to add the feature", async () => {
    const { stdout } = await update(await createProject("2025-11-25"), { features: "tools", dryRun: true });
    expect(stdout).toMatch(/^src\/server\.ts:\d+: removed by this update: remove it here, or keep the feature$/m);
    expect(stdout).not.toContain("create-mcp-server add");
  });

  test("`--features` rejects an unknown feature, like `create-mcp-server` does", async () => {
    const { code, stderr } = await update(await createProject("2025-11-25"), { features: "tools,news" });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--features: unknown value "news"')]);
  });
});

describe("create-mcp-server update --transport, --client and --scale", () => {
  interface ProjectWords {
    readonly transport?: string;
    readonly auth?: string;
    readonly scale?: string;
  }

  async function createWith(choices: ProjectWords): Promise<string> {
    const directory = join(temporaryFolder(), "demo");
    const options = { directory, protocol: "2025-11-25", yes: true, install: false, git: false, dryRun: false };
    expect((await captured(() => runCreate({ ...options, ...choices }))).code).toBe(0);
    return directory;
  }

  test("`--transport` and `--client` add the missing parts to the layer and remove them again", async () => {
    const directory = await createWith({});
    const before = contents(directory);
    expect(before["src/mcp/index.ts"]).not.toMatch(/serveHttp|createClient/);
    const { code, stdout } = await update(directory, { transport: "both", client: true });
    expect(code).toBe(0);
    expect(stdout).toContain("Transports: stdio, http; before: stdio.");
    expect(stdout).toContain("Client: included.");
    const made = await createWith({ transport: "both" });
    expect((await update(made, { client: true })).code).toBe(0);
    const dry = await update(made, { transport: "stdio", dryRun: true });
    expect(dry.stdout).toContain("Remove what serves HTTP, and the lines that use it: src/handler.ts, handler.d.ts.");
    const layer = (folder: string): object =>
      Object.fromEntries(Object.entries(contents(folder)).filter(([path]) => path.startsWith("src/mcp/")));
    expect(layer(directory)).toEqual(layer(made));
    expect((await update(directory, {})).stdout).toContain("is up to date");
    const less = await update(directory, { transport: "stdio", client: false });
    expect([less.code, less.stdout]).toEqual([0, expect.not.stringContaining("serves HTTP")]);
    expect(contents(directory)).toEqual(before);
  });

  test("`--scale` replaces the engine in the layer, and says what else has to change", async () => {
    const directory = await createWith({ scale: "redis" });
    const before = contents(directory);
    const { code, stdout } = await update(directory, { scale: "nats" });
    expect(code).toBe(0);
    expect(stdout).toContain("Engine of several nodes: nats; before: redis.");
    expect(stdout).toContain("npm install --save-dev @nats-io/jetstream @nats-io/transport-node");
    expect(stdout).toContain("npm uninstall @redis/client");
    expect(stdout).toContain("deploy/ from a new project with --scale nats");
    const after = contents(directory);
    expect(after["src/mcp/index.ts"]).toContain("createNatsEngine");
    expect(after["src/mcp/index.ts"]).not.toContain("createRedisEngine");
    expect(after["src/engine.ts"]).toBe(before["src/engine.ts"]);
    expect((await update(directory, {})).stdout).toContain("is up to date");
    expect((await update(directory, { scale: "redis" })).code).toBe(0);
    expect(contents(directory)).toEqual(before);
  });

  test("`--scale` adds an engine to a project, and removes it", async () => {
    const directory = await createWith({ transport: "http" });
    const before = contents(directory);
    const added = await update(directory, { scale: "nats" });
    expect([added.code, added.stdout]).toEqual([
      0,
      expect.stringContaining("pass connectEngine() as its src/server.ts"),
    ]);
    expect(contents(directory)["src/mcp/index.ts"]).toContain("joinCluster");
    const removed = await update(directory, { scale: "none" });
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining("Remove src/engine.ts")]);
    expect(contents(directory)).toEqual(before);
  });

  test.each([
    [{ transport: "http" }, { scale: "kafka" }, 'unknown value "kafka". Choose one of none, redis, nats.'],
    [{}, { scale: "nats" }, "--scale nats: several nodes serve over HTTP only."],
    [{ scale: "redis" }, { transport: "stdio" }, "--scale redis: several nodes serve over HTTP only."],
  ])("a project with the choices %j rejects the update %j", async (choices, wish, says) => {
    const directory = await createWith(choices);
    const before = contents(directory);
    const { code, stderr } = await update(directory, wish);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(contents(directory)).toEqual(before);
  });

  test.each([
    [{}, "quic", '--transport: unknown value "quic"'],
    [{}, "tcp", "as in stdio,tcp"],
    [{ auth: "api-key" }, "http,tcp", "tcp has no authentication"],
    [{}, "worker", "worker needs another src/server.ts and build.js"],
    [{ transport: "worker" }, "http", "this project supports worker"],
    [{ auth: "api-key" }, "stdio", "Choose http or both."],
  ])(
    "a project with the choices %j rejects `--transport %s` and suggests a next step",
    async (choices, transport, says) => {
      const directory = await createWith(choices);
      const before = contents(directory);
      const { code, stderr } = await update(directory, { transport });
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
      expect(contents(directory)).toEqual(before);
    },
  );

  test("`--transport` adds WebSocket to a project and prints the command that installs its packages", async () => {
    const directory = await createWith({});
    const { code, stdout } = await update(directory, { transport: "stdio,websocket" });
    expect([code, stdout]).toEqual([0, expect.stringContaining("npm install --save-dev ws @types/ws")]);
    expect(contents(directory)["src/mcp/index.ts"]).toContain("listenWebSocket");
    expect((await update(directory, {})).stdout).toContain("is up to date");
  });

  test.each([
    ["pnpm-lock.yaml", "", "pnpm add --save-dev ws @types/ws"],
    ["yarn.lock", "", "yarn add --dev ws @types/ws"],
    ["bun.lock", "", "bun add --dev ws @types/ws"],
    ["../pnpm-lock.yaml", "", "pnpm add --save-dev ws @types/ws"],
    ["", "bun@1.3.0", "bun add --dev ws @types/ws"],
    ["../package-lock.json", "yarn@4.9.0", "yarn add --dev ws @types/ws"],
  ])("in a project with %j and packageManager %j, the command is `%s`", async (lock, packageManager, command) => {
    const directory = await createWith({});
    if (lock !== "") writeFileSync(join(directory, lock), "");
    const manifest = join(directory, "package.json");
    const text = readFileSync(manifest, "utf8");
    if (packageManager !== "") writeFileSync(manifest, text.replace("{", `{ "packageManager": "${packageManager}",`));
    const { stdout } = await update(directory, { transport: "stdio,websocket" });
    expect(stdout).toContain(command);
  });
});

describe("create-mcp-server update --codemod", () => {
  test("`--codemod` finds the same places in a source with CRLF line endings and keeps the endings", () => {
    const source = (name: string, end: string): string =>
      [`import type { ${name} } from "./mcp/2024-11-05/types.ts";`, "", "// x", ""].join(end);
    expect(rewritten(source("JSONRPCError", "\n"))).toContain("JSONRPCErrorResponse as JSONRPCError");
    expect(rewritten(source("JSONRPCError", "\r\n"))).toBe(
      rewritten(source("JSONRPCError", "\n")).replaceAll("\n", "\r\n"),
    );
  });

  const mine = `import type { protocol as p } from "./mcp/index.ts";
import type { ResourceReference } from "./own.ts";

export type Two = readonly [p.ResourceReference, ResourceReference, typeof text];
const text = "p.ResourceReference"; // p.ResourceReference
export type Gone = p.InitializeRequest;
`;

  async function assisted(): Promise<{ readonly project: string } & CommandResult> {
    const project = await createProject("2024-11-05");
    writeFileSync(join(project, "src", "mine.ts"), mine);
    writeFileSync(
      join(project, "src", "broken.ts"),
      'import { a } from "./mcp/index.ts"; const = p.ResourceReference;',
    );
    return { project, ...(await update(project, { protocol: "2026-07-28", codemod: true })) };
  }

  test("`--codemod` rewrites renamed types and reports the remaining places", async () => {
    const { project, code, stdout, stderr } = await assisted();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("src/mine.ts:4: ResourceReference is ResourceTemplateReference");
    expect(stdout).toContain("1 place in 1 file rewritten.");
    expect(stdout).toContain("src/mine.ts:6: type InitializeRequest is removed");
    expect(stdout).toContain("1 further place in your code to change for 2026-07-28");
    expect(await update(project, { check: true })).toMatchObject({ code: 0 });
    const after = mine.replace("[p.ResourceReference", "[p.ResourceTemplateReference");
    expect(readFileSync(join(project, "src", "mine.ts"), "utf8")).toBe(after);
  });

  test.each([true, false])("`--codemod` reports errors in rewritten lines (dry run: %j)", async (dryRun) => {
    const project = await createProject("2024-11-05");
    const text = `import type { protocol } from "./mcp/index.ts";
import type { ResourceReference, Tool } from "./mcp/2024-11-05/types.ts";

type Names = string[] | undefined;
export const namesOf = (_: protocol.ResourceReference, tool: protocol.Tool): Names => tool.inputSchema["required"];
export const others = (_: ResourceReference, tool: Tool): Names => tool.inputSchema["required"];
`;
    writeFileSync(join(project, "src", "mine.ts"), text);
    const { stdout } = await update(project, { protocol: "2026-07-28", codemod: true, dryRun });
    const lines = stdout.split("\n").filter((line) => line.includes(" is not assignable to "));
    expect(lines).toEqual([expect.stringContaining("src/mine.ts:5: "), expect.stringContaining("src/mine.ts:6: ")]);
    expect(stdout).toContain("2 further places in your code to change for 2026-07-28");
  });

  const forms: readonly (readonly [what: string, before: string, after: string])[] = [
    [
      "a type that became a member of a union",
      'import type { protocol } from "./mcp/index.ts";\ntype A = protocol.JSONRPCResponse | protocol.JSONRPCError;',
      'import type { protocol } from "./mcp/index.ts";\ntype A = protocol.JSONRPCResultResponse | protocol.JSONRPCErrorResponse;',
    ],
    [
      "types of a namespace import of the layer",
      'import * as mcp from "../mcp/index.js";\ntype A = mcp.protocol.ResourceReference["uri"];',
      'import * as mcp from "../mcp/index.js";\ntype A = mcp.protocol.ResourceTemplateReference["uri"];',
    ],
    [
      "the bases of an interface, and the interfaces of a class",
      'import type { protocol } from "./mcp/index.ts";\nimport type * as mcp from "./mcp/index.ts";\ninterface A extends protocol.JSONRPCError {}\nclass B extends Base implements A, mcp.protocol.ResourceReference {}',
      'import type { protocol } from "./mcp/index.ts";\nimport type * as mcp from "./mcp/index.ts";\ninterface A extends protocol.JSONRPCErrorResponse {}\nclass B extends Base implements A, mcp.protocol.ResourceTemplateReference {}',
    ],
    [
      "an import type of the layer",
      'type A = import("./mcp/index.ts").protocol.ResourceReference;',
      'type A = import("./mcp/index.ts").protocol.ResourceTemplateReference;',
    ],
    [
      "types imported from types.ts",
      'import type { ResourceReference, JSONRPCError as E } from "./mcp/2024-11-05/types.ts";\ntype A = ResourceReference | E;',
      'import type { ResourceTemplateReference as ResourceReference, JSONRPCErrorResponse as E } from "./mcp/2026-07-28/types.ts";\ntype A = ResourceReference | E;',
    ],
    [
      "a namespace import of types.ts",
      "import type * as t from './mcp/2024-11-05/types.ts';\ntype A = t.ResourceReference;",
      "import type * as t from './mcp/2026-07-28/types.ts';\ntype A = t.ResourceTemplateReference;",
    ],
    [
      "re-exported types",
      'export type { ResourceReference } from "./mcp/2024-11-05/types.ts";',
      'export type { ResourceTemplateReference as ResourceReference } from "./mcp/2026-07-28/types.ts";',
    ],
    [
      "all types re-exported",
      'export type * from "./mcp/2024-11-05/types.ts";\nexport type * as types from "./mcp/2024-11-05/types.ts";',
      'export type * from "./mcp/2026-07-28/types.ts";\nexport type * as types from "./mcp/2026-07-28/types.ts";',
    ],
    [
      "an import type of types.ts",
      'type A = import("./mcp/2024-11-05/types.ts").ResourceReference;',
      'type A = import("./mcp/2026-07-28/types.ts").ResourceTemplateReference;',
    ],
    [
      "imports without an ending, as in applications of Next.js",
      'import type { protocol } from "./mcp";\nimport type { Tool } from "@/mcp/2024-11-05/types";\ntype A = protocol.JSONRPCError;',
      'import type { protocol } from "./mcp";\nimport type { Tool } from "@/mcp/2026-07-28/types";\ntype A = protocol.JSONRPCErrorResponse;',
    ],
  ];

  test.each(forms)("`--codemod` rewrites %s", (_what, before, after) => expect(rewritten(before)).toBe(after));

  test("`--codemod` rewrites a module with a byte order mark at the same positions as one without", () => {
    const text = (revision: string): string =>
      `\uFEFFimport type { Tool } from "./mcp/${revision}/types.ts";\nexport type Own = Tool;\n`;
    expect(rewritten(text("2024-11-05"))).toBe(text("2026-07-28"));
  });

  test("`--codemod` rewrites a module with JSX", () => {
    const text = (revision: string): string =>
      `import type { Tool } from "./mcp/${revision}/types.ts";\nexport const view = (tool: Tool) => <p>{tool.name}</p>;`;
    expect(rewritten(text("2024-11-05"), "view.tsx")).toBe(text("2026-07-28"));
  });

  const untouched: readonly (readonly [what: string, text: string])[] = [
    ["values of a revision", 'import { checkTool } from "./mcp/2024-11-05/validate.ts";'],
    ["values next to types", 'import { LATEST_PROTOCOL_VERSION } from "./mcp/2024-11-05/types.ts";'],
    ["types next to values", 'import { LATEST_PROTOCOL_VERSION, type JSONRPCError } from "./mcp/2024-11-05/types.ts";'],
    ["a namespace import of values", 'import * as t from "./mcp/2024-11-05/types.ts";\ntype A = t.JSONRPCError;'],
    ["re-exported values", 'export { JSONRPCError } from "./mcp/2024-11-05/types.ts";'],
    [
      "another module with an export of the same name",
      'import type { protocol } from "./other.ts";\ntype A = protocol.JSONRPCError;',
    ],
    ["the base of a class", 'import { protocol } from "./mcp/index.ts";\nclass A extends protocol.JSONRPCError {}'],
    ["members of values", 'import { protocol } from "./mcp/index.ts";\nconst a = protocol.JSONRPCError;'],
    ["string literals", 'import type { protocol } from "./mcp/index.ts";\nconst a = "protocol.JSONRPCError";'],
    [
      "an alias of another export",
      'import { revisions as protocol } from "./mcp/index.ts";\ntype A = protocol.JSONRPCError;',
    ],
    ["a source that cannot be parsed", 'import type { protocol } from "./mcp/index.ts"; type = protocol.JSONRPCError;'],
  ];

  test.each(untouched)("`--codemod` does not change %s", (_what, text) => expect(rewritten(text)).toBe(text));

  test.each([
    ["a test", "test/a.test.ts", 'import type { protocol } from "../src/mcp/index.ts";'],
    ["a nested module", "src/tools/a.ts", 'import type { protocol } from "../mcp/index.ts";'],
    ["a module without the ending of the layer", "src/a.ts", 'import { run } from "./mcp";'],
    ["a module that uses an alias of the sources", "src/app/a.ts", 'import type { protocol } from "@/mcp";'],
    ["a module that uses an alias of the package", "src/app/a.ts", 'import type { protocol } from "#mcp/index.ts";'],
    ["a user of the types of the runtime", "src/a.ts", 'import type { Root } from "mcp-server-runtime/2025-11-25";'],
    ["a user of an import type", "src/a.ts", 'type Own = import("./mcp/index.ts").protocol.Tool;'],
  ])("`findNameUses` searches %s", async (_what, file, text) => {
    const project = temporaryFolder();
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), `${text}\nexport type Level = protocol.LoggingLevel;\n`);
    const moved = { kind: "deprecated", what: "type", name: "LoggingLevel", advice: "none" } as const;
    expect(await findNameUses(project, [moved])).toEqual([{ ...moved, file, line: 2 }]);
  });

  test("`findNameUses` finds the bases of interfaces, the interfaces of classes, and import types", async () => {
    const project = temporaryFolder();
    const lines = [
      'import type { protocol } from "./mcp/index.ts";',
      "export interface Own extends protocol.Root {}",
      "export class Place implements Own, protocol.Root {}",
      "export class Value extends protocol.Root {}",
      'export type Other = import("./mcp/index.ts").protocol.Root;',
    ];
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src", "a.ts"), lines.join("\n"));
    const moved = { kind: "deprecated", what: "type", name: "Root", advice: "none" } as const;
    const uses = await findNameUses(project, [moved]);
    expect(uses.map(({ line }) => line)).toEqual([2, 3, 5]);
  });

  test("`findNameUses` searches tests for types only, because they send requests of several revisions", async () => {
    const project = temporaryFolder();
    const text = 'import { revisions } from "PLACE";\nexport const method = "server/discover";\n';
    for (const [file, place] of [
      ["src/a.ts", "./mcp/index.ts"],
      ["test/a.test.ts", "../src/mcp/index.ts"],
    ] as const) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), text.replace("PLACE", place));
    }
    const moved = { kind: "removed", what: "method", name: "server/discover", advice: "none" } as const;
    expect(await findNameUses(project, [moved])).toEqual([{ ...moved, file: "src/a.ts", line: 2 }]);
  });

  test("`findRenames` does not match types that only have the same names of members", async () => {
    const spec = await openSpecFolder(join(packageRoot, "spec"));
    const models = await Promise.all([...spec.pins.keys()].sort().map((id) => spec.readModel(id)));
    const found = models.flatMap((older, at) => models.slice(at + 1).flatMap((newer) => findRenames(older, newer)));
    const names = new Set(found.map(({ from, to }) => `${from} ${to}`));
    expect([...names].sort()).toEqual([
      "JSONRPCError JSONRPCErrorResponse",
      "JSONRPCResponse JSONRPCResultResponse",
      "ResourceReference ResourceTemplateReference",
    ]);
  });

  test("`--codemod` changes no code if the layer was edited by hand, except with --force", async () => {
    const project = await createProject("2024-11-05");
    writeFileSync(join(project, "src", "mine.ts"), mine);
    writeFileSync(join(project, "src", "mcp", "own.ts"), "export {};\n");
    const before = contents(project);
    const rejected = await update(project, { protocol: "2026-07-28", codemod: true });
    expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining("edited by hand in src/mcp: own.ts") });
    expect(contents(project)).toEqual(before);
    expect(await update(project, { protocol: "2026-07-28", codemod: true, force: true })).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, "src", "mine.ts"), "utf8")).toContain("p.ResourceTemplateReference");
  });

  test.each<[Partial<UpdateCommandOptions>, string]>([
    [{}, "--codemod prepares your code for other revisions; name them with --protocol."],
    [{ protocol: "all", check: true }, "--check and --codemod: choose one of them."],
    [{ undo: true }, "--undo and --codemod: choose one of them."],
  ])("`--codemod` is rejected with the options %j", async (options, message) => {
    const { code, stderr } = await update(temporaryFolder(), { codemod: true, ...options });
    expect({ code, stderr }).toEqual({ code: 2, stderr: `create-mcp-server: ${message}\n` });
  });

  test.skipIf(process.platform === "win32")("`--codemod` keeps the permissions of a source", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src", "a.ts"), "before", { mode: 0o700 });
    await applyRewrites(project, [{ file: "src/a.ts", before: "before", after: "after", places: [] }]);
    expect(statSync(join(project, "src", "a.ts")).mode & 0o777).toBe(0o700);
  });

  test("`--codemod` keeps every source unchanged if one of them cannot be written", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src", "a.ts"), "before");
    // A folder stands where the second source should be.
    mkdirSync(join(project, "src", "b.ts", "in"), { recursive: true });
    const rewrite = (file: string): Rewrite => ({ file, before: "before", after: "after", places: [] });
    await expect(applyRewrites(project, [rewrite("src/a.ts"), rewrite("src/b.ts")])).rejects.toThrow("as they were");
    expect(readFileSync(join(project, "src", "a.ts"), "utf8")).toBe("before");
    expect(listAll(project)).toEqual(["src", "src/a.ts", "src/b.ts", "src/b.ts/in"]);
  });

  test("`--codemod` writes no source through a link where its temporary file should be", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, "src"));
    for (const name of ["a.ts", "other"]) writeFileSync(join(project, "src", name), "before");
    linkSync(join(project, "src", "other"), join(project, "src", `.a.ts.${process.pid}.tmp`));
    const rewrites = [{ file: "src/a.ts", before: "before", after: "after", places: [] }];
    await expect(applyRewrites(project, rewrites)).rejects.toThrow("(EEXIST); they are as they were.");
    for (const name of ["a.ts", "other"]) expect(readFileSync(join(project, "src", name), "utf8")).toBe("before");
  });
});

describe("create-mcp-server update", () => {
  test("`update` changes nothing in a new project and `--check` succeeds", async () => {
    const project = await createProject("2025-11-25");
    const before = contents(project);
    expect(await update(project, { check: true })).toMatchObject({
      code: 0,
      stdout: "All generated files are up to date.\n",
    });
    expect(await update(project)).toMatchObject({ code: 0, stdout: expect.stringContaining("up to date") });
    expect(contents(project)).toEqual(before);
  });

  test("`update` reports code that an older revision does not support, and ignores words that only look similar", async () => {
    const project = await createProject("2026-07-28");
    writeFileSync(
      join(project, "src", "extra.ts"),
      `import { defineTool, type protocol } from "./mcp/index.ts";

export const words = { input: 1, message: "", action: "accept", format: "json", default: 2 };
export const titled = defineTool({
  name: "titled",
  title: "With a title",
  execute: () => ({ content: [{ type: "audio", data: "", mimeType: words.format }] }),
});
export const wrong: number = "already";
interface Tool {
  readonly name: number;
}
export const wrongByAnotherName = (tool: Tool): protocol.Tool => tool;
`,
    );
    const expected = [
      "src/extra.ts:6: Tool.title was added in revision 2025-06-18",
      'src/extra.ts:7: "audio" content was added in revision 2025-03-26',
    ];
    const { stdout } = await update(project, { protocol: "2024-11-05", dryRun: true });
    expect(stdout.split("\n").filter((line) => line.startsWith("src/extra.ts"))).toEqual(expected);
    const codemod = await update(project, { protocol: "2024-11-05", dryRun: true, codemod: true });
    expect(codemod.stdout.split("\n").filter((line) => line.startsWith("src/extra.ts"))).toEqual(expected);
  });

  test.each([
    ["a single message", "Type 'string' is not assignable to type 'number'."],
    [
      "the deepest message of a chain",
      `Argument of type '{ a: ${"string | ".repeat(50)} }' is not assignable.\n  Types of property 'a' are incompatible.\n    Type 'string' is not assignable to type 'number'.`,
    ],
    [
      "the first of the deepest messages",
      "No overload matches this call.\n  Overload 1 of 2:\n    Type 'string' is not assignable to type 'number'.\n  Overload 2 of 2:\n    Other",
    ],
  ])("the reason of a compile error is %s", (_, text) => {
    expect(readReason(text)).toBe("Type 'string' is not assignable to type 'number'.");
  });

  test("`update` also reports incompatible code in tests and in users of a client", async () => {
    const project = await createProject("2026-07-28");
    const text = (layer: string): string =>
      `import type { protocol } from "${layer}";\n\nexport const titled: protocol.Tool = { name: "a", title: "A", inputSchema: { type: "object" } };\n`;
    mkdirSync(join(project, "src", "clients"));
    writeFileSync(join(project, "src", "clients", "mine.ts"), text("../mcp/index.ts"));
    mkdirSync(join(project, "test", "unit"));
    writeFileSync(join(project, "test", "unit", "extra.test.ts"), text("../../src/mcp/index.ts"));
    const { stdout } = await update(project, { protocol: "2025-03-26", dryRun: true });
    const lines = stdout.split("\n").filter((line) => /^(src\/clients|test)\//.test(line));
    expect(lines).toEqual([
      expect.stringContaining("src/clients/mine.ts:3: "),
      expect.stringContaining("test/unit/extra.test.ts:3: "),
    ]);
  });

  test("`update` reports imports of files that the new layer does not have", async () => {
    const project = await createProject("2026-07-28");
    const path = "./mcp/2026-07-28/types.ts";
    writeFileSync(
      join(project, "src", "extra.ts"),
      `import type { Tool } from "${path}";\n\nexport type Mine = Tool;\n`,
    );
    const { stdout } = await update(project, { protocol: "2025-11-25", dryRun: true });
    const lines = stdout.split("\n").filter((line) => line.startsWith("src/extra.ts"));
    expect(lines).toEqual([expect.stringContaining(`src/extra.ts:1: Cannot find module '${path}'`)]);
  });

  test("`update` reports imports of the files of an older revision that the project no longer has", async () => {
    const project = await createProject("2026-07-28,2025-11-25");
    const path = "./mcp/2025-11-25/methods.ts";
    writeFileSync(
      join(project, "src", "extra.ts"),
      `import { revision } from "${path}";\n\nexport const own = [revision];\n`,
    );
    const { stdout } = await update(project, { protocol: "2026-07-28", dryRun: true });
    const lines = stdout.split("\n").filter((line) => line.startsWith("src/extra.ts"));
    expect(lines).toEqual([expect.stringContaining(`src/extra.ts:1: Cannot find module '${path}'`)]);
  });

  test("`update` reports settings of the compiler that cannot be read", async () => {
    const project = await createProject("2026-07-28");
    writeFileSync(join(project, "tsconfig.json"), '{ "extends": "./there-is-none.json" }');
    const { code, stderr } = await update(project, { protocol: "2025-11-25", dryRun: true });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^create-mcp-server: .*tsconfig\.json cannot be read: .*there-is-none\.json.*\n$/);
  });

  const parts = [
    ["tsconfig.json", "has no tsconfig.json, so that its code was not type-checked; run its tests."],
    ["node_modules/mcp-server-runtime", "was not type-checked; install its dependencies and run the command again"],
  ] as const;

  test.each(parts)("`update` without %s reports that the code was not type-checked", async (missing, advice) => {
    const project = await createProject("2025-11-25");
    rmSync(join(project, missing));
    const dry = await update(project, { protocol: "2026-07-28", dryRun: true });
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining(advice) });
    expect(dry.stdout).toMatch(/^At least \d+ places? in your code to change/m);
  });

  test("`update` changes the revision, `--dry-run` reports removed declarations in use, and `--undo` restores the project", async () => {
    const project = await createProject("2025-11-25");
    writeFileSync(
      join(project, "src", "extra.ts"),
      'import type { protocol } from "./mcp/index.ts";\n\nexport type Opening = protocol.InitializeRequest;\nexport const method = "initialize";\n',
    );
    // This file does not import the layer, so its words are its own.
    writeFileSync(join(project, "src", "other.ts"), 'export const method = "initialize";\n');
    const before = contents(project);
    const dry = await update(project, { protocol: "2026-07-28", dryRun: true });
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toContain("src/extra.ts:3: type InitializeRequest is removed");
    expect(dry.stdout).toContain("src/extra.ts:4: method initialize is removed");
    expect(dry.stdout).toContain("2 places in your code");
    expect(contents(project)).toEqual(before);
    expect((await update(project, { protocol: "2026-07-28", check: true })).code).toBe(1);
    expect((await update(project, { protocol: "2026-07-28" })).code).toBe(0);
    const after = contents(project);
    expect(after["src/mcp/mcp.lock.json"]).toContain('"revisions": ["2026-07-28"]');
    const changed = Object.keys(after).filter((path) => !path.startsWith("src/mcp/") && after[path] !== before[path]);
    expect(changed).toEqual(["AGENTS.md", "README.md"]);
    expect(after["src/mcp/index.ts"]).toContain("./2026-07-28/methods.ts");
    expect(after["src/mcp/2025-11-25/methods.ts"]).toBeUndefined();
    expect(await update(project, { check: true })).toMatchObject({ code: 0 });
    expect((await update(project, { undo: true })).code).toBe(0);
    expect(contents(project)).toEqual(before);
    expect((await update(project, { undo: true })).code).toBe(0);
    expect(contents(project)).toEqual(after);
  });

  describe("update of README.md and AGENTS.md", () => {
    type Choices = Partial<CreateOptions>;

    async function createChosen(protocol: string, choices: Choices): Promise<string> {
      const directory = join(temporaryFolder(), "demo");
      const options = { directory, protocol, yes: true, install: false, git: false, dryRun: false, ...choices };
      expect((await captured(() => runCreate(options))).code).toBe(0);
      return directory;
    }

    /** The paths of a project are in its README. */
    function texts(project: string): string[] {
      return ["README.md", "AGENTS.md"].map((file) =>
        readFileSync(join(project, file), "utf8").replaceAll(project, "/demo"),
      );
    }

    const moves: readonly (readonly [choices: Choices, from: string, to: string])[] = [
      [{}, "2025-11-25", "all"],
      [{ transport: "worker" }, "2025-11-25,2025-06-18", "2025-11-25,2025-06-18,2025-03-26"],
      [{ transport: "both", auth: "oauth" }, "2025-11-25", "2026-07-28"],
      [{ transport: "http", auth: "api-key" }, "all", "2025-03-26"],
      [{ runtime: "vendored" }, "2026-07-28,2025-11-25", "2025-11-25"],
      [{ transport: "both,websocket" }, "2025-06-18", "2025-11-25"],
    ];

    test.each(moves)(
      "`update` of a project with %j replaces the revisions %s with %s in unedited texts",
      async (choices, from, to) => {
        const project = await createChosen(from, choices);
        const before = texts(project);
        const dry = await update(project, { protocol: to, dryRun: true });
        expect(dry.stdout).toContain(
          "Would update the revisions in README.md.\nWould update the revisions in AGENTS.md",
        );
        expect(texts(project)).toEqual(before);
        const { code, stdout } = await update(project, { protocol: to });
        expect([code, stdout]).toEqual([
          0,
          expect.stringContaining("Updated the revisions in README.md.\nUpdated the revisions in AGENTS.md.\n"),
        ]);
        expect(stdout).not.toContain("as before");
        expect(texts(project)).toEqual(texts(await createChosen(to, choices)));
        await update(project, { undo: true });
        expect(texts(project)).toEqual(before);
      },
    );

    test("`update` keeps edited lines and reports those that name the previous revisions", async () => {
      const project = await createChosen("2025-11-25", {});
      const readme = join(project, "README.md");
      const windows = readFileSync(readme, "utf8").replaceAll("\n", "\r\n");
      const mine = windows.replace("that supports revision", "that supports (what else?) revision");
      writeFileSync(readme, mine);
      const agents = join(project, "AGENTS.md");
      writeFileSync(agents, `${readFileSync(agents, "utf8")}\nAsk it at 2025-11-25, not at 2025-11-25-draft.\r\n`);
      const mixed = readFileSync(agents, "utf8");
      const { stdout } = await update(project, { protocol: "2026-07-28" });
      const lines = stdout.split("\n").filter((line) => /^(Updated the revisions|README|AGENTS)/.test(line));
      expect(lines).toEqual([
        "Updated the revisions in README.md.",
        "README.md:3: names revisions as before; it is yours to change.",
        "AGENTS.md:3: names revisions as before; it is yours to change.",
        expect.stringMatching(/^AGENTS\.md:\d+: names revisions as before; it is yours to change\.$/),
      ]);
      const generated = /(- `src\/mcp\/`: .*revision )2025-11-25(\. Generated)/;
      expect(mine).toMatch(generated);
      expect(readFileSync(readme, "utf8")).toBe(mine.replace(generated, "$12026-07-28$2"));
      expect(readFileSync(agents, "utf8")).toBe(mixed);
    });

    test("`update` ignores a text that the user deleted", async () => {
      const project = await createChosen("2025-11-25", {});
      rmSync(join(project, "AGENTS.md"));
      const { code, stdout } = await update(project, { protocol: "2026-07-28" });
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining("Updated the revisions in README.md."),
      });
      expect(stdout).not.toContain("AGENTS.md");
    });

    test("`update` reports a text that it could not read", async () => {
      const project = await createChosen("2025-11-25", {});
      rmSync(join(project, "AGENTS.md"));
      mkdirSync(join(project, "AGENTS.md"));
      const { code, stdout } = await update(project, { protocol: "2026-07-28" });
      const told = expect.stringContaining(
        "Updated the revisions in README.md.\nAGENTS.md may name revisions as before: it could not be read (EISDIR).\n",
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: told });
    });
  });

  test.each([
    [{ check: true, undo: true }, "--check and --undo: choose one of them."],
    [{ dryRun: true, force: true }, "--dry-run and --force: choose one of them."],
  ])("`update` changes nothing with the conflicting options %j", async (options, message) => {
    const { code, stderr } = await update(temporaryFolder(), options);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `create-mcp-server: ${message}\n` });
  });

  test("`update` keeps a layer that was edited by hand, except with --force", async () => {
    const project = await createProject("2025-11-25");
    const entry = join(project, "src", "mcp", "index.ts");
    writeFileSync(entry, `${readFileSync(entry, "utf8")}// mine\n`);
    writeFileSync(join(project, "src", "mcp", "own.ts"), "export const own = 1;\n");
    const before = contents(project);
    expect(await update(project, { check: true })).toMatchObject({ code: 1 });
    const rejected = await update(project);
    expect(rejected).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("edited by hand in src/mcp: index.ts, own.ts"),
    });
    expect(contents(project)).toEqual(before);
    expect((await update(project, { force: true })).code).toBe(0);
    expect(await update(project, { check: true })).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, ".mcp-previous", "own.ts"), "utf8")).toBe("export const own = 1;\n");
  });

  test.each<[string, (project: string) => void, Partial<UpdateCommandOptions>, RegExp]>([
    [
      "a folder without a layer",
      (project) => rmSync(join(project, "src", "mcp"), { recursive: true }),
      {},
      /is not a project \(it has no src\/mcp\/mcp\.lock\.json\); run this in one/,
    ],
    [
      "a folder that does not exist",
      (project) => rmSync(project, { recursive: true }),
      {},
      /is not a project \(it has no src\/mcp\/mcp\.lock\.json\); run this in one/,
    ],
    ["a lock file that is not JSON", (project) => lock(project, "{"), {}, /is not a lock file/],
    ["a lock file of another format", (project) => lock(project, '{"format":3}'), {}, /is not a lock file/],
    [
      "a lock file of version 0.1",
      (project) => lock(project, '{"format":1,"offers":[],"transports":[],"files":{},"revisions":["2025-11-25"]}'),
      {},
      /^create-mcp-server: src\/mcp\/mcp\.lock\.json has format 1: .*Create a new one and copy src\/server\.ts into it\.$/m,
    ],
    [
      "a lock file without revisions",
      (project) => lock(project, '{"format":2,"features":[],"transports":[],"files":{},"revisions":[]}'),
      {},
      /is not a lock file/,
    ],
    [
      "a lock file with a path outside its folder",
      (project) =>
        lock(
          project,
          '{"format":2,"features":[],"transports":[],"files":{"../server.ts":"0"},"revisions":["2025-11-25"]}',
        ),
      {},
      /is not a lock file/,
    ],
    [
      "a lock file with an unknown revision",
      (project) => lock(project, '{"format":2,"features":[],"transports":[],"files":{},"revisions":["1999-01-01"]}'),
      {},
      /unknown revision "1999-01-01"/,
    ],
    ["an unknown revision", () => {}, { protocol: "1999-01-01" }, /unknown revision/],
    ["`--undo` without a previous update", () => {}, { undo: true }, /nothing was updated here/],
  ])("`update` rejects %s and changes nothing", async (_what, prepare, options, message) => {
    const project = temporaryFolder();
    mkdirSync(join(project, "src", "mcp"), { recursive: true });
    lock(project, '{"format":2,"features":[],"transports":[],"files":{},"revisions":["2025-11-25"]}');
    prepare(project);
    const list = (): string[] => (existsSync(project) ? listAll(project) : []);
    const before = list();
    const { code, stderr } = await update(project, options);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(code).toBe(2);
    expect(list()).toEqual(before);
  });
});

function lock(project: string, text: string): void {
  writeFileSync(join(project, "src", "mcp", "mcp.lock.json"), text);
}
