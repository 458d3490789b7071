import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runDiff } from "../../../cli/commands/diff.ts";
import { runPinExtension } from "../../../cli/commands/pin.ts";
import { emitUnformatted } from "../../../generator/generate.ts";
import { hashText } from "../../../generator/internal/files.ts";
import { pinExtension, type PinExtensionOptions } from "../../../generator/pin/pin-extension.ts";
import { compareExtensionModels } from "../../../tools/diff/revisions.ts";
import { captured, type CommandResult } from "../../kit/commands.ts";
import { echoSchema, echoSchemaNext } from "../echo-schema.ts";
import { listAll, temporaryFolder } from "../../kit/temporary-folders.ts";

const newest = "2026-07-28";
const id = "com.example/echo";

/** A folder with a copy of the spec folder, and the schema of an extension. */
class Workspace {
  readonly folder: string = temporaryFolder();
  readonly spec: string = join(this.folder, "spec");
  readonly schema: string = join(this.folder, "schema.ts");

  constructor(text = echoSchema) {
    cpSync("spec", this.spec, { recursive: true });
    this.write(text);
  }

  write(text: string): void {
    writeFileSync(this.schema, text);
  }

  read(...path: readonly string[]): string {
    return readFileSync(join(this.spec, ...path), "utf8");
  }

  json(...path: readonly string[]) {
    return JSON.parse(this.read(...path));
  }

  pin(options: Partial<PinExtensionOptions> = {}): ReturnType<typeof pinExtension> {
    return pinExtension({ extension: this.schema, id, spec: this.spec, ...options });
  }

  /** All files with their texts. */
  contents(): Readonly<Record<string, string>> {
    const paths = listAll(this.folder).filter((path) => /\.\w+$/.test(path));
    return Object.fromEntries(paths.map((path) => [path, readFileSync(join(this.folder, path), "latin1")]));
  }
}

test("an extension is written with its unchanged schema, an overlay and a pin", async () => {
  const workspace = new Workspace();
  const report = await workspace.pin();
  expect(report).toMatchObject({ id, name: "echo", isNew: false, declarations: 11, warnings: [] });
  expect(report.decisions.open).toEqual([]);
  expect(workspace.read("extensions", "echo", "schema.ts")).toBe(echoSchema);
  const pins = workspace.json("pins.json");
  expect(pins.extensions.echo).toEqual({
    status: "released",
    sha256: hashText(echoSchema),
    source: workspace.schema,
  });
  expect(Object.keys(pins.extensions)).toEqual(["echo", "skills", "tasks", "ui"]);
});

test("the proposed overlay has senders of the unions of messages, settings by name, and the lifecycle of the metadata", async () => {
  const workspace = new Workspace();
  await workspace.pin();
  const clause = "https://example.com/echo";
  expect(workspace.json("extensions", "echo", "overlay.json")).toEqual({
    $schema: "../../extension.schema.json",
    id,
    lifecycles: { clause, kinds: ["per-request"] },
    declared: { clause, client: "EchoSettings", server: "EchoSettings" },
    methods: {
      "echo/say": { clause, senders: ["client"] },
      "echo/hear": { clause, senders: ["client"] },
      "notifications/echo/echoed": { clause, senders: ["server"] },
      "notifications/echo/silence": { clause, senders: ["client"] },
    },
  });
});

test("an extension whose requests need no metadata works with both lifecycles, and clients need not declare it without messages of the server", async () => {
  const own = `import type { JSONRPCRequest, Result } from "./core.ts";
export interface PingSettings { fast?: boolean }
export interface PingOnceRequest extends JSONRPCRequest { method: "ping/once"; params: { text: string } }
export interface PingOnceResult extends Result { text: string }
export type PingClientRequest = PingOnceRequest;
`;
  const workspace = new Workspace(own);
  const { decisions } = await workspace.pin({ id: "com.example/ping" });
  const { lifecycles, declared } = workspace.json("extensions", "ping", "overlay.json");
  expect(lifecycles.kinds).toEqual(["handshake", "per-request"]);
  expect(declared).not.toHaveProperty("client");
  expect(decisions.confirm).toContain("mergeMeta: the params of ping/once are declared without _meta");
});

test("a pinned extension is generated, and its tables find each type and check", async () => {
  const workspace = new Workspace();
  await workspace.pin();
  const tree = await emitUnformatted({ spec: workspace.spec, revisions: [newest] });
  const [types = "", checks = "", methods = ""] = ["types", "validate", "methods"].map((name) =>
    tree.get(`extensions/echo/${name}.ts`),
  );
  expect(methods).toContain(`id: "${id}"`);
  const wordsIn = (text: string, pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)].flatMap(([, words = ""]) => words.split(/\W+/));
  const namesOf = (text: string): readonly string[] =>
    wordsIn(text, /^export (?:(?:interface|function|type) |(?:type )?\{ )([\w, ]+)/gm);
  expect(namesOf(types)).toEqual(expect.arrayContaining([...wordsIn(methods, /\bt\.(\w+)/g)]));
  expect(namesOf(checks)).toEqual(expect.arrayContaining([...wordsIn(methods, /\bcheck\.(\w+)/g)]));
});

test("the same file again keeps the overlay, also one that was edited", async () => {
  const workspace = new Workspace();
  await workspace.pin();
  const path = join(workspace.spec, "extensions", "echo", "overlay.json");
  writeFileSync(path, workspace.read("extensions", "echo", "overlay.json").replace('"released"', '"draft"'));
  const before = workspace.contents();
  const { overlay, decisions } = await workspace.pin();
  expect(overlay.kind).toBe("kept");
  expect(decisions.open).toEqual([]);
  expect(workspace.contents()).toEqual(before);
});

test("another file is rejected, and replaces the version before with --force: its valid entries are adopted", async () => {
  const workspace = new Workspace();
  await workspace.pin();
  const path = join(workspace.spec, "extensions", "echo", "overlay.json");
  const overlay = JSON.parse(readFileSync(path, "utf8"));
  const clause = "https://example.com/echo/v1";
  const integers = ["EchoSettings.limit", "SayRequestParams.volume"].map((at) => ({ clause, at }));
  writeFileSync(path, JSON.stringify({ ...overlay, integers, safe: { clause, methods: ["echo/hear"] } }));
  workspace.write(echoSchemaNext);
  const before = workspace.contents();
  await expect(workspace.pin()).rejects.toThrow(/^com\.example\/echo is pinned to another file.*pass --force/);
  expect(workspace.contents()).toEqual(before);
  const report = await workspace.pin({ force: true });
  expect(report.warnings).toEqual([expect.stringMatching(/the pinned file is replaced\.$/)]);
  const next = workspace.json("extensions", "echo", "overlay.json");
  expect(report.previous?.methods.map(({ name }) => name)).not.toContain("echo/shout");
  expect(report.overlay).toMatchObject({ kind: "proposed", dropped: ['integers: {"at":"SayRequestParams.volume"}'] });
  expect(next).toMatchObject({ integers: integers.slice(0, 1), safe: { methods: ["echo/hear"] } });
  expect(next.methods["echo/shout"].senders).toEqual(["client"]);
  expect(workspace.json("pins.json").extensions.echo.sha256).toBe(hashText(echoSchemaNext));
});

test("a method without a sender and missing settings are decisions, without which the generator stops", async () => {
  const text = echoSchema.replace("SayRequest | HearRequest", "SayRequest").replace("EchoSettings", "EchoOptions");
  const workspace = new Workspace(text);
  const { decisions } = await workspace.pin();
  expect(decisions.open).toEqual([
    expect.stringContaining('list its senders in methods["echo/hear"].senders'),
    expect.stringContaining("declares no `EchoSettings`; declare it, or name another type in declared.client"),
    expect.stringContaining("declared.server"),
  ]);
  await expect(emitUnformatted({ spec: workspace.spec })).rejects.toThrow('methods["echo/hear"].senders');
  const path = join(workspace.spec, "extensions", "echo", "overlay.json");
  const overlay = JSON.parse(readFileSync(path, "utf8"));
  const { clause } = overlay.declared;
  const declared = { clause, client: "EchoOptions", server: "EchoOptions" };
  const methods = { ...overlay.methods, "echo/hear": { clause, senders: ["client"] } };
  writeFileSync(path, JSON.stringify({ ...overlay, declared, methods }));
  expect((await workspace.pin()).overlay.kind).toBe("kept");
});

test("an extension may use the types of an older revision, which later pins keep", async () => {
  const workspace = new Workspace();
  const older = "2025-11-25";
  const { core } = await workspace.pin({ protocol: older });
  expect(core.id).toBe(older);
  expect(workspace.json("pins.json").extensions.echo.revision).toBe(older);
  expect((await workspace.pin()).core.id).toBe(older);
  const emitted = async (revision: string): Promise<string | undefined> =>
    (await emitUnformatted({ spec: workspace.spec, revisions: [revision] })).get("extensions/echo/types.ts");
  expect(await emitted(older)).toContain(`from "../../${older}/types.ts"`);
  expect(await emitted(newest)).toBeUndefined();
});

test("the identifier is that of an earlier pin, or the only one among the constants", async () => {
  const workspace = new Workspace(`export const ID = "org.example/Echo.v2";\n${echoSchema}`);
  const report = await pinExtension({ extension: workspace.schema, spec: workspace.spec });
  expect(report).toMatchObject({ id: "org.example/Echo.v2", name: "echo-v2" });
  const other = new Workspace();
  await other.pin();
  expect((await pinExtension({ extension: other.schema, spec: other.spec })).id).toBe(id);
});

test("an address is pinned with its commit", async () => {
  const workspace = new Workspace();
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const extension = `https://example.com/${commit}/draft/schema.ts`;
  const { pin } = await workspace.pin({ extension, fetch: () => Promise.resolve(new Response(echoSchema)) });
  expect(pin).toEqual({ status: "draft", commit, sha256: hashText(echoSchema), source: extension });
  expect(workspace.json("extensions", "echo", "overlay.json").declared.clause).toBe(extension);
});

test("a missing spec folder is created with the revisions of the package, and not if pinning fails", async () => {
  const workspace = new Workspace();
  const spec = join(workspace.folder, "deep", "own");
  await expect(workspace.pin({ spec, id: "echo" })).rejects.toThrow();
  expect(readdirSync(workspace.folder).sort()).toEqual(["schema.ts", "spec"]);
  expect((await workspace.pin({ spec })).isNew).toBe(true);
  expect(readdirSync(join(spec, "extensions")).sort()).toEqual(["echo", "skills", "tasks", "ui"]);
});

const echoMethod = (method: string): string => echoSchema.replace('"echo/say"', `"${method}"`);

test.each<{ what: string; says: RegExp; text?: string; options?: Partial<PinExtensionOptions> }>([
  { what: "an id without a prefix", options: { id: "echo" }, says: /`echo` is no identifier.*com\.example\/echo/ },
  { what: "an id whose name is taken", options: { id: "com.example/tasks" }, says: /extensions\/tasks is io\.model/ },
  { what: "a method of the core", text: echoMethod("tools/call"), says: /already has `tools\/call`; give the method/ },
  { what: "a type of the core", text: `${echoSchema}export interface Tool {}\n`, says: /:\d+:1: `Tool` is already/ },
  {
    what: "an import of a type that the core does not have",
    text: echoSchema.replace("Result }", "Result, Hammer }"),
    says: /schema\.ts:\d+:\d+: the core declares no such type/,
  },
  { what: "a file that is no schema", text: "export {};\n", says: /schema\.ts: no exported declarations/ },
  { what: "prose", text: "404: Not Found", says: /schema\.ts:1:\d+: not valid TypeScript/ },
  { what: "JSON", text: "{}", says: /is JSON, not TypeScript/ },
  { what: "a function", text: `${echoSchema}export function say(): void {}\n`, says: /schema\.ts:\d+:1: / },
  { what: "a folder", options: { extension: "spec" }, says: /spec cannot be read: EISDIR.*check the path/ },
  { what: "a missing file", options: { extension: "none.ts" }, says: /none\.ts cannot be read: ENOENT/ },
  { what: "an http address", options: { extension: "http://a.example/s.ts" }, says: /is not an https address/ },
  { what: "an unknown revision", options: { protocol: "2020-01-01" }, says: /unknown revision `2020-01-01`; choose/ },
])("`pin --extension` rejects $what and changes no file", async ({ text = echoSchema, options = {}, says }) => {
  const workspace = new Workspace(text);
  const before = workspace.contents();
  const output = vi.spyOn(console, "error").mockImplementation(() => undefined);
  expect(await runPinExtension({ extension: workspace.schema, spec: workspace.spec, id, ...options })).toBe(2);
  expect(output.mock.calls).toEqual([[expect.stringMatching(says)]]);
  output.mockRestore();
  expect(workspace.contents()).toEqual(before);
});

test("a schema without an identifier is rejected", async () => {
  const workspace = new Workspace();
  const pinned = pinExtension({ extension: workspace.schema, spec: workspace.spec });
  await expect(pinned).rejects.toThrow(/does not state the identifier.*--id com\.example\/echo/);
});

test("names of methods may have dots and dashes", async () => {
  const workspace = new Workspace(echoMethod("com.example/echo-say"));
  expect((await workspace.pin()).decisions.open).toEqual([]);
  expect(await workspace.pin()).toMatchObject({ overlay: { kind: "kept" } });
});

test("an id that is pinned under another name is rejected", async () => {
  const workspace = new Workspace();
  mkdirSync(join(workspace.spec, "extensions", "mine"));
  const pins = workspace.json("pins.json");
  const overlay = { ...workspace.json("extensions", "ui", "overlay.json"), id };
  writeFileSync(join(workspace.spec, "extensions", "mine", "overlay.json"), JSON.stringify(overlay));
  const extensions = { ...pins.extensions, mine: pins.extensions.ui };
  writeFileSync(join(workspace.spec, "pins.json"), JSON.stringify({ ...pins, extensions }));
  await expect(workspace.pin()).rejects.toThrow(/is pinned as extensions\/mine; rename that folder/);
});

test("the command prints the decisions, and the command that generates the extension", async () => {
  const workspace = new Workspace();
  const output = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const given = { extension: workspace.schema, spec: workspace.spec, id };
  expect(await runPinExtension(given)).toBe(0);
  expect(await runPinExtension(given)).toBe(0);
  const [first = "", second = ""] = output.mock.calls.map(([text]) => String(text));
  output.mockRestore();
  expect(first).toMatch(/^Pinned com\.example\/echo \(released\) in .*\/extensions\/echo: 11 declarations, sha256 /);
  expect(first).toContain('  - methods["echo/say"]: request of the client\n');
  expect(first).toMatch(/Next: review and complete .*overlay\.json, then create-mcp-server generate --spec /);
  expect(second).toMatch(/overlay\.json matches the schema and was kept\.\n[^]*\nNext: create-mcp-server generate /);
});

const differences = [
  "removed type SayRequestParams.volume: removed, was optional",
  "added type SayRequestParams.loudness: added as optional",
  "added method echo/shout: request of the client added",
];

test("the command prints the differences between a version and the one before", async () => {
  const workspace = new Workspace();
  await workspace.pin();
  workspace.write(echoSchemaNext);
  const given = { extension: workspace.schema, spec: workspace.spec, force: true };
  const { code, stdout, stderr } = await captured(() => runPinExtension(given));
  expect(code).toBe(0);
  expect(stderr).toMatch(/the pinned file is replaced\.\n$/);
  expect(stdout).toContain(`${id} (sha256 ${hashText(echoSchema).slice(0, 12)}) → ${id} (sha256 `);
  for (const line of differences) expect(stdout).toContain(line.replace(/^\w+ /, "  "));
});

test.each([
  ["a spec folder and a schema", (workspace: Workspace) => [workspace.spec, workspace.schema]],
  ["two schemas", (workspace: Workspace) => [join(workspace.folder, "first.ts"), workspace.schema]],
])("`diff --extension` compares two versions: %s", async (_what, toWords) => {
  const workspace = new Workspace();
  await workspace.pin();
  writeFileSync(join(workspace.folder, "first.ts"), echoSchema);
  workspace.write(echoSchemaNext);
  const [older = "", newer = ""] = toWords(workspace);
  const flags = { format: "json", timeout: 30, sse: false, spec: workspace.spec } as const;
  const diff = (extension: string, to = newer): Promise<CommandResult> =>
    captured(() => runDiff({ older, newer: to, extension, failOn: "breaking", ...flags }));
  const { stdout } = await diff(id);
  const { changes } = JSON.parse(stdout);
  const lines = changes.map(
    ({ kind, subject, detail }: Readonly<Record<string, string>>) => `${kind} ${subject}: ${detail}`,
  );
  expect(lines).toEqual(expect.arrayContaining(differences));
  expect(lines.filter((line: string) => /JSONRPC|Result\._meta/.test(line))).toEqual([]);
  expect((await diff("echo", older)).code).toBe(0);
  expect((await diff("none")).stderr).toMatch(/has no extension `none`; pass its identifier/);
  expect((await diff("com.example/echo", join(workspace.folder, "none.ts"))).stderr).toMatch(/cannot be read: ENOENT/);
});

test("differences include the settings and the rules of an extension", async () => {
  const workspace = new Workspace();
  await workspace.pin();
  const { model: before } = await workspace.pin();
  workspace.write(echoSchema.replace("limit?: number", "limit: number"));
  const path = join(workspace.spec, "extensions", "echo", "overlay.json");
  const overlay = JSON.parse(readFileSync(path, "utf8"));
  const { clause } = overlay.lifecycles;
  const lifecycles = { clause, kinds: ["handshake", "per-request"] };
  writeFileSync(path, JSON.stringify({ ...overlay, lifecycles }));
  const { model: after } = await workspace.pin({ force: true });
  expect(compareExtensionModels(before, after).changes).toEqual([
    {
      kind: "changed",
      subject: "rule lifecycles",
      detail: "changed from per-request to handshake and per-request",
      client: "risky",
      server: "risky",
    },
    {
      kind: "changed",
      subject: "type EchoSettings.limit",
      detail: "now required",
      client: "breaking",
      server: "breaking",
    },
  ]);
});

test("a page about the extension is written beside its schema, without links to pages of the core", async () => {
  const workspace = new Workspace();
  const given = { extension: workspace.schema, spec: workspace.spec, id };
  expect((await captured(() => runPinExtension(given))).stdout).toContain("extensions/echo/README.md describes it.");
  const page = workspace.read("extensions", "echo", "README.md");
  expect(page).toContain("# Extension: echo\n");
  expect(page).toContain("- Declared by the client with [`EchoSettings`](#echosettings), and by the server with");
  expect(page).toContain("## echo/say\n\nSays a text.\n");
  const links = [...page.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);
  expect(links.filter((target) => !target.startsWith("#"))).toEqual([]);
  const headings = new Set(
    [...page.matchAll(/^##+ (.*)$/gm)].map(([, title = ""]) => title.toLowerCase().replaceAll("/", "")),
  );
  expect(links.filter((target) => !headings.has(target.slice(1)))).toEqual([]);
  expect(page).not.toContain("npm run");
});
