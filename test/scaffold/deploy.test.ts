import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client as ClientOfV2, StreamableHTTPClientTransport as HttpOfV2 } from "@modelcontextprotocol/client";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpOfV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startIssuer, type Issuer } from "../../runtime/testing/issuer/issuer.ts";
import { runCli } from "../kit/programs.ts";
import { npm } from "./npm.ts";
import {
  installRuntimes,
  invoke,
  serveFunction,
  serveProgram,
  serveWorker,
  type LambdaFunction,
  type PlatformServer,
  type Variables,
} from "./platforms.ts";

/*
 * Projects for platforms, in the runtimes that are packages: workerd is a dependency of wrangler, Deno and Bun are installed in a temporary folder.
 * Functions of Lambda and Vercel are called in this process. Each requires access tokens, and serves the official clients.
 */

const root = realpathSync(mkdtempSync(join(tmpdir(), "deploy-")));
const resource = "https://mcp.example.org/mcp";
const metadataUrl = "https://mcp.example.org/.well-known/oauth-protected-resource/mcp";
const scope = "text:measure";

let issuer: Issuer;
let variables: Variables;
let programs: Awaited<ReturnType<typeof installRuntimes>>;

beforeAll(async () => {
  // The project for workers has every package that the others have, too.
  const [{ code, stdout, stderr }, installed] = await Promise.all([
    runCli(["worker", "--target", "worker", ...choices], { cwd: root }),
    installRuntimes(join(root, "runtimes")),
  ]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Its tests passed");
  programs = installed;
  issuer = await startIssuer(resource);
  variables = { ISSUER: issuer.url, RESOURCE: resource, STATE_KEY: "a secret of the tests, of 32 characters or more" };
  await buildWithScope(join(root, "worker"));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await issuer.close();
  rmSync(root, { recursive: true, force: true });
});

const choices = ["--auth", "oauth", "--schema", "json", "--yes", "--no-git"];

/** Makes the tool of a project require a scope, and builds it. */
async function buildWithScope(folder: string): Promise<void> {
  const file = join(folder, "src", "server.ts");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('name: "measure_text",', `name: "measure_text",\n  scopes: ["${scope}"],`));
  await promisify(execFile)(process.execPath, ["build.js"], { cwd: folder });
}

/** Creates a project for a platform, and runs its tests. */
async function createProject(target: string): Promise<void> {
  const folder = join(root, target);
  const { code, stderr } = await runCli([target, "--target", target, ...choices, "--no-install"], { cwd: root });
  expect(code, stderr).toBe(0);
  symlinkSync(join(root, "worker", "node_modules"), join(folder, "node_modules"));
  await npm(folder, "run", "typecheck");
  expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
  await buildWithScope(folder);
}

/** Sets the environment of a platform, and returns the module specifier of a bundle, which is loaded in this process. */
function enter(path: string, environment: Variables): string {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return pathToFileURL(path).href;
}

type MethodName = "DELETE" | "GET" | "OPTIONS" | "POST";

const platforms = [
  { target: "worker", keepsSessions: false, serve: () => serveWorker(join(root, "worker"), variables) },
  {
    target: "lambda",
    keepsSessions: false,
    async serve() {
      const file = join(root, "lambda", "dist", "index.mjs");
      const specifier = enter(file, { ...variables, AWS_LAMBDA_FUNCTION_NAME: "test" });
      const { handler }: { readonly handler: LambdaFunction } = await import(/* @vite-ignore */ specifier);
      return serveFunction((request) => invoke(handler, request));
    },
  },
  {
    target: "vercel",
    keepsSessions: false,
    async serve() {
      const file = join(root, "vercel", "api", "mcp.js");
      const specifier = enter(file, { ...variables, VERCEL: "1" });
      const functions: Readonly<Record<MethodName, (request: Request) => Promise<Response>>> = await import(
        /* @vite-ignore */ specifier
      );
      const isMethod = (method: string): method is MethodName => method in functions;
      return serveFunction(async (request) =>
        isMethod(request.method) ? functions[request.method](request) : new Response(null, { status: 405 }),
      );
    },
  },
  {
    target: "deno",
    keepsSessions: true,
    serve() {
      const args = ["run", "--no-prompt", "--allow-net", "--allow-env", "dist/main.js"];
      return serveProgram(join(root, "deno"), { program: programs.deno, args, variables });
    },
  },
  {
    target: "bun",
    keepsSessions: true,
    serve: () => serveProgram(join(root, "bun"), { program: programs.bun, args: ["dist/main.js"], variables }),
  },
];

describe.each(platforms)("a project for $target", ({ target, keepsSessions, serve }) => {
  let server: PlatformServer;

  beforeAll(async () => {
    if (target !== "worker") await createProject(target);
    server = await serve();
  });

  afterAll(async () => {
    expect(await server?.end()).toBe(0);
  });

  const send = (method: string, headers: Readonly<Record<string, string>>, params: object = {}): Promise<Response> => {
    const fields = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return fetch(server.url, { method: "POST", headers: fields, body });
  };
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const bearer = async (claims?: object): Promise<{ readonly authorization: string }> => ({
    authorization: `Bearer ${await issuer.sign(claims)}`,
  });

  test("the official client of the first generation calls the tool", async () => {
    const client = new ClientOfV1({ name: "official", version: "1" });
    const transport = new HttpOfV1(new URL(server.url), { requestInit: { headers: await bearer({ scope }) } });
    await client.connect(transport);
    try {
      expect(transport.sessionId === undefined).toBe(!keepsSessions);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["measure_text"]);
      expect(await client.callTool(call)).toMatchObject({ content: [{ text: '{"words":2,"characters":12}' }] });
    } finally {
      await client.close();
    }
  });

  test("the official client of the second generation calls the tool at the newest revision", async () => {
    const client = new ClientOfV2({ name: "official", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new HttpOfV2(new URL(server.url), { requestInit: { headers: await bearer({ scope }) } }));
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      expect(await client.callTool(call)).toMatchObject({ content: [{ text: '{"words":2,"characters":12}' }] });
    } finally {
      await client.close();
    }
  });

  test("a request without a token gets 401, and the URL of the metadata, which is served", async () => {
    const response = await send("initialize", {}, initialize);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${metadataUrl}"`);
    const metadata = await fetch(new URL(new URL(metadataUrl).pathname, server.url));
    expect(metadata.status).toBe(200);
    expect(await metadata.json()).toMatchObject({ resource, authorization_servers: [issuer.url] });
  });

  test.each([
    ["for another server", { aud: "https://other.example/mcp" }],
    ["that has expired", { exp: Math.floor(Date.now() / 1000) - 3600 }],
  ])("a token %s gets 401", async (_what, claims) => {
    const response = await send("initialize", await bearer(claims), initialize);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
  });

  test("a token without the scope of the tool gets 403, and the scope", async () => {
    const headers = { ...(await bearer()), "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
    const prefix = "io.modelcontextprotocol";
    const _meta = {
      [`${prefix}/protocolVersion`]: "2026-07-28",
      [`${prefix}/clientCapabilities`]: {},
      [`${prefix}/clientInfo`]: initialize.clientInfo,
    };
    const response = await send("tools/call", { ...headers, "mcp-name": call.name }, { ...call, _meta });
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl}"`,
    );
  });
});

test("the bundle of a worker imports no module of Node.js", () => {
  const bundle = readFileSync(join(root, "worker", "dist", "server.js"), "utf8");
  expect(bundle.match(/^import .*|\bimport\(.*/gm)).toBeNull();
});

const call = { name: "measure_text", arguments: { text: "Hello, world" } };
