import { describe, expect, onTestFinished, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { extension } from "../../../../generated/extensions/skills/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { parseYaml } from "../../../../runtime/adapters/yaml.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { createSkillReader } from "../../../../runtime/client/skills/skill-reader.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { ServerSkills } from "../../../../runtime/server/definition.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { createSkill } from "../../../../runtime/skills/create-skill.ts";
import { toSkillEntry, type Skill } from "../../../../runtime/skills/skill.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";

const inner = await createSkill({
  folder: "acme/refunds",
  frontmatter: { name: "disputes", description: "When a customer disputes a refund" },
  body: "Stay calm.",
});
const outer = await createSkill({
  folder: "acme",
  frontmatter: { name: "refunds", description: "How refunds are made", license: "MIT" },
  body: "Use `templates/letter.md`.",
  files: {
    "disputes/SKILL.md": inner.files[0]?.bytes ?? "",
    "templates/letter.md": "Dear customer,\n",
    "templates/regional/eu.md": "Dear customer of the EU,\n",
    "logo.bin": new Uint8Array([0, 255]),
  },
});
const skills: readonly Skill[] = [outer, inner];
const root = "skill://acme/refunds";
const complete = { resultType: "complete", _meta: expect.anything() };

function create(source: Partial<AnyServerDefinition> & ServerSkills = {}): Server {
  return createServer({ name: "test", version: "1", skills, directoryRead: true, ...source }, revisions);
}

async function connect(server: Server, revision?: Revision): Promise<ClientSession<Declarations>> {
  const client = await connectInMemory<Declarations>(server, {
    extensions: [extension],
    ...(revision && { revisions: [revision] }),
  });
  onTestFinished(() => client.close());
  return client;
}

test.each(revisions.filter(({ lifecycle }) => lifecycle === "handshake").map(({ id }) => id))(
  "a server without sessions lists skills at revision %s: the POST does not repeat what the client has declared",
  async (id) => {
    const handler = createHttpHandler(create(), { sessions: false });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": id,
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "skills/list", params: {} });
    const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    expect(await response.json()).toMatchObject({ result: { skills: [{ uri: `${root}/SKILL.md` }, {}] } });
  },
);

function rejection(code: number): object {
  return { name: "PeerError", code };
}

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  const isStateless = revision.lifecycle === "per-request";

  test("skills are declared with resources, listed, and read one by one (XK-01, XK-02, XK-03)", async () => {
    const client = await connect(create({ cacheHints: { skills: { ttlMs: 5, cacheScope: "public" } } }), revision);
    expect(client.serverCapabilities).toMatchObject({
      resources: {},
      extensions: { [extension.id]: { directoryRead: true } },
    });
    const list = await client.request("skills/list", {});
    const caching = { ttlMs: 5, cacheScope: "public" };
    const entries = skills.map(toSkillEntry);
    expect(list).toEqual({ ...(isStateless && { ...complete, ...caching }), skills: entries });
    for (const skill of entries) {
      const result = await client.request("skills/get", { uri: skill.uri });
      expect(result).toEqual({ ...(isStateless && { ...complete, ...caching }), skill });
    }
  });

  test("an unknown skill or folder is rejected with -32602 (XK-03)", async () => {
    const client = await connect(create(), revision);
    for (const uri of ["skill://none/SKILL.md", `${root}/templates/letter.md`, root, "file:///etc/passwd"])
      await expect(client.request("skills/get", { uri })).rejects.toMatchObject(rejection(-32602));
    for (const uri of [
      `${root}/SKILL.md`,
      `${root}/none`,
      `${root}/templates/`,
      `${root}/..`,
      "skill://acme",
      "skill://",
    ])
      await expect(client.request("resources/directory/read", { uri })).rejects.toMatchObject(rejection(-32602));
  });

  test("every file of a skill is read unchanged, and nothing else (XK-01)", async () => {
    const client = await connect(create(), revision);
    expect(await client.readResource(`${root}/templates/letter.md`)).toMatchObject({
      contents: [{ uri: `${root}/templates/letter.md`, mimeType: "text/markdown", text: "Dear customer,\n" }],
    });
    expect(await client.readResource(`${root}/logo.bin`)).toMatchObject({ contents: [{ blob: "AP8=" }] });
    for (const path of ["/none.md", "/../refunds/SKILL.md", "/%2e%2e/refunds/SKILL.md", "/templates", ""])
      await expect(client.readResource(`${root}${path}`)).rejects.toMatchObject({ name: "PeerError" });
  });

  test("a directory lists its children only (XK-01)", async () => {
    const client = await connect(create(), revision);
    const read = async (uri: string): Promise<unknown> => client.request("resources/directory/read", { uri });
    const result = await read(root);
    expect(result).toEqual({
      ...(isStateless && complete),
      resources: [
        { uri: `${root}/SKILL.md`, name: "SKILL.md", mimeType: "text/markdown" },
        { uri: `${root}/disputes`, name: "disputes", mimeType: "inode/directory" },
        { uri: `${root}/logo.bin`, name: "logo.bin", mimeType: "application/octet-stream" },
        { uri: `${root}/templates`, name: "templates", mimeType: "inode/directory" },
      ],
    });
    expect(await read(`${root}/templates/regional`)).toMatchObject({ resources: [{ name: "eu.md" }] });
  });

  test("a reader loads skills, verifies every file, and lists directories (XK-06)", async () => {
    const client = await connect(create(), revision);
    const reader = createSkillReader(client, { parseYaml });
    const [first] = await reader.list();
    const loaded = await reader.load(first ?? "");
    expect(loaded.text).toContain("Use `templates/letter.md`.");
    expect(await loaded.read("templates/letter.md")).toMatchObject({ text: "Dear customer,\n" });
    expect(await loaded.read("logo.bin")).toMatchObject({ bytes: new Uint8Array([0, 255]) });
    expect(await reader.readDirectory(`${root}/templates`)).toHaveLength(2);
    expect((await reader.load(`${root}/disputes/SKILL.md`)).text).toContain("Stay calm.");
  });
});

test("two skills with the same path are rejected", () => {
  const skills = [outer, inner, outer];
  expect(() => create({ skills })).toThrow('skills[0] and skills[2] have the same path "acme/refunds"; rename one');
});

describe("a list of skills", () => {
  test("a list of skills contains the SKILL.md of each skill, with its name and description", async () => {
    const client = await connect(create());
    expect((await client.listResources()).map(({ uri, name, description }) => [uri, name, description])).toEqual([
      [`${root}/SKILL.md`, "refunds", "How refunds are made"],
      [`${root}/disputes/SKILL.md`, "disputes", "When a customer disputes a refund"],
    ]);
  });

  test("a list has pages: of skills, which are not split, and of directories (XK-02)", async () => {
    const client = await connect(create({ pageSize: 1 }));
    const reader = createSkillReader(client, { parseYaml });
    expect(await reader.list()).toEqual(skills.map(toSkillEntry));
    expect(await reader.list({ maxPages: 1 })).toHaveLength(1);
    expect(await reader.readDirectory(root)).toHaveLength(4);
    const page = await client.request("resources/directory/read", { uri: root });
    const cursor = isObject(page) ? page.nextCursor : undefined;
    const elsewhere = client.request("resources/directory/read", { uri: `${root}/templates`, cursor });
    await expect(elsewhere).rejects.toMatchObject(rejection(-32602));
  });
});

describe("a server with fewer features", () => {
  test("a server without directoryRead serves no directory, and a reader requests none (XK-04)", async () => {
    const server = create({ directoryRead: false });
    const client = await connect(server);
    expect(client.serverCapabilities).toMatchObject({ extensions: { [extension.id]: {} } });
    expect(server.implement(client.revision).handlers).not.toHaveProperty("readResourceDirectory");
    const reader = createSkillReader(client, { parseYaml });
    await expect(reader.readDirectory(root)).rejects.toMatchObject({ name: "CapabilityError" });
  });

  test("a server without skills declares none, and a reader requests none (XF-01)", async () => {
    const client = await connect(createServer({ name: "test", version: "1" }, revisions));
    expect(client.serverCapabilities).not.toHaveProperty("extensions");
    const reader = createSkillReader(client, { parseYaml });
    await expect(reader.list()).rejects.toMatchObject({ name: "CapabilityError" });
  });

  test("an empty list of skills is not declared (XF-01)", async () => {
    const client = await connect(create({ skills: [] }));
    expect(client.serverCapabilities).not.toHaveProperty("extensions");
  });
});
