import { parse } from "yaml";

/**
 * Parses YAML with the package `yaml`: `readSkills("skills", { parseYaml })`. Dates remain text and duplicate keys are errors. References that would
 * expand a small document to a large one are rejected.
 *
 * @throws {Error} when the text is not valid YAML: the errors of `yaml`.
 */
export function parseYaml(text: string): unknown {
  return parse(text, { schema: "core", maxAliasCount: 100, logLevel: "error" });
}
