/** A skill as a server has it: a folder with a `SKILL.md` and whatever that refers to. */
export interface Skill {
  /** Where it is among the skills of a server: `refunds` or `acme/billing/refunds`. The last segment is its name. */
  readonly path: string;
  /** What its `SKILL.md` begins with. */
  readonly frontmatter: SkillFrontmatter;
  /** All of its files, those of skills inside of it too. */
  readonly files: readonly SkillFile[];
}

/** What a skill says about itself, field by field as its author wrote it. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** One file of a skill, as it was when it was read. */
export interface SkillFile {
  /** Below the folder of the skill, with `/` between segments. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly mimeType: string;
}

/** A skill as clients are shown it: enough to choose it, to approve it, and to check every file of it. */
export interface SkillEntry {
  /** Of its `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** Every file of it; `dynamic` where they are made when they are read, so that nothing can be said of them before. */
  readonly resources: readonly SkillResource[] | "dynamic";
}

/** What is known of a file before it is read. */
export interface SkillResource {
  readonly uri: string;
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** Every skill has one, at its root. */
export const manifestName = "SKILL.md";

/**
 * What every host accepts of one skill: so many files, and so many bytes in all of them.
 *
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension#limits
 */
export const skillLimits: { readonly files: number; readonly bytes: number } = { files: 512, bytes: 16 * 1024 * 1024 };

/** The URI of a file or folder of a skill by its path from the root of all skills. */
export function toSkillUri(path: string): string {
  return `${skillScheme}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Other schemes are allowed; ours are read from folders, and folders have none of their own. */
export const skillScheme = "skill://";

/** The name that the URI of a `SKILL.md` ends with, which its frontmatter has to repeat; `undefined` for other URIs. */
export function readSkillName(uri: string): string | undefined {
  const [, name] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/]+\/)*([^/]+)\/SKILL\.md$/i.exec(uri) ?? [];
  return name;
}

/** What is wrong with the name of a skill, if anything. */
export function checkSkillName(name: string): string | undefined {
  if (/^[a-z\d]+(?:-[a-z\d]+)*$/.test(name) && name.length <= 64) return undefined;
  return "use 1 to 64 of the characters a-z 0-9, with single hyphens between them";
}

/** A skill as clients are shown it. */
export function toSkillEntry({ path, frontmatter, files }: Skill): SkillEntry {
  return {
    uri: toSkillUri(`${path}/${manifestName}`),
    frontmatter,
    resources: files.map((file) => ({
      uri: toSkillUri(`${path}/${file.path}`),
      digest: file.digest,
      size: file.bytes.length,
    })),
  };
}
