import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runPin } from "../../../cli/commands/pin.ts";
import { emitUnformatted } from "../../../generator/generate.ts";
import { pinRevision, type PinOptions } from "../../../generator/pin/pin.ts";
import type { Fetch } from "../../../generator/pin/source-folder.ts";
import { storePin } from "../../../generator/pin/store.ts";
import { readPins, type Pin } from "../../../generator/read/pins.ts";
import { hashText } from "../../../generator/internal/files.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";

/* Not a unit test: each of these reads and generates a whole spec folder. */

const newest = "2026-07-28";
const next = "2099-01-01";
const address = "https://example.com/schema.ts";

let folder = "";
let spec = "";
let schema = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pin-"));
  spec = join(folder, "spec");
  await cp("spec", spec, { recursive: true });
  schema = await readFile(`spec/${newest}/schema.ts`, "utf8");
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

describe("a new revision", () => {
  it("a new revision is written with its unchanged schema, an overlay and a pin, and can be generated", async () => {
    const report = await pinText(dated(schema, next), { revision: next });
    expect(report).toMatchObject({
      revision: next,
      declarations: 155,
      overlay: { kind: "proposed", base: newest, dropped: [] },
      decisions: { open: [], confirm: [] },
      warnings: [],
    });
    expect(await readFile(join(spec, next, "schema.ts"), "utf8")).toBe(dated(schema, next));
    expect(new Map(await emitUnformatted({ spec, revisions: [next] })).get(`${next}/methods.ts`)).toContain(
      `id: "${next}"`,
    );
  });

  it("a new revision gets the overlay of the previous revision with links to its own pages", async () => {
    await pinText(dated(schema, next), { revision: next });
    const text = (await readFile(`spec/${newest}/overlay.json`, "utf8")).replaceAll(`/${newest}/`, `/${next}/`);
    // The previous revision has removed these names already.
    const { removed, ...expected } = JSON.parse(text);
    expect(removed).not.toEqual([]);
    expect(JSON.parse(await readFile(join(spec, next, "overlay.json"), "utf8"))).toEqual(expected);
  });

  it("`pinRevision` reports differences without a conversion rule until the overlay of the older revision has one", async () => {
    const text = dated(schema, next)
      .replace(/^export type ContentBlock =\s+(?=\w)/m, "export type ContentBlock = VideoContent | ")
      .concat('\nexport interface VideoContent { type: "video"; data: string }\n');
    const { undecided } = await pinText(text, { revision: next });
    expect(undecided).toEqual([
      {
        overlay: `spec/${newest}/overlay.json`,
        text: expect.stringMatching(/^the alternative VideoContent of ContentBlock since /),
        entries: [
          { rule: "content-to-text", at: ["VideoContent"], reason: "It is sent as a text that tells what it was." },
          { rule: "error", at: ["VideoContent"], reason: "Older peers cannot receive it." },
        ],
      },
    ]);
    await expect(emitUnformatted({ spec })).rejects.toThrow(
      `spec/${newest}/overlay.json: 1 difference to newer revisions`,
    );
    const path = join(spec, newest, "overlay.json");
    const conversions = [{ rule: "error", at: ["VideoContent"], reason: "Older clients have no video." }];
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), conversions }));
    const files = new Map(await emitUnformatted({ spec }));
    expect(files.get(`2024-11-05/convert.ts`)).toContain("Older clients have no video.");
    expect((await pinText(text, { revision: next })).undecided).toEqual([]);
  });

  it("a new revision gets the overlay of the first revision if no revision is older", async () => {
    const oldest = await readFile("spec/2024-11-05/schema.ts", "utf8");
    const { overlay } = await pinText(dated(oldest, "2024-01-01"), { revision: "2024-01-01" });
    expect(overlay).toMatchObject({ kind: "proposed", base: "2024-11-05", dropped: [] });
  });

  it("`pinRevision` creates a spec folder with the revisions of the package, which can be generated", async () => {
    spec = join(folder, "deep", "own");
    expect((await pinText(dated(schema, next), { revision: next })).isNew).toBe(true);
    expect((await readdir(spec)).sort()).toEqual([...(await readdir("spec")), next].sort());
    const paths = [...new Map(await emitUnformatted({ spec })).keys()];
    expect(paths).toEqual(
      expect.arrayContaining([`${next}/types.ts`, `${newest}/convert.ts`, "extensions/ui/types.ts"]),
    );
  });

  it("`pinRevision` creates no spec folder and adds no files to an existing one if it fails", async () => {
    spec = join(folder, "deep", "own");
    await expect(pinText("const a = 1;", { revision: next })).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["spec"]);
    await mkdir(spec, { recursive: true });
    await writeFile(join(spec, "README.md"), "mine");
    await expect(pinText("const a = 1;", { revision: next })).rejects.toThrow();
    expect(await readdir(spec)).toEqual(["README.md"]);
  });

  it("`pinRevision` writes LF line endings and no byte order mark even if the file has CRLF and one", async () => {
    await pinText(`\uFEFF${dated(schema, next).replaceAll("\n", "\r\n")}`, { revision: next });
    expect(await readFile(join(spec, next, "schema.ts"), "utf8")).toBe(dated(schema, next));
  });
});

describe("a schema in several files", () => {
  const files = (): Record<string, string> => ({
    "schema.ts": `export * from "./parts/messages.js";\nexport { Extra } from "./extra";\n`,
    "parts/messages.ts": `import type { Extra } from "../extra.ts";\n${dated(schema, next)}\nexport type More = Extra;\n`,
    "extra.ts": `import type { Tool } from "./parts/messages.ts";\nexport interface Extra {\n  tool: Tool;\n}\n`,
  });

  const write = async (texts: Record<string, string>): Promise<string> => {
    const root = join(folder, "upstream");
    await mkdir(join(root, "parts"), { recursive: true });
    for (const [name, text] of Object.entries(texts)) await writeFile(join(root, name), text);
    return join(root, "schema.ts");
  };

  const fetchFiles =
    (texts: Record<string, string>, seen: string[] = []): Fetch =>
    ({ href }) => {
      seen.push(href);
      const text = texts[href.replace("https://example.com/v1/", "").replace("?ref=main", "")];
      return Promise.resolve(text === undefined ? new Response("", { status: 404 }) : new Response(text));
    };

  const remote = "https://example.com/v1/schema.ts?ref=main";

  it("a schema in several files is joined, from a path as from an address, and can be generated", async () => {
    const output = vi.spyOn(console, "log").mockImplementation(() => undefined);
    expect(await runPin({ revision: next, from: await write(files()), spec })).toBe(0);
    expect(String(output.mock.calls[0]?.[0])).toContain(
      `${spec}/${next}/schema.ts has the declarations of extra.ts, parts/messages.ts, schema.ts.`,
    );
    const text = await readFile(join(spec, next, "schema.ts"), "utf8");
    expect((await pinOf(next))?.sha256).toBe(hashText(text));
    expect(text).toMatch(/^\/\/ From extra\.ts\nexport interface Extra \{\n {2}tool: Tool;\n\}\n\n\/\/ From parts/);
    expect(new Map(await emitUnformatted({ spec, revisions: [next] })).get(`${next}/types.ts`)).toContain(
      "export type More = Extra;",
    );
    const seen: string[] = [];
    const again = await pinRevision({ revision: next, from: remote, spec, fetch: fetchFiles(files(), seen) });
    expect(again).toMatchObject({ declarations: 157, warnings: [], overlay: { kind: "kept" } });
    expect(seen.map((href) => href.replace("https://example.com/v1/", ""))).toEqual(
      ["schema.ts", "parts/messages.ts", "extra.ts"].map((name) => `${name}?ref=main`),
    );
  });

  it("problems and warnings have their places in the files", async () => {
    const extra = (type: string): string => `/**\n * @rule 1\n */\nexport interface Extra {\n  tool: ${type};\n}\n`;
    const { warnings } = await pinRevision({
      revision: next,
      from: await write({ ...files(), "extra.ts": extra("1") }),
      spec,
    });
    expect(warnings).toEqual([expect.stringContaining("extra.ts:2:4: the tag @rule changes no check")]);
    const unread = pinRevision({
      revision: next,
      from: await write({ ...files(), "extra.ts": extra("() => void") }),
      spec,
    });
    expect(await rejection(unread)).toMatch(/extra\.ts:5:9: .*FunctionType/);
  });

  const broken: readonly { what: string; change: () => Record<string, string>; says: RegExp }[] = [
    {
      what: "an import without names",
      change: () => ({ "extra.ts": "import './x'" }),
      says: /extra\.ts(\?ref=main)?:1:1: expected `import type/,
    },
    {
      what: "a file that does not exist",
      change: () => ({ "extra.ts": 'export * from "./none.ts";' }),
      says: /extra\.ts(\?ref=main)?:1:1: .*none\.ts(\?ref=main)? (cannot be read: ENOENT|returned HTTP 404)/,
    },
    {
      what: "a package",
      change: () => ({ "schema.ts": `import * as z from "zod";\n${schema}` }),
      says: /schema\.ts(\?ref=main)?:1:20: a schema imports files of its own folder only/,
    },
    {
      what: "a file outside of the folder",
      change: () => ({ "schema.ts": 'export * from "../spec/2024-11-05/schema.ts";' }),
      says: /:1:15: the file is outside of the folder of the schema/,
    },
    {
      what: "a file that is cut off",
      change: () => ({ "extra.ts": "export interface Extra {" }),
      says: /extra\.ts(\?ref=main)?:1:25: not valid TypeScript/,
    },
    { what: "a page", change: () => ({ "extra.ts": "<html></html>" }), says: /extra\.ts.* is an HTML or XML page/ },
    { what: "an empty file", change: () => ({ "extra.ts": "\n" }), says: /extra\.ts.* is empty/ },
    {
      what: "names that are declared twice",
      change: () => ({ "extra.ts": "export interface Extra {}\ninterface Tool {}" }),
      says: /parts\/messages\.ts(\?ref=main)?:\d+:18: `Tool` is also declared at .*extra\.ts(\?ref=main)?:2:11/,
    },
    {
      what: "too many files",
      change: () =>
        Object.fromEntries(
          Array.from({ length: 60 }, (_, at) => [at === 0 ? "extra.ts" : `e${at}.ts`, `export * from "./e${at + 1}";`]),
        ),
      says: /e47\.ts(\?ref=main)?:1:1: a schema has at most 50 files/,
    },
    {
      what: "too large files",
      change: () => ({ "extra.ts": `//${" ".repeat(4 * 1024 * 1024 - 100)}` }),
      says: /schema\.ts(\?ref=main)? is larger than 4 MiB/,
    },
    {
      what: "no message in any file",
      change: () => ({ "schema.ts": 'export * from "./extra.ts";', "extra.ts": "export interface Extra {}" }),
      says: /is not an MCP schema \(it declares no JSONRPCMessage\)/,
    },
  ];

  it.each(broken)(
    "`pin` rejects a schema with $what, and does not change the spec folder",
    async ({ change, says }) => {
      const texts = { ...files(), ...change() };
      const from = await write(texts);
      const before = await snapshot(folder);
      expect(await rejection(pinRevision({ revision: next, from, spec }))).toMatch(says);
      const fetch = fetchFiles(texts);
      expect(await rejection(pinRevision({ revision: next, from: remote, spec, fetch }))).toMatch(says);
      expect(await snapshot(folder)).toEqual(before);
    },
  );

  it("`pin` reads no file behind a link out of the folder, and no folder", async () => {
    const from = await write(files());
    const outside = join(folder, "outside.ts");
    await writeFile(outside, "export interface Extra {}");
    const extra = join(folder, "upstream", "extra.ts");
    await rm(extra);
    await symlink(outside, extra);
    expect(await rejection(pinRevision({ revision: next, from, spec }))).toMatch(
      /messages\.ts:1:1: .*extra\.ts is no file in the folder of the schema/,
    );
    await rm(extra);
    await mkdir(extra);
    expect(await rejection(pinRevision({ revision: next, from, spec }))).toMatch(/extra\.ts is no file in the folder/);
    await rm(extra, { recursive: true });
    await symlink(join(folder, "upstream", "parts", "real.ts"), extra);
    await writeFile(join(folder, "upstream", "parts", "real.ts"), files()["extra.ts"] ?? "");
    await expect(pinRevision({ revision: next, from, spec })).resolves.toMatchObject({ declarations: 157 });
  });

  it.each([
    ["an import redirects to http", redirectTo("http://example.com/x"), /messages\.ts.*redirects to http:/],
    ["imports take too long", (_url: URL, { signal }: { signal: AbortSignal }) => aborted(signal), /0\.5 seconds/],
  ])("`pin` rejects a schema if %s", async (_what, other: Fetch, says) => {
    const own = fetchFiles(files());
    const fetch: Fetch = (url, options) => (url.pathname.endsWith("/schema.ts") ? own : other)(url, options);
    expect(await rejection(pinRevision({ revision: next, from: remote, spec, fetch, timeout: 500 }))).toMatch(says);
  });
});

describe("the pin", () => {
  const commit = "b0f60ba5409db7a6582440a7b473cc0398890f15";

  it("the pin records hash, address and the commit in the address (T1)", async () => {
    const from = `https://example.com/${commit}/schema.ts`;
    await pinRevision({ revision: next, from, spec, fetch: respondWith(dated(schema, next)) });
    expect(await pinOf(next)).toEqual({
      status: "released",
      commit,
      sha256: hashText(dated(schema, next)),
      source: from,
    });
  });

  it("the pin of a file has a path and no commit", async () => {
    const path = join(folder, `${commit}.ts`);
    await writeFile(path, dated(schema, next));
    await pinRevision({ revision: next, from: path, spec });
    expect(await pinOf(next)).toEqual({ status: "released", sha256: hashText(dated(schema, next)), source: path });
  });

  it.each([
    ["its address says so", "https://example.com/schema/draft/schema.ts", next],
    ["its constant is no date (T2)", address, "DRAFT-2025-v3"],
  ])("the pin is a draft if %s", async (_reason, from, version) => {
    await pinRevision({ revision: next, from, spec, fetch: respondWith(dated(schema, version)) });
    expect((await pinOf(next))?.status).toBe("draft");
  });
});

describe("a revision that is pinned already", () => {
  it("a pinned revision keeps a matching overlay and every other file of its folder", async () => {
    await writeFile(join(spec, newest, "notes.md"), "mine");
    const { overlay } = await pinText(schema, { revision: newest, force: true });
    expect(overlay.kind).toBe("kept");
    expect(await readFile(join(spec, newest, "notes.md"), "utf8")).toBe("mine");
    expect(await readFile(join(spec, newest, "overlay.json"), "utf8")).toBe(
      await readFile(`spec/${newest}/overlay.json`, "utf8"),
    );
  });

  it("a pinned revision is replaced by another file only with --force (T1)", async () => {
    await expect(pinText(schema, { revision: newest })).rejects.toThrow(/pinned to another file.*--force/s);
    await pinText(schema, { revision: newest, force: true });
    await expect(pinText(schema, { revision: newest })).resolves.toMatchObject({ warnings: [] });
  });

  it("a pinned revision gets a proposal from its own overlay if the overlay does not match the schema any more", async () => {
    const without = schema.replaceAll("PARSE_ERROR", "BROKEN_JSON");
    const { overlay, decisions } = await pinText(without, { revision: newest, force: true });
    expect(overlay).toMatchObject({ kind: "proposed", dropped: ["errors: the constant PARSE_ERROR of parseError"] });
    expect(decisions.confirm).toContain("errors: the constant BROKEN_JSON (-32700) has no entry");
  });

  it.each(["2024-11-05", "2025-11-25"])("a proposal from the overlay of %s keeps every entry that fits", async (id) => {
    const own = (await readFile(`spec/${id}/schema.ts`, "utf8")).concat("\nexport interface Unused {}\n");
    const path = join(spec, id, "overlay.json");
    const before = JSON.parse(await readFile(path, "utf8"));
    const { batching } = before;
    // A method that does not exist, so that the overlay is not kept as it is.
    await writeFile(path, JSON.stringify({ ...before, batching: { ...batching, never: ["no/method"] } }));
    const { overlay } = await pinText(own, { revision: id, force: true });
    expect(overlay).toMatchObject({ kind: "proposed", dropped: ["batching.never: no/method"] });
    const { never: _never, ...rest } = batching;
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ ...before, batching: rest });
  });
});

describe("open decisions", () => {
  it("a constraint on a property that is gone is dropped", async () => {
    const renamed = dated(schema, next).replaceAll("requestState?:", "state?:");
    const { overlay } = await pinText(renamed, { revision: next });
    expect(overlay).toMatchObject({
      kind: "proposed",
      dropped: ["constraints: InputRequiredResult (inputRequests, requestState)"],
    });
  });

  it("decisions name every method and gate that cannot be derived, and every dropped entry", async () => {
    spec = join(folder, "own");
    // The step between the eras: nearly everything in the overlay changes.
    const { overlay, decisions } = await pinText(schema, { revision: "2026-07-27", force: true });
    expect(overlay).toMatchObject({
      base: "2025-11-25",
      dropped: expect.arrayContaining([
        "methods: initialize",
        "mergeMeta: tasks/get",
        'methods["tools/call"].alternatives: CreateTaskResult',
        "reservedMeta: io.modelcontextprotocol/related-task",
        "errors: the constant URL_ELICITATION_REQUIRED of urlElicitationRequired",
      ]),
    });
    expect(decisions.open).toEqual([
      expect.stringMatching(/`CreateMessageRequest` \(sampling\/createMessage\) is in no role union/),
      expect.stringMatching(/`ListRootsRequest` \(roots\/list\) is in no role union/),
      expect.stringMatching(/`ElicitRequest` \(elicitation\/create\) is in no role union/),
      expect.stringMatching(/server\/discover requires server capability `server`.*methods\["server\/discover"\].gate/),
      expect.stringMatching(/subscriptions\/listen requires server capability/),
      expect.stringMatching(/notifications\/subscriptions\/acknowledged requires server capability/),
      expect.stringMatching(/^names: code uses initialize, .*; if they are gone, add removed: .*"initialize",.*"Task"/),
    ]);
    expect(decisions.confirm).toEqual(
      expect.arrayContaining([
        "lifecycle: per-request, unlike 2025-11-25",
        "tags: no property distinguishes CallToolResult | InputRequiredResult",
        "errors: the constant HEADER_MISMATCH (-32020) has no entry",
        expect.stringMatching(/^resultTypes: /),
      ]),
    );
  });

  it("the generator stops with the text of the first open decision", async () => {
    spec = join(folder, "own");
    const { decisions } = await pinText(schema, { revision: "2026-07-27", force: true });
    const message = await rejection((await openSpecFolder(spec)).readModel("2026-07-27"));
    expect(message).toBe(`own/2026-07-27/overlay.json: ${decisions.open[0]}`);
  });

  it("decisions are printed with the next command", async () => {
    const output = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const fetch = respondWith(dated(schema, next).replace('"tools/call"', '"toolbox/call"'));
    expect(await runPin({ revision: next, from: address, spec, fetch })).toBe(0);
    const text = String(output.mock.calls[0]?.[0]);
    expect(text).toContain("toolbox/call requires server capability `toolbox`");
    expect(text).toContain(`Next: review and complete ${spec}/${next}/overlay.json`);
    expect(text).toContain(`create-mcp-server generate --spec ${spec} --protocol ${next}`);
  });

  it("differences are printed with entries to add, and as `diff` prints them", async () => {
    const output = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const text = dated(schema, next)
      .replace(/(interface GetPromptRequestParams [^}]*?) arguments\?: [^;]*;/, "$1 style?: string;")
      .replace(/^(export type Role = .*)"user"/m, '$1"person"');
    expect(await runPin({ revision: next, from: address, spec, fetch: respondWith(text), status: "draft" })).toBe(0);
    const printed = String(output.mock.calls[0]?.[0]);
    expect(printed).toContain(`Pinned ${next} (draft)`);
    expect(printed).toContain(
      `      {"rule":"as","value":"user","at":["Role:person"],"reason":"It is sent as \\"user\\"."}`,
    );
    expect(printed).toContain(`${newest} → ${next}: 1 added, 1 removed, `);
    expect(printed).toMatch(/removed.*arguments|arguments.*removed/);
  });

  it("decisions include new methods with the derived gate, and params without _meta (T7)", async () => {
    const added = dated(schema, next)
      .replace("| ListToolsRequest", "| ListToolsRequest | SortToolsRequest")
      .concat(
        'export interface SortToolsRequest extends JSONRPCRequest { method: "tools/sort"; params: { by: string } }\n',
        "export interface SortToolsResult extends Result { sorted: boolean }\n",
      );
    const { decisions } = await pinText(added, { revision: next });
    expect(decisions).toEqual({
      open: [],
      confirm: [
        'methods["tools/sort"]: new request; the client requires server capability tools',
        "mergeMeta: the params of tools/sort are declared without _meta",
      ],
    });
  });
});

describe("parts that a new revision makes unfit", () => {
  const lost = (name: string): string =>
    `names: code uses ${name} of ${newest}; if they are gone, add removed: ` +
    `[{"clause":"https://...","names":["${name}"]}]`;

  it("a renamed type that code uses is an open decision", async () => {
    const text = dated(schema, next).replaceAll(/\bTool\b(?=[ [;])/g, "ToolDefinition");
    const { decisions } = await pinText(text, { revision: next });
    expect(decisions).toEqual({ open: [lost("Tool")], confirm: [] });
  });

  it("generation stops at a renamed value that code uses, until the overlay removes the old one", async () => {
    const text = dated(schema, next).replace(/(type LoggingLevel = .*)"info"/, '$1"details"');
    const { decisions } = await pinText(text, { revision: next });
    expect(decisions.open).toEqual([lost("LoggingLevel:info")]);
    const generating = (): Promise<unknown> => emitUnformatted({ spec, revisions: [next] });
    await expect(generating()).rejects.toThrow(
      /overlay\.json: names that code uses are not declared.*\n {2}LoggingLevel:info$/,
    );
    const path = join(spec, next, "overlay.json");
    const overlay = JSON.parse(await readFile(path, "utf8"));
    const clause = "https://example.com";
    await writeFile(path, JSON.stringify({ ...overlay, removed: [{ clause, names: ["LoggingLevel:info"] }] }));
    await expect(generating()).resolves.toBeInstanceOf(Map);
    await writeFile(path, JSON.stringify({ ...overlay, removed: [{ clause, names: ["LoggingLevel:info", "Tool"] }] }));
    await expect(generating()).rejects.toThrow(/`removed` has names that this revision does not remove.*\n {2}Tool$/);
  });

  it("names that code uses are open decisions also if the overlay still fits", async () => {
    const output = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await pinText(dated(schema, next), { revision: next });
    const text = dated(schema, next).replace(/(type LoggingLevel = .*)"info"/, '$1"details"');
    expect(await runPin({ revision: next, from: address, spec, fetch: respondWith(text), force: true })).toBe(0);
    const printed = String(output.mock.calls[0]?.[0]);
    expect(printed).toContain("overlay.json matches the schema and was kept.");
    expect(printed).toContain(`Decisions required before generation:\n  - ${lost("LoggingLevel:info")}`);
    expect(printed).toContain(`Next: review and complete ${spec}/${next}/overlay.json`);
  });

  it("a member that is required now is listed, because older peers may omit it", async () => {
    const text = dated(schema, next).replace(/(interface GetPromptRequestParams [^}]*? arguments)\?:/, "$1:");
    const { decisions } = await pinText(text, { revision: next });
    expect(decisions.confirm).toEqual([
      expect.stringContaining(
        `required: peers of ${newest} may omit GetPromptRequestParams.arguments; to fill it in, add`,
      ),
    ]);
    expect(decisions.confirm[0]).toContain('{"rule":"default","value":{},"at":["GetPromptRequestParams.arguments"],');
  });

  it("an extension with a type of the core, or without one that it imports, is listed", async () => {
    const text = dated(schema, next).replaceAll(/\bCacheableResult\b/g, "CachedResult");
    const output = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const fetch = respondWith(`${text}\nexport interface Task {}\n`);
    expect(await runPin({ revision: next, from: address, spec, fetch })).toBe(0);
    const report = String(output.mock.calls[0]?.[0]);
    expect(report).toMatch(/extensions\/skills\/schema\.ts:.* the core declares no such type: .*`CacheableResult`/);
    expect(report).toMatch(/extensions\/tasks\/schema\.ts:.* `Task` is already declared by the core/);
  });
});

describe("a folder that cannot be written", () => {
  it.each([
    ["a new revision", next],
    ["a revision pinned again", newest],
  ])("the files stay unchanged if the list of pins cannot be written: %s", async (_which, revision) => {
    // A folder in the place of the list of pins: the last step of all fails.
    await rm(join(spec, "pins.json"));
    await mkdir(join(spec, "pins.json"));
    const before = await readdir(spec, { recursive: true });
    const text = await snapshot(spec);
    const files = {
      name: revision,
      schema: "a",
      overlay: "b",
      pins: "c",
      overlaySchemas: { "overlay.schema.json": "d" },
    };
    await expect(storePin(spec, files)).rejects.toThrow(/EISDIR|EPERM|directory/);
    expect(await readdir(spec, { recursive: true })).toEqual(before);
    expect(await snapshot(spec)).toEqual(text);
  });
});

describe("a link in a spec folder", () => {
  const files = { name: newest, schema: "a", overlay: "b", pins: "c", overlaySchemas: { "overlay.schema.json": "d" } };

  it.each([
    ["in the place of the list of pins", "pins.json"],
    ["in the place of a schema", `${newest}/schema.ts`],
    ["in the place of an overlay", `${newest}/overlay.json`],
    ["at the former name of the list while it is written", `.pins.${process.pid}.json`],
  ])("the target of a link is not changed: %s", async (_where, path) => {
    const outside = join(folder, "outside");
    await writeFile(outside, "mine");
    await rm(join(spec, path), { force: true });
    await symlink(outside, join(spec, path));
    await storePin(spec, files);
    expect(await readFile(outside, "utf8")).toBe("mine");
    expect(await readFile(join(spec, "pins.json"), "utf8")).toBe("c");
    expect(await readFile(join(spec, newest, "schema.ts"), "utf8")).toBe("a");
    expect(await readFile(join(spec, newest, "overlay.json"), "utf8")).toBe("b");
  });

  it.each(["outside", "nowhere"])("a link is replaced in the place of the schema of overlays: %s", async (target) => {
    const outside = join(folder, "outside");
    await writeFile(outside, "mine");
    await rm(join(spec, "overlay.schema.json"));
    await symlink(join(folder, target), join(spec, "overlay.schema.json"));
    await storePin(spec, files);
    expect(await readdir(folder)).toEqual(["outside", "spec"]);
    expect(await readFile(outside, "utf8")).toBe("mine");
    expect(await readFile(join(spec, "overlay.schema.json"), "utf8")).toBe("d");
    expect((await readdir(spec)).filter((name) => name.includes(".old"))).toEqual([]);
  });

  it("a link to a folder gets no copies: at the former name of a revision while it is written", async () => {
    const outside = join(folder, "outside");
    await mkdir(outside);
    await symlink(outside, join(spec, `.${newest}.${process.pid}.new`), "dir");
    await storePin(spec, files);
    expect(await readdir(outside)).toEqual([]);
  });
});

describe("invalid input", () => {
  const good = (): string => dated(schema, next);
  const other =
    /\/schema\.ts is not an MCP schema \(it declares no JSONRPCMessage\); pass the schema\.ts of a revision/;
  const cases: readonly { input: string; says: RegExp; text?: () => string; options?: Partial<PinOptions> }[] = [
    { input: "an HTML page", text: () => "<!doctype html>\n<html></html>", says: /is an HTML or XML page.*raw\./ },
    { input: "JSON", text: () => '{ "$defs": {} }', says: /is JSON, not TypeScript/ },
    { input: "an empty file", text: () => " \n", says: /is empty/ },
    { input: "prose", text: () => "404: Not Found", says: other },
    { input: "a file cut off", text: () => good().slice(0, 40_000), says: /schema\.ts:\d+:\d+: / },
    { input: "TypeScript without declarations", text: () => "export {};\n", says: other },
    {
      input: "other TypeScript that imports",
      text: () => `import * as z from "zod";\n${good()}`,
      says: /\/schema\.ts:1:20: a schema imports files of its own folder only/,
    },
    { input: "other TypeScript with constants", text: () => "export const JSONRPC = 1;\n", says: other },
    { input: "other declarations", text: () => "export interface Foo { JSONRPCMessage: string }\n", says: other },
    {
      input: "an unknown construct",
      text: () => `${good()}\nexport type Paint = () => void;\n`,
      says: /schema\.ts:\d+:21: .*FunctionType/,
    },
    { input: "another revision", text: () => schema, says: /LATEST_PROTOCOL_VERSION = "2026-07-28".*--force/ },
    { input: "more than 4 MiB", text: () => `//${" ".repeat(4 * 1024 * 1024)}`, says: /larger than 4 MiB/ },
    { input: "an http address", options: { from: "http://example.com/schema.ts" }, says: /not an https address/ },
    { input: "an ftp address", options: { from: "ftp://example.com/schema.ts" }, says: /not an https address/ },
    { input: "an address that is none", options: { from: "https://" }, says: /not a valid URL/ },
    {
      input: "a missing file",
      options: { from: "/nowhere/schema.ts" },
      says: /cannot be read: ENOENT.*check the path/,
    },
    { input: "a folder", options: { from: tmpdir() }, says: /cannot be read: EISDIR/ },
    { input: "a word for a date", options: { revision: "latest" }, says: /`latest` is not a revision.*YYYY-MM-DD/ },
    { input: "a path for a date", options: { revision: "../../2099-01-01" }, says: /is not a revision/ },
    { input: "a day that does not exist", options: { revision: "2099-02-30" }, says: /is not a revision/ },
    { input: "a month that does not exist", options: { revision: "2099-13-01" }, says: /is not a revision/ },
  ];

  it.each(cases)("`pin` rejects $input and does not change the spec folder", async ({ text = good, options, says }) => {
    const before = await snapshot(folder);
    const output = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await runPin({ revision: next, from: address, spec, fetch: respondWith(text()), ...options })).toBe(2);
    expect(output.mock.calls).toEqual([[expect.stringMatching(says)]]);
    expect(String(output.mock.calls[0]?.[0])).not.toMatch(/\n {4}at /);
    expect(await snapshot(folder)).toEqual(before);
  });

  const responses: readonly { response: string; says: RegExp; fetch: Fetch }[] = [
    {
      response: "no response",
      fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND x") })),
      says: /cannot be fetched \(getaddrinfo ENOTFOUND x\); check the address and the network/,
    },
    { response: "status 404", fetch: () => Promise.resolve(new Response("", { status: 404 })), says: /HTTP 404/ },
    {
      response: "bytes that are no text",
      fetch: () => Promise.resolve(new Response(Buffer.of(0xff, 0xfe))),
      says: /not UTF-8/,
    },
    {
      response: "a redirect to http",
      fetch: redirectTo("http://example.com/x"),
      says: /redirects to http:\/\/example.com\/x/,
    },
    { response: "a redirect to a file", fetch: redirectTo("file:///etc/passwd"), says: /redirects to file:/ },
    { response: "a redirect to itself", fetch: redirectTo(address), says: /redirects more than 5 times/ },
    { response: "a redirect to nowhere", fetch: redirectTo("https://"), says: /which is not a URL/ },
    {
      response: "a response that takes too long",
      fetch: (_url, { signal }) => aborted(signal),
      says: /no complete response within 0.05 seconds/,
    },
    {
      response: "an endless response",
      fetch: () => Promise.resolve(new Response(endless())),
      says: /larger than 4 MiB/,
    },
  ];

  it.each(responses)("`pinRevision` rejects $response of the server", async ({ fetch, says }) => {
    const before = await snapshot(folder);
    const pinned = pinRevision({ revision: next, from: address, spec, fetch, timeout: 50 });
    expect(await rejection(pinned)).toMatch(says);
    expect(await snapshot(folder)).toEqual(before);
  });

  it("`pinRevision` follows a redirect that stays on https", async () => {
    const fetch: Fetch = (url) =>
      Promise.resolve(url.href === address ? moved("/other.ts") : new Response(dated(schema, next)));
    await expect(pinRevision({ revision: next, from: address, spec, fetch })).resolves.toMatchObject({
      revision: next,
    });
  });

  it("a schema whose version is not a date only gets a warning (T2)", async () => {
    const { warnings } = await pinText(dated(schema, "DRAFT-2025-v3"), { revision: next });
    expect(warnings).toEqual([expect.stringMatching(/LATEST_PROTOCOL_VERSION = "DRAFT-2025-v3"/)]);
  });

  it("an invalid pins.json is reported and not replaced", async () => {
    await writeFile(join(spec, "pins.json"), "{");
    await expect(pinText(dated(schema, next), { revision: next })).rejects.toThrow(/pins\.json: not JSON/);
  });
});

function pinText(text: string, options: Pick<PinOptions, "revision" | "force">): ReturnType<typeof pinRevision> {
  return pinRevision({ from: address, spec, fetch: respondWith(text), ...options });
}

function dated(text: string, version: string): string {
  return text
    .replace(`LATEST_PROTOCOL_VERSION = "${newest}"`, `LATEST_PROTOCOL_VERSION = "${version}"`)
    .replace('LATEST_PROTOCOL_VERSION = "2024-11-05"', `LATEST_PROTOCOL_VERSION = "${version}"`);
}

function respondWith(text: string): Fetch {
  return () => Promise.resolve(new Response(text));
}

function redirectTo(location: string): Fetch {
  return () => Promise.resolve(moved(location));
}

function moved(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}

function aborted(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => {
    // The timer of a signal does not keep a process alive; the interval does until it is there.
    const waiting = setInterval(() => undefined, 1000);
    signal.addEventListener("abort", () => {
      clearInterval(waiting);
      reject(new Error("aborted"));
    });
  });
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(Buffer.alloc(1024 * 1024, " "));
    },
  });
}

async function rejection(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => new Error("nothing was thrown"),
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : String(error);
}

async function pinOf(revision: string): Promise<Pin | undefined> {
  return readPins("pins.json", await readFile(join(spec, "pins.json"), "utf8")).get(revision);
}

async function snapshot(path: string): Promise<Record<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")])));
}
