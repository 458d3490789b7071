import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Tree } from "../../../generator/internal/tree.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { emitSource } from "../../../generator/openapi/emit-source.ts";
import { readSource } from "../../../generator/openapi/source.ts";

/** Files of each document: tests load many of them again with other settings. */
const emitted = new Map<string, Tree>();

async function emit(document: string, root: string): Promise<Tree> {
  const known = emitted.get(document);
  if (known) return known;
  writeFileSync(join(root, "openapi.yaml"), document);
  const source = await readSource(join(root, "openapi.yaml"));
  const stubs = { prompts: false, resources: false, templates: false };
  const options = {
    name: "demo",
    toolMembers: new Set<string>(),
    hasAudio: true,
    stubs,
    layer: "mcp/index.ts",
    packageFolder: packageRoot,
  };
  const { tree } = await emitSource(source, options);
  emitted.set(document, tree);
  return tree;
}

/** Writes the sources of a project from an OpenAPI document, with a layer that passes on what it gets. Returns the paths of the sources. */
export async function writeSources(document: string, root: string): Promise<readonly string[]> {
  const tree = await emit(document, root);
  const runtime = (path: string): string => JSON.stringify(join(packageRoot, "runtime", path));
  const layer = [
    `export { ToolError } from ${runtime("server/errors.ts")};`,
    `export { defineSettings } from ${runtime("server/settings/settings.ts")};`,
    `export const createCfworkerValidator = () => () => undefined;`,
    `export const defineTool = (tool) => tool;`,
    `const pass = (value) => ({ value });`,
    `export const fromJsonSchema = (schema) => ({ "~standard": { validate: pass, jsonSchema: { input: () => schema } } });`,
  ].join("\n");
  for (const [path, text] of [...tree, ["src/mcp/index.ts", layer] as const]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...tree.keys()];
}
