import { isObject } from "../../generated/support.ts";
import { findNotJson } from "../internal/not-json.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import { checkSkillName, type SkillFrontmatter } from "./skill.ts";

/** Parses the text of a YAML document; throws if it is invalid. */
export type ParseYaml = (text: string) => unknown;

/**
 * Reads the frontmatter of a `SKILL.md`.
 *
 * @param where - name of the file in errors
 * @throws {SetupError} when the frontmatter is missing or invalid, with the problem and its place
 */
export function readFrontmatter(text: string, where: string, parseYaml: ParseYaml): SkillFrontmatter {
  const yaml = cutFrontmatter(text);
  if (yaml === undefined) {
    throw new SetupError(`${where} has no frontmatter; begin it with "---", YAML with name and description, and "---"`);
  }
  if (yaml.length > longest) throw new SetupError(`${where}: its frontmatter is longer than ${longest} characters`);
  return checkFrontmatter(parse(yaml, where, parseYaml), where);
}

/**
 * Checks that a host can reproduce and compare frontmatter.
 *
 * @throws {SetupError} when it is not JSON, or its name or description is missing or invalid.
 */
export function checkFrontmatter(value: unknown, where: string): SkillFrontmatter {
  const problem = findNotJson(value);
  if (problem !== undefined) throw new SetupError(`${where}: its frontmatter cannot be serialized as JSON: ${problem}`);
  if (!isObject(value)) throw new SetupError(`${where}: its frontmatter has no fields`);
  const { name, description } = value;
  if (typeof name !== "string") throw new SetupError(`${where}: its frontmatter has no string "name"`);
  const wrong = checkSkillName(name);
  if (wrong !== undefined) throw new SetupError(`${where}: its name is ${JSON.stringify(name)}; ${wrong}`);
  if (typeof description !== "string" || description.trim() === "")
    throw new SetupError(`${where}: its frontmatter has no string "description"`);
  return { ...value, name, description };
}

/** Creates the text of a `SKILL.md` from fields and a body. Each field is written as JSON, which is valid YAML. */
export function toManifestText(frontmatter: SkillFrontmatter, body: string): string {
  const fields = Object.entries(frontmatter).filter(([, value]) => value !== undefined);
  const lines = fields.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join("")}---\n\n${body.trim()}\n`;
}

function parse(yaml: string, where: string, parseYaml: ParseYaml): unknown {
  try {
    return parseYaml(yaml);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new SetupError(`${where}: its frontmatter is not valid YAML: ${problem}`, { cause: error });
  }
}

/** Returns the text between the first line and the next line of three dashes. */
function cutFrontmatter(text: string): string | undefined {
  return /^\uFEFF?---\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
}

const longest = 65_536;
