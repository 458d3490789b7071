import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { emitSource } from "../../../generator/openapi/emit-source.ts";
import { readSource } from "../../../generator/openapi/source.ts";

/** Writes the sources of a project from an OpenAPI document, with a layer that passes on what it gets. Returns the paths of the sources. */
export async function writeSources(document: string, root: string): Promise<readonly string[]> {
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
  const runtime = (path: string): string => JSON.stringify(join(packageRoot, "runtime", path));
  const layer = [
    `export { ToolError } from ${runtime("server/errors.ts")};`,
    `export { defineSettings } from ${runtime("server/settings/settings.ts")};`,
    `export const createCfworkerValidator = () => () => undefined;`,
    `export const defineTool = (tool) => tool;`,
    `const pass = (value) => ({ value });`,
    `export const fromJsonSchema = (schema) => ({ "~standard": { validate: pass, jsonSchema: { input: () => schema } } });`,
  ].join("\n");
  const { tree } = await emitSource(source, options);
  for (const [path, text] of [...tree, ["src/mcp/index.ts", layer] as const]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...tree.keys()];
}
