import { parse } from "yaml";

/**
 * Parses YAML with the package `yaml`. Dates remain text and duplicate keys are errors. References by which a small document would expand to a large
 * one are rejected.
 *
 * @throws {Error} when the text is not valid YAML: the errors of `yaml`.
 * @example
 * ```ts
 * import { readSkills } from "mcp-server-runtime";
 * import { parseYaml } from "mcp-server-runtime/adapters/yaml";
 *
 * const skills = await readSkills("skills", { parseYaml });
 * ```
 */
export function parseYaml(text: string): unknown {
  return parse(text, { schema: "core", maxAliasCount: 100, logLevel: "error" });
}
