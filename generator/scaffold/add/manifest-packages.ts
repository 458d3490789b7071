import { parseJson } from "../../internal/json-text.ts";
import { UserError } from "../../internal/user-error.ts";
import type { ProjectSource } from "../../openapi/source.ts";
import { isRecord } from "../../typed-client/tool-schema/reading.ts";
import { schemaSamples } from "../create/example-tools.ts";
import { patternPackages } from "../create/project-packages.ts";

/** Returns the name in the text of a `package.json`; empty without one. */
export function packageName(manifest: string): string {
  const { name } = readManifest(manifest);
  return typeof name === "string" ? name : "";
}

/** Names of missing packages, and the text of a `package.json` that has them. */
export interface AddedPackages {
  readonly names: readonly string[];
  readonly text: string;
}

/** Adds the packages that check the schemas of an API to the text of a `package.json`. */
export function addPackages(text: string, { needsRe2 }: Pick<ProjectSource, "needsRe2">): AddedPackages {
  const manifest = readManifest(text);
  const lists = [manifest.dependencies, manifest.devDependencies].filter(isRecord);
  const needed = { ...schemaSamples.json.packages, ...(needsRe2 && patternPackages) };
  const missing = Object.entries(needed).filter(([name]) => !lists.some((list) => Object.hasOwn(list, name)));
  const own = isRecord(manifest.devDependencies) ? manifest.devDependencies : {};
  const all = [...Object.entries(own), ...missing].sort(([a], [b]) => (a < b ? -1 : 1));
  const [, indent = "  "] = /^\{\r?\n([ \t]+)/.exec(text) ?? [];
  const written = JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(all) }, undefined, indent);
  return { names: missing.map(([name]) => name), text: `${written}\n` };
}

function readManifest(text: string): Readonly<Record<string, unknown>> {
  const manifest = parseJson(text);
  if (isRecord(manifest)) return manifest;
  throw new UserError("package.json is not a JSON object; correct it and run the command again.");
}
