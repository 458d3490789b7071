import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, vi } from "vitest";
import { createRedisEngine } from "../../cluster/redis/index.ts";
import { joinCluster } from "../../cluster/index.ts";
import { startIssuer } from "../../runtime/testing/issuer/issuer.ts";
import { initialize, send, type HttpResponse } from "../kit/http-exchange.ts";

/** Project of the nodes, and the engine that they share. */
export interface NodesOptions {
  /** Folder of a built project for several nodes on Redis with access tokens. */
  readonly folder: string;
  /** Name of the project, which its keys in Redis begin with. */
  readonly name: string;
  readonly env: { readonly ENGINE_URL: string; readonly MCP_KEYS: string };
}

const resource = "http://127.0.0.1:3000/mcp";

/** Starts two nodes of a project, and checks that they accept the same tokens, and share sessions, revocations and limits. */
export async function checkProtectedNodes({ folder, name, env }: NodesOptions): Promise<void> {
  const issuer = await startIssuer(resource);
  const children: ChildProcess[] = [];
  try {
    const start = async (): Promise<string> => {
      const program = join(folder, "dist", "server.js");
      const own = { ...process.env, ...env, ISSUER: issuer.url, RESOURCE: resource, NODE_ENV: "test" };
      const child = spawn(process.execPath, [program, "--http", "0"], {
        env: own,
        stdio: ["ignore", "ignore", "pipe"],
      });
      children.push(child);
      return findUrl(child);
    };
    const first = await start();
    const second = await start();
    const ada = { authorization: `Bearer ${await issuer.sign({ sub: "ada" })}` };
    const eve = { authorization: `Bearer ${await issuer.sign({ sub: "eve" })}` };

    const opened = await post(first, initialize(revision), ada);
    expect(opened.status).toBe(200);
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    expect((await post(second, listTools, { ...ada, ...session })).status).toBe(200);
    expect((await post(first, listTools, { ...eve, ...session })).status).toBe(404);
    expect((await post(second, initialize(revision), eve)).status).toBe(200);

    const keys = [Buffer.from(env.MCP_KEYS, "base64")];
    const cluster = await joinCluster(createRedisEngine({ url: env.ENGINE_URL, keys, prefix: name }));
    try {
      await cluster.revocations.revoke({ token: ada.authorization.slice(7), until: Date.now() + 600_000 });
      for (const url of [first, second])
        await vi.waitFor(
          async () => expect((await post(url, listTools, { ...ada, ...session })).status).toBe(401),
          60_000,
        );
    } finally {
      await cluster.close();
    }
    expect((await post(first, initialize(revision), eve)).status).toBe(200);

    const wrong = { authorization: "Bearer x.y.z", "x-forwarded-for": "203.0.113.9" };
    for (let count = 0; count < 13; count += 1)
      await Promise.all(Array.from({ length: 10 }, () => post(first, initialize(revision), wrong)));
    const limited = await post(second, initialize(revision), wrong);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
    const other = { ...wrong, "x-forwarded-for": "203.0.113.10" };
    expect((await post(second, initialize(revision), other)).status).toBe(401);
  } finally {
    for (const child of children) await stop(child);
    await issuer.close();
  }
}

const revision = "2025-11-25";
const listTools = { jsonrpc: "2.0", id: 2, method: "tools/list" };

function post(url: string, message: object, headers: Record<string, string>): Promise<HttpResponse> {
  return send(url, undefined, { body: message, headers });
}

/** Waits for the address that a node prints. */
async function findUrl({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error("the node has no stderr");
  let text = "";
  for await (const line of createInterface({ input: stderr })) {
    text += `${line}\n`;
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line) ?? [];
    if (url === undefined) continue;
    // Nothing reads the rest, which would otherwise block the node.
    stderr.resume();
    return url;
  }
  throw new Error(`the node ended:\n${text}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  await ended;
  clearTimeout(timer);
}
