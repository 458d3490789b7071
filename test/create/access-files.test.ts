import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { accessTemplates, emitAccess } from "../../generator/create/access-files.ts";
import { loadTemplates } from "../../generator/emit/templates.ts";
import { packageRoot } from "../../generator/package-info.ts";
import { temporaryFolder } from "./folder.ts";

/** What such a project imports, as far as it matters here. */
const layer = `export const requireToken = (options) => options;
export const verifyJwt = () => undefined;
export class SetupError extends Error {}
`;

/** Loads `src/auth.ts` of a project as its program would; resolves to what that complains of. */
async function loadAuth(
  transport: "both" | "http",
  { words, env }: { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const templates = loadTemplates(join(packageRoot, "templates"), accessTemplates);
  const source = emitAccess({ auth: "oauth", transport }, templates).get("src/auth.ts") ?? expect.unreachable();
  const folder = temporaryFolder();
  mkdirSync(join(folder, "mcp"));
  writeFileSync(join(folder, "mcp", "index.ts"), layer);
  writeFileSync(join(folder, "auth.ts"), source);
  const args = ["--import", import.meta.resolve("tsx"), join(folder, "auth.ts"), ...words];
  const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return run.then(
    () => "",
    (error: unknown) => String(error),
  );
}

const asked = /Other machines may come in: set ISSUER/;

test.each([
  ["both", [], { HOST: "0.0.0.0" }, /^$/],
  ["both", ["--other"], { ALLOWED_HOSTS: "example.com" }, /^$/],
  ["both", ["--http", "3000"], {}, /^$/],
  ["both", ["--http", "3000"], { HOST: "0.0.0.0" }, asked],
  ["both", ["--http=3000"], { ALLOWED_HOSTS: "example.com" }, asked],
  ["both", [], { PORT: "3000", HOST: "0.0.0.0" }, asked],
  ["both", ["--http", "3000"], { HOST: "0.0.0.0", ISSUER: "https://a.example", RESOURCE: "https://b.example" }, /^$/],
  ["http", [], { HOST: "0.0.0.0" }, asked],
] as const)(
  "a server on %s, started with %j and %j, asks for its issuer only over HTTP",
  async (...[transport, words, env, says]) => {
    expect(await loadAuth(transport, { words, env })).toMatch(says);
  },
);
