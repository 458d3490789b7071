import { constants, lstat, open, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fromUtf8 } from "../framing/utf8.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import { toSkill } from "./create-skill.ts";
import { createSkillFile } from "./file.ts";
import { readFrontmatter, type ParseYaml } from "./frontmatter.ts";
import { manifestName, skillLimits, type Skill, type SkillFile } from "./skill.ts";

/** Options for reading folders of skills. */
export interface ReadSkillsOptions {
  readonly parseYaml: ParseYaml;
}

/**
 * Reads the skills in folders, once. Each folder with a `SKILL.md` is a skill, at any depth, and everything below it is part of it. Names with a dot
 * at the beginning are left out. Nothing outside of the folders is read: symbolic links are rejected.
 *
 * @param folders - one folder or several; a folder with a `SKILL.md` of its own is a skill
 * @throws {SetupError} when something cannot be served, with the name of the file
 * @example
 * ```ts
 * import { readSkills } from "mcp-server-runtime";
 * import { parseYaml } from "mcp-server-runtime/adapters/yaml";
 *
 * defineServer({ name: "handbook", version: "1.0.0", skills: await readSkills("skills", { parseYaml }) });
 * ```
 */
export async function readSkills(
  folders: string | URL | readonly (string | URL)[],
  { parseYaml }: ReadSkillsOptions,
): Promise<readonly Skill[]> {
  const list = typeof folders === "string" || folders instanceof URL ? [folders] : folders;
  const skills: Skill[] = [];
  for (const folder of list) skills.push(...(await readFolder(toPath(folder), parseYaml)));
  const seen = new Set<string>();
  for (const { path } of skills) {
    if (seen.has(path)) throw new SetupError(`The skill "${path}" is in two of the folders; rename one of them`);
    seen.add(path);
  }
  return skills;
}

async function readFolder(root: string, parseYaml: ParseYaml): Promise<readonly Skill[]> {
  const found: string[] = [];
  await collect({ root, path: "", depth: 0 }, found).catch((error: unknown) => rejectFolder(root, error));
  const homes = found.filter((path) => isManifest(path)).map((path) => path.slice(0, -manifestName.length));
  if (homes.length === 0) throw new SetupError(`${root} has no skill; a skill is a folder with a ${manifestName}`);
  const read = createFileReader(root);
  const skills: Skill[] = [];
  for (const home of homes.sort()) skills.push(await readSkill({ root, home, found, read, parseYaml }));
  return skills;
}

/** Converts a system error to a setup error with the name of the folder. Other errors already name their file. */
function rejectFolder(root: string, cause: unknown): never {
  if (!(cause instanceof Error) || !("code" in cause)) throw cause;
  throw new SetupError(`${root} cannot be read (${cause.code}); pass a folder of skills`, { cause });
}

interface SkillPlace {
  readonly root: string;
  /** Path of the skill below the root, with a trailing slash; empty for the root itself. */
  readonly home: string;
  /** Paths of all files below the root. */
  readonly found: readonly string[];
  readonly read: (path: string) => Promise<Uint8Array<ArrayBuffer>>;
  readonly parseYaml: ParseYaml;
}

async function readSkill({ root, home, found, read, parseYaml }: SkillPlace): Promise<Skill> {
  const where = join(root, home, manifestName);
  const paths = found.filter((path) => path.startsWith(home));
  if (paths.length > skillLimits.files)
    throw new SetupError(`${join(root, home)} has ${paths.length} files; hosts accept ${skillLimits.files} per skill`);
  const files: SkillFile[] = [];
  for (const path of paths) files.push(await createSkillFile(path.slice(home.length), await read(path)));
  const text = fromUtf8(await read(`${home}${manifestName}`));
  if (text === undefined) throw new SetupError(`${where} is not valid UTF-8`);
  const frontmatter = readFrontmatter(text, where, parseYaml);
  const segments = home.split("/").slice(0, -1);
  const name = segments.at(-1) ?? basename(root);
  if (frontmatter.name !== name) {
    throw new SetupError(
      `${where}: its name is "${frontmatter.name}", but its folder is "${name}"; rename one of them`,
    );
  }
  const path = [...(isRootSkill(found) ? [basename(root)] : []), ...segments].join("/");
  return toSkill({ path, frontmatter, files }, where);
}

/** True if the root is a skill itself. Then the paths of all skills in it begin with the name of the root. */
function isRootSkill(found: readonly string[]): boolean {
  return found.includes(manifestName);
}

function isManifest(path: string): boolean {
  return path === manifestName || path.endsWith(`/${manifestName}`);
}

interface Place {
  readonly root: string;
  readonly path: string;
  readonly depth: number;
}

/** Lists the files below a folder, with `/` between segments. */
async function collect({ root, path, depth }: Place, found: string[]): Promise<void> {
  if (depth > deepest) throw new SetupError(`${join(root, path)} is nested too deeply for a skill`);
  for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await collect({ root, path: inner, depth: depth + 1 }, found);
    else if (entry.isFile()) found.push(inner);
    else throw new SetupError(`${join(root, inner)} is a link or a device; replace it with a regular file`);
    if (found.length > most)
      throw new SetupError(`${root} has more than ${most} files; pass the folder of the skills only`);
  }
}

/** Creates a reader of files. It reads each file once, even if it belongs to several skills. */
function createFileReader(root: string): SkillPlace["read"] {
  const known = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return (path) => {
    const reading = known.get(path) ?? readBounded(root, path);
    known.set(path, reading);
    return reading;
  };
}

/** Reads a file of limited size. The file, or a folder around it, may have been replaced by a link since it was listed: links are not followed. */
async function readBounded(root: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(root, ...path.split("/"));
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    await checkFolders(root, path);
    const { size } = await handle.stat();
    if (size > skillLimits.bytes)
      throw new SetupError(`${file} has ${size} bytes; hosts accept ${skillLimits.bytes} per skill`);
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** Checks that the folders of a path below the root are no links. `O_NOFOLLOW` applies to the last segment only. */
async function checkFolders(root: string, path: string): Promise<void> {
  let folder = root;
  for (const segment of path.split("/").slice(0, -1)) {
    folder = join(folder, segment);
    const found = await lstat(folder);
    if (!found.isDirectory()) throw new SetupError(`${folder} is no longer a folder; replace links with folders`);
  }
}

function toPath(folder: string | URL): string {
  return typeof folder === "string" ? resolve(folder) : fileURLToPath(folder).replace(/[\\/]$/, "");
}

/** Limits for a wrong folder, such as the root of a disk: number of files and nesting depth. */
const most = 10_000;
const deepest = 32;
