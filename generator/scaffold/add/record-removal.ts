import { join } from "node:path";
import { hashText, readIfPresent } from "../../internal/files.ts";
import { recordFile, type ApiRecord, type FileRecord } from "../../openapi/api-lock.ts";
import { hashParts, readParts } from "../../openapi/source-parts.ts";
import { normalize } from "./plan-files.ts";

/** Removed tool, with the changed files. */
export interface RemovedTool {
  readonly project: string;
  readonly tool: string;
  /** New texts of files; `undefined` removes the file. */
  readonly files: ReadonlyMap<string, string | undefined>;
}

/** Records of all APIs after the removal of a tool. */
export interface RecordedRemoval {
  readonly apis: readonly ApiRecord[];
  /** Method and path of the operation, which has no tool any more. */
  readonly operation: string;
  readonly document: string;
  /** Generated tests of the API. */
  readonly tests: readonly string[];
  /** True if no operation of the API has a tool any more. */
  readonly isLast: boolean;
}

/** Records the removal of a tool before its files change. Returns `undefined` when it is not the tool of an operation. */
export async function recordRemoval(
  apis: readonly ApiRecord[],
  { project, tool, files }: RemovedTool,
): Promise<RecordedRemoval | undefined> {
  for (const api of apis) {
    const [operation] = Object.entries(api.operations).find(([, one]) => one.tool === tool) ?? [];
    const generated = [...files].filter(([path]) => Object.hasOwn(api.files, path));
    // A tool of the same name may be the user's own.
    if (operation === undefined || generated.length === 0) continue;
    const { [operation]: _gone, ...operations } = api.operations;
    const removed = [...(api.removed ?? []), operation].sort();
    const records = new Map(Object.entries(api.files));
    for (const [path, text] of generated) {
      const record = records.get(path);
      if (text === undefined || !record) records.delete(path);
      else
        records.set(path, await updateRecord(record, { path, text, before: await readIfPresent(join(project, path)) }));
    }
    const updated = { ...api, operations, removed, files: Object.fromEntries(records) };
    return {
      apis: apis.map((one) => (one === api ? updated : one)),
      operation,
      document: api.document,
      tests: Object.keys(updated.files).filter((path) => path.startsWith("test/")),
      isLast: Object.keys(operations).length === 0,
    };
  }
  return undefined;
}

/** Records a removal as if the file had been generated without the tool. What the user had edited before stays an edit. */
async function updateRecord(
  record: FileRecord,
  { path, text, before = "" }: { readonly path: string; readonly text: string; readonly before: string | undefined },
): Promise<FileRecord> {
  const [old, now] = [await normalize(before), await normalize(text)];
  if (old === undefined || now === undefined) return record;
  const updated = recordFile(path, now);
  const former = hashParts(readParts(path, old));
  const parts = Object.entries(record.parts).map(([part, hash]) => {
    const isEdited = former[part] !== hash;
    return [part, isEdited ? hash : (updated.parts[part] ?? hash)];
  });
  return { text: hashText(old) === record.text ? updated.text : record.text, parts: Object.fromEntries(parts) };
}
