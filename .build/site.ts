import { spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { findDeadLinks } from "./site-links.ts";
import { landingText } from "./site-landing.ts";
import { readDescriptions, readSidebar } from "./site-sidebar.ts";

/*
 * `npm run docs`: builds the site of the documentation in `docs-site/`, or in the folder that `--out` names: guides, protocol reference and API
 * reference. The generator of the site is a package of its own, because it is larger than all that the other scripts need.
 */

const root = join(import.meta.dirname, "..");
const home = join(root, "docs", ".vitepress");
const pages = join(home, "pages");
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "docs-site") } } });
const partial = `${values.out}.partial`;

await rm(pages, { recursive: true, force: true });
try {
  await Promise.all([installGenerator(), copyPages(), run(tool("typedoc"), ["--options", "typedoc.config.js"])]);
  await writeFile(join(pages, "navigation.json"), JSON.stringify(await readNavigation(), undefined, 2));
  const generator = join(home, "node_modules", "vitepress", "bin", "vitepress.js");
  await run(process.execPath, [generator, "build", "docs", "--outDir", partial]);
  const dead = await findDeadLinks(partial);
  if (dead.length > 0) throw new Error(`The site has ${dead.length} dead links:\n${dead.slice(0, 50).join("\n")}`);
  await rm(values.out, { recursive: true, force: true });
  await rename(partial, values.out);
  console.log(`The site is in ${values.out}.`);
} finally {
  await rm(partial, { recursive: true, force: true });
  await rm(pages, { recursive: true, force: true });
}

/** Installs VitePress beside its settings, unless the version of the lock file is there already. */
async function installGenerator(): Promise<void> {
  const wanted: Manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  const file = join(home, "node_modules", "vitepress", "package.json");
  const installed: Manifest = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
  if (installed.version === wanted.dependencies?.["vitepress"]) return;
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", home]);
}

interface Manifest {
  readonly version?: string;
  readonly homepage?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Copies the guides with their pictures, and the protocol reference. The index of a folder is `README.md` for GitHub. */
async function copyPages(): Promise<void> {
  await cp(join(root, "docs", "pictures"), join(pages, "pictures"), { recursive: true });
  for (const [folder, index] of [
    ["", "guides.md"],
    ["protocol", "index.md"],
  ] as const) {
    const from = join(root, "docs", folder);
    await mkdir(join(pages, folder), { recursive: true });
    const files = (await readdir(from)).filter((file) => file.endsWith(".md"));
    await Promise.all(
      files.map((file) => cp(join(from, file), join(pages, folder, file === "README.md" ? index : file))),
    );
  }
  const [head, readme] = await Promise.all([
    readFile(join(home, "home.md"), "utf8"),
    readFile(join(root, "README.md"), "utf8"),
  ]);
  await writeFile(join(pages, "index.md"), `${head}\n${landingText(readme)}`);
}

async function readNavigation(): Promise<object> {
  const { homepage = "" }: Manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const [sidebar, guides] = await Promise.all([readSidebar(pages), readFile(join(pages, "guides.md"), "utf8")]);
  return { repository: homepage.replace(/#.*$/, ""), sidebar, descriptions: readDescriptions(guides) };
}

/** Returns the program of a package of this repository. */
function tool(name: string): string {
  return join(root, "node_modules", ".bin", name);
}

/** Runs a program, and rejects with its output if it fails. */
function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const isWindows = process.platform === "win32";
    const child = spawn(command, args, { cwd: root, shell: isWindows, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => output.push(part));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${basename(command)} ${args[0] ?? ""} failed:\n${Buffer.concat(output).toString()}`));
    });
  });
}
