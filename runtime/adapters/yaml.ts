import { parse } from "yaml";

/**
 * Reads YAML with the package `yaml`: `readSkills("skills", { parseYaml })`. Dates stay text, a key that is there twice is an error, and
 * references that would make a small document large are refused. Throws what `yaml` throws.
 */
export function parseYaml(text: string): unknown {
  return parse(text, { schema: "core", maxAliasCount: 100, logLevel: "error" });
}
