import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { createOfficialEcho } from "../interop/sdk2/echo-servers.ts";
import { serveFetch } from "../interop/sdk2/server.ts";
import { readSteps } from "./guide.ts";
import { buildProject, Reader } from "./reader.ts";

/* The extension of the guide: compiled from its schema, in a project with the packed packages, with the official library at the other end. */

const folder = realpathSync(mkdtempSync(join(tmpdir(), "extension-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const reader = new Reader(folder);
for (const step of readSteps(readFileSync(join(packageRoot, "docs", "write-an-extension.md"), "utf8")))
  await reader.follow(step);
const [project = expect.unreachable("the guide makes no project")] = reader.projects;
await buildProject(project);

const id = "com.example/echo";
const text = z.object({ text: z.string() });
const server = join(project, "dist", "server.js");
const cli = join(packageRoot, "dist", "bundle", "generator", "cli.js");
const gateway = [cli, "gateway", "--stdio", "--", process.execPath, server];

test.each([
  ["a session", "legacy", [server]],
  ["stateless requests", "auto", [server]],
  ["a session, through the gateway", "legacy", gateway],
  ["stateless requests, through the gateway", "auto", gateway],
] as const)("the extension serves an official client with %s", async (_how, mode, args) => {
  const faded: string[] = [];
  const client = new Client(
    { name: "official", version: "1" },
    { capabilities: { extensions: { [id]: {} } }, versionNegotiation: { mode } },
  );
  client.setNotificationHandler("notifications/echo/faded", { params: text }, (params) => void faded.push(params.text));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], cwd: project }));
  try {
    expect(client.getServerCapabilities()).toMatchObject({ extensions: { [id]: { loud: true } } });
    expect(await client.request({ method: "echo/say", params: { text: "abc" } }, text)).toEqual({ text: "ABC" });
    await expect.poll(() => faded, { timeout: 60_000 }).toEqual(["abc"]);
    await expect(client.request({ method: "echo/say", params: {} }, text)).rejects.toMatchObject({ code: -32602 });
  } finally {
    await client.close();
  }
});

test("the extension calls an official server", async () => {
  writeFileSync(
    join(project, "src", "call.ts"),
    `import { connectClient, connectHttp, type Extension } from "mcp-server-runtime";
import type { Declarations } from "mcp-server-runtime/2026-07-28";
import { listenToEcho } from "./echo.ts";
import { clientRequests } from "./mcp/extensions/echo/index.ts";
import { revisions } from "./mcp/index.ts";

const faded: string[] = [];
const extensions: Extension[] = [listenToEcho((text) => faded.push(text))];
const session = await connectClient<Declarations>(
  (options) => connectHttp(process.argv[2] ?? "", options),
  { info: { name: "test", version: "1.0.0" }, revisions, extensions },
);
const { text } = await session.request(clientRequests["echo/say"], { text: "abc" });
await session.close();
console.log(JSON.stringify({ text, faded }));
`,
  );
  const handler = createMcpHandler(() => createOfficialEcho());
  const official = await serveFetch((request) => handler.fetch(request));
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", join("src", "call.ts"), official.url],
      { cwd: project },
    );
    expect(JSON.parse(stdout)).toEqual({ text: "ABC", faded: ["abc…"] });
  } finally {
    await official.close();
  }
});
