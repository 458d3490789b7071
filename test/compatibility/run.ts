import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatJson } from "../../generator/internal/format.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { startBrowser } from "../browser/chromium.ts";
import { writePage } from "../docs-page.ts";
import { clientPackages, renderPage, type Results } from "./page.ts";
import { tryServer, type ServerPackage, type ServerResult } from "./try-server.ts";

/*
 * `npm run docs:compatibility`: tries our commands with servers of the registry that start without credentials, and writes
 * docs/compatibility.md. Words after `--` choose servers whose names contain one of them; the results of the others stay. Needs the registry and Chromium.
 */

const here = import.meta.dirname;
const servers: readonly ServerPackage[] = JSON.parse(readFileSync(join(here, "servers.json"), "utf8"));
const words = process.argv.slice(2);
const chosen = servers.filter(({ package: name }) => words.length === 0 || words.some((word) => name.includes(word)));
const place = join(here, "results.json");
const earlier: readonly ServerResult[] = existsSync(place) ? readResults().servers : [];
const results = new Map(earlier.map((result) => [result.package, result]));

const folder = mkdtempSync(join(tmpdir(), "compatibility-"));
const browser = await startBrowser();
const workshop = {
  program: join(packageRoot, "dist", "bundle", "generator", "cli.js"),
  compiler: join(packageRoot, "node_modules", "typescript7", "bin", "tsc"),
  folder,
  browser,
};
let failed = 0;
try {
  for (const server of chosen) {
    await tryOne(server);
    // A run of an hour may be ended early.
    await writeResults();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${chosen.length - failed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

async function tryOne(server: ServerPackage): Promise<void> {
  try {
    const result = await tryServer(server, workshop);
    results.set(server.package, result);
    if (result.problems.length > 0 || result.revisions.length === 0) failed += 1;
    console.log(`${server.package} ${result.version}: ${result.revisions.join(", ")}; ${result.problems.join("; ")}`);
  } catch (error) {
    failed += 1;
    console.log(`${server.package}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readResults(): Results {
  return JSON.parse(readFileSync(place, "utf8"));
}

/** Results are in the order of the list, so that they differ only where an outcome does. */
async function writeResults(): Promise<void> {
  const found = servers.flatMap(({ package: name }) => results.get(name) ?? []);
  const all: Results = {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    clients: clientPackages.map((name) => ({ package: name, version: readVersion(name) })),
    servers: found,
  };
  writeFileSync(place, await formatJson(JSON.stringify(all)));
  await writePage("compatibility.md", renderPage(all));
}

function readVersion(name: string): string {
  const text = readFileSync(join(packageRoot, "node_modules", name, "package.json"), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
