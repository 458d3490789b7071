import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Compiled, as users run them: the examples import this package by its name.
const folder = join(import.meta.dirname, "..", "..", "dist", "examples", "mounts");

describe.each(["express", "fastify", "hono"])("a handler mounted in %s", (framework) => {
  let child: ChildProcess;
  let url: URL;

  beforeAll(async () => {
    const port = await findFreePort();
    url = new URL(`http://127.0.0.1:${port}/mcp`);
    const env = { ...process.env, PORT: String(port) };
    child = spawn(process.execPath, [join(folder, `${framework}.js`)], {
      env,
      stdio: ["ignore", "inherit", "inherit"],
    });
    await untilServed(url, child);
  });

  afterAll(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });

  test("a mounted handler serves the official client: a call that streams progress before its response, and the end of the session", async () => {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(url);
    await client.connect(transport);
    const seen: number[] = [];
    const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } }, undefined, {
      onprogress: ({ progress }) => void seen.push(progress),
    });
    expect(result.content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    expect(seen).toEqual([1]);
    await transport.terminateSession();
    await client.close();
  });

  test.each([
    ["a foreign page", { origin: "https://evil.example" }, "{}", 403],
    ["no message", {}, '{"a":1}', 400],
    ["a type that is not JSON", { "content-type": "text/plain" }, "{}", 415],
  ])(
    "a mounted handler rejects %s, whatever the framework has read of it (R31, R32)",
    async (_what, more, body, status) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...more,
      };
      const response = await fetch(url, { method: "POST", headers, body });
      expect(response.status).toBe(status);
      await response.body?.cancel();
    },
  );
});

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

async function untilServed(url: URL, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    try {
      await (await fetch(url, { method: "POST" })).body?.cancel();
      return;
    } catch {
      await delay(50);
    }
  }
  throw new Error(`The server ended with ${child.exitCode}`);
}
