import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { accessTemplates, emitAccess } from "../../../../generator/scaffold/create/access-files.ts";
import { loadTemplates } from "../../../../generator/internal/templates.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import type { Guard, RequestHead } from "../../../../runtime/auth/server/index.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { captured } from "../../../kit/commands.ts";
import { emitFiles, writeFiles } from "../../../kit/projects.ts";

/** Imports of such a project that matter here. */
const readsPort = join(packageRoot, "runtime", "server", "run", "run-server.ts");
const stubs = {
  "node_modules/mcp-server-runtime/package.json": '{ "type": "module", "exports": { "./stdout": "./stdout.js" } }',
  "node_modules/mcp-server-runtime/stdout.js": "",
  "src/definition.ts": "export const server = undefined;",
  "src/mcp/index.ts": `export { readHttpPort } from ${JSON.stringify(readsPort)};
export const requireBearerToken = (options) => options;
export const verifyJwt = () => undefined;
export const run = () => undefined;
export const createHttpHandler = () => undefined;
export class SetupError extends Error {}
`,
};

const { argv } = process;
afterEach(() => {
  vi.unstubAllEnvs();
  process.argv = argv;
});

interface Start {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Loads a module as a program would be started. A module in a new folder is loaded once more. */
function load<Module>(path: string, { words, env }: Start): Promise<Module> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  process.argv = ["node", path, ...words];
  return import(pathToFileURL(path).href);
}

/** Loads a module of a project; resolves to what that complains of. */
async function loadModule(module: "server" | "handler", transport: string, start: Start): Promise<string> {
  const selection = { transport, auth: "oauth", features: "tools", extras: "none" };
  const files = await emitFiles({ selection, revisions: ["2026-07-28"] });
  const own = ["auth", "handler", "server"].map((name) => `src/${name}.ts`);
  const folder = temporaryFolder();
  writeFiles(folder, [...[...files].filter(([path]) => own.includes(path)), ...Object.entries(stubs)]);
  return load(join(folder, "src", `${module}.ts`), start).then(
    () => "",
    (error: unknown) => String(error),
  );
}

const asked = /The server is open to other machines; set ISSUER/;

test.each([
  ["server", "both", [], { HOST: "0.0.0.0" }, /^$/],
  ["server", "both", ["--other"], { ALLOWED_HOSTS: "example.com" }, /^$/],
  ["server", "both", ["--http", "3000"], {}, /^$/],
  ["server", "both", ["--http", "3000"], { HOST: "", ALLOWED_HOSTS: "" }, /^$/],
  ["server", "both", ["--http", "3000"], { HOST: "0.0.0.0" }, asked],
  ["server", "both", ["--http=3000"], { ALLOWED_HOSTS: "example.com" }, asked],
  ["server", "both", [], { MCP_HTTP_PORT: "3000", HOST: "0.0.0.0" }, asked],
  ["server", "both", [], { PORT: "3000", HOST: "0.0.0.0" }, /^$/],
  [
    "server",
    "both",
    ["--http", "3000"],
    { HOST: "0.0.0.0", ISSUER: "https://a.example", RESOURCE: "https://b.example" },
    /^$/,
  ],
  ["server", "both,websocket", ["--websocket", "3001"], { HOST: "0.0.0.0" }, asked],
  ["server", "both,websocket", ["--websocket=3001"], { HOST: "0.0.0.0" }, asked],
  ["server", "both,websocket", [], { HOST: "0.0.0.0" }, /^$/],
  ["server", "http", [], { HOST: "0.0.0.0" }, asked],
  ["handler", "both", [], { ALLOWED_HOSTS: "example.com" }, asked],
  ["handler", "both", [], {}, /^$/],
  ["handler", "http", [], { ALLOWED_HOSTS: "example.com" }, asked],
] as const)(
  "the %s of a project on %s with the arguments %j and the variables %j requires an issuer only on the network",
  async (...[module, transport, words, env, says]) => {
    expect(await loadModule(module, transport, { words, env })).toMatch(says);
  },
);

describe("a server with API keys", () => {
  const key = "k".repeat(43);
  const sha256 = createHash("sha256").update(key).digest("hex");

  /** Loads `src/auth.ts` of a project. */
  function loadAuth(keys: string): Promise<{ readonly authenticate: Guard }> {
    const templates = loadTemplates(join(packageRoot, "templates"), accessTemplates);
    const choices = { auth: "api-key", scale: "none", transport: "http", url: "http://127.0.0.1:3000/mcp" } as const;
    const text = emitAccess(choices, templates).get("src/auth.ts") ?? expect.unreachable();
    const folder = temporaryFolder();
    const runtime = join(packageRoot, "runtime", "auth", "server", "api-key.ts");
    writeFiles(folder, [
      ["auth.ts", text],
      ["mcp/index.ts", `export { requireApiKey } from ${JSON.stringify(runtime)};`],
    ]);
    return load(join(folder, "auth.ts"), { words: [], env: { API_KEYS: keys } });
  }

  test.each([
    ["", "API_KEYS is not set: every request is rejected with 401. The script `key` prints one.\n"],
    [`me=${sha256}`, ""],
  ])("the server warns at its start that every request is rejected if API_KEYS is %j", async (keys, warning) => {
    const { stderr } = await captured(() => loadAuth(keys).then(() => 0));
    expect(stderr).toBe(warning);
  });

  test.each([key, `me=${key}`, `ok=${sha256},${key}`])(
    "the error about a key that is not a hash does not contain the key: %s",
    async (keys) => {
      const problem = await loadAuth(keys).catch(String);
      expect(problem).toContain("is not a SHA-256 hash");
      expect(problem).toContain("`npm run key`");
      expect(problem).not.toContain(key);
    },
  );

  test("the server accepts a valid key after many invalid ones", async () => {
    const { authenticate } = await loadAuth(`me=${sha256}`);
    const authenticateWith = async (shown: string): Promise<unknown> => {
      const head: RequestHead = {
        method: "POST",
        path: "/mcp",
        header: (name) => (name === "x-api-key" ? shown : undefined),
        isRepeated: () => false,
        query: () => undefined,
        host: "localhost",
        certificate: () => undefined,
        address: "127.0.0.1",
      };
      return authenticate.authenticate(head, { addFields: () => {} });
    };
    for (let count = 0; count < 50; count += 1) expect(await authenticateWith("wrong")).toMatchObject({ status: 401 });
    expect(await authenticateWith(key)).toEqual({ principal: "me" });
  });
});
