import { isObject } from "../../generated/support.ts";
import { findNotJson } from "../internal/not-json.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import { checkSkillName, type SkillFrontmatter } from "./skill.ts";

/** Reads the text of a YAML document; throws when it is none. */
export type ParseYaml = (text: string) => unknown;

/**
 * Reads what a `SKILL.md` begins with. Throws an error that says what is wrong and where.
 *
 * @param where - names the file in errors
 */
export function readFrontmatter(text: string, where: string, parseYaml: ParseYaml): SkillFrontmatter {
  const yaml = cutFrontmatter(text);
  if (yaml === undefined) {
    throw new SetupError(
      `${where} must begin with its frontmatter: a line "---", YAML with name and description, "---".`,
    );
  }
  if (yaml.length > longest) throw new SetupError(`${where}: its frontmatter is longer than ${longest} characters.`);
  return checkFrontmatter(parse(yaml, where, parseYaml), where);
}

/** Refuses frontmatter that a host could not take over, or not compare. */
export function checkFrontmatter(value: unknown, where: string): SkillFrontmatter {
  const problem = findNotJson(value);
  if (problem !== undefined) throw new SetupError(`${where}: its frontmatter cannot be written as JSON: ${problem}.`);
  if (!isObject(value)) throw new SetupError(`${where}: its frontmatter has no fields.`);
  const { name, description } = value;
  if (typeof name !== "string") throw new SetupError(`${where}: its frontmatter has no text "name".`);
  const wrong = checkSkillName(name);
  if (wrong !== undefined) throw new SetupError(`${where}: its name is ${JSON.stringify(name)}: ${wrong}.`);
  if (typeof description !== "string" || description.trim() === "")
    throw new SetupError(`${where}: its frontmatter has no text "description".`);
  return { ...value, name, description };
}

/** A `SKILL.md` of fields and text. Each field is written as JSON, which is YAML as well. */
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
    throw new SetupError(`${where}: its frontmatter is not YAML: ${problem}`, { cause: error });
  }
}

/** The text between the first line and the next one that are made of three dashes. */
function cutFrontmatter(text: string): string | undefined {
  return /^\uFEFF?---\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
}

const longest = 65_536;
