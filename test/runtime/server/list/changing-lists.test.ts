import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition, AnyTool } from "../../../../runtime/server/any-definition.ts";
import { createListChanges } from "../../../../runtime/server/list/changing-lists.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { createSessionRegistry } from "../../../../runtime/server/subscriptions/session-registry.ts";
import { createParamHeaderReader } from "../../../../runtime/server/tools/param-headers.ts";
import { handshakeRevisions, newest, statelessRevision } from "../../../kit/revisions.ts";
import { open, settle } from "../connected.ts";

const tool = (name: string, text = name): AnyTool => ({ name, execute: () => text });
const resource = (uri: string): { uri: string; name: string; read: () => string } => ({
  uri,
  name: uri,
  read: () => uri,
});

function create(definition: Partial<AnyServerDefinition> = {}): Server {
  return createServer({ name: "test", version: "1", listChanged: true, ...definition }, revisions);
}

describe.each(handshakeRevisions.map((revision) => [revision.id, revision] as const))(
  "at revision %s",
  (_id, revision) => {
    test("changed lists are declared (TL-01, R-01, Q-01), visible and notified (R-02)", async () => {
      const server = create();
      const { client, notices } = await open(server, revision);
      expect(client.serverCapabilities).toMatchObject({
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
      });
      expect(await client.request("tools/list")).toEqual({ tools: [] });
      server.tools.add(tool("a"));
      server.resources.add(resource("a://b"));
      server.resourceTemplates.add({ uriTemplate: "b://{c}", name: "c", read: () => "" });
      server.prompts.add({ name: "p", get: () => "hello" });
      await settle();
      expect(notices).toEqual(["toolListChanged", "resourceListChanged", "promptListChanged"]);
      expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "a" }] });
      expect(await client.request("tools/call", { name: "a" })).toMatchObject({ content: [{ text: "a" }] });
      expect(await client.request("resources/list")).toMatchObject({ resources: [{ uri: "a://b" }] });
      expect(await client.request("resources/read", { uri: "b://x" })).toMatchObject({ contents: [{ uri: "b://x" }] });
      expect(await client.request("prompts/get", { name: "p" })).toMatchObject({ messages: [{ role: "user" }] });
      await client.close();
    });
  },
);

test("a change of a list is notified once for a turn of the event loop, to every session", async () => {
  const server = create({ tools: [tool("a")] });
  const sessions = await Promise.all([open(server), open(server), open(server)]);
  for (const name of ["b", "c", "d"]) server.tools.add(tool(name));
  await Promise.resolve();
  server.tools.remove("a");
  server.tools.replace(tool("b", "new"));
  server.prompts.add({ name: "p", get: () => "" });
  await settle();
  for (const { notices } of sessions) expect(notices).toEqual(["toolListChanged", "promptListChanged"]);
  server.tools.add(tool("e"));
  await settle();
  for (const { notices } of sessions)
    expect(notices).toEqual(["toolListChanged", "promptListChanged", "toolListChanged"]);
  await server.close();
});

test("a replaced definition keeps its place and works at once", async () => {
  const server = create({ tools: [tool("a"), tool("b")] });
  const { client } = await open(server);
  server.tools.replace(tool("a", "new"));
  expect(await client.request("tools/call", { name: "a" })).toMatchObject({ content: [{ text: "new" }] });
  expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "a" }, { name: "b" }] });
  expect(server.tools.remove("a")).toBe(true);
  expect(server.tools.remove("a")).toBe(false);
  await expect(client.request("tools/call", { name: "a" })).rejects.toMatchObject({ code: -32602 });
  expect([...server.tools].map(({ name }) => name)).toEqual(["b"]);
  await client.close();
});

test("a list-changed notification can be sent although no definition changed", async () => {
  const server = create({ tools: [tool("a")] });
  const { client, notices } = await open(server);
  server.tools.notifyListChanged();
  await settle();
  expect(notices).toEqual(["toolListChanged"]);
  await client.close();
});

test("an unchanged list stays encoded, and an unchanged tool is not described again", async () => {
  let conversions = 0;
  const standard = z.object({})["~standard"];
  const input = (options: { readonly target: string }): Record<string, unknown> => {
    conversions += 1;
    return standard.jsonSchema.input(options);
  };
  const spied = { "~standard": { ...standard, jsonSchema: { ...standard.jsonSchema, input } } };
  const server = createServer(
    { name: "test", version: "1", listChanged: true, tools: [{ ...tool("a"), inputSchema: spied }] },
    [newest],
  );
  const { client } = await open(server);
  server.tools.add(tool("b"));
  expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "a" }, { name: "b" }] });
  await client.request("tools/list");
  expect(conversions).toBe(1);
  await client.close();
});

describe("invalid changes", () => {
  const server = create({ tools: [tool("a")], resources: [resource("a://b")] });
  createServerAcceptor(server);
  test.each([
    ["a name that is taken", () => server.tools.add(tool("a")), 'The tool "a" already exists; replace it instead'],
    ["a name that is free", () => server.tools.replace(tool("x")), 'The tool "x" does not exist; add it instead'],
    ["a bad name (TL-16)", () => server.tools.add(tool("a b")), /use 1 to 128 of the characters/],
    [
      "a bad schema (JS-05)",
      () => server.tools.add({ ...tool("s"), inputSchema: z.string() }),
      /Tool "s": its input schema/,
    ],
    ["a relative URI (R-07, S-113)", () => server.resources.add(resource("today")), /has no absolute URI/],
    [
      "a broken template",
      () => server.resourceTemplates.add({ uriTemplate: "a://{", name: "a", read: () => "" }),
      /is not closed/,
    ],
    ["a size that is none (R-10)", () => server.resources.add({ ...resource("a://c"), size: 1.5 }), /its size is 1.5/],
  ])("an invalid change is rejected and changes nothing: %s", (_name, change, message) => {
    expect(change).toThrow(message);
    expect([server.tools.size, server.resources.size, server.resourceTemplates.size]).toEqual([1, 1, 0]);
  });
});

describe("a server that is not dynamic", () => {
  test("a server that is not dynamic declares no list changes", async () => {
    const { client } = await open(create({ listChanged: ["prompts"], tools: [tool("a")] }));
    expect(client.serverCapabilities).toMatchObject({ tools: {}, prompts: { listChanged: true } });
    expect(client.serverCapabilities.tools).toEqual({});
    await client.close();
  });

  test("a server that is not dynamic accepts definitions only until it is served", () => {
    const server = create({ listChanged: [] });
    server.tools.add(tool("a"));
    expect(server.implement(newest).capabilities).toHaveProperty("tools");
    createServerAcceptor(server);
    expect(() => server.tools.add(tool("b"))).toThrow('define the server with `listChanged: ["tools"]`');
    expect(() => server.tools.remove("a")).toThrow("cannot change");
    expect(server.tools.size).toBe(1);
  });

  test("list changes are declared to clients that listen where there are no sessions (S-023)", () => {
    const stateless = revisions.filter(({ lifecycle }) => lifecycle === "per-request");
    for (const revision of stateless) {
      expect(create({ tools: [tool("a")] }).implement(revision).capabilities.tools).toEqual({ listChanged: true });
      const rows = Object.entries(revision.serverNotifications);
      const unheard = Object.fromEntries(rows.filter(([method]) => !method.includes("acknowledged")));
      const silent = { ...revision, serverNotifications: unheard };
      expect(create({ tools: [tool("a")] }).implement(silent).capabilities.tools).toEqual({});
    }
  });
});

describe("a definition that is replaced by itself", () => {
  type InputSchema = NonNullable<AnyTool["inputSchema"]>;
  const schemaOf = (name: string): InputSchema => z.object({ [name]: z.string() });
  const shown = (name: string): object => ({ inputSchema: { required: [name] } });

  class ChangingTool {
    readonly name = "t";
    current: InputSchema = schemaOf("old");
    get inputSchema(): InputSchema {
      return this.current;
    }
    execute(): string {
      return "";
    }
  }

  test.each([
    [
      "an object",
      () => {
        const changed: { name: string; inputSchema: InputSchema; execute: () => string } = {
          name: "t",
          inputSchema: schemaOf("old"),
          execute: () => "",
        };
        return { changed, change: () => (changed.inputSchema = schemaOf("new")) };
      },
    ],
    [
      "an object of a class",
      () => {
        const changed = new ChangingTool();
        return { changed, change: () => (changed.current = schemaOf("new")) };
      },
    ],
  ])("a tool that is %s is listed with its new schema", async (_name, setUp) => {
    const { changed, change } = setUp();
    const server = create({ tools: [changed, tool("other")] });
    const { client, notices } = await open(server);
    expect(await client.request("tools/list")).toMatchObject({ tools: [shown("old"), {}] });
    change();
    server.tools.replace(changed);
    await settle();
    expect(notices).toEqual(["toolListChanged"]);
    expect(await client.request("tools/list")).toMatchObject({ tools: [shown("new"), {}] });
    await client.close();
  });

  test("prompts and resources are listed with their new descriptions", async () => {
    const prompt = { name: "p", description: "old", get: () => "" };
    const note = { ...resource("a://b"), description: "old" };
    const server = create({ prompts: [prompt], resources: [note] });
    const { client } = await open(server);
    expect(await client.request("prompts/list")).toMatchObject({ prompts: [{ description: "old" }] });
    expect(await client.request("resources/list")).toMatchObject({ resources: [{ description: "old" }] });
    prompt.description = note.description = "new";
    server.prompts.replace(prompt);
    server.resources.replace(note);
    expect(await client.request("prompts/list")).toMatchObject({ prompts: [{ description: "new" }] });
    expect(await client.request("resources/list")).toMatchObject({ resources: [{ description: "new" }] });
    await client.close();
  });

  test("the headers that a tool requires are those of its new schema", () => {
    const header = (name: string): InputSchema => z.object({ region: z.string().meta({ "x-mcp-header": name }) });
    const changed = { name: "t", inputSchema: header("Old"), execute: () => "" };
    const server = create({ tools: [changed] });
    const read = createParamHeaderReader(server);
    const sender = {
      revision: statelessRevision,
      identity: undefined,
      client: { info: { name: "c", version: "1" }, capabilities: {} },
    };
    const names = (): string => JSON.stringify(read("tools/call", { name: "t" }, sender));
    expect(names()).toContain("Old");
    changed.inputSchema = header("New");
    server.tools.replace(changed);
    expect(names()).toContain("New");
  });
});

test("a change of a list is notified although a receiver has thrown at an earlier one", async () => {
  const notified: string[] = [];
  let isBroken = true;
  const sessions = createSessionRegistry();
  sessions.attach({
    notify(handler) {
      if (isBroken) throw new Error("broken");
      notified.push(handler);
    },
    async close() {},
  });
  const uncaught: unknown[] = [];
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const changed = createListChanges(sessions);
  const runTimer = (): void => {
    try {
      vi.runOnlyPendingTimers();
    } catch (error) {
      uncaught.push(error);
    }
  };
  changed("tools");
  runTimer();
  isBroken = false;
  changed("tools");
  changed("prompts");
  runTimer();
  expect([uncaught.length, notified]).toEqual([1, ["toolListChanged", "promptListChanged"]]);
});
