import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatJson } from "../../generator/internal/format.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { startBrowser } from "../browser/chromium.ts";
import { writePage } from "../kit/docs-page.ts";
import { installTool, runProgram } from "../matrix/tools.ts";
import { clientPackages, renderPage, type ClientResults, type Results } from "./page.ts";
import { tryClient, type ClientPackage, type ClientResult } from "./try-client.ts";
import { tryServer, type ServerPackage, type ServerResult } from "./try-server.ts";

/*
 * `npm run docs:compatibility`: tries our commands with servers of the registry that start without credentials, and clients of the registry with
 * a server of ours, and writes docs/compatibility.md. Words after `--` choose packages whose names contain one of them; the results of the others stay.
 * Needs the registry, and Chromium for servers.
 */

const here = import.meta.dirname;
const servers = readList<ServerPackage>("servers.json");
const clients = readList<ClientPackage>("clients.json");
const words = process.argv.slice(2);
const place = join(here, "results.json");
const clientsPlace = join(here, "client-results.json");
const folder = mkdtempSync(join(tmpdir(), "compatibility-"));
const count = { passed: 0, failed: 0 };
try {
  const chosenClients = clients.filter(isChosen);
  if (chosenClients.length > 0) await tryClients(chosenClients);
  const chosenServers = servers.filter(isChosen);
  if (chosenServers.length > 0) await tryServers(chosenServers);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${count.passed} passed, ${count.failed} failed`);
if (count.failed > 0) process.exitCode = 1;

function isChosen({ package: name }: { readonly package: string }): boolean {
  return words.length === 0 || words.some((word) => name.includes(word));
}

async function tryServers(chosen: readonly ServerPackage[]): Promise<void> {
  const earlier = existsSync(place) ? readResults().servers : [];
  const results = new Map(earlier.map((result) => [result.package, result]));
  const browser = await startBrowser();
  const workshop = {
    program: join(packageRoot, "dist", "bundle", "generator", "cli.js"),
    compiler: join(packageRoot, "node_modules", "typescript7", "bin", "tsc"),
    folder,
    browser,
  };
  try {
    for (const server of chosen) {
      await tryOne(server.package, async () => {
        const result = await tryServer(server, workshop);
        results.set(server.package, result);
        console.log(
          `${result.package} ${result.version}: ${result.revisions.join(", ")}; ${result.problems.join("; ")}`,
        );
        return result.problems.length === 0 && result.revisions.length > 0;
      });
      // A run of an hour may be ended early.
      await writeResults(results);
    }
  } finally {
    await browser.close();
  }
}

/** Many clients need a newer Node than the oldest one that we support. */
async function tryClients(chosen: readonly ClientPackage[]): Promise<void> {
  const earlier = existsSync(clientsPlace) ? readClientResults().clients : [];
  const results = new Map(earlier.map((result) => [result.package, result]));
  const tool = await installTool("node24", folder);
  if ("missing" in tool) throw new Error(tool.missing);
  const node = (await runProgram(tool.path, ["--version"], { cwd: folder })).trim().slice(1);
  for (const client of chosen) {
    await tryOne(client.package, async () => {
      const result = await tryClient(client, { root: folder, node: tool.path });
      results.set(client.package, result);
      console.log(`${result.package} ${result.version}: ${result.revision}; ${result.problems.join("; ")}`);
      return result.problems.length === 0;
    });
    await writeClientResults(results, node);
  }
}

/** Counts whether it passed; what it throws is told. */
async function tryOne(name: string, work: () => Promise<boolean>): Promise<void> {
  try {
    count[(await work()) ? "passed" : "failed"] += 1;
  } catch (error) {
    count.failed += 1;
    console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readList<Package>(name: string): readonly Package[] {
  return JSON.parse(readFileSync(join(here, name), "utf8"));
}

function readResults(): Results {
  return JSON.parse(readFileSync(place, "utf8"));
}

function readClientResults(): ClientResults {
  return JSON.parse(readFileSync(clientsPlace, "utf8"));
}

/** Results are in the order of the list, so that they differ only where an outcome does. */
async function writeResults(results: ReadonlyMap<string, ServerResult>): Promise<void> {
  const all: Results = {
    date: today(),
    node: process.versions.node,
    clients: clientPackages.map((name) => ({ package: name, version: readVersion(name) })),
    servers: servers.flatMap(({ package: name }) => results.get(name) ?? []),
  };
  writeFileSync(place, await formatJson(JSON.stringify(all)));
  await writePage("compatibility.md", renderPage(all, readClientResults()));
}

async function writeClientResults(results: ReadonlyMap<string, ClientResult>, node: string): Promise<void> {
  const found = clients.flatMap(({ package: name }) => results.get(name) ?? []);
  const all: ClientResults = { date: today(), node, clients: found };
  writeFileSync(clientsPlace, await formatJson(JSON.stringify(all)));
  await writePage("compatibility.md", renderPage(readResults(), all));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function readVersion(name: string): string {
  const text = readFileSync(join(packageRoot, "node_modules", name, "package.json"), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
