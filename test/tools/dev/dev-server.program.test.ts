import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client as ClientOfV2, StreamableHTTPClientTransport as HttpOfV2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { address, createDevProject, startDev, type DevProcess, type DevProject } from "./dev-project.ts";

const info = { name: "test", version: "1" };

/** Parts of a server that versions differ in. */
interface Version {
  readonly imports?: string;
  readonly before?: string;
  /** Members of the definition. */
  readonly definition?: string;
  readonly options?: string;
}

function serverOf({ imports = "", before = "", definition = "", options = "" }: Version): string {
  return `import "mcp-server-runtime/stdout";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { definePrompt, defineResource, defineServer, defineTool, run, ToolError } from "./mcp/index.ts";
${imports}
const text = z.object({ text: z.string() });
const style = defineResource({ uri: "guide://style", name: "style", read: () => "Be brief." });
${before}
const server = defineServer({ name: "demo", version: "1.0.0", subscribe: true, resources: [style], ${definition} });
await run(server${options && `, ${options}`});
`;
}

const echo = (text: string): string =>
  `defineTool({ name: "echo", inputSchema: text, execute: ({ text }) => text + "${text}" })`;

const firstVersion = serverOf({ definition: `tools: [${echo("!")}]` });

let project: DevProject;
let dev: DevProcess;
let url = new URL("http://localhost");
let client: Client;
let received: string[] = [];

async function connect(name = "client"): Promise<Client> {
  const connected = new Client(info);
  const note = (text: string) => (): void => void received.push(`${name}: ${text}`);
  connected.setNotificationHandler(ToolListChangedNotificationSchema, note("tools"));
  connected.setNotificationHandler(PromptListChangedNotificationSchema, note("prompts"));
  connected.setNotificationHandler(ResourceListChangedNotificationSchema, note("resources"));
  connected.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => note(params.uri)());
  connected.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => note(params.level)());
  await connected.connect(new StreamableHTTPClientTransport(url));
  return connected;
}

/** Calls a tool, and returns the first text of its result. */
async function call(name: string, args: Record<string, unknown> = {}, caller: Client = client): Promise<string> {
  const { content } = await caller.callTool({ name, arguments: args });
  const [first]: readonly { text?: string }[] = Array.isArray(content) ? content : [];
  return first?.text ?? "";
}

/** Saves a version, and waits until it is served. */
async function reload(version: Version): Promise<string> {
  return change(serverOf(version), /\[dev\] reloaded(.*)/);
}

/** Saves a file, and waits for a line that the development server writes then. */
async function change(server: string, pattern: RegExp): Promise<string> {
  const known = dev.log().length;
  project.save({ "server.ts": server });
  await expect.poll(() => dev.log().slice(known), { interval: 20 }).toMatch(pattern);
  return dev.log().slice(known);
}

describe("a development server over HTTP", () => {
  beforeAll(async () => {
    project = await createDevProject({ transport: "both" }, { "server.ts": "const first = ;\n" });
    dev = startDev(project, "--http", "0");
  });

  afterAll(() => project.remove());

  beforeEach(() => {
    received = [];
  });

  test("a syntax error at the first start is shown with its place, and the server starts when it is corrected", async () => {
    await dev.said(/the server starts after the next change/);
    expect(dev.log()).toMatch(/src[\\/]server\.ts:1:15: Unexpected/);
    project.save({ "server.ts": firstVersion });
    url = new URL(await dev.said(address));
    client = await connect();
    expect(await call("echo", { text: "a" })).toBe("a!");
  });

  test("a change of a function is used by the next call, without a notification", async () => {
    const log = await reload({ definition: `tools: [${echo("?")}]` });
    expect(await call("echo", { text: "a" })).toBe("a?");
    expect(received).toEqual([]);
    expect(log).toBe("[dev] reloaded\n");
  });

  test("clients are notified of the lists that have changed, and of no others", async () => {
    const other = `defineResource({ uri: "guide://other", name: "other", read: () => "" })`;
    const log = await reload({ definition: `tools: [${echo("?")}, defineTool({ name: "b", execute: () => "b" })]` });
    await expect.poll(() => received).toEqual(["client: tools"]);
    expect(log).toContain("tools: +b");
    await reload({ definition: `tools: [${echo("?")}], resources: [style, ${other}]` });
    await expect.poll(() => received.toSorted()).toEqual(["client: resources", "client: tools", "client: tools"]);
  });

  test("a call that is running finishes with the code with which it began", async () => {
    const slow = (word: string): string =>
      `tools: [defineTool({ name: "slow", execute: async () => (await setTimeout(1_000), "${word}") })]`;
    await reload({ definition: slow("old") });
    const running = call("slow");
    // The call has begun before the file is saved.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await reload({ definition: slow("new") });
    const next = call("slow");
    expect(await running).toBe("old");
    expect(await next).toBe("new");
  });

  test("a version that cannot be bundled is shown with its place, and the last one stays", async () => {
    await reload({ definition: `tools: [${echo("1")}]` });
    const log = await change("const a = 1;\nconst broken == 2;\n", /not built; the last version stays/);
    expect(log).toMatch(/src[\\/]server\.ts:2:14/);
    expect(log).toContain('Expected ";" but found "=="');
    expect(await call("echo", { text: "a" })).toBe("a1");
    expect(await change(serverOf({ definition: `tools: [${echo("1")}]` }), /built again/)).not.toContain("reloaded");
  });

  test.each([
    ["throws while it is loaded", { before: `throw new Error("no settings");` }, /no settings[^]*src[\\/]server\.ts:8/],
    ["cannot be served", { definition: `tools: [${echo("2")}, ${echo("3")}]` }, /the same name "echo"/],
  ])("a version that %s is shown, and the last one stays", async (_name, version, message) => {
    const log = await change(serverOf(version), /not reloaded; the last version stays/);
    await expect.poll(() => dev.log()).toMatch(message);
    expect(log).not.toContain("[dev] reloaded");
    expect(await call("echo", { text: "a" })).toBe("a1");
  });

  test("the client learns of an error of a tool, with its stack, and the error is logged", async () => {
    const tools = `tools: [
      defineTool({ name: "fail", execute() { throw new RangeError("out of words"); } }),
      defineTool({ name: "wrong", outputSchema: z.object({ a: z.number() }), execute: () => JSON.parse("{}") }),
      defineTool({ name: "refuse", execute() { throw new ToolError("not now"); } }),
    ]`;
    await reload({ definition: tools });
    expect(await client.callTool({ name: "fail" })).toMatchObject({ isError: true });
    expect(await call("fail")).toMatch(/^RangeError: out of words\n[^]*src[\\/]server\.ts:\d+/);
    expect(await call("wrong")).toMatch(/does not match its output schema/);
    expect(await call("refuse")).toBe("not now");
    await expect.poll(() => dev.log()).toMatch(/Tool "fail" failed: out of words/);
  });

  test("subscriptions and the log level of a session stay", async () => {
    const speak = `defineTool({ name: "speak", execute: async (_, { log }) => (await log("info", 1), await log("error", 2), "") })`;
    const touch = `defineTool({ name: "touch", execute: () => (server.resources.notifyUpdated("guide://style"), "") })`;
    await reload({ definition: `tools: [${speak}]` });
    await client.setLoggingLevel("error");
    await client.subscribeResource({ uri: "guide://style" });
    await reload({ definition: `tools: [${speak}, ${touch}]` });
    // Its content may depend on what has changed.
    await expect.poll(() => received).toContain("client: guide://style");
    received = [];
    await call("speak");
    await call("touch");
    await expect.poll(() => received).toEqual(["client: error", "client: guide://style"]);
    await client.unsubscribeResource({ uri: "guide://style" });
    received = [];
    await call("touch");
    await call("speak");
    await expect.poll(() => received).toEqual(["client: error"]);
  });

  test("a session keeps its capabilities when another list appears, and new sessions have it", async () => {
    const shorten = `definePrompt({ name: "shorten", get: () => "Shorten it." })`;
    await reload({ definition: `tools: [], prompts: [${shorten}]` });
    await dev.said(/prompts: new; sessions that are open do not have it \(1\), reconnect their clients/);
    expect(client.getServerCapabilities()).not.toHaveProperty("prompts");
    const second = await connect("second");
    onTestFinished(() => second.close());
    expect((await second.listPrompts()).prompts.map(({ name }) => name)).toEqual(["shorten"]);
    const stateless = new ClientOfV2(info, { versionNegotiation: { mode: "auto" } });
    await stateless.connect(new HttpOfV2(url));
    onTestFinished(() => stateless.close());
    expect(stateless.getServerCapabilities()).toHaveProperty("prompts");
    received = [];
    await reload({ definition: `tools: [], prompts: []` });
    await expect.poll(() => received).toEqual(["second: prompts"]);
    // The list was agreed on, so it stays, and is empty.
    expect((await second.listPrompts()).prompts).toEqual([]);
  });

  test("the name, version and instructions are those of the last version, for new sessions", async () => {
    await change(firstVersion.replace('"1.0.0"', '"2.0.0", instructions: "Be kind."'), /\[dev\] reloaded/);
    const second = await connect("second");
    onTestFinished(() => second.close());
    expect(second.getServerVersion()).toMatchObject({ version: "2.0.0" });
    expect(second.getInstructions()).toBe("Be kind.");
  });

  test("the check of credentials is swapped, and other options of the listener need a restart", async () => {
    const definition = `tools: [${echo("!")}]`;
    const guard = "authenticate: () => ({ status: 401 })";
    await reload({ definition, options: `{ maxConnections: 5, ${guard} }` });
    await dev.said(/^\[dev\] restart needed for maxConnections, authenticate$/m);
    expect(await call("echo", { text: "a" })).toBe("a!");
    await reload({ definition });
  });

  test("a program that no longer serves anything is reported, and the last version stays", async () => {
    await change("export {};\n", /the new version serves nothing; the last version stays/);
    expect(await call("echo", { text: "a" })).toBe("a!");
  });

  test("it ends in order, and leaves no bundle behind", async () => {
    await client.close();
    expect(await dev.stop()).toBe(0);
    const folder = join(project.folder, "dist");
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });
});

test("the client learns nothing of an error of a tool in production", async () => {
  const built = await createDevProject(
    { transport: "stdio" },
    {
      "server.ts": serverOf({
        definition: `tools: [defineTool({ name: "fail", execute() { throw new Error("secret"); } })]`,
      }),
    },
  );
  onTestFinished(() => built.remove());
  await promisify(execFile)(process.execPath, ["build.js"], { cwd: built.folder });
  const caller = await connectStdio(built, ["dist/server.js"]);
  expect(await call("fail", {}, caller)).toBe("The tool failed");
});

async function connectStdio({ folder }: DevProject, args: readonly string[]): Promise<Client> {
  const caller = new Client(info);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd: folder,
    stderr: "ignore",
  });
  await caller.connect(transport);
  onTestFinished(() => caller.close());
  return caller;
}
