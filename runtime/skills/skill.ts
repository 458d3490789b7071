/** A skill as a server holds it: a folder with a `SKILL.md` and the files it refers to. */
export interface Skill {
  /** Path among the skills of a server: `refunds` or `acme/billing/refunds`. The last segment is its name. */
  readonly path: string;
  /** Fields at the beginning of its `SKILL.md`. */
  readonly frontmatter: SkillFrontmatter;
  /** All of its files, including those of nested skills. */
  readonly files: readonly SkillFile[];
}

/** Frontmatter of a skill: all fields as its author wrote them. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** A file of a skill, as it was when it was read. */
export interface SkillFile {
  /** Path below the folder of the skill, with `/` between segments. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly mimeType: string;
}

/** A skill as clients see it: enough to choose it, to approve it, and to verify each of its files. */
export interface SkillEntry {
  /** URI of its `SKILL.md`, which identifies the skill. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All of its files; `dynamic` if files are created on read, and their digests are not known in advance. */
  readonly resources: readonly SkillResource[] | "dynamic";
}

/** Metadata of a file, known before it is read. */
export interface SkillResource {
  readonly uri: string;
  readonly digest: string;
  /** Size of the file in bytes. */
  readonly size: number;
}

/** Name of the file at the root of every skill. */
export const manifestName = "SKILL.md";

/**
 * Limits for one skill within which every host accepts it: number of files, and total size in bytes.
 *
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension#limits
 */
export const skillLimits: { readonly files: number; readonly bytes: number } = { files: 512, bytes: 16 * 1024 * 1024 };

/**
 * Returns the URI of a file or folder, given its path from the root of all skills. Characters permitted in a path stay as they are, because clients
 * resolve references such as `Q&A.md` without encoding them.
 */
export function toSkillUri(path: string): string {
  const [root = "", ...segments] = path.split("/").map(encodeURIComponent);
  return skillScheme + [root, ...segments.map((text) => text.replaceAll(inPaths, decodeURIComponent))].join("/");
}

/** Encoded forms of `$&+,:;=@`. @see https://www.rfc-editor.org/rfc/rfc3986#section-3.3 */
const inPaths = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

/** Scheme of skill URIs. Other schemes are allowed; servers of this package use this one, because folders have no scheme of their own. */
export const skillScheme = "skill://";

/** Returns the skill name in the URI of a `SKILL.md`, which its frontmatter must repeat; `undefined` for other URIs. */
export function readSkillName(uri: string): string | undefined {
  if (uri.length > longestUri) return undefined;
  const [, name] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/]+\/)*([^/]+)\/SKILL\.md$/i.exec(uri) ?? [];
  return name;
}

/** Maximum length of the URI of a skill in characters, as for URIs to be matched by templates. */
const longestUri = 8_192;

/** Returns the problem with the name of a skill, or undefined if it is valid. */
export function checkSkillName(name: string): string | undefined {
  if (name.length <= 64 && /^[a-z\d]+(?:-[a-z\d]+)*$/.test(name)) return undefined;
  return "use 1 to 64 of the characters a-z 0-9, with single hyphens between them";
}

/** Converts a skill to the entry clients see. */
export function toSkillEntry({
  path,
  frontmatter,
  files,
}: Skill): SkillEntry & { readonly resources: SkillResource[] } {
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
