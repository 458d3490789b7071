import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { accessTemplates, emitAccess } from "../../../../generator/scaffold/create/access-files.ts";
import { loadTemplates } from "../../../../generator/internal/templates.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { temporaryFolder } from "../../folder.ts";
import { emitFiles, writeFiles } from "../../project.ts";

/** Imports of such a project that matter here. */
const command = JSON.stringify(import.meta.resolve("../../../../runtime/server/run/run-server.ts"));
const stubs = {
  "package.json": '{"type":"module"}',
  "src/stdout.ts": "",
  "src/definition.ts": "export const server = undefined;",
  "src/mcp/index.ts": `export { readHttpPort } from ${command};
export const requireBearerToken = (options) => options;
export const verifyJwt = () => undefined;
export const run = () => undefined;
export const createHttpHandler = () => undefined;
export class SetupError extends Error {}
`,
};

/** Loads a module of a project; resolves to what that complains of. */
async function loadModule(
  module: "server" | "handler",
  transport: string,
  { words, env }: { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const selection = { transport, auth: "oauth", features: "tools", extras: "none" };
  const files = await emitFiles({ selection, revisions: ["2026-07-28"] });
  const own = ["auth", "handler", "server"].map((name) => `src/${name}.ts`);
  const folder = temporaryFolder();
  writeFiles(folder, [...[...files].filter(([path]) => own.includes(path)), ...Object.entries(stubs)]);
  const args = ["--import", import.meta.resolve("tsx"), join(folder, "src", `${module}.ts`), ...words];
  const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return run.then(
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

  /** Loads `src/auth.ts` of a project and runs a script after it; resolves to what is written. */
  async function load(env: Readonly<Record<string, string>>, script = ""): Promise<string> {
    const templates = loadTemplates(join(packageRoot, "templates"), accessTemplates);
    const files = emitAccess(
      { auth: "api-key", scale: "none", transport: "http", url: "http://127.0.0.1:3000/mcp" },
      templates,
    );
    const folder = temporaryFolder();
    mkdirSync(join(folder, "mcp"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const runtime = pathToFileURL(join(packageRoot, "runtime", "auth", "server", "api-key.ts")).href;
    writeFileSync(join(folder, "mcp", "index.ts"), `export { requireApiKey } from ${JSON.stringify(runtime)};`);
    writeFileSync(join(folder, "auth.ts"), `${files.get("src/auth.ts") ?? expect.unreachable()}${script}`);
    const args = ["--import", import.meta.resolve("tsx"), join(folder, "auth.ts")];
    const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return run.then(
      ({ stdout, stderr }) => stdout + stderr,
      (error: unknown) => String(error),
    );
  }

  test("the server warns at its start that every request is rejected if API_KEYS is not set", async () => {
    expect(await load({ API_KEYS: "" })).toBe(
      "API_KEYS is not set: every request is rejected with 401. The script `key` prints one.\n",
    );
    expect(await load({ API_KEYS: `me=${sha256}` })).toBe("");
  });

  test.each([key, `me=${key}`, `ok=${sha256},${key}`])(
    "the error about a key that is not a hash does not contain the key: %s",
    async (keys) => {
      const problem = await load({ API_KEYS: keys });
      expect(problem).toContain("is not a SHA-256 hash");
      expect(problem).toContain("`npm run key`");
      expect(problem).not.toContain(key);
    },
  );

  test("the server accepts a valid key after many invalid ones", async () => {
    const script = `
      const ask = (shown: string) => authenticate.authenticate(
        { isRepeated: () => false, header: () => shown, address: "127.0.0.1" } as never, {} as never);
      for (let count = 0; count < 50; count += 1) await ask("wrong");
      console.log(JSON.stringify(await ask("${key}")));`;
    expect(await load({ API_KEYS: `me=${sha256}` }, script)).toBe('{"principal":"me"}\n');
  });
});
