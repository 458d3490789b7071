import { join } from "node:path";
import { hashText, readIfPresent } from "../../internal/files.ts";
import { formatTypeScript } from "../../internal/format.ts";
import type { Tree } from "../../internal/tree.ts";
import { UserError } from "../../internal/user-error.ts";
import type { FileRecord } from "../../openapi/api-lock.ts";
import { mergeSource } from "../../openapi/merge-source.ts";
import type { FileChanges } from "./write-files.ts";

/** Changes of the generated files of a project. */
export interface FilePlan extends FileChanges {
  /** Edits to keep. */
  readonly edits: readonly KeptEdit[];
}

/** Edit of a generated file, kept by the plan. */
export interface KeptEdit {
  readonly path: string;
  /** Name of the edited part; absent for a whole file. */
  readonly part?: string;
  /** `kept`: nothing else is needed. `conflict`: the generated text of the part changed. `orphaned`: the file is no longer generated. */
  readonly kind: "kept" | "conflict" | "orphaned";
}

/** Generated files of a project, before and now. */
export interface FilePlanInput {
  readonly project: string;
  /** Newly generated files. */
  readonly tree: Tree;
  /** Records of the files generated before. */
  readonly records: Readonly<Record<string, FileRecord>>;
  /** True if edited files are replaced. */
  readonly force: boolean;
}

/**
 * Compares the files of a project with the newly generated ones. The hashes of the texts generated before reveal edits; the formatting of a file does
 * not matter. Nothing is written.
 *
 * @throws {UserError} when a new file would replace one of the user.
 */
export async function planFiles({ project, tree, records, force }: FilePlanInput): Promise<FilePlan> {
  const writes = new Map<string, string>();
  const removals: string[] = [];
  const edits: KeptEdit[] = [];
  for (const [path, generated] of tree) {
    const record = Object.hasOwn(records, path) ? records[path] : undefined;
    const planned = await planFile({ path, generated, record, found: await readIfPresent(join(project, path)), force });
    if (planned.text !== undefined) writes.set(path, planned.text);
    edits.push(...planned.edits);
  }
  for (const [path, { text }] of Object.entries(records)) {
    const found = tree.has(path) ? undefined : await readIfPresent(join(project, path));
    if (found === undefined) continue;
    if (force || hashText(found) === text || hashText((await normalize(found)) ?? "") === text) removals.push(path);
    else edits.push({ path, kind: "orphaned" });
  }
  return { writes, removals, edits };
}

interface FileInput {
  readonly path: string;
  readonly generated: string;
  readonly record: FileRecord | undefined;
  /** Text in the project. */
  readonly found: string | undefined;
  readonly force: boolean;
}

interface PlannedFile {
  /** Text to write; absent if the file stays. */
  readonly text?: string;
  readonly edits: readonly KeptEdit[];
}

async function planFile({ path, generated, record, found, force }: FileInput): Promise<PlannedFile> {
  const replaced = { text: generated, edits: [] };
  if (found === undefined) return replaced;
  if (hashText(found) === hashText(generated)) return { edits: [] };
  if (force) return replaced;
  if (!record) throw new UserError(`Nothing was written: ${path} exists already. Move it, or replace it with --force.`);
  const isUnchanged = record.text === hashText(generated);
  if (hashText(found) === record.text) return replaced;
  const edited = await normalize(found);
  if (edited === undefined) return { edits: [{ path, kind: isUnchanged ? "kept" : "conflict" }] };
  if (hashText(edited) === record.text) return isUnchanged ? { edits: [] } : replaced;
  const { text, kept, conflicts } = await mergeSource({ path, edited, generated, hashes: record.parts });
  const edits = kept.map((part): KeptEdit => ({ path, part, kind: conflicts.includes(part) ? "conflict" : "kept" }));
  return isUnchanged || hashText(text) === hashText(edited) ? { edits } : { text, edits };
}

/** Formats a text like a generated file. Returns `undefined` for text other than TypeScript. */
export async function normalize(text: string): Promise<string | undefined> {
  try {
    return await formatTypeScript(text, { collapses: true });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
