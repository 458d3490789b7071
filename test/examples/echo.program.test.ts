import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterEach, describe, expect, test } from "vitest";

// Compiled, as users run it: the examples import this package by its name.
const program = join(import.meta.dirname, "..", "..", "dist", "examples", "echo", "server.js");

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe.each([
  [
    "on stdio",
    async (): Promise<Transport> => new StdioClientTransport({ command: process.execPath, args: [program] }),
  ],
  ["over HTTP", async (): Promise<Transport> => new StreamableHTTPClientTransport(new URL(await startHttp()))],
])("the echo server %s", (_name, createTransport) => {
  test("the echo server has three tools that the official client can call", async () => {
    const client = await connect(await createTransport());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["echo", "add", "slow"]);
    expect(await call(client, "echo", { text: "Hello" })).toEqual([{ type: "text", text: "Hello" }]);
    expect(await call(client, "add", { a: 1, b: 2.5 })).toEqual([{ type: "text", text: "3.5" }]);
    expect(await call(client, "slow", { ms: 20 })).toEqual([{ type: "text", text: "Waited 20 ms." }]);
  });

  test("the echo server reports problems of arguments", async () => {
    const client = await connect(await createTransport());
    expect(await client.callTool({ name: "add", arguments: { a: "1", c: 2 } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/- a: expected a number\n- b: expected a number\n- c: unknown/) }],
    });
  });

  test("the echo server stops a slow call that is cancelled, and continues", async () => {
    const client = await connect(await createTransport());
    const cancelling = new AbortController();
    const params = { name: "slow", arguments: { ms: 600_000 } };
    const slow = client.callTool(params, undefined, { signal: cancelling.signal });
    setTimeout(() => cancelling.abort("enough"), 50);
    await expect(slow).rejects.toThrow(/enough/);
    expect(await call(client, "echo", { text: "still here" })).toEqual([{ type: "text", text: "still here" }]);
  });
});

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  endings.push(() => client.close());
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<unknown> {
  return (await client.callTool({ name, arguments: args })).content;
}

async function startHttp(): Promise<string> {
  const child = spawn(process.execPath, [program, "--http", "0"], { stdio: ["ignore", "ignore", "pipe"] });
  endings.push(() => stop(child));
  return new Promise((resolve, reject) => {
    child.once("close", () => reject(new Error("The server ended before it listened.")));
    child.stderr.on("data", (chunk: Buffer) => {
      const [url] = /http:\S+/.exec(chunk.toString()) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill();
  await closed;
}

test.each([
  [["--help"], 0, /^Options: --http PORT .*\n$/, /^$/],
  [["--bogus"], 2, /^$/, /^Unknown option '--bogus'[^\n]*\n$/],
  [["--http", "x"], 2, /^$/, /^--http x is not a port; use 0 \(any free port\) to 65535\n$/],
] as const)("an example with the options %j prints one line and ends", async (args, code, stdout, stderr) => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const printed = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect(printed).toMatchObject([expect.stringMatching(stdout), expect.stringMatching(stderr), [code, null]]);
});
