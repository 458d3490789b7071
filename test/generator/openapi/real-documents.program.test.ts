import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { readSource } from "../../../generator/openapi/source.ts";
import { testCases } from "../../../generator/openapi/test-cases.ts";
import { runCli } from "../../kit/programs.ts";
import { serveRaw, type Running } from "../../kit/raw-server.ts";
import { emitFiles, linkPackages, writeFiles } from "../../kit/projects.ts";

/* Documents that others published: one server offers the tools of all, and calls a mock of each API. */

const documents = [
  {
    name: "directus",
    path: "@directus/specs/dist/openapi.json",
    prefix: "directus_",
    only: "Files,Flows,Users",
    tools: 15,
    credentials: ["secret-of-DIRECTUS", undefined],
  },
  {
    name: "galaxy",
    path: "@scalar/galaxy/dist/3.1.json",
    prefix: "galaxy_",
    only: "*",
    tools: 5,
    credentials: ["Bearer secret-of-GALAXY", undefined],
  },
  {
    name: "trains",
    path: "@readme/oas-examples/3.1/json/train-travel.json",
    prefix: "trains_",
    only: "*",
    tools: 5,
    credentials: ["Bearer secret-of-TRAINS"],
  },
] as const;

const place = (path: string): string => join(packageRoot, "node_modules", path);

const received: { readonly request: string; readonly credential: string | undefined }[] = [];
const response = { text: "{}" };
const root = realpathSync(mkdtempSync(join(tmpdir(), "real-")));
let api: Running | undefined;
let client: Client | undefined;

beforeAll(async () => {
  api = await serveRaw((request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const credential = request.headers.authorization ?? searchParams.get("access_token") ?? undefined;
    received.push({ request: `${request.method} ${pathname}`, credential });
    request.resume().on("end", () => {
      reply.writeHead(200, { "content-type": "application/json" }).end(response.text);
    });
  });
  const revisions = ["2025-11-25"];
  writeFiles(root, await emitFiles({ folder: root, revisions, selection: { schema: "json", features: "tools" } }));
  linkPackages(root, ["@cfworker/json-schema", "@types/node", "esbuild", "re2js", "vitest"]);
});

afterAll(async () => {
  await client?.close();
  await api?.close();
  rmSync(root, { recursive: true, force: true });
});

/** Runs a program of this repository in the project. */
function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe("a server with the tools of published documents", () => {
  test.each(documents)("the document of $name is added", async ({ name, path, prefix, only }) => {
    const options = ["--as", name, "--prefix", prefix, "--only", only];
    const { code, stdout, stderr } = await runCli(["add", "openapi", place(path), ...options], { cwd: root });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`registered in src/server.ts`);
  });

  test("its code compiles, and it is built", () => {
    const compiler = join(packageRoot, "node_modules", "typescript7", "bin", "tsc");
    expect(run(compiler, "-p", root, "--noEmit")).toEqual({ status: 0, output: "" });
    expect(run("build.js")).toMatchObject({ status: 0 });
  });

  test("it starts, and lists its settings and its tools", async () => {
    const variables = documents.map(({ name }) => name.toUpperCase());
    const help = run(join("dist", "server.js"), "--help");
    for (const word of variables) expect(help.output).toContain(`${word}_BASE_URL`);
    const env = Object.fromEntries(
      variables.flatMap((word) => [
        [`${word}_BASE_URL`, new URL(api?.url ?? "").origin],
        [`${word}_TOKEN`, `secret-of-${word}`],
      ]),
    );
    const server = { command: process.execPath, args: [join(root, "dist", "server.js")], env };
    client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }));
    const { tools } = await client.listTools();
    for (const { prefix, tools: least } of documents)
      expect(tools.filter(({ name }) => name.startsWith(prefix)).length, prefix).toBeGreaterThanOrEqual(least);
  });

  test.each(documents)(
    "each tool of $name sends its request with its credential, and returns the response",
    async (document) => {
      const { path, prefix, only, tools: least } = document;
      const source = await readSource(place(path), { prefix, only });
      const calls = testCases(source.plan.tools, source.api, true);
      expect(calls.length).toBeGreaterThanOrEqual(least);
      const credentials = new Set<string | undefined>();
      for (const { name, arguments: args, request, response: value } of calls) {
        response.text = JSON.stringify(value);
        const result = await client?.callTool({ name, arguments: args });
        expect(result?.isError, `${name}: ${JSON.stringify(result?.content)}`).not.toBe(true);
        expect(result?.content, name).toEqual([{ type: "text", text: JSON.stringify(value) }]);
        const [{ credential, ...sent } = expect.unreachable("no request"), ...others] = received.splice(0);
        expect([sent, ...others]).toEqual([{ request }]);
        credentials.add(credential);
      }
      expect(credentials).toEqual(new Set(document.credentials));
    },
  );
});
