import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";

// Compiled, as users run them: the examples import this package by its name.
const folder = join(import.meta.dirname, "..", "..", "dist", "examples", "other-transports");
const counted = "1 of 3\n2 of 3\n3 of 3\nCounted to 3.\n";

let child: ChildProcess;
let tcpPort = "";
let wsUrl = "";

beforeAll(async () => {
  const args = [join(folder, "server.js"), "--tcp", "0", "--ws", "0"];
  child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "pipe"] });
  [tcpPort, wsUrl] = await readAddresses(child);
});

afterAll(async () => {
  const closed = once(child, "close");
  child.kill("SIGTERM");
  expect(await closed).toEqual([0, null]);
});

test("the client over TCP calls the tool, and receives its progress", async () => {
  expect(await run("tcp-client.js", tcpPort)).toBe(counted);
});

test("the client over WebSocket calls the tool, and receives its progress", async () => {
  expect(await run("websocket-client.js", wsUrl)).toBe(counted);
});

test("the official client calls the tool over WebSocket", async () => {
  // It uses the platform's, which not every version of Node has.
  vi.stubGlobal("WebSocket", WebSocket);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new WebSocketClientTransport(new URL(wsUrl)));
  try {
    const { content } = await client.callTool({ name: "count", arguments: { to: 2 } });
    expect(content).toEqual([{ type: "text", text: "Counted to 2." }]);
  } finally {
    await client.close();
    vi.unstubAllGlobals();
  }
});

async function run(program: string, address: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, program), address]);
  return stdout;
}

/** The port of TCP and the URL of the WebSocket. */
function readAddresses(server: ChildProcess): Promise<[string, string]> {
  return new Promise((resolve, reject) => {
    let text = "";
    server.once("close", () => reject(new Error(`The server ended before it listened: ${text}`)));
    server.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [, port, url] = /tcp:\/\/127\.0\.0\.1:(\d+) and (ws:\S+)\n/.exec(text) ?? [];
      if (port !== undefined && url !== undefined) resolve([port, url]);
    });
  });
}
