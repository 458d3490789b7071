import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exampleTools } from "../create/example-tools.ts";
import { jsonText, parseJson } from "../../internal/json-text.ts";
import { isRecord } from "../../typed-client/tool-schema/reading.ts";
import { systemCode } from "../../internal/user-error.ts";
import { findDefinition } from "./definition.ts";

/** Name of the file that describes a bundle for hosts. */
export const manifestName = "manifest.json";

/** A tool as the manifest of a bundle lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
}

/** Changes of the tools that a manifest lists. */
export interface ToolChanges {
  readonly added: readonly ListedTool[];
  /** Names of tools that are gone. Default: none. */
  readonly removed?: readonly string[];
}

/**
 * Adds tools to the manifest of a project's bundle, and removes others and the example tools that no source defines any more. Returns false when
 * there is a manifest without a list of tools, else true, also without a manifest.
 */
export async function listTools(project: string, { added, removed = [] }: ToolChanges): Promise<boolean> {
  const path = join(project, manifestName);
  const text = await readManifest(path);
  if (text === undefined) return true;
  const manifest = parseJson(text);
  if (!isRecord(manifest) || !Array.isArray(manifest.tools)) return false;
  const replaced = [...added.map(({ name }) => name), ...removed, ...(await findGone(project))];
  const kept = manifest.tools.filter((one) => !isRecord(one) || !replaced.includes(one.name));
  await writeFile(path, `${jsonText({ ...manifest, tools: [...kept, ...added] })}\n`);
  return true;
}

/** Removes a tool from the manifest of a project's bundle. Returns true if the manifest listed it. */
export async function unlistTool(project: string, name: string): Promise<boolean> {
  const path = join(project, manifestName);
  const manifest = parseJson((await readManifest(path)) ?? "");
  if (!isRecord(manifest) || !Array.isArray(manifest.tools)) return false;
  const tools = manifest.tools.filter((one) => !isRecord(one) || one.name !== name);
  if (tools.length === manifest.tools.length) return false;
  await writeFile(path, `${jsonText({ ...manifest, tools })}\n`);
  return true;
}

/** Reads a manifest; undefined when there is none. */
async function readManifest(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
}

async function findGone(project: string): Promise<readonly unknown[]> {
  const names = exampleTools.map(({ name }) => name);
  const places = await Promise.all(
    names.map((value) => findDefinition(project, { definer: "defineTool", member: "name", value })),
  );
  return names.filter((_name, index) => places[index] === undefined);
}
