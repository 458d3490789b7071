import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exampleTools } from "../create/example-tools.ts";
import { readIfPresent } from "../../internal/files.ts";
import { isRecord, jsonText, parseJson } from "../../internal/json-text.ts";
import { findDefinition } from "./definition.ts";

/** File that describes a bundle for hosts. */
export const manifestName = "manifest.json";

/** A tool as the manifest of a bundle lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
}

/** Changes of the tools listed in a manifest. */
export interface ToolChanges {
  readonly added: readonly ListedTool[];
  /** Names of removed tools. Default: none. */
  readonly removed?: readonly string[];
}

/**
 * Adds tools to the manifest of a project's bundle. Removes the given ones, and example tools no longer defined in any source. Returns false if the
 * manifest has no list of tools, otherwise true, also without a manifest.
 */
export async function listTools(project: string, { added, removed = [] }: ToolChanges): Promise<boolean> {
  const text = await readIfPresent(join(project, manifestName));
  if (text === undefined) return true;
  const manifest = parseManifest(text);
  if (!manifest) return false;
  const replaced = [...added.map(({ name }) => name), ...removed, ...(await findGone(project))];
  await writeTools(project, manifest, [...without(manifest, replaced), ...added]);
  return true;
}

/** Removes a tool from the manifest of a project's bundle. Returns true if the manifest listed it. */
export async function unlistTool(project: string, name: string): Promise<boolean> {
  const manifest = parseManifest((await readIfPresent(join(project, manifestName))) ?? "");
  const tools = manifest && without(manifest, [name]);
  if (!tools || tools.length === manifest.tools.length) return false;
  await writeTools(project, manifest, tools);
  return true;
}

interface Manifest {
  readonly tools: readonly unknown[];
}

/** Parses a manifest; `undefined` when it has no list of tools. */
function parseManifest(text: string): Manifest | undefined {
  const manifest = parseJson(text);
  return isRecord(manifest) && Array.isArray(manifest.tools) ? { ...manifest, tools: manifest.tools } : undefined;
}

/** Returns the tools of a manifest without the named ones. */
function without({ tools }: Manifest, names: readonly unknown[]): readonly unknown[] {
  return tools.filter((one) => !isRecord(one) || !names.includes(one.name));
}

async function writeTools(project: string, manifest: Manifest, tools: readonly unknown[]): Promise<void> {
  await writeFile(join(project, manifestName), `${jsonText({ ...manifest, tools })}\n`);
}

async function findGone(project: string): Promise<readonly unknown[]> {
  const names = exampleTools.map(({ name }) => name);
  const places = await Promise.all(
    names.map((value) => findDefinition(project, { definer: "defineTool", member: "name", value })),
  );
  return names.filter((_name, index) => places[index] === undefined);
}
