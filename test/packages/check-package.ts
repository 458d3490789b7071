import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint, type Message } from "publint";
import { formatMessage } from "publint/utils";

/*
 * `npm run check:package` packs each package as `npm publish` does, and checks the tarball with publint and "Are the types wrong?". Arguments are
 * the folders of packages, which are built already; without arguments, both of this repository.
 */

const folders = process.argv.length > 2 ? process.argv.slice(2) : [".", "dist/runtime-package"];
const target = mkdtempSync(join(tmpdir(), "check-package-"));
let count = 0;
try {
  for (const folder of folders) {
    const tarball = pack(resolve(folder));
    const problems = [...(await lint(tarball)), ...(await checkTypes(tarball))];
    console.log(`${folder}: ${problems.length === 0 ? "no problems" : `${problems.length} problems`}`);
    for (const problem of problems) console.log(`  ${problem}`);
    count += problems.length;
  }
} finally {
  rmSync(target, { recursive: true, force: true });
}
if (count > 0) process.exitCode = 1;

/** Packs a folder without building it again, and returns the content of the tarball. */
function pack(folder: string): Buffer {
  const options = ["pack", "--json", "--ignore-scripts", "--pack-destination", target];
  // `npm` is a script on Windows, which only a shell starts.
  const shell = process.platform === "win32";
  const output = execFileSync("npm", options, {
    cwd: folder,
    encoding: "utf8",
    shell,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed]: { readonly filename: string }[] = JSON.parse(output);
  if (!packed) throw new Error(`npm pack wrote nothing for ${folder}; run it there to see why.`);
  return readFileSync(join(target, packed.filename));
}

async function lint(tarball: Buffer): Promise<string[]> {
  const { messages, pkg = {} } = await publint({ pack: { tarball: toArrayBuffer(tarball) }, strict: true });
  return messages
    .filter(concernsPackage)
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** False for the runtime inside the command line, which is no part of its exports: `--runtime vendored` copies it into projects as it is. */
function concernsPackage({ args }: Message): boolean {
  return !JSON.stringify(args ?? {}).includes("/dist/runtime-package/");
}

async function checkTypes(tarball: Buffer): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (!result.types) return ["types: the package has none"];
  return result.problems.filter(concernsUsers).map((problem) => `types: ${JSON.stringify(problem)}`);
}

/** False for readers that the package does not support: it has ES modules only, and entry points only in `exports`. */
function concernsUsers(problem: Problem): boolean {
  return !("resolutionKind" in problem) || !["node10", "node16-cjs"].includes(problem.resolutionKind);
}

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
