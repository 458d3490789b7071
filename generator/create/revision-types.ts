import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the members that tools of a revision can have, read from its generated types. */
export function readToolMembers(revision: string, packageFolder: string): ReadonlySet<string> {
  const types = readTypes(revision, packageFolder);
  const [, after = ""] = types.split("\nexport interface Tool ");
  const [body = ""] = after.split("\n}\n");
  const inherited = /^extends BaseMetadata\b/.test(after) ? ["title"] : [];
  return new Set([...inherited, ...[...body.matchAll(/^  (\w+)\??:/gm)].map(([, name = ""]) => name)]);
}

/** Returns the text of the generated types of a revision. */
export function readTypes(revision: string, packageFolder: string): string {
  return readFileSync(join(packageFolder, "generated", revision, "types.ts"), "utf8").replaceAll("\r\n", "\n");
}
