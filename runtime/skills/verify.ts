import { toDigest } from "./digest.ts";
import { SkillError } from "./errors.ts";
import { readFrontmatter, type ParseYaml } from "./frontmatter.ts";
import type { SkillEntry, SkillResource } from "./skill.ts";

/**
 * Checks the bytes of a file against its entry.
 *
 * @throws {SkillError} when their size or digest differs.
 */
export async function verifyFile(resource: SkillResource, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { uri, size, digest } = resource;
  if (bytes.length !== size) {
    throw new SkillError("size", uri, `it has ${bytes.length} bytes; its entry lists ${size}`);
  }
  const found = await toDigest(bytes);
  if (found !== digest) throw new SkillError("digest", uri, `its digest is ${found}; its entry lists ${digest}`);
}

/**
 * Checks the frontmatter of a `SKILL.md` against its entry, field by field: users have approved the entry.
 *
 * @throws {SkillError} when a field differs or the frontmatter is invalid.
 */
export function verifyFrontmatter({ uri, frontmatter }: SkillEntry, text: string, parseYaml: ParseYaml): void {
  const written = parse(uri, text, parseYaml);
  const fields = new Set([...Object.keys(frontmatter), ...Object.keys(written)]);
  for (const field of fields) {
    if (!isSame(read(frontmatter, field), read(written, field)))
      throw new SkillError("frontmatter", uri, `its field ${JSON.stringify(field)} differs from its entry`);
  }
}

function parse(uri: string, text: string, parseYaml: ParseYaml): object {
  try {
    return readFrontmatter(text, uri, parseYaml);
  } catch (error) {
    throw new SkillError("frontmatter", uri, error instanceof Error ? error.message : String(error));
  }
}

function read(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined;
}

/** True if two JSON values are equal. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(Reflect.get(a, key), Reflect.get(b, key)));
}
