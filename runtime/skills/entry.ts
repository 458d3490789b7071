import { isObject } from "../../generated/support.ts";
import { isDigest } from "./digest.ts";
import { SkillError } from "./errors.ts";
import { checkSkillName, readSkillName, type SkillEntry, type SkillResource } from "./skill.ts";

/**
 * Checks that an entry is consistent. Its URI must end with its name, its files must be inside of the skill and listed once, and the list must
 * contain `SKILL.md`.
 *
 * @throws {SkillError} when the entry contradicts itself.
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension#skill-entries
 */
export function checkSkillEntry(entry: SkillEntry): SkillEntry {
  const { uri, frontmatter, resources } = entry;
  const name = readSkillName(uri);
  const wrong = name === undefined ? "it is not the URI of a SKILL.md in a folder" : checkSkillName(name);
  if (wrong !== undefined) throw new SkillError("entry", uri, wrong);
  if (frontmatter.name !== name)
    throw new SkillError("entry", uri, `its entry has the name ${JSON.stringify(frontmatter.name)}`);
  if (frontmatter.description.trim() === "") throw new SkillError("entry", uri, "its entry has no description");
  if (resources !== "dynamic") checkResources(uri, resources);
  return entry;
}

/**
 * Reads an entry sent by a server.
 *
 * @throws {SkillError} when fields are missing or have the wrong type.
 */
export function readSkillEntry(value: unknown): SkillEntry {
  if (isEntry(value)) return value;
  const uri = isObject(value) && typeof value.uri === "string" ? value.uri : "The skill (no URI)";
  throw new SkillError("entry", uri, "its entry has missing or invalid fields");
}

function isEntry(value: unknown): value is SkillEntry {
  if (!isObject(value) || typeof value.uri !== "string" || !isObject(value.frontmatter)) return false;
  const { frontmatter, resources } = value;
  if (typeof frontmatter.name !== "string" || typeof frontmatter.description !== "string") return false;
  return resources === "dynamic" || (Array.isArray(resources) && resources.every(isResource));
}

function isResource(value: unknown): value is SkillResource {
  if (!isObject(value)) return false;
  return typeof value.uri === "string" && typeof value.digest === "string" && typeof value.size === "number";
}

/** Returns the root URI of a skill, with a trailing slash. */
export function toSkillRoot(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/") + 1);
}

/** True if a URI leads to a file below a root, however servers may resolve dots in it. */
export function isInside(root: string, uri: string): boolean {
  if (!uri.startsWith(root)) return false;
  return uri
    .slice(root.length)
    .split("/")
    .every((segment) => segment !== "" && !/^(?:\.|%2e){1,2}$/i.test(segment) && !/[?#\\]|%2f|%5c/i.test(segment));
}

function checkResources(uri: string, resources: readonly SkillResource[]): void {
  const root = toSkillRoot(uri);
  const seen = new Set<string>();
  for (const { uri: file, digest, size } of resources) {
    if (seen.has(file)) throw new SkillError("entry", uri, `its entry lists ${file} twice`);
    seen.add(file);
    if (!isInside(root, file))
      throw new SkillError("entry", uri, `its entry lists ${file}, which is outside of its folder`);
    if (!isDigest(digest)) throw new SkillError("entry", uri, `the digest of ${file} is not valid`);
    if (!Number.isSafeInteger(size) || size < 0) throw new SkillError("entry", uri, `the size of ${file} is not valid`);
  }
  if (!seen.has(uri)) throw new SkillError("entry", uri, "its entry does not list its SKILL.md");
}
