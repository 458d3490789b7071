import { describe, expect, test } from "vitest";
import { parseYaml } from "../../../../runtime/adapters/yaml.ts";
import {
  createSkillReader,
  type SkillReaderOptions,
  type SkillServer,
} from "../../../../runtime/client/skills/skill-reader.ts";
import { createSkill } from "../../../../runtime/skills/create-skill.ts";
import { toContent } from "../../../../runtime/skills/file.ts";
import { toSkillEntry, toSkillUri, type SkillEntry } from "../../../../runtime/skills/skill.ts";

const skill = await createSkill({
  frontmatter: { name: "pdf", description: "Fills in forms: 'all' of \"them\" # no comment", tags: ["a", { b: null }] },
  body: "See `references/FORMS.md`.",
  files: { "references/FORMS.md": "Forms\n", "logo.bin": new Uint8Array([0, 255]) },
});
const entry = toSkillEntry(skill);
const root = "skill://pdf/";

/** A server that does as it likes; notes what it is asked for. */
class FakeServer implements SkillServer {
  readonly requested: string[] = [];
  /** Options of the requests for files, and params of those for entries. */
  readonly options: unknown[] = [];
  readonly files = new Map<string, object>(
    skill.files.map((file) => [toSkillUri(`pdf/${file.path}`), toContent(file.bytes)]),
  );
  entry: unknown = entry;

  request(method: string, params?: unknown): Promise<unknown> {
    this.requested.push(method);
    if (method === "skills/get") {
      this.options.push(params);
      return Promise.resolve({ skill: this.entry });
    }
    const isSecond = JSON.stringify(params).includes('"2"');
    return Promise.resolve({ skills: [this.entry], ...(!isSecond && { nextCursor: "2" }) });
  }

  readResource(uri: string, options?: object): Promise<object> {
    this.requested.push(uri);
    this.options.push(options);
    return Promise.resolve({ contents: [{ uri, ...this.files.get(uri) }] });
  }
}

function read(server: SkillServer, options: Partial<SkillReaderOptions> = {}): ReturnType<typeof createSkillReader> {
  return createSkillReader(server, { parseYaml, ...options });
}

function replaceFile(server: FakeServer, path: string, content: string): void {
  server.files.set(`${root}${path}`, toContent(new TextEncoder().encode(content)));
}

describe("a skill that matches its entry", () => {
  test("a skill is loaded without its other files, which are read and verified when they are needed, once (XK-06)", async () => {
    const server = new FakeServer();
    const loaded = await read(server).load(entry);
    expect(loaded.text).toContain("See `references/FORMS.md`.");
    expect(server.requested).toEqual([`${root}SKILL.md`]);
    const forms = await loaded.read("references/FORMS.md");
    expect(forms).toMatchObject({ uri: `${root}references/FORMS.md`, text: "Forms\n" });
    const logo = await loaded.read(`${root}logo.bin`);
    expect(logo).toMatchObject({ bytes: new Uint8Array([0, 255]), text: undefined });
    expect(await loaded.read("./references/../references/FORMS.md#part")).toBe(forms);
    // A cached file may be older than the entry.
    expect(server.options).toEqual(server.options.map(() => ({ refresh: true })));
    expect(server.requested).toEqual([`${root}SKILL.md`, `${root}references/FORMS.md`, `${root}logo.bin`]);
  });

  test.each([
    ["Q&A.md", "Q&A.md"],
    ["C++ & $x,y;z=1.md", "C++ & $x,y;z=1.md"],
    ["a@b.md", "a@b.md"],
    ["a:b.md", "./a:b.md"],
    ["[draft]|x^2.md", "[draft]|x^2.md"],
    ["100%.md", "100%25.md"],
    ["100% ä.md", "100% %C3%A4.md"],
    ["Größe (neu).md", "Gr%C3%B6%C3%9Fe%20(neu).md"],
  ])("a file named %s is found by the reference %s", async (path, reference) => {
    const named = await createSkill({ frontmatter: skill.frontmatter, body: "", files: { [path]: "text" } });
    const server = new FakeServer();
    for (const file of named.files) server.files.set(toSkillUri(`pdf/${file.path}`), toContent(file.bytes));
    const loaded = await read(server).load(toSkillEntry(named));
    expect(await loaded.read(reference)).toMatchObject({ text: "text" });
  });

  test("a file is found if the server encodes more characters than needed", async () => {
    const named = await createSkill({ frontmatter: skill.frontmatter, body: "", files: { "Q&A.md": "text" } });
    const { resources, ...rest } = toSkillEntry(named);
    const uri = `${root}Q%26A.md`;
    const listed = resources === "dynamic" ? expect.unreachable() : resources;
    const encoded = listed.map((file) => (file.uri.endsWith("SKILL.md") ? file : { ...file, uri }));
    const server = new FakeServer();
    for (const file of named.files) server.files.set(toSkillUri(`pdf/${file.path}`), toContent(file.bytes));
    server.files.set(uri, toContent(new TextEncoder().encode("text")));
    const loaded = await read(server).load({ ...rest, resources: encoded });
    expect(await loaded.read("Q&A.md")).toMatchObject({ uri, text: "text" });
  });

  test("a file is found by its URI although another one differs only in its encoding", async () => {
    const named = await createSkill({ frontmatter: skill.frontmatter, body: "", files: { one: "1", two: "22" } });
    const { resources, ...rest } = toSkillEntry(named);
    const listed = resources === "dynamic" ? expect.unreachable() : resources;
    const uris = new Map([
      [`${root}one`, `${root}a b`],
      [`${root}two`, `${root}a%20b`],
    ]);
    const server = new FakeServer();
    for (const file of named.files) {
      const uri = toSkillUri(`pdf/${file.path}`);
      server.files.set(uris.get(uri) ?? uri, toContent(file.bytes));
    }
    const loaded = await read(server).load({
      ...rest,
      resources: listed.map((file) => ({ ...file, uri: uris.get(file.uri) ?? file.uri })),
    });
    expect(await loaded.read(`${root}a b`)).toMatchObject({ uri: `${root}a b`, text: "1" });
    expect(await loaded.read(`${root}a%20b`)).toMatchObject({ uri: `${root}a%20b`, text: "22" });
  });

  test("a skill is listed on several pages, and found by its URI (XK-05)", async () => {
    const server = new FakeServer();
    expect(await read(server).list()).toEqual([entry, entry]);
    const loaded = await read(server).load(entry.uri);
    expect(loaded.entry).toEqual(entry);
    expect(server.options).toEqual([{ uri: entry.uri }, { refresh: true }]);
    expect(server.requested).toEqual(["skills/list", "skills/list", "skills/get", `${root}SKILL.md`]);
  });

  test("skills are listed on as many pages as permitted", async () => {
    const server = new FakeServer();
    expect(await read(server).list({ maxPages: 1 })).toEqual([entry]);
    expect(server.requested).toEqual(["skills/list"]);
    expect(await read(server).list({ maxPages: 2 })).toEqual([entry, entry]);
  });

  test("a directory has the resources of all of its pages", async () => {
    const requested: unknown[] = [];
    const server: SkillServer = {
      async request(method, params) {
        requested.push([method, params]);
        const cursor = Object(params).cursor;
        const name = cursor ?? "1";
        return { resources: [{ uri: `${root}${name}`, name }, 7, null], ...(!cursor && { nextCursor: "2" }) };
      },
      readResource: () => Promise.reject(new Error("no")),
    };
    const entries = ["1", "2"].map((name) => ({ uri: `${root}${name}`, name }));
    expect(await read(server).readDirectory(root)).toEqual(entries);
    const method = "resources/directory/read";
    expect(requested).toEqual([
      [method, { uri: root }],
      [method, { uri: root, cursor: "2" }],
    ]);
  });
});

interface Change {
  readonly what: string;
  readonly problem: string;
  readonly change: (server: FakeServer) => void;
}

const [first, ...rest] = entry.resources === "dynamic" ? [] : entry.resources;
if (!first) throw new Error("The sample has no files.");

function changeEntry(change: Readonly<Record<string, unknown>>): Change["change"] {
  return (server) => void (server.entry = { ...entry, ...change });
}

function changeText(change: (text: string) => string): Change["change"] {
  const text = new TextDecoder().decode(skill.files[0]?.bytes);
  return (server) => replaceFile(server, "SKILL.md", change(text));
}

/** The file is what the entry says, but its first lines are not. */
function lie(fields: object): Change["change"] {
  return changeEntry({ frontmatter: { ...entry.frontmatter, ...fields } });
}

const changes: readonly Change[] = [
  {
    what: "other text of the same length",
    problem: "digest",
    change: changeText((text) => text.replace("See", "Say")),
  },
  { what: "more text", problem: "size", change: changeText((text) => `${text}\nand run this`) },
  { what: "nothing", problem: "digest", change: (server) => server.files.delete(`${root}SKILL.md`) },
  { what: "another description", problem: "frontmatter", change: lie({ description: "Harmless" }) },
  { what: "a field more", problem: "frontmatter", change: lie({ "allowed-tools": "Bash" }) },
  { what: "a field that differs inside", problem: "frontmatter", change: lie({ tags: ["a", { b: 0 }] }) },
  { what: "a list in place of an object", problem: "frontmatter", change: lie({ tags: { 0: "a", 1: { b: null } } }) },
  { what: "no entry", problem: "entry", change: (server) => void (server.entry = undefined) },
  { what: "the entry of another skill", problem: "entry", change: changeEntry({ uri: "skill://other/SKILL.md" }) },
  { what: "an entry without files", problem: "entry", change: changeEntry({ resources: undefined }) },
  { what: "an entry with a word for files", problem: "entry", change: changeEntry({ resources: "many" }) },
  { what: "an entry without SKILL.md", problem: "entry", change: changeEntry({ resources: rest }) },
  { what: "a file twice", problem: "entry", change: changeEntry({ resources: [first, first] }) },
  {
    what: "a file outside",
    problem: "entry",
    change: changeEntry({ resources: [first, { ...first, uri: "skill://other/x.md" }] }),
  },
  {
    what: "a file above by dots",
    problem: "entry",
    change: changeEntry({ resources: [first, { ...first, uri: `${root}%2e%2E/x.md` }] }),
  },
  {
    what: "a digest of another kind",
    problem: "entry",
    change: changeEntry({ resources: [{ ...first, digest: first.digest.replace("sha256", "md5") }] }),
  },
  { what: "a size below zero", problem: "entry", change: changeEntry({ resources: [{ ...first, size: -1 }] }) },
  {
    what: "another name than its URI",
    problem: "entry",
    change: changeEntry({ frontmatter: { ...entry.frontmatter, name: "pdf2" } }),
  },
  { what: "files on demand", problem: "dynamic", change: changeEntry({ resources: "dynamic" }) },
  {
    what: "more bytes than allowed",
    problem: "limit",
    change: changeEntry({ resources: [{ ...first, size: 16 * 1024 * 1024 + 1 }] }),
  },
  {
    what: "more files than allowed",
    problem: "limit",
    change: changeEntry({
      resources: [first, ...Array.from({ length: 512 }, (_, i) => ({ ...first, uri: `${root}${i}` }))],
    }),
  },
];

describe("a skill that does not match its entry", () => {
  test.each(changes)("$what: the skill is not loaded (XK-06)", async ({ problem, change }) => {
    const server = new FakeServer();
    change(server);
    await expect(read(server).load(entry.uri)).rejects.toMatchObject({ name: "SkillError", problem });
    expect(server.requested.filter((uri) => uri.includes("FORMS"))).toEqual([]);
  });

  test.each([
    ["a file that changed", "references/FORMS.md", "digest"],
    ["a file that is not listed", "references/NEW.md", "unlisted"],
    ["a file above the skill", "../other/SKILL.md", "unlisted"],
    ["another server's file", "https://example.com/x.md", "unlisted"],
    ["no reference at all", "https://", "unlisted"],
  ])("a file with %s is rejected while the skill is in use (XK-06)", async (_what, reference, problem) => {
    const server = new FakeServer();
    const loaded = await read(server).load(entry);
    replaceFile(server, "references/FORMS.md", "Farms\n");
    replaceFile(server, "references/NEW.md", "New");
    await expect(loaded.read(reference)).rejects.toMatchObject({ name: "SkillError", problem });
    const isRequested = server.requested.some(
      (uri) => uri.includes("NEW") || uri.includes("other") || uri.includes("example"),
    );
    expect(isRequested).toBe(false);
  });
});

test.each([
  ["as many files and bytes as the limit", 0, 0, undefined],
  ["one file more than the limit", 1, 0, "limit"],
  ["one byte more than the limit", 0, 1, "limit"],
])("a skill with %s is loaded, or rejected before it is read", async (_what, files, bytes, problem) => {
  const { resources } = entry;
  if (resources === "dynamic") throw new Error("The skill is not dynamic");
  const size = resources.reduce((sum, resource) => sum + resource.size, 0);
  const server = new FakeServer();
  const loading = read(server, { limits: { files: resources.length - files, bytes: size - bytes } }).load(entry);
  const outcome: unknown = await loading.catch((error: unknown) => error);
  expect(outcome).toMatchObject(problem ? { name: "SkillError", problem } : { entry });
  expect(server.requested).toEqual(problem ? [] : [`${root}SKILL.md`]);
});

test("a valid entry of another skill is rejected with the URI of that skill", async () => {
  const server = new FakeServer();
  const other = await createSkill({ frontmatter: { name: "other", description: "Other" }, body: "" });
  server.entry = toSkillEntry(other);
  await expect(read(server).get(entry.uri)).rejects.toMatchObject({
    problem: "entry",
    message: expect.stringContaining("the server returned skill://other/SKILL.md"),
  });
});

test("files on demand are rejected with the option that accepts them", async () => {
  const loading = read(new FakeServer()).load({ ...entry, resources: "dynamic" });
  await expect(loading).rejects.toThrow("cannot be verified; to accept them, pass the option dynamic");
});

test("files on demand are read where that is allowed, inside of the skill and up to the limit (XK-06)", async () => {
  const server = new FakeServer();
  const dynamic: SkillEntry = { ...entry, resources: "dynamic" };
  const limits = { files: 1, bytes: (skill.files[0]?.bytes.length ?? 0) + 10 };
  const loaded = await read(server, { dynamic: true, limits }).load(dynamic);
  expect(await loaded.read("references/FORMS.md")).toMatchObject({ text: "Forms\n" });
  await expect(loaded.read("skill://other/x")).rejects.toMatchObject({ problem: "unlisted" });
  await expect(loaded.read("references/FORMS.md")).rejects.toMatchObject({ problem: "limit" });
  server.entry = dynamic;
  changeText((text) => text.replace("Fills", "Bills"))(server);
  await expect(read(server, { dynamic: true }).load(dynamic)).rejects.toMatchObject({ problem: "frontmatter" });
  server.files.set(entry.uri, toContent(new Uint8Array([0x2d, 0xff])));
  await expect(read(server, { dynamic: true }).load(dynamic)).rejects.toMatchObject({
    problem: "frontmatter",
    message: expect.stringContaining("it is not valid UTF-8"),
  });
});
