import { SetupError } from "../jsonrpc/errors.ts";
import { checkFrontmatter, toManifestText } from "./frontmatter.ts";
import { createSkillFile } from "./file.ts";
import { manifestName, skillLimits, type Skill, type SkillFile, type SkillFrontmatter } from "./skill.ts";

/** Options of a skill written in code, for programs without a file system. */
export interface SkillOptions {
  /** Frontmatter fields of the skill: at least `name` and `description`. */
  readonly frontmatter: SkillFrontmatter;
  /** Markdown text of its `SKILL.md` below the frontmatter. */
  readonly body: string;
  /** Further files by their paths below the skill. Default: none. */
  readonly files?: { readonly [path: string]: string | Uint8Array<ArrayBuffer> };
  /** Path segments before the name, such as `acme/billing`. Default: none. */
  readonly folder?: string;
}

/**
 * Creates a skill from text.
 *
 * @throws {SetupError} when the skill is invalid, with a description of the problem.
 * @example
 * ```ts
 * import { createSkill } from "mcp-server-runtime";
 *
 * const review = await createSkill({
 *   frontmatter: { name: "review", description: "Reviews a change. Use it before a merge." },
 *   body: "Read the diff, then see [the checklist](CHECKLIST.md).",
 *   files: { "CHECKLIST.md": "- Are there tests?" },
 * });
 * defineServer({ name: "handbook", version: "1.0.0", skills: [review] });
 * ```
 */
export async function createSkill({ frontmatter, body, files = {}, folder }: SkillOptions): Promise<Skill> {
  const path = folder === undefined ? frontmatter.name : `${folder}/${frontmatter.name}`;
  const where = `The skill "${path}"`;
  const checked = checkFrontmatter(frontmatter, where);
  checkSegments(path, where);
  const made = [createSkillFile(manifestName, toManifestText(checked, body))];
  for (const [name, content] of Object.entries(files)) made.push(createSkillFile(name, content));
  return toSkill({ path, frontmatter: checked, files: await Promise.all(made) }, where);
}

/**
 * Checks a skill.
 *
 * @throws {SetupError} when hosts need not accept its size or paths, or when it sets metadata reserved for the protocol.
 */
export function toSkill(skill: Skill, where: string): Skill {
  const { files, frontmatter } = skill;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length > skillLimits.files || bytes > skillLimits.bytes) {
    throw new SetupError(
      `${where} has ${files.length} files and ${bytes} bytes; hosts accept ${skillLimits.files} files and ${skillLimits.bytes} bytes`,
    );
  }
  for (const file of files) checkSegments(file.path, where);
  const paths = files.map((file) => file.path);
  const repeated = paths.find((path, at) => paths.indexOf(path) < at);
  if (repeated !== undefined)
    throw new SetupError(`${where} has two files ${JSON.stringify(repeated)}; remove one of them`);
  const own = Object.keys(frontmatter.metadata ?? {}).find((key) => key.startsWith("io.modelcontextprotocol/"));
  if (own !== undefined)
    throw new SetupError(`${where}: metadata["${own}"] is reserved for the protocol; use another prefix`);
  return { ...skill, files: sortFiles(files) };
}

/** Sorts files in the same order on every machine, `SKILL.md` first. */
function sortFiles(files: readonly SkillFile[]): readonly SkillFile[] {
  const rank = ({ path }: SkillFile): string => (path === manifestName ? "" : path);
  return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Checks the segments of a path: clients reject paths which some systems would resolve to another folder. */
function checkSegments(path: string, where: string): void {
  const isGood = path.split("/").every((segment) => !["", ".", ".."].includes(segment) && !segment.includes("\\"));
  if (!isGood)
    throw new SetupError(
      `${where}: ${JSON.stringify(path)} is not a relative path inside it; use names separated by "/"`,
    );
}
