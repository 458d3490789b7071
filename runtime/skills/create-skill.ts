import { SetupError } from "../jsonrpc/errors.ts";
import { checkFrontmatter, toManifestText } from "./frontmatter.ts";
import { createSkillFile } from "./file.ts";
import { manifestName, skillLimits, type Skill, type SkillFile, type SkillFrontmatter } from "./skill.ts";

/** A skill that is written in code, for programs without a file system. */
export interface SkillOptions {
  /** Its fields; `name` and `description` are there at least. */
  readonly frontmatter: SkillFrontmatter;
  /** The text of its `SKILL.md` below the fields, in Markdown. */
  readonly body: string;
  /** Further files by their paths below the skill. Default: none. */
  readonly files?: { readonly [path: string]: string | Uint8Array<ArrayBuffer> };
  /** Segments before the name: `acme/billing`. Default: none. */
  readonly folder?: string;
}

/** Makes a skill of text. Throws an error that says what is wrong with it. */
export async function createSkill({ frontmatter, body, files = {}, folder }: SkillOptions): Promise<Skill> {
  const path = folder === undefined ? frontmatter.name : `${folder}/${frontmatter.name}`;
  const where = `The skill "${path}"`;
  const checked = checkFrontmatter(frontmatter, where);
  checkSegments(path, where);
  const made = [createSkillFile(manifestName, toManifestText(checked, body))];
  for (const [name, content] of Object.entries(files)) made.push(createSkillFile(name, content));
  return toSkill({ path, frontmatter: checked, files: await Promise.all(made) }, where);
}

/** Refuses what hosts need not accept, and fields that are not the author's to set. */
export function toSkill(skill: Skill, where: string): Skill {
  const { files, frontmatter } = skill;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length > skillLimits.files || bytes > skillLimits.bytes) {
    throw new SetupError(
      `${where} has ${files.length} files of ${bytes} bytes in all: hosts accept ${skillLimits.files} files and ${skillLimits.bytes} bytes.`,
    );
  }
  for (const file of files) checkSegments(file.path, where);
  const own = Object.keys(frontmatter.metadata ?? {}).find((key) => key.startsWith("io.modelcontextprotocol/"));
  if (own !== undefined)
    throw new SetupError(`${where}: metadata["${own}"] is kept for the protocol, use another prefix.`);
  return { ...skill, files: sortFiles(files) };
}

/** The same order on every machine, `SKILL.md` first. */
function sortFiles(files: readonly SkillFile[]): readonly SkillFile[] {
  const rank = ({ path }: SkillFile): string => (path === manifestName ? "" : path);
  return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Clients refuse what some systems would read as another folder. */
function checkSegments(path: string, where: string): void {
  const isGood = path.split("/").every((segment) => !["", ".", ".."].includes(segment) && !segment.includes("\\"));
  if (!isGood)
    throw new SetupError(`${where}: ${JSON.stringify(path)} is no path below it: use names with "/" between them.`);
}
