import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runDiff } from "../../cli/commands/diff.ts";
import { runPin } from "../../cli/commands/pin.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";

/*
 * What upstream has changed, as Markdown: `tsx test/upstream/report.ts <folder>`, where the folder is a clone of the specification's repository. It
 * pins the draft into a spec folder of its own, and lists the packages of the protocol of which this project tests an older version. It exits with 1
 * if the draft cannot be read, with 0 otherwise: what has changed is news, no fault.
 */

/** Package to be tested here in its newest version. */
export interface WatchedPackage {
  readonly name: string;
  /** Version or range, as the manifest has it. */
  readonly wanted: string;
}

/** Prints what the draft would change, and returns the exit code. The revision of a draft has no date yet: it is `today`. */
export async function reportDraft(folder: string, today: string): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), "mcp-draft-"));
  const spec = join(home, "spec");
  try {
    const newest = [...(await openSpecFolder("spec")).pins.keys()].sort().at(-1) ?? "";
    console.log("## The draft\n");
    const from = join(folder, "schema", "draft", "schema.ts");
    const pinned = await runPin({ revision: today, from, spec, force: true });
    if (pinned !== 0) return 1;
    console.log(`\n## The draft, compared with ${newest}\n`);
    // A draft with open decisions has no model yet: the list of these is the news.
    await runDiff({ older: newest, newer: today, spec, format: "markdown" });
    return 0;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Prints the protocol's packages with a newer version. `readVersions` returns the versions of a package, the newest last. Prereleases count
 * where one is tested: the conformance suite has no other versions for new revisions.
 */
export async function reportPackages(
  packages: readonly WatchedPackage[],
  readVersions: (name: string) => Promise<readonly string[]>,
): Promise<void> {
  console.log("\n## Packages\n");
  for (const { name, wanted } of packages) {
    const versions = await readVersions(name);
    const newest = versions.filter((version) => wanted.includes("-") || !version.includes("-")).at(-1) ?? "none";
    const isTested = wanted.replace(/^\^/, "") === newest;
    console.log(`- ${name}: ${isTested ? `${newest} is tested` : `${newest} is the newest, ${wanted} is tested`}`);
  }
}

/** Returns the packages of the protocol in the manifests of this project. */
export function readPackages(): readonly WatchedPackage[] {
  return ["test/conformance/package.json", "package.json"].flatMap((path) => {
    const { dependencies, devDependencies }: Manifest = JSON.parse(readFileSync(path, "utf8"));
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => name.startsWith("@modelcontextprotocol/"))
      .map(([name, wanted]) => ({ name, wanted }));
  });
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function readVersions(name: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("npm", ["view", name, "versions", "--json"]);
  return JSON.parse(stdout);
}

async function main([folder]: readonly string[]): Promise<number> {
  if (folder === undefined) {
    console.error("A folder is missing; pass a clone of the specification's repository.");
    return 2;
  }
  const code = await reportDraft(folder, new Date().toISOString().slice(0, 10));
  await reportPackages(readPackages(), readVersions);
  return code;
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2));
