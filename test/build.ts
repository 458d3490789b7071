import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const program = join(root, "dist/bundle/generator/cli.js");

/** Tests start the command line as users do, built: from sources it takes three times as long. What is built already is left as it is. */
export function setup(): void {
  if (existsSync(program) && statSync(program).mtimeMs >= newestSource()) return;
  const compiler = join(root, "node_modules/typescript7/bin/tsc");
  // Types are not what these tests are about: what can be emitted is.
  rmSync(join(root, "dist.next"), { recursive: true, force: true });
  run(compiler, "-p", "tsconfig.build.json", "--outDir", "dist.next");
  // Otherwise the tests would pass with the build before.
  if (run("dist.next/.build/bundle.js") !== 0)
    throw new Error("The command line could not be built; run `npm run build` to see why.");
}

/** Runs a program of Node, and returns its exit code. */
function run(...args: readonly string[]): number | null {
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status;
}

function newestSource(): number {
  const files = [
    ".build",
    "cli",
    "cluster",
    "examples",
    "generator",
    "generated",
    "runtime",
    "spec",
    "templates",
    "tools",
  ].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|hbs|css|html|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}
