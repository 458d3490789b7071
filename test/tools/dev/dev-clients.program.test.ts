import { Client as ClientOfV2, StreamableHTTPClientTransport as HttpOfV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioOfV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioOfV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpOfV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allRevisions } from "../../kit/projects.ts";
import { address, createDevProject, devArgs, startDev, type DevProcess, type DevProject } from "./dev-project.ts";

/*
 * Official clients of both generations stay connected to development servers on stdio and over HTTP while the sources change 50 times, and call a tool
 * all the time.
 */

const edits = 50;
const [newest] = allRevisions;

let project: DevProject;
let http: DevProcess;
const clients: BusyClient[] = [];

/** A client that calls a tool in a loop. */
interface BusyClient {
  readonly name: string;
  readonly failures: readonly string[];
  readonly calls: () => number;
  /** Number of notifications of changed tools. */
  readonly changes: () => number;
  listTools(): Promise<readonly string[]>;
  /** Ends the loop and the connection. */
  close(): Promise<void>;
}

const server = `
import "mcp-server-runtime/stdout";
import { defineServer, run } from "./mcp/index.ts";
import { tools } from "./tools.ts";

await run(defineServer({ name: "edited", version: "1.0.0", tools: [...tools] }));
`;

/** Tools of a version: one that each version has, and one with its number. */
function toolsOf(version: number): string {
  return `
import * as z from "zod";
import { defineTool } from "./mcp/index.ts";

const inputSchema = z.object({ word: z.string() });
export const tools = [
  defineTool({ name: "version", inputSchema, execute: async ({ word }) => \`\${word} ${version}\` }),
  defineTool({ name: "tool_${version}", execute: () => "here" }),
];
`;
}

const info = { name: "busy", version: "1" };

async function connectV1(name: string, transport: StdioOfV1 | HttpOfV1): Promise<BusyClient> {
  const client = new ClientOfV1(info);
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  await client.connect(transport);
  return keepBusy(client, { name, changes: () => changes });
}

async function connectV2(name: string, transport: StdioOfV2 | HttpOfV2): Promise<BusyClient> {
  const client = new ClientOfV2(info, { versionNegotiation: { mode: "auto" } });
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void (changes += 1));
  await client.connect(transport);
  await client.listen({ toolsListChanged: true });
  expect(client.getNegotiatedProtocolVersion()).toBe(newest);
  return keepBusy(client, { name, changes: () => changes });
}

function keepBusy(client: ClientOfV1 | ClientOfV2, head: Pick<BusyClient, "name" | "changes">): BusyClient {
  const failures: string[] = [];
  let calls = 0;
  let isOpen = true;
  const call = async (): Promise<void> => {
    while (isOpen) {
      const result = await client.callTool({ name: "version", arguments: { word: "at" } }).catch(String);
      calls += 1;
      if (!/"text":"at \d+"/.test(JSON.stringify(result))) failures.push(JSON.stringify(result));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const loop = call();
  return {
    ...head,
    failures,
    calls: () => calls,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async close() {
      isOpen = false;
      await loop;
      await client.close();
    },
  };
}

beforeAll(async () => {
  project = await createDevProject({ transport: "both" }, { "server.ts": server, "tools.ts": toolsOf(0) });
  http = startDev(project, "--http", "0");
  const url = new URL(await http.said(address));
  const process_ = { command: process.execPath, args: [...devArgs], cwd: project.folder, stderr: "ignore" as const };
  clients.push(
    ...(await Promise.all([
      connectV1("SDK v1 over HTTP", new HttpOfV1(url)),
      connectV2("SDK v2 over HTTP", new HttpOfV2(url)),
      connectV1("SDK v1 on stdio", new StdioOfV1(process_)),
      connectV2("SDK v2 on stdio", new StdioOfV2(process_)),
    ])),
  );
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await http.stop();
  project.remove();
});

test("clients of two SDKs stay connected over 50 edits, without a failed call, and see each new tool", async () => {
  for (let version = 1; version <= edits; version += 1) {
    const before = clients.map(({ changes }) => changes());
    // A version that cannot be bundled comes in between.
    if (version % 10 === 0) project.save({ "tools.ts": "export const tools = ;" });
    project.save({ "tools.ts": toolsOf(version) });
    await expect
      .poll(() => clients.map(({ changes }, index) => changes() > (before[index] ?? 0)), { interval: 10 })
      .not.toContain(false);
    const lists = await Promise.all(clients.map((client) => client.listTools()));
    for (const names of lists) expect(names).toEqual(["version", `tool_${version}`]);
  }
  expect(clients.flatMap(({ name, failures }) => failures.map((text) => `${name}: ${text}`))).toEqual([]);
  for (const { calls } of clients) expect(calls()).toBeGreaterThan(edits);
});
