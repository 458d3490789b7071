import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ClientOfV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioOfV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioOfV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { chooseRevisions, statelessAmong, toCatalogue } from "../../generator/scaffold/layer/catalogue.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { isObject } from "../../templates/support.ts";
import { runCli } from "../kit/programs.ts";
import { pets } from "../generator/openapi/pets.ts";
import { createValidators, type Validator } from "../oracle/official-validators.ts";
import { readOfficialSchema } from "../oracle/official.ts";
import { requestMetadata } from "../kit/messages.ts";
import { startNats } from "../cluster/processes/nats-process.ts";
import { startRedis } from "../cluster/processes/redis-process.ts";
import { npm } from "./npm.ts";
import { checkProtectedNodes } from "./protected-nodes.ts";
import { Wire } from "./wire.ts";

const catalogue = toCatalogue((await readSpecModels()).models);
const revisions = chooseRevisions("all", catalogue);
const isStateless = (revision: string): boolean => statelessAmong([revision], catalogue).length > 0;
const root = realpathSync(mkdtempSync(join(tmpdir(), "scaffold-")));
const installed = join(root, "installed");

beforeAll(async () => {
  const { code, stdout, stderr } = await runCli(["installed", "--yes"], { cwd: root });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('measure_text({"text":"Hello, world"}) returned ');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a project is installed and committed, but for its dependencies", async () => {
  expect(existsSync(join(installed, "package-lock.json"))).toBe(true);
  expect(existsSync(join(installed, ".git"))).toBe(true);
  expect(readFileSync(join(installed, ".gitignore"), "utf8")).toContain("node_modules/");
});

test("a packed project has the licences of the packages inside with it", async () => {
  expect(readFileSync(join(installed, "dist", "THIRD-PARTY.txt"), "utf8")).toMatch(
    /^zod [\d.]+ \(MIT\)\n\n.*Permission is hereby granted/ms,
  );
  const packed = await npm(installed, "pack", "--dry-run", "--ignore-scripts", "--json");
  expect(packed).toContain('"path": "dist/THIRD-PARTY.txt"');
});

// The project for several nodes has access tokens.
test.each([
  ["further-transports", ["--transport", "http,websocket,tcp", "--extras", "otel"]],
  ["application", ["--mount", "express", "--auth", "api-key"]],
])("a project for %s is installed, and its tests call it", async (name, flags) => {
  const options = [...flags, "--schema", "json", "--yes", "--no-git"];
  const { code, stdout, stderr } = await runCli([name, ...options], { cwd: root });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Its tests passed");
});

/** Every project with the same dependencies has one real installation. */
function linkInstallation(folder: string): void {
  symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"), "dir");
  cpSync(join(installed, "package-lock.json"), join(folder, "package-lock.json"));
}

test("a project for both stdio and HTTP accepts clients with a key only, with no further package", async () => {
  const options = ["--transport", "both", "--auth", "api-key", "--protocol", "latest", "--no-install", "--no-git"];
  const { code, stderr } = await runCli(["project-keys", ...options], { cwd: root });
  expect(code, stderr).toBe(0);
  linkInstallation(join(root, "project-keys"));
  await npm(join(root, "project-keys"), "run", "typecheck");
  expect(await npm(join(root, "project-keys"), "test")).toMatch(/Tests.* passed/);
});

test("a project for several nodes with access tokens is installed, builds, and its tests call two nodes in memory and on Redis", async () => {
  const scaled = ["--transport", "both", "--scale", "redis", "--features", "all"];
  const options = [...scaled, "--auth", "oauth", "--provider", "keycloak", "--yes", "--no-git"];
  const folder = join(root, "project-nodes");
  const { code, stdout, stderr } = await runCli(["project-nodes", ...options], { cwd: root });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('measure_text({"text":"Hello, world"}) returned ');
  await npm(folder, "run", "typecheck");
  const redis = await startRedis();
  const env = { ENGINE_URL: redis.url, MCP_KEYS: randomBytes(32).toString("base64") };
  try {
    expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    // Here the program itself is on Redis, too; it ends with 0 at SIGTERM.
    expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
    await checkProtectedNodes({ folder, name: "project-nodes", env });
  } finally {
    vi.unstubAllEnvs();
    await redis.close();
  }
});

test("a project for several nodes does not start in production without an engine, and says so in a line", async () => {
  const program = join(root, "project-nodes", "dist", "server.js");
  const env = { ...process.env, NODE_ENV: "production", MCP_HTTP_PORT: "0" };
  const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toBe("[mcp] ENGINE_URL is not set; set it to the address of Redis, such as redis://localhost:6379\n");
});

test("an update of a project for several nodes keeps the engine", async () => {
  const folder = join(root, "project-nodes");
  const lock = (): unknown => JSON.parse(readFileSync(join(folder, "src", "mcp", "mcp.lock.json"), "utf8"));
  const { code, stderr } = await runCli(["update", "--protocol", "latest"], { cwd: folder });
  expect(code, stderr).toBe(0);
  expect(lock()).toMatchObject({ scale: "redis", revisions: [revisions[0]] });
});

test("a project for several nodes moves to NATS as `update` says, and its tests call two nodes on NATS", async () => {
  const folder = join(root, "project-nodes");
  const { code, stdout, stderr } = await runCli(["update", "--scale", "nats", "--protocol", "all"], { cwd: folder });
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^src\/engine\.ts:\d+: .*createRedisEngine/m);
  const [, install = ""] = /npm (install --save-dev @nats-io.*)/.exec(stdout) ?? [];
  await npm(folder, ...install.split(" "));
  const options = ["--transport", "both", "--scale", "nats", "--features", "all", "--name", "project-nodes"];
  const made = await runCli(["project-nats", ...options, "--no-install", "--no-git"], { cwd: root });
  expect(made.code, made.stderr).toBe(0);
  for (const path of ["src/engine.ts", "test/cluster.test.ts", "compose.yaml", "deploy"])
    cpSync(join(root, "project-nats", path), join(folder, path), { recursive: true });
  await npm(folder, "run", "typecheck");
  const nats = await startNats();
  vi.stubEnv("ENGINE_URL", nats.url);
  vi.stubEnv("MCP_KEYS", randomBytes(32).toString("base64"));
  try {
    expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
  } finally {
    vi.unstubAllEnvs();
    await nats.close();
  }
});

test("a project from an OpenAPI document is installed, and its tests replace the API", async () => {
  writeFileSync(join(root, "pets.yaml"), pets);
  const options = ["--from", "pets.yaml", "--protocol", "latest", "--yes", "--no-git"];
  const { code, stdout, stderr } = await runCli(["project-pets", ...options], { cwd: root });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Its tests passed");
});

const projects = [...revisions.map((id) => ({ protocol: id, served: [id] })), { protocol: "all", served: revisions }];

describe.each(projects)("a project for --protocol $protocol", ({ protocol, served }) => {
  const name = `project-${protocol}`;
  const folder = join(root, name);
  const [preferred = ""] = served;
  const [preferredSession] = served.filter((revision) => !isStateless(revision));

  beforeAll(async () => {
    const { code, stderr } = await runCli([name, "--protocol", protocol, "--no-install", "--no-git"], { cwd: root });
    expect(code, stderr).toBe(0);
    linkInstallation(folder);
  });

  // `npm test` begins with what `npm run build` does.
  test("a project builds, and passes its own tests and type checks", async () => {
    await npm(folder, "run", "typecheck");
    expect(await npm(folder, "test")).toMatch(/Tests.* passed/);
  });

  if (preferredSession !== undefined) {
    test("a project serves the official client of the first generation, which opens sessions", async () => {
      const client = new ClientOfV1({ name: "official", version: "1" });
      await client.connect(new StdioOfV1({ command: process.execPath, args: ["dist/server.js"], cwd: folder }));
      try {
        expect(client.getServerVersion()).toMatchObject({ name });
        expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["measure_text"]);
        expect(await client.callTool(goodCall)).toMatchObject({ content: [{ type: "text" }] });
        expect(await client.callTool(badCall)).toMatchObject({ isError: true });
        expect((await client.readResource({ uri: "guide://style" })).contents).toHaveLength(1);
        expect((await client.getPrompt(prompt)).messages).toHaveLength(1);
      } finally {
        await client.close();
      }
    });

    test("a project offers the newest revision with sessions to a client that requests another", async () => {
      const wire = new Wire(folder);
      const clientInfo = { name: "raw", version: "1" };
      const { result } = await wire.request("initialize", {
        protocolVersion: "1999-01-01",
        capabilities: {},
        clientInfo,
      });
      expect(result).toMatchObject({ protocolVersion: preferredSession });
      expect(await wire.end()).toBe(0);
    });
  }

  test("a project serves the official client of the second generation", async () => {
    const client = new ClientOfV2({ name: "official", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioOfV2({ command: process.execPath, args: ["dist/server.js"], cwd: folder }));
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(preferred);
      expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["measure_text"]);
      expect(await client.callTool(goodCall)).toMatchObject({ content: [{ type: "text" }] });
      expect(await client.callTool(badCall)).toMatchObject({ isError: true });
      expect((await client.readResource({ uri: "guide://style" })).contents).toHaveLength(1);
      expect((await client.getPrompt(prompt)).messages).toHaveLength(1);
    } finally {
      await client.close();
    }
  });

  describe.each(served)("to a client of %s", (revision) => {
    const schema = readOfficialSchema(revision);
    const validators = createValidators(schema);
    const definitions = Object(schema.$defs ?? schema.definitions);

    test("a project sends nothing that the official schema rejects, and no member of another revision", async () => {
      const isAlone = isStateless(revision);
      const wire = new Wire(folder, isAlone ? requestMetadata() : undefined);
      const foreign = new Set<string>();
      const noteForeign = (definition: string, value: object): void => {
        const known = Object(Object(definitions[definition]).properties);
        for (const key of Object.keys(value)) if (!Object.hasOwn(known, key)) foreign.add(`${definition}.${key}`);
      };
      const accepted = async (method: string, definition: string, params?: object): Promise<Fields> => {
        const { result, ...message } = await wire.request(method, params);
        expect(message, method).toEqual({ jsonrpc: "2.0", id: expect.any(Number) });
        expectValid(validators(definition), result, definition);
        if (!isObject(result)) throw new Error(`${method} has no result`);
        noteForeign(definition, result);
        return result;
      };
      const list = async (method: string, definition: string, item: string): Promise<void> => {
        const items: unknown = Object.values(await accepted(method, definition))[0];
        for (const value of Array.isArray(items) ? items : []) noteForeign(item, Object(value));
      };
      if (isAlone) {
        expect((await accepted("server/discover", "DiscoverResult")).supportedVersions).toContain(revision);
      } else {
        const clientInfo = { name: "raw", version: "1" };
        const params = { protocolVersion: revision, capabilities: {}, clientInfo };
        expect((await accepted("initialize", "InitializeResult", params)).protocolVersion).toBe(revision);
        wire.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
        await accepted("ping", "EmptyResult");
      }
      await list("tools/list", "ListToolsResult", "Tool");
      await list("resources/list", "ListResourcesResult", "Resource");
      await list("resources/templates/list", "ListResourceTemplatesResult", "ResourceTemplate");
      await list("prompts/list", "ListPromptsResult", "Prompt");
      const hasStructuredOutput = "outputSchema" in Object(definitions.Tool).properties;
      const called = await accepted("tools/call", "CallToolResult", goodCall);
      if (hasStructuredOutput) expect(called.structuredContent).toEqual({ words: 2, characters: 12 });
      expect(await accepted("tools/call", "CallToolResult", badCall)).toHaveProperty("isError", true);
      await accepted("resources/read", "ReadResourceResult", { uri: "guide://style" });
      await accepted("prompts/get", "GetPromptResult", prompt);
      await expectRejections(
        wire,
        validators("JSONRPCErrorResponse" in definitions ? "JSONRPCErrorResponse" : "JSONRPCError"),
        isAlone ? -32602 : -32002,
      );
      for (const message of wire.received) expectValid(validators("JSONRPCMessage"), message, "JSONRPCMessage");
      expect([...foreign]).toEqual([]);
      expect(await wire.end()).toBe(0);
    });
  });
});

// Their layers are the smallest: what only other projects need is not in them. Those of the other revisions are compiled by layer-compiles.
test.each(["2024-11-05", "all"])(
  "a project with tools only for --protocol %s is built, and passes every check",
  async (protocol) => {
    const name = `tools-${protocol}`;
    const options = ["--features", "tools", "--protocol", protocol, "--no-install", "--no-git"];
    const { code, stderr } = await runCli([name, ...options], { cwd: root });
    expect(code, stderr).toBe(0);
    const folder = join(root, name);
    linkInstallation(folder);
    await npm(folder, "run", "build");
    const checked = await runCli(["check", "--", process.execPath, "dist/server.js"], { cwd: folder });
    expect(checked.code, checked.stdout).toBe(0);
  },
);

test("a project without --protocol has every revision", () => {
  const lock: unknown = JSON.parse(readFileSync(join(installed, "src/mcp/mcp.lock.json"), "utf8"));
  expect(lock).toMatchObject({ revisions });
});

type Fields = Record<string, unknown>;

const goodCall = { name: "measure_text", arguments: { text: "Hello, world" } };
const badCall = { name: "measure_text", arguments: { text: 1 } };
const prompt = { name: "shorten", arguments: { text: "A long text" } };

function expectValid(validator: Validator, value: unknown, definition: string): void {
  expect(validator(value), `${definition}: ${JSON.stringify(value)}`).toBe(true);
}

/** Wrong requests, each with the code of the error that the protocol requires. */
async function expectRejections(wire: Wire, isError: Validator, notFound: number): Promise<void> {
  const rejections: readonly (readonly [string, object, number])[] = [
    ["tools/call", { name: "nothing", arguments: {} }, -32602],
    ["tools/call", {}, -32602],
    ["resources/read", { uri: "guide://nothing" }, notFound],
    ["prompts/get", { name: "shorten", arguments: {} }, -32602],
    ["prompts/get", { name: "nothing" }, -32602],
    ["no/such/method", {}, -32601],
  ];
  for (const [method, params, code] of rejections) {
    const message = await wire.request(method, params);
    expectValid(isError, message, `the error of ${method}`);
    expect(message.error, method).toMatchObject({ code });
  }
}
